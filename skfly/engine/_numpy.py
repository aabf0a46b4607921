"""The reference engine: every kernel as a formula in plain numpy.

Slow and obvious. The other engines are tested against this one. ``_base.py`` says what the
arrays mean and why activations are integers.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from skfly.engine import _checks
from skfly.engine._base import Drive, Engine, Increment

_BLOCK = 4096  # windows at a time: bounds the dense activations

# for log32
ONE, ROOT_OF_HALF = 0x3F800000, 0x3F3504F3  # 1 and sqrt(1/2) as bits
LOG_SERIES = tuple(np.float32(2 / n) for n in (3, 5, 7, 9))
LOG_OF_2 = (np.float32(0.693359375), np.float32(-2.12194440e-4))  # few bits first: exact products


class NumpyEngine(Engine):
    """Reference kernels. ``n_threads`` is accepted and has no effect."""

    name = "numpy"
    n_threads = 1

    def __init__(self, n_threads: int = 1) -> None:
        self.n_threads = n_threads

    def set_drives(self, drives, synapses, drive):
        _checks.check_model("drives", drives, np.int16, changed=True)
        _checks.check_array("synapses", synapses, np.float32, drives.shape)
        drives[...] = fixed_point(synapses, drive)

    def find_winners(self, drives, ids, offsets, window, truncate):
        _checks.check_model("drives", drives, np.int16)
        _checks.check_top(1, drives.shape[1])
        _checks.check_window(window)
        ids, offsets = _checks.check_text(ids, offsets, len(drives) // 2)
        winners = np.full(len(ids), -1, dtype=np.int32)
        for inputs, positions in self._inputs(drives, ids, offsets, window, truncate):
            winners[positions] = np.argmax(_activations(drives, inputs), axis=1)
        return winners

    def add_windows(self, sums, rates, weights, ids, offsets, winners, window):
        _checks.check_model("sums", sums, np.float32, changed=True)
        n_rows, n_cells = sums.shape
        _checks.check_array("rates", rates, np.float32, (n_rows // 2,))
        _checks.check_array("weights", weights, (np.float32, np.int16), sums.shape)
        _checks.check_window(window)
        ids, offsets = _checks.check_text(ids, offsets, n_rows // 2)
        winners = _checks.check_winners(winners, len(ids), n_cells)
        counts = np.zeros((n_rows, n_cells), dtype=np.int64)
        for inputs, positions in self._inputs(sums, ids, offsets, window, truncate=True):
            won = winners[positions]
            taken = won >= 0
            assigned = sparse.csr_array(
                (
                    np.ones(taken.sum(), dtype=np.int64),
                    (np.flatnonzero(taken), won[taken]),
                ),
                shape=(len(positions), n_cells),
            )
            counts += (inputs.T @ assigned).toarray()
        increments = np.concatenate([rates, rates])[:, None] * counts.astype(np.float32)
        overlap = np.einsum("im,im->m", weights, increments, dtype=np.float64)
        sums += increments
        cells = counts.reshape(2, -1, n_cells).sum(axis=1)
        return Increment(overlap, counts.sum(axis=1), cells)

    def count_top(self, counts, drives, batch, window, truncate, n_top):
        _checks.check_model("drives", drives, np.int16)
        n_windows, n_words, n_cells = 0, len(drives) // 2, drives.shape[1]
        _checks.check_array("counts", counts, np.float32, (n_words, n_cells), changed=True)
        _checks.check_window(window)
        _checks.check_top(n_top, n_cells)
        ids, offsets = _checks.check_text(batch[0], batch[1], n_words)
        for inputs, positions in self._inputs(drives, ids, offsets, window, truncate):
            top = _descending(_activations(drives, inputs))[:, :n_top]
            for row, cells in enumerate(top):
                words = inputs.indices[inputs.indptr[row] : inputs.indptr[row + 1]] % n_words
                counts[np.ix_(np.unique(words), cells)] += 1
            n_windows += len(positions)
        return n_windows

    def top_cells(self, synapses, drive, rows, indptr, n_top):
        _checks.check_array("synapses", synapses, np.float32, (None, None))
        _checks.check_top(n_top, synapses.shape[1])
        rows, indptr = _checks.check_bags(rows, indptr, len(synapses))
        n_bags = len(indptr) - 1
        cells = np.full((n_bags, n_top), -1, dtype=np.int32)
        values = np.zeros((n_bags, n_top), dtype=np.int64)
        for bag in range(n_bags):
            on = rows[indptr[bag] : indptr[bag + 1]]
            if len(on) == 0:
                continue
            activations = fixed_point(synapses[on], drive).sum(axis=0)
            cells[bag] = _descending(activations[None, :])[0, :n_top]
            values[bag] = activations[cells[bag]]
        return cells, values

    def count_pairs(self, batch, skipped, reach, ordered):
        ids, offsets = _checks.check_pairs(batch, skipped, reach)
        counts = sparse.csr_array((len(skipped), len(skipped)), dtype=np.int32)
        for start, stop in pairwise(offsets):
            sentence = ids[start:stop]
            for distance in range(1, min(reach + 1, len(sentence))):
                before, after = sentence[:-distance], sentence[distance:]
                known = (before >= 0) & (after >= 0)
                pairs = np.array([before[known], after[known]])
                ones = np.ones(pairs.shape[1], dtype=np.int32)
                places = pairs if ordered else np.sort(pairs, axis=0)
                counts += sparse.csr_array((ones, tuple(places)), counts.shape)
        return counts

    def add_counts(self, left, right):
        for counts in (left, right):
            _checks.check_bags(counts.indices, counts.indptr, counts.shape[1])
        return left + right

    def multiply_sparse(self, matrix, dense):
        _checks.check_array("dense", dense, np.float32, (matrix.shape[1], None))
        matrix.check_format(full_check=True)
        return np.asarray(matrix @ dense)

    def sum_rows(self, weights, rows, amounts, indptr):
        _checks.check_array("weights", weights, (np.int8, np.int16), (None, None))
        rows, indptr = _checks.check_bags(rows, indptr, len(weights))
        _checks.check_array("amounts", amounts, np.float64, (len(rows),))
        used, columns = np.unique(rows, return_inverse=True)
        bags = sparse.csr_array(
            (amounts, columns, indptr), shape=(len(indptr) - 1, len(used)), dtype=np.float64
        )
        return bags @ weights[used].astype(np.float64)

    def squared_norms(self, synapses):
        _checks.check_array("synapses", synapses, np.float32, (None, None))
        return np.einsum("im,im->m", synapses, synapses, dtype=np.float64)

    @staticmethod
    def _inputs(
        synapses: NDArray[np.float32],
        ids: NDArray[np.int32],
        offsets: NDArray[np.int64],
        window: int,
        truncate: bool,
    ) -> Iterator[tuple[sparse.csr_array, NDArray[np.int64]]]:
        """Yield blocks of window vectors ``v`` (rows, ``2V`` columns) and their positions."""
        n_rows = synapses.shape[0]
        n_words, half = n_rows // 2, window // 2
        rows: list[NDArray[np.int64]] = []
        positions: list[int] = []

        def block() -> tuple[sparse.csr_array, NDArray[np.int64]]:
            indptr = np.concatenate([[0], np.cumsum([len(r) for r in rows])])
            inputs = sparse.csr_array(
                (np.ones(indptr[-1], dtype=np.int64), np.concatenate(rows), indptr),
                shape=(len(rows), n_rows),
            )
            return inputs, np.array(positions)

        for start, stop in pairwise(offsets):
            for centre in range(start, stop):
                if not truncate and (centre - half < start or centre + half >= stop):
                    continue
                around = np.concatenate(
                    [
                        ids[max(start, centre - half) : centre],
                        ids[centre + 1 : min(stop, centre + half + 1)],
                    ]
                )
                context = np.unique(around[around >= 0])
                target = ids[centre : centre + 1]
                on = np.concatenate([context, n_words + target[target >= 0]])
                if len(on) == 0:
                    continue
                rows.append(on)
                positions.append(centre)
                if len(rows) == _BLOCK:
                    yield block()
                    rows, positions = [], []
        if rows:
            yield block()


def fixed_point(weights: NDArray[np.float32], drive: Drive) -> NDArray[np.int64]:
    scaled: NDArray[np.float32] = np.rint(np.maximum(weights, drive.floor) * drive.gain)
    return scaled.astype(np.int64)


def _activations(drives: NDArray[np.int16], inputs: sparse.csr_array) -> NDArray[np.int64]:
    """Return ``<W_m, v>`` for each row ``v`` of ``inputs``, as whole numbers."""
    used, columns = np.unique(inputs.indices, return_inverse=True)
    compact = sparse.csr_array(
        (inputs.data, columns, inputs.indptr), shape=(inputs.shape[0], len(used))
    )
    return np.asarray(compact @ drives[used].astype(np.int64))


def log32(values: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return logarithms of normal positive float32 numbers, to three units of the last place.

    With ``x = 2^n (1 + f)``, ``f`` between ``sqrt(1/2) - 1`` and ``sqrt(2) - 1``, and
    ``s = f / (2 + f)``: ``log(x) = n log(2) + 2 artanh(s)``, from the first terms of its series in
    ``s``. This takes only additions, multiplications and a division of float32 numbers in a fixed
    order, so the compiled kernels give the same bits on every machine; library logarithms do not.

    Examples
    --------
    >>> log32(np.array([1.0, 10.0, 1e-6], dtype=np.float32))
    array([  0.       ,   2.3025851, -13.815511 ], dtype=float32)
    """
    bits = values.view(np.int32) + np.int32(ONE - ROOT_OF_HALF)
    exponent = ((bits >> 23) - 127).astype(np.float32)
    mantissa = ((bits & 0x007FFFFF) + np.int32(ROOT_OF_HALF)).view(np.float32)
    f = mantissa - np.float32(1)
    s = f / (np.float32(2) + f)
    z = s * s
    series = z * (LOG_SERIES[0] + z * (LOG_SERIES[1] + z * (LOG_SERIES[2] + z * LOG_SERIES[3])))
    tail = s * (np.float32(2) + series)
    found: NDArray[np.float32] = exponent * LOG_OF_2[1] + tail + exponent * LOG_OF_2[0]
    return found


def _descending(activations: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the cells of each row by falling activation, ties by number."""
    return np.argsort(-activations, axis=1, kind="stable")
