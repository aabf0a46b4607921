"""Codes of flies beside codes made of dense vectors, by hash length."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
from sklearn.base import clone

from skfly import FlyHashVectorizer
from skfly.binarize import ITQ, LSH, PCAH, NearLossless, RandExp, SpectralHashing, TopK
from skfly.evaluation import Table, WordPairs, load_word_pairs, mean_over_seeds, word_similarity
from skfly.evaluation._table import Chart, Column, Grid
from skfly.evaluation._vectors import known_words, vectors_of
from skfly.evaluation._word_similarity import AXES, COLUMNS

__all__ = ["compare_codes"]

HASH_LENGTHS = (4, 8, 16, 32, 64, 128)
_N_CELLS = 400  # of RandExp, as in the paper
_KIND = ("vectors", "method")
_COLUMNS = (*(Column(name, "key", name) for name in _KIND), *COLUMNS)
_GRID = Grid(
    lines=("dataset", *_KIND),
    across=("hash_length",),
    value="spearman",
    size="n_pairs",
    size_at="right",
    best_of=("dataset", "hash_length"),
)
_CHART = Chart("hash_length", "spearman", _KIND, AXES, split="dataset", by_hash_length=True)
Rows = list[dict[str, Any]]


def compare_codes(
    flies: Mapping[str, Any] | None = None,
    vectors: Mapping[str, Any] | None = None,
    datasets: Any = None,
    hash_lengths: Sequence[int] = HASH_LENGTHS,
    *,
    methods: Mapping[str, Any] | None = None,
    n_runs: int = 5,
    on_progress: Callable[[str], None] | None = None,
) -> Table:
    """Compare codes of words by how they are made and how long they are, over the same pairs.

    The paper's appendix C: for each dataset, the agreement with people of the codes of flies and
    of codes made of dense vectors, over the pairs that all of them know.

    Parameters
    ----------
    flies : mapping from names to FlyHashVectorizer or to lists of those
        Fitted. A list of flies that differ in the seed only is averaged.
    vectors : mapping from names to gensim.models.KeyedVectors
        Of which codes are made; they are also scored as they are.
    datasets : path-like, list, dict or None, default=None
        As in :func:`word_similarity`.
    hash_lengths : sequence of int, default=(4, 8, 16, 32, 64, 128)
        Ones in a code for a method with the parameter ``hash_length``; else bits of a code.
    methods : mapping from names to transformers, or None, default=None
        ``None``: all of :mod:`skfly.binarize`.
    n_runs : int, default=5
        Seeds of a method with a ``random_state``, over which it is averaged.
    on_progress : function or None
        Called with the name of what was scored.

    Returns
    -------
    table : Table
        A row for each dataset, kind of codes and hash length: ``vectors`` (their name, or that of
        the fly), ``method`` (``"fly"``, ``"dense"`` or the name of a method), and what
        :func:`word_similarity` gives. ``str(table)`` has the best codes of each length in bold,
        ``table.plot(dataset="MEN")`` draws one dataset. If a method cannot make codes of a length
        (some make no more bits than there are dimensions), there is no row, and a warning says
        why.

    Examples
    --------
    >>> from gensim.models import KeyedVectors
    >>> from skfly.binarize import LSH
    >>> from compare_codes import compare_codes
    >>> dense = KeyedVectors(2)
    >>> dense.add_vectors(["fly", "moth", "bank", "loan"], [[1, 0], [1, 0.1], [0, 1], [0.4, 1]])
    >>> pairs = [("fly", "moth", 9.0), ("bank", "loan", 7.0), ("fly", "bank", 1.0)]
    >>> table = compare_codes(vectors={"mine": dense}, datasets={"insects": pairs},
    ...                       hash_lengths=[64], methods={"LSH": LSH(center=False)})
    >>> [(row.method, row.hash_length, row.n_runs) for row in table.rows]
    [('dense', None, 1), ('LSH', 64, 5)]
    """
    if not flies and not vectors:
        raise ValueError("neither flies nor vectors were given")
    if n_runs < 1:
        raise ValueError(f"n_runs={n_runs}: there must be one run at least")
    seeds = {
        name: [fly] if isinstance(fly, FlyHashVectorizer) else list(fly)
        for name, fly in (flies or {}).items()
    }
    dense = {name: vectors_of(some) for name, some in (vectors or {}).items()}
    data = load_word_pairs(datasets)
    words = list(dict.fromkeys(word for one in data for word in one.words))
    for model in [*(fly for some in seeds.values() for fly in some), *dense.values()]:
        known = known_words(model, words)
        words = [word for word in words if word in known]
    coders = _binarizers() if methods is None else methods
    comparison = _Comparison(data, words, list(hash_lengths), n_runs)
    rows: Rows = []
    for name, scored in comparison.scores(seeds, dense, coders):
        rows += scored
        if on_progress is not None:
            on_progress(name)
    order = [one.name for one in data]
    rows.sort(key=lambda row: order.index(row["dataset"]))
    return Table(rows, _COLUMNS, grid=_GRID, chart=_CHART)


def _binarizers() -> dict[str, Any]:
    """Return the transformers of :mod:`skfly.binarize` by the names that the paper uses."""
    return {
        "LSH": LSH(),
        "RandExp": RandExp(n_cells=_N_CELLS),
        "ITQ": ITQ(),
        "SH": SpectralHashing(),
        "PCAH": PCAH(),
        "NLB": NearLossless(),
        "TopK": TopK(),
    }


@dataclass(frozen=True)
class _Comparison:
    """Scores codes on the pairs of words that all models know."""

    datasets: Sequence[WordPairs]
    words: Sequence[str]
    hash_lengths: Sequence[int]
    n_runs: int

    def scores(
        self,
        flies: Mapping[str, list[Any]],
        vectors: Mapping[str, Any],
        methods: Mapping[str, Any],
    ) -> Iterator[tuple[str, Rows]]:
        """Yield names, and the rows of each."""
        for name, seeds in flies.items():
            yield name, _rows(name, "fly", [self._score(fly) for fly in seeds])
        for name, dense in vectors.items():
            yield name, _rows(name, "dense", [self._score(dense)])
            for method, transformer in methods.items():
                found = (
                    self._of_codes(name, dense, method, transformer, k) for k in self.hash_lengths
                )
                yield f"{name}, {method}", list(chain.from_iterable(found))

    def _score(self, model: Any, measure: str = "auto") -> Table:
        options: Any = {"measure": measure, "pairs_known_to": [set(self.words)]}
        return word_similarity(model, self.datasets, self.hash_lengths, **options)

    def _of_codes(self, name: str, dense: Any, method: str, transformer: Any, length: int) -> Rows:
        """Return the rows of codes of one kind and length."""
        params = transformer.get_params()
        size = "hash_length" if "hash_length" in params else "n_bits"
        seeded = "random_state" in params
        tables = []
        for run in range(self.n_runs if seeded else 1):
            seed = {"random_state": run} if seeded else {}
            coder = clone(transformer).set_params(**{size: length}, packed=False, **seed)
            try:
                tables.append(self._score(self._codes(coder, dense), "sokal-michener"))
            except ValueError as error:
                warnings.warn(
                    f"no codes of {name} by {method} at hash length {length}: {error}",
                    stacklevel=4,
                )
                return []
        return _rows(name, method, tables, hash_length=length)

    def _codes(self, transformer: Any, dense: Any) -> dict[str, Any]:
        """Return the codes of the words, by a transformer that is fitted on all vectors."""
        transformer.fit(dense.vectors)
        keys = [word if word in dense else word.lower() for word in self.words]
        codes = transformer.transform(np.stack([dense[key] for key in keys]))
        rows = codes.toarray() if hasattr(codes, "toarray") else codes
        return dict(zip(self.words, rows, strict=True))


def _rows(name: str, method: str, tables: list[Table], **changes: Any) -> Rows:
    """Return the rows of one run, or of the mean of several."""
    table = tables[0] if len(tables) == 1 else mean_over_seeds(tables)
    return [vars(row) | {"vectors": name, "method": method} | changes for row in table.rows]
