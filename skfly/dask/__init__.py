"""The same estimator on a Dask cluster: ``pip install "skfly[dask]"``.

Text is encoded on the workers that hold it. In each round, every shard finds the winners of its
next windows and counts their words; the counts are summed in a tree, the process that called
``fit`` takes one step, and the new synapses are sent to all workers, with 16 bits each. A round is
one minibatch that the shards share, so the rule is that of a single machine: one shard gives the
bits of :class:`~skfly.FlyHashVectorizer`, and the result for a given number of shards does not
depend on which workers come and go.
"""

from __future__ import annotations

import copy
import os
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, ClassVar, cast

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

import skfly
from skfly._files import import_optional
from skfly._messages import Progress
from skfly._params import CONSTRAINTS
from skfly.dask._index import DaskDocumentIndex
from skfly.dask._phrases import learn_shard_phrases
from skfly.dask._rounds import ShardCounter, ShardedCorpus, ShardStream, Traffic
from skfly.engine import get_engine
from skfly.text import EncodedCorpus, TextAnalyzer, Vocabulary, warn_if_read_otherwise
from skfly.vectorizer import FlyHashVectorizer

__all__ = ["DaskDocumentIndex", "DaskFlyHashVectorizer"]


class DaskFlyHashVectorizer(FlyHashVectorizer):
    """Learn from text on a Dask cluster.

    Parameters
    ----------
    client : distributed.Client or None, default=None
        ``None``: the one that Dask uses by default. It is not pickled.
    **params
        Those of :class:`~skfly.FlyHashVectorizer`. ``batch_size`` is what all shards take
        together; ``"auto"`` lets it grow with their number, to a twentieth of the text.
        ``n_jobs`` is the threads of a task; ``None``: those of the cluster, shared by the shards.

    Attributes
    ----------
    traffic_ : Traffic
        Rounds of the last fit, and the bytes that they sent.

    See Also
    --------
    skfly.FlyHashVectorizer : On one machine; it has the other attributes and methods.

    Examples
    --------
    ::

        import dask.bag as db
        from distributed import Client

        texts = db.read_text("s3://corpus/*.txt.gz")
        fly = DaskFlyHashVectorizer(client=Client("scheduler:8786"), random_state=0).fit(texts)
        codes = fly.transform(texts)        # lazy: an array of CSR blocks
        fly.to_local().save("corpus.skfly")
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = CONSTRAINTS | {"client": "no_validation"}

    def __init__(self, *, client: Any = None, **params: Any) -> None:
        super().__init__(**params)
        self.client = client

    @classmethod
    def _get_param_names(cls) -> list[str]:
        return sorted(["client", *FlyHashVectorizer._get_param_names()])

    def fit_transform(self, raw_documents: Any, y: Any = None) -> Any:  # noqa: ARG002
        """Learn from documents and return their codes, as :meth:`fit` and :meth:`transform` do."""
        return self.fit(raw_documents).transform(raw_documents)

    def transform(self, raw_documents: Any) -> Any:
        """Return the codes of documents, computed lazily.

        Parameters
        ----------
        raw_documents : Bag, Series or list of paths
            What :meth:`fit` takes.

        Returns
        -------
        codes : dask.array.Array, (n_documents, n_kenyon_cells)
            Of CSR blocks, one a partition.
        """
        check_is_fitted(self)
        import dask.array
        from dask.delayed import delayed

        if hasattr(raw_documents, "to_delayed"):
            parts = np.ravel(np.array(raw_documents.to_delayed(), dtype=object)).tolist()
        else:
            parts = [str(Path(path).absolute()) for path in raw_documents]
        fly = delayed(self.to_local(), pure=True)
        width, codes = self.n_features_out_, delayed(_codes_of)
        empty = sparse.csr_matrix((0, width), dtype=self.dtype)
        blocks = [
            dask.array.from_delayed(
                codes(fly, part), shape=(np.nan, width), dtype=self.dtype, meta=empty
            )
            for part in parts
        ]
        return dask.array.concatenate(blocks, axis=0, allow_unknown_chunksizes=True)

    def to_local(self) -> FlyHashVectorizer:
        """Return the fitted estimator without Dask."""
        params = dict(self.get_params(deep=False))
        del params["client"]
        local = FlyHashVectorizer(**params)
        fitted = ("_model", "_current", "_training", "_phrases", "min_count_")
        local.__dict__.update({name: getattr(self, name) for name in fitted})
        return local

    def save(self, path: str | os.PathLike[str], *, compact: bool = False) -> None:
        """Write the estimator without Dask to one file; see :meth:`FlyHashVectorizer.save`."""
        self.to_local().save(path, compact=compact)

    def __getstate__(self) -> dict[str, Any]:
        return dict(super().__getstate__()) | {"client": None}

    def __sklearn_clone__(self) -> DaskFlyHashVectorizer:
        same: DaskFlyHashVectorizer = BaseEstimator.__sklearn_clone__(copy.copy(self))
        same.client = self.client
        return same

    # What differs from one machine

    def _read(
        self, raw_documents: Any, _: Vocabulary | None, analyzer: TextAnalyzer
    ) -> AbstractContextManager[Any]:
        client = _usable(self.client)
        corpus = ShardedCorpus(client, raw_documents, analyzer, self.n_jobs, self.backend)
        for about in corpus.about:
            warn_if_read_otherwise(about.text_params, analyzer)
        return corpus

    def _read_with_phrases(
        self, raw_documents: Any, analyzer: TextAnalyzer
    ) -> AbstractContextManager[Any]:
        corpus = cast("ShardedCorpus", self._read(raw_documents, None, analyzer))
        learn_shard_phrases(corpus)
        return corpus

    def _compute_with(self, corpus: Any, n_words: int, progress: Progress) -> dict[str, Any]:  # noqa: ARG002
        # whole numbers come from any engine; here they are added as numba adds them
        return {
            "engine": get_engine("numba", None),
            "counter": ShardCounter(),
            "make_stream": ShardStream,
            "n_shards": corpus.n_shards,
        }

    def _document_counts(self, corpus: Any) -> NDArray[np.int64]:
        counts: NDArray[np.int64] = corpus.document_counts()
        return counts

    def _learn(self, corpus: Any, *args: Any) -> None:
        super()._learn(corpus, *args)
        self.traffic_: Traffic = corpus.traffic


def _codes_of(fly: FlyHashVectorizer, part: Any) -> Any:
    if isinstance(part, str):
        return fly.transform(EncodedCorpus.load(part))
    return fly.transform(list(part))


def _version() -> str:
    return skfly.__version__


def _usable(client: Any) -> Any:
    """Return a connected client whose workers have this version of skfly."""
    distributed = import_optional("distributed", "dask", "learning on a cluster")
    if client is None:
        try:
            client = distributed.default_client()
        except ValueError as error:
            raise ValueError(
                "there is no Dask client: make one, distributed.Client(), or pass client="
            ) from error
    if client.status != "running":
        raise RuntimeError(f"the Dask client is {client.status}: pass one that is connected")
    versions = client.run(_version)
    if not versions:
        raise RuntimeError("the cluster has no workers")
    other = {where: there for where, there in versions.items() if there != skfly.__version__}
    if other:
        named = ", ".join(f"{there} on {where}" for where, there in sorted(other.items()))
        raise RuntimeError(
            f"workers have a different version of skfly than this one, {skfly.__version__}: "
            f"{named}; install the same everywhere"
        )
    return client
