"""Binary codes from dense vectors, as scikit-learn transformers."""

from skfly.binarize._lsh import LSH
from skfly.binarize._randexp import RandExp

__all__ = ["LSH", "RandExp"]
