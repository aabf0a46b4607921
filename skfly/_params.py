"""The parameters of ``FlyHashVectorizer``: allowed values and groups."""

from __future__ import annotations

import os
from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any

from skfly._sklearn_compat import HasMethods, Interval, RealNotInt, StrOptions
from skfly.engine import ENGINES

RULE_PARAMS = (
    "n_epochs",
    "batch_size",
    "learning_rate",
    "subsample",
    "shrinkage",
    "truncate_windows",
    "n_active",
    "decorrelation",
    "max_pairs",
    "spelling_weight",
)
"""Parameters of the learning rule, which may be ``"auto"``."""

MODEL_PARAMS = (
    "hash_length",
    "word_codes",
    "unknown_words",
    "document_codes",
    "document_cells",
    "dtype",
    "backend",
    "n_jobs",
)
"""Parameters of the fitted model; these and the text parameters may change after ``fit``."""

_AUTO = StrOptions({"auto"})
_COUNT = Interval(Integral, 1, None, closed="left")
_SHARE = Interval(RealNotInt, 0, 1, closed="both")

CONSTRAINTS: dict[str, Any] = {
    "n_kenyon_cells": [Interval(Integral, 1, 65_535, closed="both")],
    "hash_length": [_COUNT],
    "window": [Interval(Integral, 1, 1001, closed="both")],
    "max_features": [_COUNT, None],
    "min_count": [_COUNT, _AUTO],
    "grow_vocabulary": ["boolean"],
    "min_df": [_COUNT, _SHARE],
    "max_df": [_COUNT, _SHARE],
    "learning": [str],  # a name in RULES, which may have grown
    "n_epochs": [_COUNT, _AUTO],
    "batch_size": [_COUNT, _AUTO],
    "learning_rate": [Interval(Real, 0, None, closed="neither"), _AUTO],
    "subsample": [Interval(Real, 0, 1, closed="both"), _AUTO],
    "shrinkage": [Interval(Real, 0, None, closed="left"), _AUTO],
    "truncate_windows": ["boolean", _AUTO],
    "word_codes": [StrOptions({"consensus", "synapses"})],
    "n_active": [_COUNT, _AUTO],
    "decorrelation": [Interval(Real, 0, 1, closed="both"), None, _AUTO],
    "max_pairs": [_COUNT, _AUTO],
    "spelling_weight": [Interval(Real, 0, None, closed="left"), _AUTO],
    "unknown_words": [StrOptions({"ignore", "spelling"})],
    "document_codes": [StrOptions({"binary", "graded", "counts"})],
    "document_cells": [StrOptions({"auto", "words"})],
    "input": [StrOptions({"filename", "file", "content"})],
    "encoding": [str],
    "decode_error": [StrOptions({"strict", "ignore", "replace"})],
    "strip_accents": [StrOptions({"ascii", "unicode"}), None, callable],
    "lowercase": ["boolean"],
    "preprocessor": [callable, None],
    "tokenizer": [callable, None],
    "stop_words": [StrOptions({"english"}), list, None],
    "token_pattern": [str, None],
    "missing": [StrOptions({"error", "empty"})],
    "vocabulary": [Mapping, HasMethods("__iter__"), None],
    "sentence_splitter": [StrOptions({"punctuation", "line"}), callable, None],
    "fold_numbers": ["boolean"],
    "phrases": ["boolean"],
    "dtype": "no_validation",  # numpy says what is wrong with it
    "sparse_output": ["boolean"],
    "feature_names": [StrOptions({"numbers", "words"})],
    "backend": [StrOptions(set(ENGINES))],
    "n_jobs": [Integral, None],
    "random_state": ["random_state"],
    "checkpoint_dir": [str, os.PathLike, None],
    "verbose": ["verbose"],
    "pretrained": [str, os.PathLike, None],
    "adapt": [StrOptions({"documents", "words", "nothing"})],
}

FILE_PARAMS = (
    *("n_kenyon_cells", "window", "max_features", "min_count", "grow_vocabulary", "learning"),
    *RULE_PARAMS,
    *("min_df", "max_df"),
    *("vocabulary", "phrases", "random_state"),
    *("encoding", "decode_error", "strip_accents", "lowercase", "stop_words", "token_pattern"),
    *("missing", "sentence_splitter", "fold_numbers"),
    *MODEL_PARAMS,
    *("sparse_output", "feature_names", "verbose", "adapt"),
)
"""Parameters that a model file may set; a new one is the caller's until it is named here.

None of them makes the estimator open files or run code. ``token_pattern`` gets a time limit.
"""

CALLER_PARAMS = ("input", "preprocessor", "tokenizer", "checkpoint_dir", "pretrained")
"""Parameters that only the caller sets."""
