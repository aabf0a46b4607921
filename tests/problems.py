"""Random networks and sentences, for tests of engines against the reference."""

import numpy as np
from hypothesis import strategies as st

from skfly.engine import drive_for
from skfly.engine._numpy import NumpyEngine
from skfly.rules.lloyd import information_bound, information_terms


@st.composite
def problems(draw):
    """A random network and random sentences: edge shapes on purpose."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_words = draw(st.sampled_from([1, 2, 7, 40]))
    n_cells = draw(st.sampled_from([1, 2, 17, 64]))
    n_positions = draw(st.sampled_from([1, 5, 80, 300]))
    window = draw(st.sampled_from([1, 3, 5, 11]))
    truncate = draw(st.booleans())
    # few different weights make ties certain, many make them rare
    n_values = draw(st.sampled_from([2, 5, 1 << 20]))
    synapses = rng.integers(-n_values, n_values, (2 * n_words, n_cells), endpoint=True)
    ids = rng.integers(-1, n_words, n_positions, dtype=np.int32)
    cuts = rng.integers(0, n_positions, size=n_positions // 4)
    offsets = np.unique(np.concatenate([[0], cuts, [n_positions]])).astype(np.int64)
    weights = (synapses / n_values).astype(np.float32)
    drive = drive_for(1.0, window, draw(st.sampled_from([-np.inf, 0.0])))
    rates = rng.random(n_words, dtype=np.float32)
    return weights, drive, rates, ids, offsets, window, truncate


def drives_of(synapses, drive, engine=NumpyEngine):
    """Return the drives of synapses."""
    drives = np.empty(synapses.shape, np.int16)
    engine(2).set_drives(drives, synapses, drive)
    return drives


def counts_of(synapses, shrinkage):
    """Return counts, the terms of their information, and what that cannot exceed."""
    counts = np.rint(np.abs(synapses) * 5)
    counts[0] = 0  # a word that never came
    words = counts.sum(axis=1, dtype=float)
    cells = counts.astype(float).reshape(2, -1, counts.shape[1]).sum(axis=1)
    terms = information_terms(words, cells, shrinkage)
    return counts, terms, information_bound(cells, shrinkage)
