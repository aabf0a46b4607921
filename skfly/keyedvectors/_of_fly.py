"""The vectors of a fitted ``FlyHashVectorizer``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import ReferenceType, WeakKeyDictionary, ref

import numpy as np
from scipy import sparse

from skfly.keyedvectors._keyedvectors import FlyKeyedVectors

if TYPE_CHECKING:
    from skfly.vectorizer import FlyHashVectorizer

__all__ = ["vectors_of"]


class _Made(NamedTuple):
    synapses: ReferenceType[Any]  # weak: an old network should not be kept alive
    state: tuple[Any, ...]
    vectors: FlyKeyedVectors


# not an attribute of the estimator: it would be copied and pickled with it
_made: WeakKeyDictionary[Any, _Made] = WeakKeyDictionary()


def vectors_of(fly: FlyHashVectorizer) -> FlyKeyedVectors:
    """Return the codes of an estimator's words, made anew only if they may have changed.

    Words that were not seen, and so have no code, are left out. Each word's count is the
    attribute ``"count"``.
    """
    state = (fly.n_windows_seen_, fly.hash_length, fly.word_codes)
    made = _made.get(fly)
    if made is None or made.synapses() is not fly.synapses_ or made.state != state:
        made = _made[fly] = _Made(ref(fly.synapses_), state, _make(fly))
    return made.vectors


def _make(fly: FlyHashVectorizer) -> FlyKeyedVectors:
    codes = sparse.csr_array(fly.word_codes_)
    seen = np.flatnonzero((np.diff(codes.indptr) > 0) & (fly.word_counts_ > 0))
    words = list(fly.vocabulary_)
    return FlyKeyedVectors.from_codes(
        [words[i] for i in seen.tolist()],
        codes[seen],
        counts=fly.word_counts_[seen],
        hash_length=int(fly.hash_length),
    )
