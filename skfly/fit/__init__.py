"""Learning: one loop that takes any rule over any text, with checkpoints."""

from skfly.fit._batches import BatchStream
from skfly.fit._checkpoints import CheckpointError, Checkpoints
from skfly.fit._documents import LONGEST_PIECE, fit_documents
from skfly.fit._fit import Fitted, History, fit, grow, least_count

__all__ = [
    "LONGEST_PIECE",
    "BatchStream",
    "CheckpointError",
    "Checkpoints",
    "Fitted",
    "History",
    "fit",
    "fit_documents",
    "grow",
    "least_count",
]
