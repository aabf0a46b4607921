"""Model files: a safetensors container with arrays, and JSON for the rest.

Arrays ``coder.*`` belong to the coder, ``documents.*`` to the document coder if there is one, and
``words.*`` and ``counts`` to the vocabulary. ``layout.*`` is the layout of the cells in pictures;
older files have none, and older versions leave it unread. An estimator adds what it needs to
continue: arrays ``state.*`` and the JSON object ``"estimator"``. The JSON object ``"deflated"``
has the types and shapes of those of them that are stored in fewer bytes. Files of skfly 0.1 are
converted to this form when they are read.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import asdict, fields
from functools import cache, partial
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from skfly._model_file import (
    COMPACT_VERSION,
    DAMAGE,
    DEFLATED_VERSION,
    PLAIN_VERSION,
    ModelFileError,
    StoredArrays,
    number_type,
    read_model_file,
    under,
    write_model_file,
)
from skfly.model._coder import Coder
from skfly.model._deflate import deflate, inflate
from skfly.model._documents import DocumentCoder
from skfly.model._factored import FactoredCoder
from skfly.model._layout import CellLayout
from skfly.model._model import FlyModel, ModelSettings, Provenance
from skfly.model._ordered import PhaseCoder
from skfly.model._synapses import SynapseCoder, keep_probabilities
from skfly.model._whitened import WhitenedCoder
from skfly.text import TEXT_PARAMS, FilePattern, PackedWords, Vocabulary

KIND = "model"
FORMS: dict[str, type[Coder]] = {
    FactoredCoder.form: FactoredCoder,
    PhaseCoder.form: PhaseCoder,
    SynapseCoder.form: SynapseCoder,
    WhitenedCoder.form: WhitenedCoder,
}
_LONGEST_PATTERN = 1000  # characters
_MOST_WRITTEN_OUT = 100_000  # characters, if what is repeated is written out: so it is compiled
_COUNT = re.compile(r"\{([0-9]*)(?:,([0-9]*))?\}")
_TYPES: dict[str, Any] = {"str": str, "int": int, "bool": bool, "int | None": int | None}
_VERBOSE = re.compile(r"\(\?[\w-]*x")  # a count may have spaces and comments in it
_HOW_TO_READ = {"input", "encoding", "decode_error"}  # not which words a text has
_CODER, _DOCUMENTS, _LAYOUT, _STATE = "coder.", "documents.", "layout.", "state."
# how the rules of 0.1 used their synapses
_NUMBERS_OF_0_1: dict[str, dict[str, Any]] = {
    "lloyd": {"floor": 0.0, "log_ratios": True},
    "hebbian": {"floor": None, "log_ratios": False},
}


_Described = TypeVar("_Described", ModelSettings, Provenance)


class ModelFile(NamedTuple):
    """The content of a file: the model, and what an estimator added (``None``: nothing).

    ``state`` reads the arrays that learning continues from; what does not fit raises one of
    ``DAMAGE``.
    """

    model: FlyModel
    estimator: dict[str, Any] | None
    state: Callable[[], dict[str, NDArray[Any]]]


def write_model(
    path: str | os.PathLike[str],
    model: FlyModel,
    estimator: Mapping[str, Any] | None = None,
    state: Mapping[str, NDArray[Any]] | None = None,
) -> None:
    """Write a model with its layout, and what else an estimator needs."""
    model.cell_layout()
    arrays, content = describe_model(model)
    version = COMPACT_VERSION if model.is_compact else PLAIN_VERSION
    for name, array in sorted((state or {}).items()):
        packed = deflate(array)
        arrays[_STATE + name] = array if packed is None else packed
        if packed is not None:
            version = DEFLATED_VERSION
            content.setdefault("deflated", {})[name] = [array.dtype.name, array.shape]
    if estimator is not None:
        content["estimator"] = dict(estimator)
    write_model_file(path, arrays, content, version)


def describe_model(model: FlyModel) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """Return a model as arrays and a JSON object, with the layout if it was computed."""
    names = {field.name for field in fields(ModelSettings)} - {"text"}
    settings = {name: plain_value(name, getattr(model.settings, name)) for name in sorted(names)}
    text = {name: plain_value(name, value) for name, value in model.settings.text.items()}
    arrays = _arrays_of(model)
    layout = model.__dict__.get("_layout", model.layout)
    if layout is not None:
        arrays |= {_LAYOUT + name: array for name, array in layout.arrays.items()}
    return arrays, {
        "kind": KIND,
        "form": model.coder.form,
        "numbers": model.coder.numbers,
        "settings": settings | {"text": text},
        "provenance": _plain_provenance(model.provenance),
    }


def _plain_provenance(provenance: Provenance) -> dict[str, Any]:
    """Return the provenance, with ``compact`` only if it is true."""
    return {name: value for name, value in asdict(provenance).items() if value is not False}


def model_fingerprint(model: FlyModel) -> str:
    """Return a name that no model with different document codes has."""
    digest = hashlib.blake2b(digest_size=16)
    text = {
        name: value for name, value in model.analyzer.params.items() if name not in _HOW_TO_READ
    }
    told = [model.coder.form, model.coder.numbers, model.hash_length, text]
    digest.update(json.dumps(told, sort_keys=True).encode())
    for name, array in sorted(_arrays_of(model).items()):
        digest.update(f"{name} {array.dtype.str} {array.shape}".encode())
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()


def _arrays_of(model: FlyModel) -> dict[str, NDArray[Any]]:
    whole = PackedWords.pack(model.vocabulary.words).arrays() | {"counts": model.vocabulary.counts}
    arrays: dict[str, NDArray[Any]] = {
        **{name: _in_few_bytes(array) for name, array in whole.items()},
        **{_CODER + name: array for name, array in model.coder.arrays.items()},
    }
    if model.document_coder is not None:
        found = model.document_coder.arrays
        arrays |= {_DOCUMENTS + name: array for name, array in found.items()}
    return arrays


def _in_few_bytes(array: NDArray[Any]) -> NDArray[Any]:
    """Return whole numbers in 32 bits if they fit."""
    fits = array.dtype == np.int64 and array.max(initial=0) < 2**31
    return array.astype(np.int32) if fits else array


def read_model(path: str | os.PathLike[str], *, mmap: bool = False) -> ModelFile:
    """Read a model file, of this version or of 0.1."""
    stored, content = read_model_file(path, mmap=mmap)
    arrays: dict[str, NDArray[Any]] = stored
    if "keys" in content:
        raise ModelFileError(
            f"{path} holds words and their codes, not a model: open it with FlyKeyedVectors.load "
            "or 'skfly evaluate words'"
        )
    if content.get("kind") == "documents":
        raise ModelFileError(
            f"{path} holds an index of documents, not a model: open it with DocumentIndex.load or "
            "'skfly search'"
        )
    try:
        if "kind" not in content:
            arrays, content = _from_0_1(arrays, content)
        file = _restore(arrays, content)
    except DAMAGE as error:
        raise ModelFileError(f"{path} is damaged: {error}") from error

    _check_arrays(path, file.model, arrays, stored.check, mmap)
    return file


def restore_model(
    path: str | os.PathLike[str],
    stored: StoredArrays,
    prefix: str,
    content: Mapping[str, Any],
    mmap: bool,
) -> FlyModel:
    """Return a model that another file holds, its arrays under a prefix.

    What does not fit raises one of ``DAMAGE``.
    """
    arrays = under(prefix, stored)
    model = _restore(arrays, content).model
    _check_arrays(path, model, arrays, partial(stored.check, prefix=prefix), mmap)
    return model


def _check_arrays(
    path: str | os.PathLike[str],
    model: FlyModel,
    arrays: Mapping[str, NDArray[Any]],
    compare: Callable[[], None],
    mmap: bool,
) -> None:
    """Check the arrays of a model: now, or, of a mapped file, when they are first used."""

    @cache  # once for all models that share the arrays
    def check() -> None:
        compare()
        for name, array in arrays.items():
            if array.dtype.kind == "f" and not _is_finite(array):
                raise ModelFileError(f"{path} is damaged: {name!r} contains nan or infinity")

    if mmap:
        model._check_at_first_use(check)
    else:
        check()


def _is_finite(array: NDArray[Any]) -> bool:
    # the extremes of numbers with a NaN are NaN
    with np.errstate(invalid="ignore"):
        return bool(np.isfinite([array.min(initial=0), array.max(initial=0)]).all())


def _restore(arrays: Mapping[str, NDArray[Any]], content: Mapping[str, Any]) -> ModelFile:
    if content["kind"] != KIND:
        raise ValueError(f"it holds {content['kind']!r:.30}, not a model")
    counts = np.asarray(arrays["counts"])
    if counts.dtype not in (np.int32, np.int64) or counts.min(initial=0) < 0:
        raise ValueError("the counts of the words are not valid counts")
    words = list(PackedWords.from_arrays(arrays))
    vocabulary = Vocabulary(words, counts.astype(np.int64, copy=False))
    coder = FORMS[content["form"]].from_arrays(
        under(_CODER, arrays), content["numbers"], len(vocabulary)
    )
    documents = under(_DOCUMENTS, arrays)
    document_coder = DocumentCoder.from_arrays(documents, len(vocabulary)) if documents else None
    places = under(_LAYOUT, arrays)
    layout = CellLayout.from_arrays(places, coder.n_cells) if places else None
    settings = dict(content["settings"])
    settings["dtype"] = number_type(settings["dtype"]).type
    settings["text"] = _text_settings(settings["text"])
    model = FlyModel(
        vocabulary,
        coder,
        _of_types(ModelSettings(**settings)),
        _of_types(Provenance(**content["provenance"])),
        document_coder,
        layout,
    )
    _ = model.analyzer  # raises if these are not valid rules for text
    estimator = content.get("estimator")
    if estimator is not None and not isinstance(estimator, dict):
        raise ValueError("its description of the estimator is not a table")
    state = partial(_inflated, under(_STATE, arrays), content.get("deflated", {}))
    return ModelFile(model, estimator, state)


def _inflated(
    arrays: Mapping[str, NDArray[Any]], forms: Mapping[str, Any]
) -> dict[str, NDArray[Any]]:
    return {
        name: inflate(array, *forms[name]) if name in forms else array
        for name, array in arrays.items()
    }


def _text_settings(text: Mapping[str, Any]) -> dict[str, Any]:
    """Return the text parameters that a file may set: no files, no code, no long pattern."""
    known = {*TEXT_PARAMS, "phrases"}
    if unknown := text.keys() - known:
        raise ValueError(f"it has a rule for text {min(unknown)!r:.30}")
    pattern = text.get("token_pattern")
    if pattern is not None:
        _check_pattern(pattern)
    found = dict(text) | {"input": "content", "preprocessor": None, "tokenizer": None}
    return found if pattern is None else found | {"token_pattern": FilePattern(pattern)}


def _check_pattern(pattern: str) -> None:
    """Refuse a pattern that takes much memory to compile."""
    if len(pattern) > _LONGEST_PATTERN:
        raise ValueError(f"its token_pattern has {len(pattern)} characters")
    counts = (max(1, *(int(n or 1) for n in found)) for found in _COUNT.findall(pattern))
    if len(pattern) * math.prod(counts) > _MOST_WRITTEN_OUT:
        raise ValueError("its token_pattern repeats something too often")
    if "{" in pattern and _VERBOSE.search(pattern):
        raise ValueError("its token_pattern is verbose and has counts")


def _of_types(described: _Described) -> _Described:
    """Check the types of settings or provenance, and return them."""
    for field in fields(described):
        kind = _TYPES.get(str(field.type))
        if kind is not None and not isinstance(getattr(described, field.name), kind):
            raise ValueError(f"{field.name} must be {field.type}")
    return described


def _from_0_1(
    arrays: Mapping[str, NDArray[Any]], content: Mapping[str, Any]
) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """Convert the content of a file of 0.1 to today's form."""
    params, fitted, words = dict(content["params"]), dict(content["fitted"]), content["words"]
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise ValueError("words is not a list of words")
    if len(set(words)) < len(words):
        raise ValueError("a word occurs twice")
    counts, rule = arrays["word_counts_"], fitted["learning_"]
    found: dict[str, NDArray[Any]] = {
        **PackedWords.pack(words).arrays(),
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
        "settings": {name: params[name] for name in names & params.keys()}
        | {"text": {name: params[name] for name in TEXT_PARAMS if name in params}},
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
    """Return a parameter in a form that JSON can hold, or raise an error that says why not.

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
