"""Worked examples to start with, of words that a model knows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

_TOURS: list[tuple[str, str, dict[str, str]]] = [
    (
        "A bank by the river",
        "sentence",
        {"text": "fishermen sat on the bank of the river", "target": "4"},
    ),
    (
        "A bank with money",
        "sentence",
        {"text": "the bank raised the interest rate of its loans", "target": "1"},
    ),
    (
        "Apple, the company",
        "sentence",
        {"text": "apple released a new computer with faster software", "target": "0"},
    ),
    (
        "Apple, the fruit",
        "sentence",
        {"text": "she baked a pie with ripe apple and sugar", "target": "6"},
    ),
    (
        "The paper's query",
        "sentence",
        {
            "text": "Entertainment industry shares rise following the premiere of the mass "
            "destruction weapon documentary"
        },
    ),
    (
        "Two headlines",
        "compare",
        {
            "a": "senate passes budget after long debate",
            "b": "parliament votes on new taxes",
        },
    ),
]  # fmt: skip


def tours(
    n_known: Callable[[str], tuple[int, int]], names: Sequence[str], words: Sequence[str]
) -> list[dict[str, Any]]:
    """Return examples whose words are known, or ones made of the names of cells.

    Parameters
    ----------
    n_known : callable
        Returns how many words of a text are known, and how many there are.
    names : list of str
        Of specific cells.
    words : list of str
        To look at.
    """
    chosen = []
    for title, view, params in _TOURS:
        counts = [n_known(text) for name, text in params.items() if name != "target"]
        if all(known >= 3 and known >= 0.8 * n for known, n in counts):
            chosen.append({"title": title, "view": view, "params": params})
    if len(chosen) >= 3:
        return chosen
    own = [
        {"title": f"“{name}”", "view": "sentence", "params": {"text": name}}
        for name in list(dict.fromkeys(names))[:3]
    ]
    return own + [
        {"title": f"The word “{word}”", "view": "word", "params": {"w": word}}
        for word in words[:3]
    ]
