"""How good codes and vectors are, measured: each measure gives a plain table and can draw it."""

from skfly.evaluation._datasets import WordPairs, read_word_pairs
from skfly.evaluation._table import WordSimilarityRow, WordSimilarityTable, mean_over_seeds
from skfly.evaluation._vectors import load_vectors
from skfly.evaluation._word_similarity import HASH_LENGTHS, word_similarity

__all__ = [
    "HASH_LENGTHS",
    "WordPairs",
    "WordSimilarityRow",
    "WordSimilarityTable",
    "load_vectors",
    "mean_over_seeds",
    "read_word_pairs",
    "word_similarity",
]
