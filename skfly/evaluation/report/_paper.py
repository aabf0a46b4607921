"""The figures of the paper, to stand beside one's own.

Y. Liang et al., "Can a Fruit Fly Learn Word Embeddings?", ICLR 2021: 400 cells, windows of 11
words, learned from 6 billion words of OpenWebText.
"""

from __future__ import annotations

__all__ = [
    "BINARIZED",
    "CONTEXTS",
    "DOCUMENTS",
    "HASH_LENGTHS",
    "WORD_SIMILARITY",
    "of_codes",
    "of_documents",
]

HASH_LENGTHS = (4, 8, 16, 32, 64, 128)

_FLY = """
    MEN        34.0 49.9 55.9 56.7 55.3 51.3
    WS353      43.2 52.1 55.3 57.4 60.3 51.7
    SimLex     13.4 16.5 22.8 22.1 21.1 17.0
    RW         11.0 22.6 25.8 36.9 38.6 35.2
    RG         24.0 40.4 51.3 62.3 63.2 55.8
    MTurk-287  44.0 49.0 52.2 60.1 57.7 55.2
"""
_AT_51 = {"MEN": 56.6, "WS353": 63.7, "SimLex": 21.0, "RW": 39.4, "RG": 69.0, "MTurk-287": 56.1}

_GLOVE = """
    MEN        LSH      16.9 23.7 35.6 42.6 53.6 63.4
    MEN        RandExp  27.5 37.7 46.6 57.6 67.3 71.6
    MEN        ITQ      0.1 7.7 10.5 16.5 30.4 50.5
    MEN        SH       9.4 17.0 22.9 37.6 52.9 65.4
    MEN        PCAH     12.5 21.8 27.6 39.6 53.4 68.1
    MEN        NLB      - - - - 46.1 63.3
    MEN        dense    69.5
    WS353      LSH      8.2 20.7 30.0 34.7 43.9 50.3
    WS353      RandExp  20.9 32.9 41.9 48.4 57.6 61.7
    WS353      ITQ      -6.6 -6.1 -2.4 -4.4 6.1 24.8
    WS353      SH       15.4 14.1 19.5 32.3 43.1 58.4
    WS353      PCAH     6.4 6.3 20.6 33.9 49.8 62.6
    WS353      NLB      - - - - 30.1 44.9
    WS353      dense    64.0
    SimLex     LSH      6.8 11.9 17.0 21.2 26.8 30.9
    SimLex     RandExp  10.4 17.2 22.8 28.5 32.4 35.2
    SimLex     ITQ      7.0 1.6 4.3 5.5 11.8 18.2
    SimLex     SH       9.3 15.6 15.9 17.0 23.1 31.2
    SimLex     PCAH     4.4 10.3 11.0 17.3 24.1 31.6
    SimLex     NLB      - - - - 20.5 31.4
    SimLex     dense    31.5
    RW         LSH      10.8 16.3 21.8 27.8 36.3 45.0
    RW         RandExp  19.9 21.3 30.9 40.5 47.6 53.3
    RW         ITQ      13.7 5.3 6.6 6.9 12.5 26.5
    RW         SH       22.6 21.5 24.3 28.8 36.1 45.8
    RW         PCAH     12.4 16.7 21.5 30.3 36.9 44.4
    RW         NLB      - - - - 25.1 34.3
    RW         dense    46.8
    RG         LSH      21.2 35.4 44.6 55.1 63.1 70.1
    RG         RandExp  36.6 49.0 49.5 66.1 69.6 70.9
    RG         ITQ      -17.5 -8.9 26.3 41.7 50.5 66.2
    RG         SH       4.5 5.8 20.3 42.9 61.3 72.6
    RG         PCAH     1.9 9.6 19.8 40.9 53.3 68.2
    RG         dense    74.2
    MTurk-287  LSH      16.0 23.1 33.2 35.6 42.7 55.5
    MTurk-287  RandExp  29.3 35.8 41.4 50.4 59.0 61.6
    MTurk-287  ITQ      9.9 7.8 10.1 17.7 32.8 47.3
    MTurk-287  SH       18.9 17.6 27.5 35.45 48.1 57.9
    MTurk-287  PCAH     15.5 15.1 27.1 41.7 46.5 56.2
    MTurk-287  dense    57.5
"""

_WORD2VEC = """
    MEN        LSH      35.5 42.5 53.6 63.4 68.4 72.2
    MEN        RandExp  24.2 34.6 45.8 57.5 66.1 71.7
    MEN        ITQ      9.2 13.3 25.1 41.5 57.6 68.5
    MEN        SH       7.2 15.8 31.3 46.9 62.3 69.4
    MEN        PCAH     5.3 18.6 37.7 52.0 63.9 71.6
    MEN        dense    75.5
    WS353      LSH      26.0 34.7 43.9 50.3 56.0 58.6
    WS353      RandExp  23.5 34.3 37.3 48.0 57.6 63.7
    WS353      ITQ      16.0 18.1 22.5 30.2 43.9 54.8
    WS353      SH       3.3 9.6 22.7 34.1 50.0 54.7
    WS353      PCAH     17.3 24.9 38.5 42.0 52.1 59.3
    WS353      dense    66.5
    SimLex     LSH      17.0 21.2 26.8 30.9 34.4 35.1
    SimLex     RandExp  17.6 24.4 29.2 32.6 38.0 39.8
    SimLex     ITQ      3.25 5.7 6.2 14.9 23.1 31.5
    SimLex     SH       -3.6 3.6 10.4 17.0 23.7 32.4
    SimLex     PCAH     -2.9 2.5 11.8 17.0 24.0 36.0
    SimLex     dense    41.7
    RW         LSH      21.8 27.8 36.3 45.0 49.6 52.1
    RW         RandExp  24.7 27.7 39.8 46.8 52.3 55.6
    RW         ITQ      17.4 15.7 19.1 33.5 45.6 53.4
    RW         SH       14.6 22.8 28.7 37.9 43.5 52.4
    RW         PCAH     15.0 21.5 28.8 35.4 46.4 50.6
    RW         dense    61.3
    RG         LSH      44.6 55.1 63.1 70.1 76.4 75.8
    RG         RandExp  30.4 42.0 48.6 59.1 70.2 74.6
    RG         ITQ      32.8 49.7 31.5 55.9 62.2 71.6
    RG         SH       18.0 30.6 36.0 48.8 56.9 75.8
    RG         PCAH     20.8 22.9 40.6 36.5 59.0 71.2
    RG         dense    75.4
    MTurk-287  LSH      33.1 35.6 42.7 55.5 58.6 62.4
    MTurk-287  RandExp  22.7 34.8 42.0 45.9 57.9 61.2
    MTurk-287  ITQ      22.5 21.3 42.3 46.9 59.3 60.7
    MTurk-287  SH       21.9 27.4 41.8 51.2 58.8 58.0
    MTurk-287  PCAH     23.6 34.4 45.5 55.7 64.2 60.5
    MTurk-287  dense    69.8
"""


def _read(text: str, n_names: int) -> dict[tuple[str, ...], dict[int | None, float]]:
    """Return scores by names and hash length; a single score is that of dense vectors."""
    found = {}
    for line in text.split("\n"):
        fields = line.split()
        if fields:
            scores = fields[n_names:]
            lengths: tuple[int | None, ...] = HASH_LENGTHS if len(scores) > 1 else (None,)
            found[tuple(fields[:n_names])] = {
                length: float(score)
                for length, score in zip(lengths, scores, strict=True)
                if score != "-"
            }
    return found


WORD_SIMILARITY: dict[str, dict[int | None, float]] = {
    dataset: scores | {51: _AT_51[dataset]} for (dataset,), scores in _read(_FLY, 1).items()
}
"""100 times Spearman's correlation of the paper's codes, by dataset and hash length."""

BINARIZED = {"GloVe": _read(_GLOVE, 2), "word2vec": _read(_WORD2VEC, 2)}
"""The same of codes made of pretrained vectors of 300 dimensions, by dataset and method."""

CONTEXTS = {
    "WiC": {"fly": 57.7, "GloVe": 54.9, "word2vec": 51.3, "Word2Sense": 56.5, "BERT": 61.2},
    "SCWS": {"fly": 49.1, "GloVe": 54.4, "word2vec": 56.7, "Word2Sense": 54.2, "BERT": 56.8},
}
"""Accuracy (WiC) and 100 times Spearman's correlation (SCWS)."""

DOCUMENTS = {
    "20 Newsgroups": {"fly": 78.2, "GloVe": 77.9, "word2vec": 77.3, "BERT": 78.6},
    "SST-2": {"fly": 77.1, "GloVe": 78.3, "word2vec": 80.7, "BERT": 90.8},
    "WOS-11967": {"fly": 83.8, "GloVe": 84.2, "word2vec": 84.8, "BERT": 86.7},
    "TREC-6": {"fly": 90.4, "GloVe": 89.0, "word2vec": 90.9, "BERT": 94.0},
}
"""Accuracy of a TextCNN."""


def kind_of(name: str) -> str | None:
    """Return which of the paper's vectors a name means, or None.

    Examples
    --------
    >>> kind_of("glove.6B.100d"), kind_of("w2v"), kind_of("mine")
    ('GloVe', 'word2vec', None)
    """
    lower = name.lower()
    if "glove" in lower:
        return "GloVe"
    return "word2vec" if any(part in lower for part in ("word2vec", "w2v", "skip")) else None


def of_codes(vectors: str, method: str, dataset: str, hash_length: int | None) -> float | None:
    """Return the paper's word similarity of codes, if it has them.

    Examples
    --------
    >>> of_codes("mine", "fly", "MEN", 4), of_codes("GloVe", "LSH", "MEN", 4)
    (34.0, 16.9)
    >>> of_codes("mine", "LSH", "MEN", 4)
    """
    if method == "fly":
        return WORD_SIMILARITY.get(dataset, {}).get(hash_length)
    kind = kind_of(vectors)
    return None if kind is None else BINARIZED[kind].get((dataset, method), {}).get(hash_length)


def of_documents(dataset: str, name: str, is_fly: bool) -> float | None:
    """Return the paper's accuracy with codes or vectors of this name, if it has one.

    Examples
    --------
    >>> of_documents("20 Newsgroups, no headers", "mine", True)
    78.2
    """
    scores = DOCUMENTS.get(dataset.removesuffix(", no headers"), {})
    return scores.get("fly" if is_fly else kind_of(name) or "")
