"""Measure how good codes and vectors are; every evaluation returns a :class:`Table`."""

from skfly.evaluation._analogies import word_analogies
from skfly.evaluation._clusters import word_clusters
from skfly.evaluation._compare_codes import compare_codes
from skfly.evaluation._context_data import (
    ContextPairs,
    WordUse,
    load_context_pairs,
    read_scws,
    read_wic,
)
from skfly.evaluation._context_neighbors import context_neighbors
from skfly.evaluation._contexts import word_in_context
from skfly.evaluation._datasets import WordPairs, load_word_pairs, read_word_pairs
from skfly.evaluation._document_data import (
    LabelledTexts,
    read_20newsgroups,
    read_sst2,
    read_trec,
    read_wos,
)
from skfly.evaluation._documents import MeanVectors, document_classification, document_pipelines
from skfly.evaluation._table import Table, mean_over_seeds
from skfly.evaluation._training_curve import TrainingCurve
from skfly.evaluation._vector_files import is_vector_file, load_vectors
from skfly.evaluation._word_similarity import word_similarity
from skfly.evaluation._word_tree import WordTree, word_tree

__all__ = [
    "ContextPairs",
    "LabelledTexts",
    "MeanVectors",
    "Table",
    "TrainingCurve",
    "WordPairs",
    "WordTree",
    "WordUse",
    "compare_codes",
    "context_neighbors",
    "document_classification",
    "document_pipelines",
    "is_vector_file",
    "load_context_pairs",
    "load_vectors",
    "load_word_pairs",
    "mean_over_seeds",
    "read_20newsgroups",
    "read_scws",
    "read_sst2",
    "read_trec",
    "read_wic",
    "read_word_pairs",
    "read_wos",
    "word_analogies",
    "word_clusters",
    "word_in_context",
    "word_similarity",
    "word_tree",
]
