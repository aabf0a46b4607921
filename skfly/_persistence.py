"""What of a fitted ``FlyHashVectorizer`` goes into a model file, and how it comes back."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from skfly.learning import LearningSettings
from skfly.text import Vocabulary

if TYPE_CHECKING:
    from skfly.vectorizer import FlyHashVectorizer

__all__ = ["restore", "take_apart"]

_VALUES = (
    *(f"{name}_" for name in LearningSettings.__dataclass_fields__),
    "learning_",
    "largest_synapse_",
    "min_count_",
    "lateral_at_",
    "energy_",
    "cells_used_",
    "n_iter_",
    "n_windows_seen_",
    "n_words_seen_",
)

_OPTIONAL = ("consensus_", "cell_counts_", "lateral_")
_STATE = "rule_state_."
_STATES: dict[str, Callable[[int, int], dict[str, tuple[int, ...]]]] = {
    "lloyd": lambda n_words, n_cells: {
        "words": (2 * n_words,),
        "cells": (2, n_cells),
        "shrinkage": (1,),
    },
    "hebbian": lambda n_words, n_cells: {"norms": (n_cells,)},  # noqa: ARG005
}


def take_apart(
    fly: FlyHashVectorizer,
) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """Return the arrays of a fitted estimator, and all else as JSON can hold it."""
    arrays: dict[str, NDArray[Any]] = {
        "synapses_": fly.synapses_,
        "word_counts_": fly.word_counts_,
    }
    for name in _OPTIONAL:
        if getattr(fly, name) is not None:
            arrays[name] = getattr(fly, name)
    arrays |= {_STATE + name: array for name, array in fly.rule_state_.items()}
    params = fly.get_params()
    del params["checkpoint_dir"]  # of one run, not of the model
    if params["vocabulary"] is not None:
        params["vocabulary"] = list(fly.vocabulary_)
    content: dict[str, Any] = {
        "params": {name: _plain(name, value) for name, value in params.items()},
        "fitted": {name: _python(getattr(fly, name)) for name in _VALUES},
        "words": list(fly.vocabulary_),
    }
    return arrays, content


def restore(
    fly: FlyHashVectorizer, arrays: dict[str, NDArray[Any]], content: dict[str, Any]
) -> None:
    """Give a new estimator its parameters and fitted attributes.

    Raises one of ``KeyError``, ``TypeError`` and ``ValueError`` if anything does not fit.
    """
    params = dict(content["params"])
    params["dtype"] = np.dtype(params["dtype"]).type
    fly.set_params(**params)
    fly._validate_params()
    vocabulary = Vocabulary(content["words"])
    n_words, n_cells = len(vocabulary), arrays["synapses_"].shape[1]
    expected: dict[str, tuple[type, tuple[int, ...]]] = {
        "synapses_": (np.float32, (2 * n_words, n_cells)),
        "word_counts_": (np.int64, (n_words,)),
        "consensus_": (np.float32, (n_words, n_cells)),
        "cell_counts_": (np.float32, (n_cells,)),
        "lateral_": (np.float32, (n_cells, n_cells)),
    }
    for name, (dtype, shape) in expected.items():
        found = arrays.get(name)
        if found is None and name in _OPTIONAL:
            setattr(fly, name, None)
        elif found is None or found.dtype != dtype or found.shape != shape:
            raise ValueError(f"{name} is missing, or not {np.dtype(dtype)} of shape {shape}")
        else:
            setattr(fly, name, found)
    if fly.consensus_ is not None and fly.cell_counts_ is None:  # an older file
        fly.cell_counts_ = fly.consensus_.sum(axis=0)
    for name in _VALUES:
        setattr(fly, name, content["fitted"][name])
    state = _STATES[fly.learning_](n_words, n_cells)
    fly.rule_state_ = {name: arrays[_STATE + name] for name in state}
    for name, shape in state.items():
        found = fly.rule_state_[name]
        if found.dtype != np.float64 or found.shape != shape:
            raise ValueError(f"{_STATE}{name} is not float64 of shape {shape}")
    fly.vocabulary_ = vocabulary.index
    fly.n_features_out_ = n_cells


def _python(value: Any) -> Any:
    """Return a number of numpy as one of Python."""
    return value.item() if isinstance(value, np.generic) else value


def _plain(name: str, value: Any) -> Any:
    """Return a parameter as JSON can hold it, or say why not."""
    if name == "dtype":
        return np.dtype(value).name
    value = _python(value)
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return value
    raise ValueError(
        f"{name}={value!r} cannot be written to a model file, which holds data and no code. "
        f"Call set_params({name}=None) before save, and set it again after load; or pickle "
        "the estimator with joblib"
    )
