"""Text to word ids: tokenizing, sentences, vocabulary, and the encoded corpus."""

from skfly.text._analyzer import NUMBER, SKLEARN_PARAMS, TextAnalyzer
from skfly.text._bags import context_words, count_words, word_ids
from skfly.text._columns import TABLE_SUFFIXES, TextColumn
from skfly.text._corpus import EncodedCorpus
from skfly.text._encode import encode_documents
from skfly.text._sources import TextLines, check_documents
from skfly.text._to_directory import disk_needed, encode_to_directory
from skfly.text._vocabulary import Vocabulary

__all__ = [
    "NUMBER",
    "SKLEARN_PARAMS",
    "TABLE_SUFFIXES",
    "EncodedCorpus",
    "TextAnalyzer",
    "TextColumn",
    "TextLines",
    "Vocabulary",
    "check_documents",
    "context_words",
    "count_words",
    "disk_needed",
    "encode_documents",
    "encode_to_directory",
    "word_ids",
]
