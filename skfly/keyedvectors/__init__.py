"""Word codes behind the interface of gensim's ``KeyedVectors``, on packed bits."""

try:
    import gensim as _  # noqa: F401
except ImportError as error:
    raise ImportError(
        "word vectors (FlyKeyedVectors, and wv of FlyHashVectorizer) need gensim, which has no "
        "wheels for every version of Python: pip install gensim; hash_words returns the same "
        "codes without it"
    ) from error

# BERTopic and KeyBERT take for gensim's what is defined in a module with "gensim" in its name
from skfly.keyedvectors._gensim import FlyKeyedVectors
from skfly.keyedvectors._of_fly import make_vectors as make_vectors

__all__ = ["FlyKeyedVectors"]
