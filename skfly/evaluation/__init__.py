"""How good codes and vectors are, measured: each measure gives a plain table and can draw it."""

from skfly.evaluation._analogies import WordAnalogyRow, WordAnalogyTable, word_analogies
from skfly.evaluation._clusters import N_CLUSTERS, ClusterRow, ClusterTable, word_clusters
from skfly.evaluation._code_table import CodeRow, CodeTable
from skfly.evaluation._compare_codes import binarizers, compare_codes
from skfly.evaluation._context_data import ContextPairs, WordUse, read_scws, read_wic
from skfly.evaluation._context_table import WordInContextRow, WordInContextTable
from skfly.evaluation._contexts import word_in_context
from skfly.evaluation._datasets import WordPairs, read_word_pairs
from skfly.evaluation._document_data import (
    LabelledTexts,
    read_20newsgroups,
    read_sst2,
    read_trec,
    read_wos,
)
from skfly.evaluation._document_table import ClassificationRow, ClassificationTable
from skfly.evaluation._documents import document_classification, document_pipelines
from skfly.evaluation._mean_vectors import MeanVectors
from skfly.evaluation._table import WordSimilarityRow, WordSimilarityTable, mean_over_seeds
from skfly.evaluation._text_cnn import TextCNNClassifier
from skfly.evaluation._training_curve import CurveRow, CurveTable, TrainingCurve
from skfly.evaluation._vectors import load_vectors
from skfly.evaluation._word_similarity import HASH_LENGTHS, word_similarity
from skfly.evaluation._word_tree import WordTree, word_tree

__all__ = [
    "HASH_LENGTHS",
    "N_CLUSTERS",
    "ClassificationRow",
    "ClassificationTable",
    "ClusterRow",
    "ClusterTable",
    "CodeRow",
    "CodeTable",
    "ContextPairs",
    "CurveRow",
    "CurveTable",
    "LabelledTexts",
    "MeanVectors",
    "TextCNNClassifier",
    "TrainingCurve",
    "WordAnalogyRow",
    "WordAnalogyTable",
    "WordInContextRow",
    "WordInContextTable",
    "WordPairs",
    "WordSimilarityRow",
    "WordSimilarityTable",
    "WordTree",
    "WordUse",
    "binarizers",
    "compare_codes",
    "document_classification",
    "document_pipelines",
    "load_vectors",
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
