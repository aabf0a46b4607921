"""The sentences of texts that excite a cell most."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from skfly.explore._documents import beginning, short
from skfly.model import FlyModel, is_stop_word

_END = re.compile(r"(?<=[.!?])\s+|\n+")
_FEWEST_WORDS = 3


def best_passages(
    model: FlyModel, cell: int, texts: Sequence[str], n_passages: int
) -> list[dict[str, Any]]:
    """Return the sentences whose words excite a cell most, at most one from each text.

    The score of a sentence is the sum of its distinct words' responses over the square root of
    their number, so that neither the longest nor a one-word sentence wins.

    Returns
    -------
    passages : list of dict
        ``text``, the position of the ``source`` among the texts, ``words`` that excite the cell.
    """
    sentences = [
        (source, sentence, list(dict.fromkeys(model.tokens(sentence))))
        for source, text in enumerate(texts)
        for sentence in _END.split(text)
    ]
    every = list(dict.fromkeys(word for *_, words in sentences for word in words))
    ids = model.word_ids(every)
    excites = np.zeros(len(every))
    if (ids >= 0).any():
        excites[ids >= 0] = np.maximum(model.responses(ids[ids >= 0])[:, cell], 0.0)
    response = {
        word: 0.0 if is_stop_word(word) else float(value)
        for word, value in zip(every, excites, strict=True)
    }
    best: dict[int, tuple[float, str, list[str]]] = {}
    for source, sentence, words in sentences:
        if len(words) < _FEWEST_WORDS:
            continue
        score = sum(response[word] for word in words) / len(words) ** 0.5
        if score > best.get(source, (0.0,))[0]:
            best[source] = score, sentence, sorted(words, key=lambda word: -response[word])
    order = sorted(best, key=lambda source: (-best[source][0], source))[:n_passages]
    return [
        {
            "text": beginning(best[source][1]),
            "source": source,
            "words": [short(word) for word in best[source][2][:5] if response[word] > 0],
        }
        for source in order
    ]
