"""Search on codes: one protocol, and indexes that implement it."""

from skfly.index._base import Index
from skfly.index._bits import pack_codes as pack_codes  # these five: see skfly.codes
from skfly.index._bits import unpack_codes as unpack_codes
from skfly.index._documents import DocumentIndex
from skfly.index._gpu import GpuIndex
from skfly.index._inverted import InvertedIndex
from skfly.index._packed import PackedIndex
from skfly.index._similarity import nearest as nearest
from skfly.index._similarity import overlap as overlap
from skfly.index._similarity import similarity as similarity
from skfly.index._words import nearest_words

__all__ = ["DocumentIndex", "GpuIndex", "Index", "InvertedIndex", "PackedIndex", "nearest_words"]
