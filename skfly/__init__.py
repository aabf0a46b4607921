"""Fruit fly codes for words, words in context and documents.

>>> import skfly
>>> fly = skfly.FlyHashVectorizer(n_kenyon_cells=10, hash_length=2, random_state=0)
>>> fly.fit_transform(["ripe fruit for the fly", "the fly sleeps"]).shape
(2, 10)
"""

from skfly._model_file import ModelFileError
from skfly.codes import KenyonCell
from skfly.text import EncodedCorpus, TextLines
from skfly.vectorizer import FlyHashVectorizer

__all__ = [
    "EncodedCorpus",
    "FlyHashVectorizer",
    "KenyonCell",
    "ModelFileError",
    "TextLines",
    "__version__",
]

__version__ = "0.1.0"
