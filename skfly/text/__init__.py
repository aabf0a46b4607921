"""Text to word ids: tokens, sentences, vocabulary, and the encoded corpus."""

# names imported "as" themselves are for the rest of the package, not for users
from skfly.text._analyzer import NUMBER as NUMBER
from skfly.text._analyzer import SKLEARN_PARAMS as SKLEARN_PARAMS
from skfly.text._analyzer import TEXT_PARAMS as TEXT_PARAMS
from skfly.text._analyzer import BoundedTokens as BoundedTokens
from skfly.text._analyzer import FilePattern as FilePattern
from skfly.text._analyzer import TextAnalyzer
from skfly.text._bags import context_words as context_words
from skfly.text._bags import count_documents as count_documents
from skfly.text._bags import count_words as count_words
from skfly.text._bags import in_groups as in_groups
from skfly.text._bags import in_so_many as in_so_many
from skfly.text._bags import sample_pieces as sample_pieces
from skfly.text._bags import word_ids as word_ids
from skfly.text._blocks import check_documents as check_documents
from skfly.text._columns import TABLE_SUFFIXES as TABLE_SUFFIXES
from skfly.text._columns import TextColumn
from skfly.text._corpus import EncodedCorpus
from skfly.text._corpus import warn_if_read_otherwise as warn_if_read_otherwise
from skfly.text._encode import encode_documents
from skfly.text._phrases import N_PASSES as N_PASSES
from skfly.text._phrases import PhraseJoiner as PhraseJoiner
from skfly.text._phrases import count_neighbors as count_neighbors
from skfly.text._phrases import join_corpus as join_corpus
from skfly.text._phrases import joined_as as joined_as
from skfly.text._phrases import learn_phrases as learn_phrases
from skfly.text._phrases import pairs_above as pairs_above
from skfly.text._phrases import phrases_to_list as phrases_to_list
from skfly.text._sources import TextLines
from skfly.text._sources import files_in as files_in
from skfly.text._to_directory import disk_needed, encode_to_directory
from skfly.text._vocabulary import PackedStrings as PackedStrings
from skfly.text._vocabulary import PackedWords as PackedWords
from skfly.text._vocabulary import Vocabulary
from skfly.text._vocabulary import places_of as places_of

__all__ = [
    "EncodedCorpus",
    "TextAnalyzer",
    "TextColumn",
    "TextLines",
    "Vocabulary",
    "disk_needed",
    "encode_documents",
    "encode_to_directory",
]
