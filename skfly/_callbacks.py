"""Callbacks of the estimator, in scikit-learn's and gensim's form."""

from __future__ import annotations

import copy
import time
from collections.abc import Callable
from functools import cached_property
from typing import Any

from skfly.fit import Fitted


class EpochCallbacks:
    """Call an estimator's scikit-learn callbacks at the end of each epoch.

    Each epoch is a task below the task ``fit``. At its end, ``metadata`` has the seconds of
    learning so far (without those of callbacks), the mean energy of a window and the share of
    cells in use; ``fitted_estimator`` is made only for callbacks that ask for it.

    Parameters
    ----------
    estimator : FlyHashVectorizer
    attributes : function
        Turns learned arrays into fitted attributes.
    """

    def __init__(self, estimator: Any, attributes: Callable[[Fitted], dict[str, Any]]) -> None:
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
        fitted: Callable[[], Fitted],
    ) -> bool:
        """Report the end of an epoch; return whether a callback wants to stop."""
        self._seconds += time.perf_counter() - self._began
        stop = self._task.call_on_fit_task_end(
            estimator=self._estimator,
            metadata={"seconds": self._seconds, **details},
            reconstruction_attributes=lambda: self._attributes(fitted()),
        )
        if not stop and epoch + 1 < n_epochs:
            self._begin()
        return bool(stop)

    def end(self) -> None:
        """Report the end of training."""
        self._root.call_on_fit_task_end(estimator=self._estimator)

    def _begin(self) -> None:
        self._task = self._root.subcontext(task_name="epoch")
        self._task.call_on_fit_task_begin(estimator=self._estimator)
        self._began = time.perf_counter()


_GENSIM_METHODS = ("on_train_begin", "on_epoch_begin", "on_epoch_end", "on_train_end")


def is_gensim_callback(callback: Any) -> bool:
    """Return whether this is an object like gensim's ``CallbackAny2Vec``."""
    if isinstance(callback, type):
        return False
    return all(callable(getattr(callback, name, None)) for name in _GENSIM_METHODS)


class GensimCallbacks:
    """Call callbacks like gensim's at the end of each epoch.

    Parameters
    ----------
    callbacks : list of objects like ``CallbackAny2Vec``
    estimator : FlyHashVectorizer
    attributes : function
        Turns learned arrays into fitted attributes.
    """

    def __init__(
        self,
        callbacks: list[Any],
        estimator: Any,
        attributes: Callable[[Fitted], dict[str, Any]],
    ) -> None:
        self._callbacks = callbacks
        self._estimator = estimator
        self._attributes = attributes
        self._model: Any = estimator
        self._tell("on_train_begin")
        self._tell("on_epoch_begin")

    def __call__(
        self,
        epoch: int,
        n_epochs: int,
        details: dict[str, float],
        fitted: Callable[[], Fitted],
    ) -> bool:
        """Report the end of an epoch; return whether a callback wants to stop."""
        self._model = ModelSoFar(
            self._estimator, lambda: self._attributes(fitted()), details["energy"]
        )
        stop = any(self._tell("on_epoch_end"))
        if not stop and epoch + 1 < n_epochs:
            self._tell("on_epoch_begin")
        return stop

    def end(self) -> None:
        """Report the end of training."""
        self._model = self._estimator
        self._tell("on_train_end")

    def _tell(self, method: str) -> list[bool]:
        return [bool(getattr(callback, method)(self._model)) for callback in self._callbacks]


class ModelSoFar:
    """An estimator in its state after an epoch, created on first use."""

    def __init__(
        self, estimator: Any, attributes: Callable[[], dict[str, Any]], energy: float
    ) -> None:
        self._estimator = estimator
        self._attributes = attributes
        self._energy = energy

    def get_latest_training_loss(self) -> float:
        """Return the mean energy of a window in the last epoch."""
        return self._energy

    @cached_property
    def _fitted(self) -> Any:
        fitted = copy.copy(self._estimator)
        fitted.__dict__.update(self._attributes())
        return fitted

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self._fitted, name)
