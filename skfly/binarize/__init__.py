"""Binary codes from dense vectors, as scikit-learn transformers."""

from skfly.binarize._biohash import BioHash
from skfly.binarize._densefly import DenseFly
from skfly.binarize._itq import ITQ
from skfly.binarize._lsh import LSH
from skfly.binarize._near_lossless import NearLossless
from skfly.binarize._pcah import PCAH
from skfly.binarize._randexp import RandExp
from skfly.binarize._spectral import SpectralHashing
from skfly.binarize._topk import TopK

__all__ = [
    "ITQ",
    "LSH",
    "PCAH",
    "BioHash",
    "DenseFly",
    "NearLossless",
    "RandExp",
    "SpectralHashing",
    "TopK",
]
