"""Fruit fly codes for words, words in context and documents.

>>> import skfly
>>> fly = skfly.FlyHashVectorizer(n_kenyon_cells=10, hash_length=2, random_state=0)
>>> fly.fit_transform(["ripe fruit for the fly", "the fly sleeps"]).shape
(2, 10)
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from skfly._messages import SmallTextWarning, VocabularyWarning
    from skfly._model_file import ModelFileError
    from skfly.index import DocumentIndex
    from skfly.keyedvectors import FlyKeyedVectors
    from skfly.model import FlyModel, KenyonCell
    from skfly.text import EncodedCorpus, TextColumn, TextLines
    from skfly.vectorizer import FlyHashVectorizer

__all__ = [
    "DocumentIndex",
    "EncodedCorpus",
    "FlyHashVectorizer",
    "FlyKeyedVectors",
    "FlyModel",
    "KenyonCell",
    "ModelFileError",
    "SmallTextWarning",
    "TextColumn",
    "TextLines",
    "VocabularyWarning",
    "__version__",
]

__version__ = "0.2.0"

_HOMES = {
    "DocumentIndex": "skfly.index",
    "EncodedCorpus": "skfly.text",
    "FlyHashVectorizer": "skfly.vectorizer",
    "FlyKeyedVectors": "skfly.keyedvectors",
    "FlyModel": "skfly.model",
    "KenyonCell": "skfly.model",
    "ModelFileError": "skfly._model_file",
    "SmallTextWarning": "skfly._messages",
    "TextColumn": "skfly.text",
    "TextLines": "skfly.text",
    "VocabularyWarning": "skfly._messages",
}


if not TYPE_CHECKING:  # a checker of types should know which names there are

    def __getattr__(name):
        """Import a public name when it is first used: `skfly --help` should not wait for numpy."""
        if name not in _HOMES:
            raise AttributeError(f"module 'skfly' has no attribute {name!r}")
        value = globals()[name] = getattr(import_module(_HOMES[name]), name)
        return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
