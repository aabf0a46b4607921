"""Static codes by consensus: the cells that the windows with a word agree on.

The target row of a word seen a few times holds little. The windows that it comes in, as target or
as context, say more: each lights up its most active cells, and the word's code is made of the
cells that come up most often, relative to how often each cell comes up at all.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skfly.backends import Backend, drive_for
from skfly.learning._batches import BatchStream
from skfly.learning._report import Learned
from skfly.learning._train import Monitor

__all__ = ["count_consensus"]


def count_consensus(
    backend: Backend,
    learned: Learned,
    stream: BatchStream,
    epoch: int,
    *,
    window: int,
    truncate: bool,
    n_active: int,
    monitor: Monitor | None = None,
    first: int = 0,
    before: NDArray[np.float32] | None = None,
    on_batch: Callable[[int, Callable[[], NDArray[np.float32]]], Any] | None = None,
) -> NDArray[np.float32]:
    """Return how often each cell is among the ``n_active`` most active for each word, (V, K).

    Counting that was stopped goes on from batch ``first`` with the counts ``before`` it.
    ``on_batch`` is told the batches done, and a function that gives the counts.
    """
    n_rows, n_cells = learned.synapses.shape
    counts = backend.zeros((n_rows // 2, n_cells)) if before is None else backend.put(before)
    drives = backend.new_drives((n_rows, n_cells))
    backend.set_drives(drives, learned.synapses, drive_for(learned.largest, window, learned.floor))
    for done, batch in enumerate(stream.epoch(epoch, first), first + 1):
        n_windows = backend.count_top_cells(counts, drives, *batch, window, truncate, n_active)
        if monitor is not None:
            monitor.advance(n_windows)
        if on_batch is not None:
            on_batch(done, lambda: backend.get(counts))
    return backend.get(counts)
