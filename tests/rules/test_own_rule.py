"""A rule that is written by someone else needs its class and a name, and nothing more."""

import pickle
from dataclasses import dataclass

import numpy as np
import pytest

from skfly import FlyHashVectorizer, FlyModel
from skfly.fit import Checkpoints, _checkpoints
from skfly.model import SynapseCoder
from skfly.rules import RULES, Learned, Stage, StepReport


@dataclass(frozen=True)
class Settings:
    n_epochs: int
    batch_size: int
    subsample: float
    truncate_windows: bool = True


class SentenceRule:
    """Each sentence goes to a cell that is drawn for it; synapses count words.

    It has all that ``skfly.rules.Rule`` asks for, and nothing of the rules that are there.
    """

    block_size = 2
    finishing_steps = 0

    def __init__(self, task):
        n_words = len(task.word_counts)
        self._task = task
        self.stages = (Stage("counting", "words", task.n_epochs),)
        self._counts = np.zeros((n_words, task.n_cells), dtype=np.float32)
        if task.previous is not None:
            self._counts += task.previous.state["counts"].astype(np.float32)

    @classmethod
    def resolve(cls, params, size):
        given = {name: params[name] for name in ("n_epochs", "batch_size", "subsample")}
        auto = {"n_epochs": 1, "batch_size": 1 + size.n_tokens // 10, "subsample": 0.0}
        return Settings(**{n: auto[n] if v == "auto" else v for n, v in given.items()})

    @classmethod
    def restore_settings(cls, content):
        return Settings(**content)

    @classmethod
    def check_state(cls, state, n_words, n_cells):
        if state["counts"].shape != (n_words, n_cells):
            raise ValueError("the counts are of other words or cells")

    def step(self, batch, stage, epoch, random):
        lengths = np.diff(batch.offsets)
        cells = np.repeat(random.integers(self._task.n_cells, size=len(lengths)), lengths)
        known = batch.ids >= 0
        np.add.at(self._counts, (batch.ids[known], cells[known]), 1)
        sizes = np.bincount(cells, minlength=self._task.n_cells)
        return StepReport(len(cells), -1.0 * len(cells), sizes)

    def end_epoch(self, stage):
        pass

    def end_stage(self, stage):
        pass

    def finish(self, on_step=None):
        synapses = np.log1p(np.concatenate([self._counts, self._counts]))
        consensus = self._counts.copy() if self._task.consensus else None
        coder = SynapseCoder(synapses, consensus=consensus, largest=float(synapses.max()))
        return Learned(coder, {"counts": self._counts.astype(np.float64)})

    def state(self):
        return {}, {"counts": self._counts}

    def restore(self, stage, numbers, arrays):
        self._counts = arrays["counts"]


@pytest.fixture(autouse=True)
def sentence_rule(monkeypatch):
    monkeypatch.setitem(RULES, "sentences", SentenceRule)


@pytest.fixture
def fly(make_fly, documents):
    return make_fly(learning="sentences", batch_size=200).fit(documents)


def test_it_can_be_fitted(fly, documents):
    assert fly.learning_ == fly.model_.provenance.rule == "sentences"
    assert fly.consensus_.sum() == fly.n_epochs_ * fly.word_counts_.sum()
    assert fly.energy_ == [-1.0, -1.0]
    assert fly.n_iter_ == fly.n_epochs_ == 2
    assert fly.n_windows_seen_ == 2 * fly.n_words_seen_
    codes = fly.transform(documents)
    assert set(np.asarray(codes.sum(axis=1)).ravel().tolist()) == {fly.hash_length}
    assert fly.hash_words(["fruit", "unknown"]).nnz == fly.hash_length
    assert fly.hash_in_context(["ripe fruit"], ["fruit"]).nnz == fly.hash_length
    assert len(fly.kenyon_cells("ripe fruit", n_cells=3)) == 3


def test_it_can_go_on(fly, documents):
    counts = fly.consensus_.copy()
    fly.partial_fit(documents[:20])
    assert fly.n_iter_ == 3
    assert (fly.consensus_ >= counts).all()
    # the state of the first two epochs, and one more over the part
    assert fly.consensus_.sum() > counts.sum()


def test_it_can_be_pickled_saved_and_read(fly, documents, tmp_path):
    fly.save(tmp_path / "fly.skfly")
    codes = fly.transform(documents)
    read = FlyHashVectorizer.load(tmp_path / "fly.skfly")
    model = FlyModel.load(tmp_path / "fly.skfly")
    for other in (read.transform, model.documents, pickle.loads(pickle.dumps(fly)).transform):
        assert (other(documents) != codes).nnz == 0
    np.testing.assert_array_equal(
        read.partial_fit(documents[:20]).consensus_, fly.partial_fit(documents[:20]).consensus_
    )


def test_a_fit_that_was_stopped_goes_on(fly, make_fly, documents, tmp_path, monkeypatch):
    monkeypatch.setattr(_checkpoints, "_SECONDS", 0.0)
    save, saved = Checkpoints.save, []

    def stopping(self, *state):
        save(self, *state)
        saved.append(state)
        if len(saved) == 7:
            raise KeyboardInterrupt

    monkeypatch.setattr(Checkpoints, "save", stopping)
    again = make_fly(learning="sentences", batch_size=200, checkpoint_dir=tmp_path)
    with pytest.raises(KeyboardInterrupt):
        again.fit(documents)
    np.testing.assert_array_equal(again.fit(documents).consensus_, fly.consensus_)


def test_callbacks_are_told_of_its_epochs(make_fly, documents):
    sums = []
    callback = pytest.importorskip("gensim.models.callbacks").CallbackAny2Vec

    class Listener(callback):
        def on_epoch_end(self, model):
            sums.append(model.consensus_.sum())

    fly = make_fly(learning="sentences", n_epochs=3).set_callbacks(Listener()).fit(documents)
    assert sums == [n * fly.word_counts_.sum() for n in (1, 2, 3)]


def test_without_consensus(make_fly, documents):
    fly = make_fly(learning="sentences", word_codes="synapses").fit(documents)
    assert fly.consensus_ is None
    assert fly.word_codes_.nnz == len(fly.vocabulary_) * fly.hash_length


def test_a_name_that_is_none_is_still_refused(make_fly, documents):
    with pytest.raises(ValueError, match=r"learning must be one of .*got 'no_such_rule'"):
        make_fly(learning="no_such_rule").fit(documents)
