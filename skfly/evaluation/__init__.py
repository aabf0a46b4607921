"""Measure how good codes and vectors are; every evaluation returns a :class:`Table`."""

from skfly.evaluation._analogies import word_analogies
from skfly.evaluation._context_data import (
    ContextPairs,
    WordUse,
    load_context_pairs,
    read_scws,
    read_wic,
)
from skfly.evaluation._contexts import word_in_context
from skfly.evaluation._datasets import WordPairs, load_word_pairs, read_word_pairs
from skfly.evaluation._document_data import (
    LabelledTexts,
    load_labelled_texts,
    read_20newsgroups,
    read_reuters,
    read_sst2,
    read_trec,
    read_wos,
)
from skfly.evaluation._document_scores import (
    bits_of_codes,
    document_scores,
    label_accuracy,
    neighbor_precision,
)
from skfly.evaluation._mean_vectors import MeanVectors
from skfly.evaluation._sentences import SentencePairs, read_sts, sentence_similarity
from skfly.evaluation._table import Table, mean_over_seeds
from skfly.evaluation._vdsh import vdsh_split
from skfly.evaluation._vector_files import is_vector_file, load_vectors
from skfly.evaluation._word_similarity import word_similarity

__all__ = [
    "ContextPairs",
    "LabelledTexts",
    "MeanVectors",
    "SentencePairs",
    "Table",
    "WordPairs",
    "WordUse",
    "bits_of_codes",
    "document_scores",
    "is_vector_file",
    "label_accuracy",
    "load_context_pairs",
    "load_labelled_texts",
    "load_vectors",
    "load_word_pairs",
    "mean_over_seeds",
    "neighbor_precision",
    "read_20newsgroups",
    "read_reuters",
    "read_scws",
    "read_sst2",
    "read_sts",
    "read_trec",
    "read_wic",
    "read_word_pairs",
    "read_wos",
    "sentence_similarity",
    "vdsh_split",
    "word_analogies",
    "word_in_context",
    "word_similarity",
]
