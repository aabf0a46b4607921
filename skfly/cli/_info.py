"""``skfly info``."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from skfly.cli._app import Json, LayoutOption, Model, app, examples
from skfly.cli._console import Rows, print_json, print_table, size_text
from skfly.cli._files import load_model

if TYPE_CHECKING:
    from skfly.vectorizer import FlyHashVectorizer

_FREQUENT_WORDS = 10


@app.command(
    epilog=examples(
        "skfly info corpus.skfly",
        "skfly info corpus.skfly --json",
    )
)
def info(model: Model, layout: LayoutOption = None, as_json: Json = False) -> None:
    """Describe a model."""
    about = _describe(load_model(model), model)
    if as_json:
        print_json(about)
        return
    words = ", ".join(f"{word} {count:,}" for word, count in about["most_frequent_words"])
    competed = about["energy"] is not None
    described = [
        ("cells", f"{about['cells']:,}"),
        ("words", f"{about['words']:,}"),
        ("hash length", about["hash_length"]),
        ("window", about["window"]),
        ("rule", about["rule"]),
        ("text", about["text"]),
        ("words read", f"{about['words_read']:,}"),
        ("windows seen", f"{about['windows_seen']:,}"),
        ("epochs", about["epochs"]),
        ("cells in use", f"{about['cells_in_use']:.1%}" if competed else None),
        ("last energy", f"{about['energy']:.6g}" if competed else None),
        ("settings used", _pairs(about["settings"])),
        ("parameters", _pairs(about["changed_parameters"]) or "the defaults"),
        ("file size", size_text(about["file_bytes"])),
        ("form", "compact: cannot learn further" if about["compact"] else None),
        ("packed code", f"{about['code_bytes_per_word']} bytes per word"),
        ("frequent words", words),
    ]
    rows = [(name, value) for name, value in described if value not in (None, "")]
    table = Rows(layout, "model", "property", "value")
    table.print(str(model), rows, partial(print_table, str(model), rows))


def _describe(fly: FlyHashVectorizer, path: Path) -> dict[str, Any]:
    from skfly._params import RULE_PARAMS
    from skfly._pretrained import find_model
    from skfly.vectorizer import FlyHashVectorizer

    defaults = FlyHashVectorizer().get_params()
    changed = {
        name: _short_value(value)
        for name, value in fly.get_params().items()
        if value != defaults[name]
    }
    counts = fly.word_counts_
    vocabulary = list(fly.vocabulary_)
    learned = hasattr(fly, "n_iter_")  # a model without its learning state does not know it
    has_windows = learned and fly.cells_used_[-1] > 0
    provenance = fly.model_.provenance
    return {
        "model": str(path),
        "cells": fly.n_features_out_,
        "words": len(vocabulary),
        "hash_length": fly.hash_length,
        "window": fly.window,
        "rule": provenance.rule,
        "text": provenance.text,
        "words_read": fly.n_words_seen_,
        "windows_seen": fly.n_windows_seen_,
        "epochs": fly.n_iter_ if learned else None,
        "cells_in_use": fly.cells_used_[-1] if has_windows else None,
        "energy": fly.energy_[-1] if has_windows else None,
        "settings": {
            name: getattr(fly, f"{name}_")
            for name in (*RULE_PARAMS, "min_count")
            if hasattr(fly, f"{name}_")  # each rule has some of them
        },
        "changed_parameters": changed,
        "compact": fly.model_.is_compact,
        "file_bytes": find_model(path).stat().st_size,
        "code_bytes_per_word": -(-fly.n_features_out_ // 8),
        "most_frequent_words": [
            (vocabulary[i], int(counts[i])) for i in (-counts).argsort()[:_FREQUENT_WORDS]
        ],
    }


def _pairs(values: Mapping[str, Any]) -> str:
    shown = {
        name: f"{value:.4g}" if isinstance(value, float) else repr(value)
        for name, value in values.items()
    }
    return ", ".join(f"{name}={value}" for name, value in shown.items())


def _short_value(value: Any) -> Any:
    if isinstance(value, list):
        return f"<{len(value)} words>"
    return value.__name__ if isinstance(value, type) else value
