"""Words in context: scores of whether similar uses of words have similar codes."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import spearmanr
from sklearn.model_selection import KFold

from skfly.evaluation._context_data import ContextPairs, load_context_pairs
from skfly.evaluation._context_scores import (
    ContextGrid,
    ContextScorer,
    Setting,
    as_context_scorer,
)
from skfly.evaluation._layout import Column, Score
from skfly.evaluation._table import Table
from skfly.evaluation._vectors import HASH_LENGTHS, Floats

WINDOWS = (0, 3, 5, 7, 11, 15, 21, 31)
ALPHAS = (0.0, 0.25, 0.5, 0.75, 1.0)
N_NEIGHBORS = (10, 30, 100, 300, 1000)
_N_THRESHOLDS = 20  # that are tried for a ranking
_CHOSEN = ("window", "use_target", "hash_length", "alpha", "n_neighbors", "threshold")
_COLUMNS = (
    Column("dataset", "key", "dataset"),
    Column("measure", "size", "measure"),
    Column("score", "value", "score", deviation="std"),
    Column("error", "value", "standard error"),
    Column("first_fold", "value", "first fold"),
    Column("n_pairs", "size", "pairs", text="{n_pairs} of {n_pairs_in_all}"),
    Column("n_pairs_in_all", "size"),
    Column("n_folds", "size"),
    Column("chosen", "info", "chosen on the first fold"),
    *(Column(name) for name in _CHOSEN),
)


def word_in_context(
    model_or_encoder: Any,
    data: Any,
    *,
    windows: Sequence[int] = WINDOWS,
    use_target: Sequence[bool] = (True, False),
    hash_lengths: Sequence[int] = HASH_LENGTHS,
    alphas: Sequence[float] = ALPHAS,
    n_neighbors: Sequence[int] = N_NEIGHBORS,
    measure: str = "auto",
    n_folds: int = 5,
    random_state: Any = 0,
) -> Table:
    r"""Score the similarity of words in context against human judgement.

    Two uses of words have the score :math:`J = \alpha J_{dot} + (1 - \alpha) J_{nn}`. Here,
    :math:`J_{dot}` is the share of cells that their codes have in common, and :math:`J_{nn}` the
    share of words that are among the :math:`q` nearest of both, in the whole vocabulary [1]_. A
    pair counts as the same sense if :math:`J` is above a threshold :math:`\theta`, and the result
    is the percentage of right answers (WiC). For graded ratings, it is 100 times Spearman's rank
    correlation, with :math:`J` up to :math:`\theta` counted as 0 (SCWS).

    The pairs are split into folds at random. All hyperparameters and :math:`\theta` are chosen on
    the first fold. The table has the mean and the standard deviation of the other folds.

    Parameters
    ----------
    model_or_encoder : FlyHashVectorizer, mapping or function
        A fitted vectorizer (it is not changed); gensim's ``KeyedVectors`` or anything else with
        ``word in vectors`` and ``vectors[word]``, whose vectors in a window are averaged; or a
        function ``(sentence, target) -> vector``, where ``target`` is a str that has its
        place as ``target.start`` and ``target.end``: ``sentence[target.start:target.end]``. It
        may return None.
    data : path-like, ContextPairs or list of those
        A directory of WiC (see :func:`read_wic`), a file of SCWS (see :func:`read_scws`).
    windows : sequence of int
        Words of a context, with the target in the middle, to choose from. 0: the word alone; its
        static code.
    use_target : sequence of bool, default=(True, False)
        Whether the target takes part in its own code or mean, or only the words around it, to
        choose from.
    hash_lengths : sequence of int
        To choose from. Those above the number of cells are left out.
    alphas : sequence of float
        Weights of :math:`J_{dot}`, to choose from.
    n_neighbors : sequence of int
        Numbers :math:`q` of neighbours, to choose from.
    measure : {"auto", "cosine", "jensen-shannon"}, default="auto"
        Of the similarity of vectors. ``"jensen-shannon"`` is 1 less the divergence, for vectors
        without negative values. ``"auto"``: the cosine.
    n_folds : int, default=5
    random_state : int or RandomState, default=0
        Splits the pairs.

    Returns
    -------
    table : Table
        A row for each dataset: ``dataset``, ``measure`` (``"accuracy"`` or ``"spearman"``),
        ``score`` and ``std`` (None if too few pairs are known), ``error`` (the standard error of
        the score for this number of pairs), ``first_fold`` (the score of the fold that chose the
        settings, which is optimistic), ``n_pairs`` (pairs that were scored),
        ``n_pairs_in_all``, ``n_folds``, and what was chosen: ``window``, ``use_target``,
        ``hash_length``, ``alpha``, ``n_neighbors`` and ``threshold``, in words as ``chosen``.

    Notes
    -----
    The paper is ambiguous or silent on some points. Here

    - each of the other folds is scored by itself; the paper may mean unions of four folds, of
      which most have the first fold in them and which vary less;
    - the pairs of WiC's three parts are split together;
    - a window is cut at the ends of the text that the dataset gives;
    - a pair of WiC in which nothing is known counts, with the score 0;
    - a pair of SCWS with an unknown target does not count, as in
      :func:`word_similarity`. With ``unknown_words="spelling"`` a fly knows nearly all;
    - thresholds lie between the scores of the first fold (WiC), or at 20 of their quantiles
      (SCWS);
    - a fold of SCWS has 330 to 400 pairs, so that its correlation has a standard error of nearly
      4, and the best of some thousand settings is often best by chance. A larger window or a
      threshold is therefore chosen only if it gains more than the standard error of the fold.
      ``std`` is mostly this error too: compare it with twice ``error``, which is what four folds
      would give if they differed only by chance.

    ``use_target=[True]`` is the paper's choice: the target is always part of its code. But in a
    pair of WiC both targets are the same word, and what they share carries no information.

    References
    ----------
    .. [1] Y. Liang et al., "Can a Fruit Fly Learn Word Embeddings?", ICLR 2021, section 3.3.

    Examples
    --------
    >>> from skfly.evaluation import ContextPairs, WordUse, word_in_context
    >>> vectors = {"money": [1.0, 0.0], "loan": [0.9, 0.1], "river": [0.0, 1.0], "shore": [0.2, 1]}
    >>> uses = {word: WordUse("the", "bank", f"and the {word}") for word in vectors}
    >>> pairs = [(uses["money"], uses["loan"], 1.0), (uses["river"], uses["money"], 0.0),
    ...          (uses["river"], uses["shore"], 1.0), (uses["loan"], uses["shore"], 0.0)] * 10
    >>> data = ContextPairs("mine", tuple(pairs), graded=False)
    >>> word_in_context(vectors, data, windows=[3, 7]).score("mine")
    100.0
    """
    grid = ContextGrid(
        tuple(windows), tuple(use_target), tuple(hash_lengths), tuple(alphas), tuple(n_neighbors)
    )
    if n_folds < 2:
        raise ValueError(
            f"n_folds={n_folds}, but one fold is for choosing settings: take 2 or more"
        )
    scorer = as_context_scorer(model_or_encoder, grid, measure)
    rows = [_evaluate(scorer, one, n_folds, random_state) for one in load_context_pairs(data)]
    return Table(rows, _COLUMNS)


def _evaluate(
    scorer: ContextScorer, data: ContextPairs, n_folds: int, random_state: Any
) -> dict[str, Any]:
    """Return the row of a dataset."""
    if len(data) < 2 * n_folds:
        raise ValueError(f"{data.name} has {len(data)} pairs, too few for {n_folds} folds")
    known = np.ones(len(data), dtype=bool)
    if data.graded:
        known = scorer.known([pair[0] for pair in data.pairs])
        known &= scorer.known([pair[1] for pair in data.pairs])
    splits = KFold(n_folds, shuffle=True, random_state=random_state).split(data.pairs)
    first, *others = [fold[known[fold]] for _, fold in splits]
    task: type[_Ranking | _YesOrNo] = _Ranking if data.graded else _YesOrNo
    row = {
        "dataset": data.name,
        "measure": task.measure,
        "n_pairs": int(known.sum()),
        "n_pairs_in_all": len(data),
        "n_folds": n_folds,
    }
    if any(len(np.unique(_gold(data, fold))) < 2 for fold in (first, *others)):
        warnings.warn(
            f"no score for {data.name}: {known.sum()} of its {len(data)} pairs are known, and a "
            "fold has none on which people differ",
            stacklevel=4,
        )
        return row
    setting, threshold, best = _choose(scorer, data, first, task)
    scores = scorer.scores(*_uses(data, np.concatenate(others)), setting)
    ends = np.cumsum([len(fold) for fold in others])[:-1]
    found = [
        task.score(some, _gold(data, fold), threshold)
        for some, fold in zip(np.split(scores, ends), others, strict=True)
    ]
    mean = Score.mean(found)
    chosen = {"threshold": threshold, "chosen": _in_words(setting, threshold)}
    scored = {"score": mean, "error": task.error(mean, len(scores)), "first_fold": best}
    return row | scored | vars(setting) | chosen


def _in_words(setting: Setting, threshold: float) -> str:
    window = f"window {setting.window}" if setting.window else "no context"
    parts = [
        "" if setting.window is None else window,
        "without the target" if setting.use_target is False else "",
        "" if setting.hash_length is None else f"hash length {setting.hash_length}",
        "" if setting.alpha is None else f"alpha {setting.alpha:g}",
        "" if setting.n_neighbors is None else f"{setting.n_neighbors} neighbours",
        f"threshold {threshold:.3g}",
    ]
    return ", ".join(filter(None, parts))


def _choose(
    scorer: ContextScorer,
    data: ContextPairs,
    fold: NDArray[np.int64],
    task: type[_Ranking | _YesOrNo],
) -> tuple[Setting, float, float]:
    """Return a setting and threshold, and their score on a fold.

    It is the best one among those with the smallest window that is not worse, by more than the
    margin of the task, than the best of all; of equals, the first.
    """
    gold = _gold(data, fold)
    found = [
        (setting, *task.best(scores, gold))
        for setting, scores in scorer.candidates(*_uses(data, fold))
    ]
    best = max(score for _, _, score in found)
    least = best - task.margin(best, len(fold))
    good = [one for one in found if one[2] >= least]
    return min(good, key=lambda one: (one[0].window or 0, -one[2]))


def _uses(data: ContextPairs, fold: NDArray[np.int64]) -> tuple[list[Any], list[Any]]:
    pairs = [data.pairs[i] for i in fold.tolist()]
    return [left for left, _, _ in pairs], [right for _, right, _ in pairs]


def _gold(data: ContextPairs, fold: NDArray[np.int64]) -> Floats:
    return np.array([data.pairs[i][2] for i in fold.tolist()])


class _YesOrNo:
    """A pair is positive if its score is above the threshold."""

    measure = "accuracy"

    @staticmethod
    def error(score: float, n_pairs: int) -> float:
        """Return the standard error of a score."""
        return float(np.sqrt(score * (100 - score) / n_pairs))

    @staticmethod
    def margin(score: float, n_pairs: int) -> float:  # noqa: ARG004
        """Return how much a larger window must gain: anything, since folds are large."""
        return 0.0

    @staticmethod
    def score(scores: Floats, gold: Floats, threshold: float) -> float:
        return 100 * float(np.mean((scores > threshold) == (gold > 0)))

    @staticmethod
    def best(scores: Floats, gold: Floats) -> tuple[float, float]:
        """Return the best threshold, between two scores or below all, and its accuracy.

        Examples
        --------
        >>> _YesOrNo.best(np.array([0.5, 0.25, 0.75]), np.array([1, 0, 1]))
        (0.375, 100.0)
        """
        order = np.argsort(scores)
        ranked, positive = scores[order], gold[order] > 0
        below = np.concatenate([[0], np.cumsum(~positive)])
        above = np.concatenate([np.cumsum(positive[::-1])[::-1], [0]])
        edges = np.concatenate([[ranked[0] - 1], (ranked[:-1] + ranked[1:]) / 2, [ranked[-1]]])
        possible = np.concatenate([[True], ranked[:-1] < ranked[1:], [True]])
        right = np.where(possible, below + above, -1)
        place = int(np.argmax(right))
        return float(edges[place]), 100 * float(right[place]) / len(scores)


class _Ranking:
    """Scores that are not above the threshold count 0."""

    measure = "spearman"

    @staticmethod
    def error(score: float, n_pairs: int) -> float:
        """Return the standard error of a score (Bonett and Wright, Psychometrika 65, 2000).

        Examples
        --------
        >>> round(_Ranking.error(57.0, 330), 1), round(_Ranking.error(57.0, 1320), 1)
        (4.0, 2.0)
        """
        squared = (score / 100) ** 2
        return float(100 * (1 - squared) * np.sqrt((1 + squared / 2) / max(n_pairs - 3, 1)))

    margin = error

    @staticmethod
    def score(scores: Floats, gold: Floats, threshold: float) -> float:
        counted = np.where(scores > threshold, scores, 0.0)
        if np.ptp(counted) == 0:
            return 0.0  # all alike: no ranking
        return 100 * float(spearmanr(counted, gold).statistic)

    @classmethod
    def best(cls, scores: Floats, gold: Floats) -> tuple[float, float]:
        """Return a threshold, and its correlation.

        It is a quantile of the scores if that gains more than the margin; else there is none.
        """
        none = min(0.0, float(scores.min())) - 1.0
        without = cls.score(scores, gold, none)
        steps = np.quantile(scores, np.arange(1, _N_THRESHOLDS) / _N_THRESHOLDS)
        tried = [(cls.score(scores, gold, step), step) for step in np.unique(steps).tolist()]
        best, threshold = max(tried, key=lambda pair: pair[0])
        if best - without > cls.margin(best, len(scores)):
            return threshold, best
        return none, without
