"""The estimator's callbacks, as scikit-learn 1.9 has them: told of each epoch."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from skfly.learning import Network

__all__ = ["EpochCallbacks"]


class EpochCallbacks:
    """Tells an estimator's callbacks about its epochs.

    Each epoch is a task below the task ``fit``. At its end, ``metadata`` has the seconds of
    learning so far (without those of callbacks), the mean energy of a window and the share of
    cells in use; ``fitted_estimator`` is made only for callbacks that ask for it.

    Parameters
    ----------
    estimator : FlyHashVectorizer
    attributes : function
        From a network to what a fitted estimator has.
    """

    def __init__(self, estimator: Any, attributes: Callable[[Network], dict[str, Any]]) -> None:
        self._estimator = estimator
        self._attributes = attributes
        self._root = estimator._init_callback_context(max_subtasks=None)
        self._root.call_on_fit_task_begin(estimator=estimator)
        self._seconds = 0.0
        self._begin()

    def __call__(
        self,
        epoch: int,
        n_epochs: int,
        details: dict[str, float],
        network: Callable[[], Network],
    ) -> bool:
        """Tell of the end of an epoch; return whether a callback wants to stop."""
        self._seconds += time.perf_counter() - self._began
        stop = self._task.call_on_fit_task_end(
            estimator=self._estimator,
            metadata={"seconds": self._seconds, **details},
            reconstruction_attributes=lambda: self._attributes(network()),
        )
        if not stop and epoch + 1 < n_epochs:
            self._begin()
        return bool(stop)

    def end(self) -> None:
        """Tell of the end of all."""
        self._root.call_on_fit_task_end(estimator=self._estimator)

    def _begin(self) -> None:
        self._task = self._root.subcontext(task_name="epoch")
        self._task.call_on_fit_task_begin(estimator=self._estimator)
        self._began = time.perf_counter()
