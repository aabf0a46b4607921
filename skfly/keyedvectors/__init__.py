"""Word codes behind the interface of gensim's ``KeyedVectors``, on packed bits."""

from skfly.keyedvectors._keyedvectors import FlyKeyedVectors
from skfly.keyedvectors._of_fly import vectors_of as vectors_of

__all__ = ["FlyKeyedVectors"]
