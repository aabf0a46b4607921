"""The hash-length tables: codes of flies beside those made of dense vectors."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.base import clone

from skfly.binarize import ITQ, LSH, PCAH, NearLossless, RandExp, SpectralHashing, TopK
from skfly.evaluation._code_table import CodeRow, CodeTable
from skfly.evaluation._datasets import WordPairs, load_datasets
from skfly.evaluation._table import WordSimilarityTable, mean_over_seeds
from skfly.evaluation._vectors import known_words, vectors_of
from skfly.evaluation._word_similarity import word_similarity
from skfly.vectorizer import FlyHashVectorizer

__all__ = ["binarizers", "compare_codes"]

HASH_LENGTHS = (4, 8, 16, 32, 64, 128)


def binarizers(n_cells: int = 400) -> dict[str, Any]:
    """Return the transformers of :mod:`skfly.binarize` by the names that the paper uses.

    Parameters
    ----------
    n_cells : int, default=400
        Cells of ``"RandExp"``, of which the hash length is on.

    Returns
    -------
    transformers : dict

    Examples
    --------
    >>> from skfly.evaluation import binarizers
    >>> list(binarizers())
    ['LSH', 'RandExp', 'ITQ', 'SH', 'PCAH', 'NLB', 'TopK']
    """
    return {
        "LSH": LSH(),
        "RandExp": RandExp(n_cells=n_cells),
        "ITQ": ITQ(),
        "SH": SpectralHashing(),
        "PCAH": PCAH(),
        "NLB": NearLossless(),
        "TopK": TopK(),
    }


def compare_codes(
    flies: Mapping[str, Any] | None = None,
    vectors: Mapping[str, Any] | None = None,
    datasets: Any = None,
    hash_lengths: Sequence[int] = HASH_LENGTHS,
    *,
    methods: Mapping[str, Any] | None = None,
    n_runs: int = 5,
    on_progress: Callable[[str], None] | None = None,
) -> CodeTable:
    """Score codes of words by how they are made and how long they are, over the same pairs.

    The paper's appendix C: for each dataset, the agreement with people of the codes of flies and
    of codes made of dense vectors, over the pairs that all of them know.

    Parameters
    ----------
    flies : mapping from names to FlyHashVectorizer or to lists of those
        Fitted. Of a list, which differs in the seed only, the mean is told.
    vectors : mapping from names to gensim.models.KeyedVectors
        Of which codes are made; they are also scored as they are.
    datasets : path-like, list, dict or None, default=None
        As in :func:`word_similarity`.
    hash_lengths : sequence of int, default=(4, 8, 16, 32, 64, 128)
        Ones in a code for a method with the parameter ``hash_length``; else bits of a code.
    methods : mapping from names to transformers, or None, default=None
        ``None``: all of :func:`binarizers`.
    n_runs : int, default=5
        Seeds of a method with a ``random_state``, of which the mean is told.
    on_progress : function or None
        Called with the name of what was scored.

    Returns
    -------
    table : CodeTable
        Where a method cannot make codes of a length (no more bits than dimensions, for some),
        there is no score, and a warning says why.

    Examples
    --------
    >>> from gensim.models import KeyedVectors
    >>> from skfly.binarize import LSH
    >>> from skfly.evaluation import compare_codes
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
    seeds = {name: _as_list(fly) for name, fly in (flies or {}).items()}
    dense = {name: vectors_of(some) for name, some in (vectors or {}).items()}
    models = [*(fly for some in seeds.values() for fly in some), *dense.values()]
    comparison = _Comparison(load_datasets(datasets), models, hash_lengths, n_runs)
    chosen = binarizers() if methods is None else methods
    rows: list[CodeRow] = []
    for name, scored in comparison.scores(seeds, dense, chosen):
        rows += scored
        if on_progress is not None:
            on_progress(name)
    return CodeTable(rows)


def _as_list(fly: Any) -> list[Any]:
    return [fly] if isinstance(fly, FlyHashVectorizer) else list(fly)


class _Comparison:
    """Scores codes on the pairs that all models know."""

    def __init__(
        self,
        datasets: Sequence[WordPairs],
        models: Sequence[Any],
        hash_lengths: Sequence[int],
        n_runs: int,
    ) -> None:
        words = list(dict.fromkeys(word for data in datasets for word in data.words))
        for model in models:
            known = known_words(model, words)
            words = [word for word in words if word in known]
        self._datasets = datasets
        self._words = words
        self._hash_lengths = hash_lengths
        self._n_runs = n_runs

    def scores(
        self,
        flies: Mapping[str, list[Any]],
        vectors: Mapping[str, Any],
        methods: Mapping[str, Any],
    ) -> Iterator[tuple[str, list[CodeRow]]]:
        """Yield the rows, with the name of what they are of."""
        for name, seeds in flies.items():
            yield name, _rows(name, "fly", _mean([self._score(fly) for fly in seeds]))
        for name, dense in vectors.items():
            yield name, _rows(name, "dense", self._score(dense))
            for method, transformer in methods.items():
                yield (
                    f"{name}, {method}",
                    [
                        row
                        for length in self._hash_lengths
                        for row in self._of_codes(name, dense, method, transformer, length)
                    ],
                )

    def _score(self, model: Any, measure: str = "auto") -> WordSimilarityTable:
        return word_similarity(
            model,
            self._datasets,
            self._hash_lengths,
            measure=measure,
            pairs_known_to=[set(self._words)],
        )

    def _of_codes(
        self, name: str, dense: Any, method: str, transformer: Any, length: int
    ) -> list[CodeRow]:
        """Return the rows of codes of one kind and length."""
        params = transformer.get_params()
        size = "hash_length" if "hash_length" in params else "n_bits"
        n_runs = self._n_runs if "random_state" in params else 1
        tables = []
        for run in range(n_runs):
            seed = {"random_state": run} if "random_state" in params else {}
            coder = clone(transformer).set_params(**{size: length}, packed=False, **seed)
            try:
                tables.append(self._score(self._codes(coder, dense), "sokal-michener"))
            except ValueError as error:
                warnings.warn(
                    f"no codes of {name} by {method} at hash length {length}: {error}",
                    stacklevel=5,
                )
                return []
        return _rows(name, method, _mean(tables), length)

    def _codes(self, transformer: Any, dense: Any) -> dict[str, Any]:
        """Return the codes of the words, by a transformer that learns from all vectors."""
        transformer.fit(dense.vectors)
        keys = [word if word in dense else word.lower() for word in self._words]
        codes = transformer.transform(np.stack([dense[key] for key in keys]))
        return dict(zip(self._words, _as_array(codes), strict=True))


def _as_array(codes: Any) -> Any:
    return codes.toarray() if hasattr(codes, "toarray") else codes


def _mean(tables: list[WordSimilarityTable]) -> WordSimilarityTable:
    return tables[0] if len(tables) == 1 else mean_over_seeds(tables)


def _rows(
    name: str, method: str, table: WordSimilarityTable, length: int | None = None
) -> list[CodeRow]:
    """Return rows of a table, with the hash length that codes in the form of vectors have."""
    return [
        CodeRow(
            name,
            method,
            row.dataset,
            row.hash_length if length is None else length,
            row.spearman,
            row.n_pairs,
            row.n_pairs_in_all,
            row.std,
            row.n_runs,
        )
        for row in table.rows
    ]
