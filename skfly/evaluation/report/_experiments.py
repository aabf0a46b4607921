"""The experiments of the paper, each a section of the report."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from typing import Any

from skfly import FlyKeyedVectors
from skfly.evaluation._clusters import N_CLUSTERS, ClusterTable, word_clusters
from skfly.evaluation._code_table import CodeTable
from skfly.evaluation._compare_codes import compare_codes
from skfly.evaluation._context_neighbors import context_neighbors
from skfly.evaluation._contexts import word_in_context
from skfly.evaluation._document_table import ClassificationRow, ClassificationTable
from skfly.evaluation._documents import document_classification, document_pipelines
from skfly.evaluation._rows import NOTHING, score_text
from skfly.evaluation._text_cnn import TextCNNClassifier
from skfly.evaluation._training_curve import TrainingCurve
from skfly.evaluation._word_matrix import common_words
from skfly.evaluation._word_similarity import HASH_LENGTHS, word_similarity
from skfly.evaluation._word_tree import word_tree
from skfly.evaluation.report import _paper
from skfly.evaluation.report._folder import DataFolder
from skfly.evaluation.report._section import Goal, Grid, Section, beside
from skfly.vectorizer import FlyHashVectorizer

__all__ = ["EXPERIMENTS", "Inputs"]

_SHOWN_LENGTH = 51  # the hash length of the paper's table 1
_FEW_BITS = (4, 8, 16)
_TOPICAL = ("MEN", "WS353", "MTurk-287")
_CLUSTER_LENGTHS = (32, 64, 128)
_CLUSTER_WORDS = 20_000
_TREE_WORDS = 5_000
_TREE_ROOTS = ("interchange", "railway", "music", "river", "bank")
_CNN_LENGTH = 30


@dataclass(frozen=True)
class Inputs:
    """What the experiments are about.

    Attributes
    ----------
    name : str
        Of the model.
    model : FlyHashVectorizer or KeyedVectors
    vectors : mapping from names to KeyedVectors
        To compare with.
    data : DataFolder
    corpus : Any
        What the training curve learns from, or None.
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
        """Whether the model is ours."""
        return isinstance(self.model, FlyHashVectorizer)

    @property
    def models(self) -> dict[str, Any]:
        """The model and the vectors."""
        return {self.name: self.model, **self.vectors}

    def fly_at(self, hash_length: int) -> FlyHashVectorizer:
        """Return the fly with another hash length; it shares all arrays."""
        fly: FlyHashVectorizer = copy.copy(self.model)
        fly.set_params(hash_length=min(hash_length, fly.n_features_out_))
        return fly


def similarity(inputs: Inputs) -> Section:
    """Word similarity by hash length."""
    section = Section(
        "Word similarity",
        "100 times Spearman's correlation with people's judgement, over the pairs of which both "
        "words are known. The paper's figures (table 1 and appendix C) are of other text and, "
        "where its vocabulary differs, of other pairs.",
    )
    datasets = inputs.data.word_pairs()
    if not datasets:
        return section
    table = word_similarity(inputs.model, datasets, HASH_LENGTHS)
    section.tables["word_similarity"] = table
    by_place = {(row.hash_length, row.dataset): row for row in table.rows}
    lines = []
    for length in table.hash_lengths:
        cells = []
        for name in table.datasets:
            row = by_place[length, name]
            paper = _paper.WORD_SIMILARITY.get(name, {}).get(length) if inputs.is_fly else None
            cells.append(beside(score_text(row.spearman), row.spearman, paper))
            if length == _SHOWN_LENGTH and paper is not None:
                what = f"{name}, hash length {length}"
                section.goals.append(Goal.at_least("word similarity", what, row.spearman, paper))
        lines.append(["dense" if length is None else str(length), *cells])
    pairs = (f"{row.n_pairs} of {row.n_pairs_in_all}" for row in table.rows)
    lines.append(["pairs", *(text for text, _ in zip(pairs, table.datasets, strict=False))])
    section.grids.append(Grid(inputs.name, ["hash length", *table.datasets], lines))
    section.draw("Scores by hash length", table.plot)
    return section


def codes(inputs: Inputs) -> Section:
    """Codes of the fly beside those made of dense vectors."""
    section = Section(
        "Codes by hash length",
        "The codes beside binary codes made of dense vectors, over the pairs that all know; the "
        "mean of 5 runs where a method draws numbers. The paper's figures (appendix C) are of "
        "pretrained vectors with 300 dimensions.",
    )
    datasets = inputs.data.word_pairs()
    if not inputs.vectors or not inputs.is_fly:
        section.notes.append("Not run: it needs a model of skfly, and word vectors beside it.")
    if not datasets or section.notes:
        return section
    table = compare_codes(
        {inputs.name: inputs.model}, inputs.vectors, datasets, on_progress=inputs.tell
    )
    section.tables["codes"] = table
    section.grids = [_codes_grid(table, dataset) for dataset in table.datasets]
    for dataset in table.datasets:
        section.draw(f"{dataset} by hash length", partial(table.plot, None, dataset))
    section.goals = [
        goal
        for vectors in inputs.vectors
        for dataset in _TOPICAL
        if dataset in table.datasets
        for goal in _ahead(table, inputs.name, vectors, dataset)
    ]
    return section


def _codes_grid(table: CodeTable, dataset: str) -> Grid:
    rows = {
        (row.vectors, row.method, row.hash_length): row
        for row in table.rows
        if row.dataset == dataset
    }
    lines = []
    for vectors, method in table.kinds:
        cells = []
        for length in (None,) if method == "dense" else table.hash_lengths:
            row = rows.get((vectors, method, length))
            paper = _paper.of_codes(vectors, method, dataset, length)
            found = row.spearman if row is not None else None
            text = NOTHING if row is None else score_text(row.spearman, row.std)
            if row is not None and length is not None and row is table.best(dataset, length):
                text += " best"
            # of others' codes the paper's figure stands beside, but is nothing to reach
            cells.append(beside(text, found if method == "fly" else None, paper))
        if method == "dense":
            cells = [*[""] * (len(table.hash_lengths) - 1), f"dense: {cells[0]}"]
        lines.append([vectors, method, *cells])
    first = next(iter(rows.values()))
    caption = f"{dataset}: {first.n_pairs} of {first.n_pairs_in_all} pairs"
    return Grid(caption, ["vectors", "method", *map(str, table.hash_lengths)], lines)


def _ahead(table: CodeTable, name: str, vectors: str, dataset: str) -> list[Goal]:
    """Return whether the fly is ahead of all codes of some vectors where codes are short."""
    goals = []
    for length in _FEW_BITS:
        others = [
            row.spearman
            for row in table.rows
            if (row.vectors, row.dataset, row.hash_length) == (vectors, dataset, length)
            and row.spearman is not None
        ]
        found = table.score(name, "fly", dataset, length)
        best = max(others, default=None)
        reached = None if found is None or best is None else found > best
        what = f"{dataset}, hash length {length}, against the best codes of {vectors} in this run"
        goals.append(Goal("codes", what, found, best, reached))
    return goals


def contexts(inputs: Inputs) -> Section:
    """Words in context."""
    section = Section(
        "Words in context",
        "WiC: percent of right answers; SCWS: 100 times Spearman's correlation. Five folds; what "
        "there is to choose is chosen on the first, and the mean and standard deviation of the "
        "others are told. The paper's figures are of tables 3 and 4.",
    )
    datasets = inputs.data.contexts()
    lines = []
    for name, model in inputs.models.items() if datasets else ():
        table = word_in_context(model, datasets)
        section.tables["contexts" if name == inputs.name else f"contexts-{name}"] = table
        ours = inputs.is_fly and name == inputs.name
        for row, text in zip(table.rows, str(table).splitlines()[2:], strict=True):
            kind = "fly" if ours else _paper.kind_of(name)
            paper = _paper.CONTEXTS.get(row.dataset, {}).get(kind or "")
            score = beside(score_text(row.score, row.std), row.score if ours else None, paper)
            chosen = text.strip("| ").split(" | ")[-1]
            pairs = f"{row.n_pairs} of {row.n_pairs_in_all}"
            lines.append([row.dataset, name, score, score_text(row.first_fold), pairs, chosen])
            if ours:
                section.goals.append(
                    Goal.at_least("words in context", row.dataset, row.score, paper)
                )
        inputs.tell(name)
    if lines:
        header = ["dataset", "model", "score", "first fold", "pairs", "chosen on the first fold"]
        lines.sort(key=lambda line: line[0], reverse=True)
        section.grids.append(Grid("Scores", header, lines))
    if inputs.is_fly:
        near = context_neighbors(inputs.model)
        section.tables["context_neighbors"] = near
        section.grids.append(
            Grid(
                "The nearest words of a word in two contexts, as in the paper's figure 4",
                ["word", "context", "nearest words"],
                [[row.word, row.context, row.nearest] for row in near.rows],
            )
        )
    return section


def clusters(inputs: Inputs) -> Section:
    """Clusters of words."""
    section = Section(
        "Clusters of words",
        "Complete link, by the cosine. Within: the mean cosine of the pairs of a cluster; nearest "
        "outside: the largest with a word of another; mean and standard deviation over the "
        "clusters. The paper draws these (figure 3) and gives no numbers: its codes are tighter "
        "than GloVe's vectors, and no nearer to one another.",
    )
    words = common_words(list(inputs.models.values()))[:_CLUSTER_WORDS]
    if len(words) < min(N_CLUSTERS):
        section.notes.append(f"Not run: all models together know only {len(words)} words.")
        return section
    models = _cluster_models(inputs)
    table = word_clusters(models, words=words, on_progress=inputs.tell)
    section.tables["clusters"] = table
    section.grids.append(
        Grid(
            f"{len(words)} words",
            ["clusters", "codes or vectors", "within", "nearest outside", "of one word"],
            [line.strip("| ").split(" | ") for line in str(table).splitlines()[2:]],
        )
    )
    numbers = list(dict.fromkeys(row.n_clusters for row in table.rows))
    for number in numbers[:1]:
        section.draw(f"{number} clusters", partial(table.plot, None, number))
    for vectors in inputs.vectors if inputs.is_fly else ():
        section.goals += [
            _tighter(table, name, vectors, numbers[0]) for name in models if "hash length" in name
        ]
    _draw_tree(section, next(iter(models.values())), words[:_TREE_WORDS])
    return section


def _cluster_models(inputs: Inputs) -> dict[str, Any]:
    models: dict[str, Any] = {}
    dense = dict(inputs.vectors)
    if inputs.is_fly:
        for length in _CLUSTER_LENGTHS:
            fly = inputs.fly_at(length)
            models[f"{inputs.name}, hash length {fly.hash_length}"] = fly
    else:
        dense = {inputs.name: inputs.model, **dense}
    for name, vectors in dense.items():
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


def _tighter(table: ClusterTable, name: str, vectors: str, number: int) -> Goal:
    ours, theirs = table.row(name, number), table.row(vectors, number)
    reached = (ours.within or 0.0) > (theirs.within or 0.0) and ours.between <= theirs.between
    what = f"{number} clusters, {name}: tighter than {vectors} in this run, and no nearer"
    return Goal("clusters", what, ours.within, theirs.within, reached)


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


def documents(inputs: Inputs) -> Section:
    """Document classification with linear classifiers."""
    section = Section(
        "Document classification, linear",
        "Percent of right answers of scikit-learn's linear classifiers on codes and vectors of "
        "documents. The paper has no such figures; its own are of a network, and stand below the "
        "table.",
    )
    fly = inputs.model if inputs.is_fly else None
    vectors = inputs.vectors if inputs.is_fly else inputs.models
    methods = document_pipelines(fly, vectors)
    rows: list[ClassificationRow] = []
    for data in inputs.data.documents():
        rows += document_classification(methods, data, on_progress=_teller(inputs)).rows
    if rows:
        table = ClassificationTable(rows)
        section.tables["documents"] = table
        lines = [line.strip("| ").split(" | ") for line in str(table).splitlines()[2:]]
        paper = [_paper.of_documents(name, "", True) for name in table.datasets]
        lines.append(["paper: TextCNN on the fly's codes", *map(score_text, paper)])
        section.grids.append(Grid("Accuracy", ["method", *table.datasets], lines))
    return section


def text_cnn(inputs: Inputs) -> Section:
    """Document classification with a TextCNN."""
    section = Section(
        "Document classification, TextCNN",
        f"Percent of right answers of a TextCNN over the words' codes (hash length {_CNN_LENGTH}) "
        "or vectors, not trained further; the same network and training, and the same words, for "
        "all. The paper's figures are of table 5.",
    )
    if find_spec("torch") is None or find_spec("skorch") is None:
        section.notes.append('Not run: it needs PyTorch and skorch, pip install "skfly[torch]".')
        return section
    models = dict(inputs.models)
    if inputs.is_fly:
        models[inputs.name] = inputs.fly_at(_CNN_LENGTH)
    words = common_words(list(models.values()))
    methods = {
        name: TextCNNClassifier(model, words=words, random_state=0)
        for name, model in models.items()
    }
    rows: list[ClassificationRow] = []
    for data in inputs.data.documents():
        rows += document_classification(methods, data, on_progress=_teller(inputs)).rows
    if rows:
        table = ClassificationTable(rows)
        section.tables["text_cnn"] = table
        section.grids.append(_cnn_grid(table, inputs, len(words)))
        for row in table.rows if inputs.is_fly else ():
            if row.method == inputs.name:
                paper = _paper.of_documents(row.dataset, "", True)
                section.goals.append(Goal.at_least("TextCNN", row.dataset, row.accuracy, paper))
    return section


def _cnn_grid(table: ClassificationTable, inputs: Inputs, n_words: int) -> Grid:
    lines = []
    for method in table.methods:
        ours = inputs.is_fly and method == inputs.name
        cells = []
        for dataset in table.datasets:
            found = table.accuracy(dataset, method)
            paper = _paper.of_documents(dataset, method, ours)
            cells.append(beside(score_text(found), found if ours else None, paper))
        lines.append([method, *cells])
    return Grid(f"Accuracy, {n_words} words known", ["words as", *table.datasets], lines)


def _teller(inputs: Inputs) -> Callable[[ClassificationRow], None]:
    return lambda row: inputs.tell(f"{row.dataset}, {row.method}")


def curve(inputs: Inputs) -> Section:
    """Scores by epoch."""
    section = Section(
        "Training curve",
        "Scores after each epoch, against the seconds of learning; a new model with the same "
        "parameters. The paper draws the same (figure 5) and says that 2 or 3 epochs are enough.",
    )
    datasets = inputs.data.word_pairs()
    if inputs.corpus is None or not inputs.is_fly:
        section.notes.append("Not run: it needs a model of skfly, and the text it learns from.")
    if not datasets or section.notes:
        return section
    told = TrainingCurve(datasets, hash_lengths=(16,))
    params = inputs.model.get_params() | {"input": "content"}
    FlyHashVectorizer(**params).set_callbacks(told).fit(inputs.corpus)
    section.tables["curve"] = told.table
    header, _, *lines = (line.strip("| ").split(" | ") for line in str(told.table).splitlines())
    papers = [
        _paper.WORD_SIMILARITY.get(name, {}).get(length) for name, length in told.table.kinds
    ]
    lines.append(["paper, after 15", "", "", *map(score_text, papers)])
    section.grids.append(Grid("Scores by epoch", header, lines))
    section.draw("Scores by seconds of learning", told.table.plot)
    return section


EXPERIMENTS: dict[str, Callable[[Inputs], Section]] = {
    "similarity": similarity,
    "codes": codes,
    "contexts": contexts,
    "clusters": clusters,
    "documents": documents,
    "textcnn": text_cnn,
    "curve": curve,
}
"""The experiments by the names that :func:`skfly.evaluation.write_report` takes."""
