"""The reference: every kernel as its formula says, in plain numpy.

Slow and obvious. The other backends are tested against this one. ``_base.py`` says what the
arrays mean and why activations are integers.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from skfly.backends._base import Drive, HebbianStep, Increment

__all__ = ["NumpyBackend"]

_BLOCK = 4096  # windows at a time: bounds the dense activations


class NumpyBackend:
    """Reference kernels. ``n_threads`` is accepted and has no effect."""

    name = "numpy"

    def __init__(self, n_threads: int = 1) -> None:
        self.n_threads = n_threads

    def find_winners(self, synapses, drive, ids, offsets, window, truncate):
        winners = np.full(len(ids), -1, dtype=np.int32)
        for inputs, positions in self._inputs(synapses, ids, offsets, window, truncate):
            winners[positions] = np.argmax(_activations(synapses, drive, inputs), axis=1)
        return winners

    def add_windows(self, sums, rates, synapses, floor, ids, offsets, winners, window):
        n_rows, n_cells = sums.shape
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
        driving = np.where(counts > 0, np.maximum(synapses, floor), 0)
        overlap = np.einsum("im,im->m", driving, increments, dtype=np.float64)
        sums += increments
        cells = counts.reshape(2, -1, n_cells).sum(axis=1)
        return Increment(overlap, counts.sum(axis=1), cells)

    def information(self, synapses, counts, words, cells, shrinkage):
        for block, rows in enumerate(np.split(np.arange(len(words)), 2)):
            share = words[rows, None] / max(words[rows].sum(), 1e-300)
            with np.errstate(divide="ignore", invalid="ignore"):
                raised = np.maximum(counts[rows] + shrinkage * share, 1e-6)
                ratio = raised / ((cells[block] + shrinkage) * share)
                synapses[rows] = np.where(share > 0, np.log(ratio), 0.0)
        return float(synapses.max(initial=0.0))

    def hebbian_step(self, synapses, increments, overlap, learning_rate):
        norms = np.sqrt(self.squared_norms(synapses))
        step = increments - overlap.astype(np.float32) * synapses
        increments[...] = 0
        largest = np.abs(step).max(initial=0.0)
        if largest > 0:
            synapses += np.float32(learning_rate / largest) * step
        energy = -np.divide(overlap, norms, out=np.zeros_like(overlap), where=norms > 0)
        return HebbianStep(float(energy.sum()), float(np.abs(synapses).max(initial=0.0)))

    def count_top_cells(self, counts, synapses, drive, ids, offsets, window, truncate, n_top):
        n_windows, n_words = 0, len(counts)
        for inputs, positions in self._inputs(synapses, ids, offsets, window, truncate):
            top = _descending(_activations(synapses, drive, inputs))[:, :n_top]
            for row, cells in enumerate(top):
                words = inputs.indices[inputs.indptr[row] : inputs.indptr[row + 1]] % n_words
                counts[np.ix_(np.unique(words), cells)] += 1
            n_windows += len(positions)
        return n_windows

    def top_cells(self, synapses, drive, rows, indptr, n_top):
        n_bags = len(indptr) - 1
        cells = np.full((n_bags, n_top), -1, dtype=np.int32)
        values = np.zeros((n_bags, n_top), dtype=np.int64)
        for bag in range(n_bags):
            on = rows[indptr[bag] : indptr[bag + 1]]
            if len(on) == 0:
                continue
            activations = _fixed_point(synapses[on], drive).sum(axis=0)
            cells[bag] = _descending(activations[None, :])[0, :n_top]
            values[bag] = activations[cells[bag]]
        return cells, values

    def squared_norms(self, synapses):
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


def _fixed_point(weights: NDArray[np.float32], drive: Drive) -> NDArray[np.int64]:
    scaled: NDArray[np.float32] = np.rint(np.maximum(weights, drive.floor) * drive.gain)
    return scaled.astype(np.int64)


def _activations(
    synapses: NDArray[np.float32], drive: Drive, inputs: sparse.csr_array
) -> NDArray[np.int64]:
    """Return ``<W_m, v>`` for each row ``v`` of ``inputs``, in fixed point."""
    used, columns = np.unique(inputs.indices, return_inverse=True)
    compact = sparse.csr_array(
        (inputs.data, columns, inputs.indptr), shape=(inputs.shape[0], len(used))
    )
    return np.asarray(compact @ _fixed_point(synapses[used], drive))


def _descending(activations: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the cells of each row by falling activation, ties by number."""
    return np.argsort(-activations, axis=1, kind="stable")
