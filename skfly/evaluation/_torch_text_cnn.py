"""The TextCNN itself, in PyTorch. Imported only when one is trained."""

# neither has types
# mypy: disallow-subclassing-any=False, disallow-untyped-calls=False

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from skorch import NeuralNetClassifier
from skorch.callbacks import EarlyStopping
from skorch.dataset import ValidSplit
from torch import nn

__all__ = ["TextCNN", "fit_net", "make_net"]

_HELD_OUT = 10  # one document in so many


class TextCNN(nn.Module):
    """Filters over words, the maximum over the document, dropout, and a linear layer.

    Parameters
    ----------
    vectors : ndarray of float32, (n_words + 1, n_dimensions)
        Of the words, not trained; row 0 is zeros.
    n_classes, n_filters : int
    kernel_sizes : tuple of int
    dropout : float
    """

    vectors: torch.Tensor

    def __init__(
        self,
        vectors: NDArray[np.float32],
        n_classes: int,
        kernel_sizes: tuple[int, ...],
        n_filters: int,
        dropout: float,
    ) -> None:
        super().__init__()
        self.register_buffer("vectors", torch.from_numpy(vectors), persistent=False)
        self.kernel_sizes = kernel_sizes
        self.filters = nn.ModuleList(
            nn.Conv1d(vectors.shape[1], n_filters, size) for size in kernel_sizes
        )
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(n_filters * len(kernel_sizes), n_classes)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        """Return a value for each document and class."""
        shortest = max(self.kernel_sizes)
        used = torch.nonzero(ids.any(dim=0))  # columns with a known word
        ids = ids[:, : max(int(used[-1]) + 1 if len(used) else 0, shortest)]
        words, places = torch.unique(ids, return_inverse=True)
        vectors = self.vectors[words]
        found = [self._strongest(layer, vectors, places) for layer in self.filters]
        result: torch.Tensor = self.output(self.dropout(torch.cat(found, dim=1)))
        return result

    @staticmethod
    def _strongest(layer: nn.Module, vectors: torch.Tensor, places: torch.Tensor) -> torch.Tensor:
        """Return the largest response of each filter.

        What ``layer`` would give, but every word of the batch is multiplied once, not wherever it
        stands: the vectors are the same everywhere, and most words come often.
        """
        assert isinstance(layer, nn.Conv1d)
        assert layer.bias is not None
        size = layer.kernel_size[0]
        n_places = places.shape[1] - size + 1
        responses: torch.Tensor = layer.bias
        for offset in range(size):
            by_word = vectors @ layer.weight[:, :, offset].T
            here = places[:, offset : offset + n_places]
            responses = responses + nn.functional.embedding(here, by_word)
        return nn.functional.relu(responses).amax(dim=1)


def make_net(
    vectors: NDArray[np.float32],
    n_classes: int,
    *,
    kernel_sizes: tuple[int, ...],
    n_filters: int,
    dropout: float,
    max_epochs: int,
    patience: int,
    batch_size: int,
    learning_rate: float,
    verbose: int,
) -> NeuralNetClassifier:
    """Return a network that is to be trained with Adam until it gets no better."""
    stop = EarlyStopping(
        monitor="valid_acc", lower_is_better=False, patience=patience, load_best=True,
        sink=print if verbose else _silent,
    )  # fmt: skip
    return NeuralNetClassifier(
        TextCNN,
        module__vectors=vectors,
        module__n_classes=n_classes,
        module__kernel_sizes=kernel_sizes,
        module__n_filters=n_filters,
        module__dropout=dropout,
        criterion=nn.CrossEntropyLoss,
        optimizer=torch.optim.Adam,
        lr=learning_rate,
        batch_size=batch_size,
        max_epochs=max_epochs,
        iterator_train__shuffle=True,
        train_split=ValidSplit(_HELD_OUT, stratified=True),
        callbacks=[("stop", stop)],
        classes=np.arange(n_classes),
        verbose=verbose,
    )


def fit_net(net: Any, ids: NDArray[np.int64], y: NDArray[np.int64], seed: int) -> None:
    """Train; the same seed gives the same network, and torch's own generator stays as it was."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        net.fit(ids, np.asarray(y, dtype=np.int64))


def _silent(*_: Any) -> None:
    """Say nothing."""
