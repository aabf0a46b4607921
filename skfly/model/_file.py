"""Models in files: a safetensors container with arrays, and JSON for the rest.

Arrays ``coder.*`` are the coder's, ``words.*`` and ``counts`` the vocabulary's. An estimator adds
what it needs to continue: arrays ``state.*`` and the JSON object ``"estimator"``. Files of skfly
0.1 are turned into this form when they are read.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import asdict, fields
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skfly._model_file import (
    DAMAGE,
    ModelFileError,
    number_type,
    read_model_file,
    write_model_file,
)
from skfly.model._model import FlyModel, ModelSettings, Provenance
from skfly.model._synapses import SynapseCoder, keep_probabilities
from skfly.text import TEXT_PARAMS, PackedWords, Vocabulary

__all__ = ["ModelFile", "plain_value", "read_model", "write_model"]

KIND = "model"
FORMS = {SynapseCoder.form: SynapseCoder}
_CODER, _STATE = "coder.", "state."
# how the rules of 0.1 used their synapses
_NUMBERS_OF_0_1: dict[str, dict[str, Any]] = {
    "lloyd": {"floor": 0.0, "log_ratios": True},
    "hebbian": {"floor": None, "log_ratios": False},
}


class ModelFile(NamedTuple):
    """What a file holds: the model, and what an estimator added (``None``: nothing)."""

    model: FlyModel
    estimator: dict[str, Any] | None
    state: dict[str, NDArray[Any]]


def write_model(
    path: str | os.PathLike[str],
    model: FlyModel,
    estimator: Mapping[str, Any] | None = None,
    state: Mapping[str, NDArray[Any]] | None = None,
) -> None:
    """Write a model, and what an estimator needs beside it."""
    words = PackedWords.pack(model.vocabulary.words)
    arrays: dict[str, NDArray[Any]] = {
        "words.data": words.data,
        "words.ends": words.ends,
        "counts": model.vocabulary.counts,
        **{_CODER + name: array for name, array in model.coder.arrays.items()},
        **{_STATE + name: array for name, array in (state or {}).items()},
    }
    names = {field.name for field in fields(ModelSettings)} - {"text"}
    settings = {name: plain_value(name, getattr(model.settings, name)) for name in sorted(names)}
    text = {name: plain_value(name, value) for name, value in model.settings.text.items()}
    content: dict[str, Any] = {
        "kind": KIND,
        "form": model.coder.form,
        "numbers": model.coder.numbers,
        "settings": settings | {"text": text},
        "provenance": asdict(model.provenance),
    }
    if estimator is not None:
        content["estimator"] = dict(estimator)
    write_model_file(path, arrays, content)


def read_model(path: str | os.PathLike[str], *, mmap: bool = False) -> ModelFile:
    """Read a model file, of this version or of 0.1."""
    arrays, content = read_model_file(path, mmap=mmap)
    if "keys" in content:
        raise ModelFileError(
            f"{path} holds words and their codes, not a model: open it with FlyKeyedVectors.load"
        )
    try:
        if "kind" not in content:
            arrays, content = _from_0_1(arrays, content)
        return _restore(arrays, content)
    except DAMAGE as error:
        raise ModelFileError(f"{path} is damaged: {error}") from error


def _restore(arrays: Mapping[str, NDArray[Any]], content: Mapping[str, Any]) -> ModelFile:
    if content["kind"] != KIND:
        raise ValueError(f"it holds {content['kind']!r:.30}, not a model")
    words = PackedWords(arrays["words.data"], arrays["words.ends"])
    counts = np.asarray(arrays["counts"])
    if counts.dtype != np.int64 or counts.min(initial=0) < 0:
        raise ValueError("the counts of the words are no counts")
    vocabulary = Vocabulary(list(words), counts)
    coder = FORMS[content["form"]].from_arrays(
        _under(_CODER, arrays), content["numbers"], len(vocabulary)
    )
    settings = dict(content["settings"])
    settings["dtype"] = number_type(settings["dtype"]).type
    model = FlyModel(
        vocabulary, coder, ModelSettings(**settings), _provenance(content["provenance"])
    )
    _ = model.analyzer  # that there are such rules for text is not known before
    estimator = content.get("estimator")
    if estimator is not None and not isinstance(estimator, dict):
        raise ValueError("what it says of the estimator is no table")
    return ModelFile(model, estimator, _under(_STATE, arrays))


def _under(prefix: str, arrays: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    return {
        name.removeprefix(prefix): array
        for name, array in arrays.items()
        if name.startswith(prefix)
    }


def _provenance(content: Mapping[str, Any]) -> Provenance:
    provenance = Provenance(**content)
    for field in fields(Provenance):
        kind = int if field.type == "int" else str
        if not isinstance(getattr(provenance, field.name), kind):
            raise ValueError(f"{field.name} of the provenance is no {kind.__name__}")
    return provenance


def _from_0_1(
    arrays: Mapping[str, NDArray[Any]], content: Mapping[str, Any]
) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """Return what a file of 0.1 holds in the form of today."""
    params, fitted, words = dict(content["params"]), dict(content["fitted"]), content["words"]
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise ValueError("words is not a list of words")
    if len(set(words)) < len(words):
        raise ValueError("a word comes twice")
    packed, counts, rule = PackedWords.pack(words), arrays["word_counts_"], fitted["learning_"]
    found: dict[str, NDArray[Any]] = {
        "words.data": packed.data,
        "words.ends": packed.ends,
        "counts": counts,
        f"{_STATE}lateral_at": np.array([fitted["lateral_at_"]], dtype=np.float64),
    }
    for name, array in arrays.items():
        if name in ("synapses_", "consensus_", "lateral_"):
            found[_CODER + name.rstrip("_")] = array
        elif name.startswith("rule_state_."):
            found[_STATE + name.removeprefix("rule_state_.")] = array
    if fitted["subsample_"] > 0:
        found[f"{_CODER}weights"] = keep_probabilities(counts, fitted["subsample_"])
    names = {field.name for field in fields(ModelSettings)} - {"text"}
    if params.get("vocabulary") is not None:
        params["vocabulary"] = True
    learning = {name.rstrip("_"): value for name, value in fitted.items()}
    return found, {
        "kind": KIND,
        "form": SynapseCoder.form,
        "numbers": {"largest": learning.pop("largest_synapse"), **_NUMBERS_OF_0_1[rule]},
        "settings": {name: params[name] for name in names}
        | {"text": {name: params[name] for name in TEXT_PARAMS}},
        "provenance": {
            "rule": learning.pop("learning"),
            "n_tokens": learning.pop("n_words_seen"),
            "n_windows": learning.pop("n_windows_seen"),
        },
        "estimator": {
            "params": params,
            "n_epochs": learning.pop("n_iter"),
            "min_count": learning.pop("min_count"),
            "energy": learning.pop("energy"),
            "cells_used": learning.pop("cells_used"),
            "settings": {n: value for n, value in learning.items() if n != "lateral_at"},
        },
    }


def plain_value(name: str, value: Any) -> Any:
    """Return a parameter as JSON can hold it, or say why not.

    Examples
    --------
    >>> plain_value("dtype", np.float32), plain_value("stop_words", ["the"])
    ('float32', ['the'])
    """
    if name == "dtype":
        return np.dtype(value).name
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return value
    raise ValueError(
        f"{name}={value!r} cannot be written to a model file, which holds data and no code. "
        f"Call set_params({name}=None) before save, and set it again after load; or pickle "
        "the estimator with joblib"
    )
