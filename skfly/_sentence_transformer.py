"""A sentence-transformers model that averages the codes of words."""

from __future__ import annotations

from typing import Any

import numpy as np

from skfly._files import import_at_least
from skfly.model import FlyModel

_OLDEST = "5.0"
_NEEDED = {"lowercase": True, "token_pattern": r"(?u)\b\w\w+\b", "fold_numbers": False}
_PATTERN = r"(?<!\w)\w\w+(?!\w)"  # the same one for the tokenizers of Hugging Face


def make_sentence_transformer(model: FlyModel) -> Any:
    """Return a ``SentenceTransformer`` with one ``StaticEmbedding``."""
    static = _import("sentence_transformers.models")
    tokenizers = import_at_least("tokenizers", "tokenizers", "0.20", "to_sentence_transformer")
    text = model.settings.text
    needed = _NEEDED | dict.fromkeys(("preprocessor", "tokenizer", "strip_accents", "phrases"))
    for name, value in needed.items():
        if str(text.get(name, value)) != str(value):
            raise ValueError(
                f"to_sentence_transformer needs {name}={value!r}; got {text[name]!r}: the "
                "tokenizers of sentence-transformers cannot do this"
            )
    ids = {word: i for i, word in enumerate(model.vocabulary.words)}
    unknown = "[UNK]"  # no word of ours has brackets, which the pattern leaves out
    words = tokenizers.models.WordLevel(ids | {unknown: len(ids)}, unk_token=unknown)
    tokenizer = tokenizers.Tokenizer(words)
    tokenizer.normalizer = tokenizers.normalizers.Lowercase()
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Split(
        tokenizers.Regex(_PATTERN), behavior="removed", invert=True
    )
    codes = model.word_codes().toarray().astype(np.float32)
    weights = np.vstack([codes, np.zeros((1, model.n_cells), np.float32)])
    embedding = static.StaticEmbedding(tokenizer, embedding_weights=weights)
    return _import("sentence_transformers").SentenceTransformer(modules=[embedding], device="cpu")


def _import(module: str) -> Any:
    return import_at_least(module, "sentence-transformers", _OLDEST, "to_sentence_transformer")
