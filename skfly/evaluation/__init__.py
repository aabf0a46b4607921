"""How good codes and vectors are, measured: each measure gives a plain table and can draw it."""

from skfly.evaluation._analogies import WordAnalogyRow, WordAnalogyTable, word_analogies
from skfly.evaluation._context_data import ContextPairs, WordUse, read_scws, read_wic
from skfly.evaluation._context_table import WordInContextRow, WordInContextTable
from skfly.evaluation._contexts import word_in_context
from skfly.evaluation._datasets import WordPairs, read_word_pairs
from skfly.evaluation._table import WordSimilarityRow, WordSimilarityTable, mean_over_seeds
from skfly.evaluation._vectors import load_vectors
from skfly.evaluation._word_similarity import HASH_LENGTHS, word_similarity

__all__ = [
    "HASH_LENGTHS",
    "ContextPairs",
    "WordAnalogyRow",
    "WordAnalogyTable",
    "WordInContextRow",
    "WordInContextTable",
    "WordPairs",
    "WordSimilarityRow",
    "WordSimilarityTable",
    "WordUse",
    "load_vectors",
    "mean_over_seeds",
    "read_scws",
    "read_wic",
    "read_word_pairs",
    "word_analogies",
    "word_in_context",
    "word_similarity",
]
