"""Learning: one loop that takes any rule over any text, with checkpoints."""

from skfly.fit._batches import BatchStream
from skfly.fit._checkpoints import CheckpointError, Checkpoints
from skfly.fit._fit import Fitted, History, fit, least_count, warn_of_small_text

__all__ = [
    "BatchStream",
    "CheckpointError",
    "Checkpoints",
    "Fitted",
    "History",
    "fit",
    "least_count",
    "warn_of_small_text",
]
