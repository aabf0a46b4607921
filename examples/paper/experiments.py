"""The experiments of the report. Each fills a section, introduced by its docstring."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any

from clusters import N_CLUSTERS, word_clusters
from compare_codes import compare_codes
from context_neighbors import context_neighbors
from data_folder import DataFolder
from document_classification import document_classification, document_pipelines
from section import Section, goal
from skfly import FlyHashVectorizer, FlyKeyedVectors
from skfly.evaluation import (
    Table,
    word_in_context,
    word_similarity,
)
from training_curve import TrainingCurve
from word_tree import common_words, word_tree

__all__ = ["EXPERIMENTS", "Inputs"]

_SHORT_LENGTHS = (4, 8, 16)
_CLUSTER_LENGTHS = (32, 64, 128)
_CLUSTER_WORDS = 20_000
_TREE_WORDS = 5_000
_TREE_ROOTS = ("interchange", "railway", "music", "river", "bank")
_NO_FLY = "Not run: it needs a model of skfly, and {}."


@dataclass(frozen=True)
class Inputs:
    """What the experiments run on.

    Attributes
    ----------
    name : str
        Of the model.
    model : FlyHashVectorizer or KeyedVectors
    vectors : mapping from names to KeyedVectors
        To compare with.
    data : DataFolder
    corpus : Any
        What the training curve trains on, or None.
    tell : function
        Called with what was done.
    """

    name: str
    model: Any
    vectors: Mapping[str, Any]
    data: DataFolder
    corpus: Any = None
    tell: Callable[[str], None] = lambda _: None

    @property
    def is_fly(self) -> bool:
        """Whether the model is a fly."""
        return isinstance(self.model, FlyHashVectorizer)

    @property
    def models(self) -> dict[str, Any]:
        """The model and the vectors."""
        return {self.name: self.model, **self.vectors}


def similarity(inputs: Inputs, section: Section) -> None:
    """Score the similarity of words against human judgement, by Spearman's correlation.

    Scores are 100 times the correlation, over the pairs of which both words are known.
    """
    datasets = inputs.data.word_pairs()
    if datasets:
        table = word_similarity(inputs.model, datasets)
        section.add("word_similarity", table, inputs.name)
        section.draw("Scores by hash length", table.plot)


def codes(inputs: Inputs, section: Section) -> None:
    """Compare the model's codes with binary codes made of dense vectors.

    Over the pairs that all know; the mean of 5 runs where a method draws random numbers. The best
    codes of each length are in bold.
    """
    datasets = inputs.data.word_pairs()
    if not inputs.vectors or not inputs.is_fly:
        section.notes.append(_NO_FLY.format("word vectors beside it"))
    if not datasets or section.notes:
        return
    table = compare_codes(
        {inputs.name: inputs.model}, inputs.vectors, datasets, on_progress=inputs.tell
    )
    section.add("codes", table, "Scores by hash length")
    for dataset in table.values("dataset"):
        section.draw(f"{dataset} by hash length", table.plot, dataset=dataset)
        section.goals += (
            _ahead(table, inputs.name, vectors, dataset, length)
            for vectors in inputs.vectors
            for length in _SHORT_LENGTHS
        )


def _ahead(table: Table, name: str, vectors: str, dataset: str, length: int) -> dict[str, Any]:
    """Return whether the fly is ahead of all codes of some vectors."""
    found, others = None, []
    for row in table.rows:
        if (row.dataset, row.hash_length) == (dataset, length) and row.spearman is not None:
            if (row.vectors, row.method) == (name, "fly"):
                found = row.spearman
            elif row.vectors == vectors:
                others.append(row.spearman)
    best = max(others, default=None)
    what = f"{dataset}, hash length {length}, against the best codes of {vectors}"
    return goal("codes", what, found, best)


def contexts(inputs: Inputs, section: Section) -> None:
    """Score the similarity of words in context against human judgement.

    WiC: percent of right answers; SCWS: 100 times Spearman's correlation. Settings are chosen on
    the first of five folds; the score is the mean and the standard deviation of the others.
    """
    datasets = inputs.data.contexts()
    for name, model in inputs.models.items() if datasets else ():
        file = "contexts" if name == inputs.name else f"contexts-{name}"
        section.add(file, word_in_context(model, datasets), name)
        inputs.tell(name)
    if inputs.is_fly:
        title = "The nearest words of a word in two contexts"
        section.add("context_neighbors", context_neighbors(inputs.model), title)


def clusters(inputs: Inputs, section: Section) -> None:
    """Cluster words by complete link on the cosine.

    Within: the mean cosine of the pairs of a cluster; nearest outside: the largest with a word of
    another; mean and standard deviation over the clusters.
    """
    words = common_words(list(inputs.models.values()))[:_CLUSTER_WORDS]
    if len(words) < min(N_CLUSTERS):
        section.notes.append(f"Not run: all models together know only {len(words)} words.")
        return
    models = _cluster_models(inputs)
    table = word_clusters(models, words=words, on_progress=inputs.tell)
    section.add("clusters", table, f"{len(words)} words")
    section.draw("Inside clusters, and to the nearest word outside", table.plot)
    n_clusters = table.rows[0].n_clusters
    for vectors in inputs.vectors if inputs.is_fly else ():
        section.goals += (
            _tighter(table, name, vectors, n_clusters) for name in models if "hash length" in name
        )
    _draw_tree(section, next(iter(models.values())), words[:_TREE_WORDS])


def _cluster_models(inputs: Inputs) -> dict[str, Any]:
    """Return the fly at several hash lengths, and vectors with their binarised forms."""
    models: dict[str, Any] = {}
    for length in _CLUSTER_LENGTHS if inputs.is_fly else ():
        model = inputs.model.model_
        model = model.with_(hash_length=min(length, model.n_cells))
        models[f"{inputs.name}, hash length {model.hash_length}"] = model
    for name, vectors in (inputs.vectors if inputs.is_fly else inputs.models).items():
        models[name] = vectors
        for share in (6, 3):
            top = max(1, vectors.vector_size // share)
            models[f"{name}, top {top}"] = FlyKeyedVectors.from_dense(
                vectors, "topk", hash_length=top
            )
        models[f"{name}, NLB 256"] = FlyKeyedVectors.from_dense(
            vectors, "nearlossless", n_bits=256, random_state=0
        )
    return models


def _tighter(table: Table, name: str, vectors: str, n_clusters: int) -> dict[str, Any]:
    ours, theirs = (table.row(method, n_clusters) for method in (name, vectors))
    reached = (ours.within or 0.0) > (theirs.within or 0.0) and ours.between <= theirs.between
    what = f"{n_clusters} clusters, {name}: tighter than {vectors}, and no nearer to others"
    return goal("clusters", what, ours.within, theirs.within, reached)


def _draw_tree(section: Section, model: Any, words: list[str]) -> None:
    tree = word_tree(model, words)
    for word in (*_TREE_ROOTS, *words):
        try:
            part = tree.subtree(word, 42)
        except (KeyError, ValueError):
            continue
        caption = f"The part of the tree around {word!r}, of the {len(words)} most frequent words"
        section.draw(caption, part.plot)
        return


def documents(inputs: Inputs, section: Section) -> None:
    """Classify documents with scikit-learn's linear classifiers on codes and vectors.

    Scores are percentages of right answers.
    """
    methods = document_pipelines(
        inputs.model if inputs.is_fly else None,
        inputs.vectors if inputs.is_fly else inputs.models,
    )
    datasets = inputs.data.documents()
    first = next(datasets, None)
    if first is not None:
        table = document_classification(
            methods,
            chain([first], datasets),
            on_progress=lambda row: inputs.tell(f"{row.dataset}, {row.method}"),
        )
        section.add("documents", table, "Accuracy")


def curve(inputs: Inputs, section: Section) -> None:
    """Score a new model with the same parameters after each epoch of its training.

    Seconds are those of training alone.
    """
    datasets = inputs.data.word_pairs()
    if inputs.corpus is None or not inputs.is_fly:
        section.notes.append(_NO_FLY.format("the text to train on"))
    if not datasets or section.notes:
        return
    scores = TrainingCurve(datasets)
    params = inputs.model.get_params() | {"input": "content"}
    FlyHashVectorizer(**params).set_callbacks(scores).fit(inputs.corpus)
    table = section.add("curve", scores.table, "Scores by epoch")
    section.draw("Scores by seconds of training", table.plot)


EXPERIMENTS: dict[str, tuple[str, Callable[[Inputs, Section], None]]] = {
    "similarity": ("Word similarity", similarity),
    "codes": ("Codes by hash length", codes),
    "contexts": ("Words in context", contexts),
    "clusters": ("Clusters of words", clusters),
    "documents": ("Document classification", documents),
    "curve": ("Training curve", curve),
}
"""Titles and functions by the names that ``write_report`` takes."""
