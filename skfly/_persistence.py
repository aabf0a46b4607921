"""What of a fitted ``FlyHashVectorizer`` goes into a model file, and how it comes back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from skfly._model_file import number_type
from skfly.backends._checks import check_cells
from skfly.learning import LearningSettings
from skfly.learning._report import check_state
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

_WHOLE = (
    "n_epochs_",
    "batch_size_",
    "n_active_",
    "min_count_",
    "lateral_at_",
    "n_iter_",
    "n_windows_seen_",
    "n_words_seen_",
)
_OPTIONAL = ("consensus_", "cell_counts_", "lateral_")
_STATE = "rule_state_."


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
    params["dtype"] = number_type(params["dtype"]).type
    fly.set_params(**params)
    fly._validate_params()
    fly._analyzer()  # that there are such rules for text is not known before
    vocabulary = Vocabulary(_words(content["words"]))
    n_words, n_cells = len(vocabulary), arrays["synapses_"].shape[1]
    check_cells(n_cells)
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
    if fly.word_counts_.min(initial=0) < 0:
        raise ValueError("word_counts_ has a number below 0")
    _check_fitted(content["fitted"])
    for name in _VALUES:
        setattr(fly, name, content["fitted"][name])
    fly.rule_state_ = {
        name.removeprefix(_STATE): array
        for name, array in arrays.items()
        if name.startswith(_STATE)
    }
    check_state(fly.learning_, fly.rule_state_, n_words, n_cells)
    fly.vocabulary_ = vocabulary.index
    fly.n_features_out_ = n_cells


def _words(words: Any) -> list[str]:
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise ValueError("words is not a list of words")
    return words


def _check_fitted(fitted: dict[str, Any]) -> None:
    """Refuse values of fitted attributes that these cannot have."""
    for name in _VALUES:
        value = fitted[name]
        if name == "learning_":
            fits = isinstance(value, str)
        elif name == "truncate_windows_":
            fits = isinstance(value, bool)
        elif name in ("energy_", "cells_used_"):
            fits = isinstance(value, list) and all(map(_is_number, value))
        elif name in _WHOLE:
            fits = isinstance(value, int) and 0 <= value < 2**63
        else:
            optional = name == "decorrelation_" and value is None
            fits = optional or (_is_number(value) and 0 <= value < np.inf)
        if not fits:
            raise ValueError(f"{name} is {value!r:.30}")


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


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
