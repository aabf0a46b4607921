"""Callbacks of gensim's kind, and what is logged."""

import logging

import pytest
from gensim.models.callbacks import CallbackAny2Vec
from sklearn.base import clone

from skfly import FlyHashVectorizer


class Listener(CallbackAny2Vec):
    def __init__(self, stop_after=None):
        self.calls, self.losses, self.neighbours = [], [], []
        self.stop_after = stop_after

    def on_train_begin(self, model):
        self.calls.append("train begin")

    def on_epoch_begin(self, model):
        self.calls.append("epoch begin")

    def on_epoch_end(self, model):
        self.calls.append("epoch end")
        self.losses.append(model.get_latest_training_loss())
        self.neighbours.append(model.wv.most_similar("fruit", topn=1))
        return len(self.losses) == self.stop_after

    def on_train_end(self, model):
        self.calls.append("train end")
        assert model.transform(["ripe fruit"]).nnz == 4


def test_they_are_told_and_change_nothing(make_lloyd, documents, fingerprint):
    plain = make_lloyd(n_epochs=2).fit(documents)
    listener = Listener()
    fly = make_lloyd(n_epochs=2).set_callbacks(listener)
    assert fingerprint(fly.fit(documents)) == fingerprint(plain)
    epoch = ["epoch begin", "epoch end"]
    assert listener.calls == ["train begin", *epoch, *epoch, "train end"]
    assert listener.losses == fly.energy_
    assert listener.neighbours[-1] == fly.wv.most_similar("fruit", topn=1)


def test_one_may_stop(make_lloyd, documents):
    fly = make_lloyd(n_epochs=5).set_callbacks(Listener(stop_after=2)).fit(documents)
    assert fly.n_iter_ == len(fly.energy_) == 2


def test_what_does_not_listen_costs_nothing(make_fly, documents, monkeypatch):
    def refuse(*_):
        raise AssertionError("a model was made")

    monkeypatch.setattr("skfly.fit._fit._Run._so_far", refuse)
    make_fly().set_callbacks(CallbackAny2Vec()).fit(documents)


def test_they_are_neither_saved_nor_kept_when_removed(make_fly, documents, tmp_path):
    listener = Listener()
    fly = make_fly().set_callbacks(listener).fit(documents)
    fly.save(tmp_path / "fly")
    assert not hasattr(FlyHashVectorizer.load(tmp_path / "fly"), "_gensim_callbacks")
    n_calls = len(listener.calls)
    fly.set_callbacks().fit(documents)
    assert len(listener.calls) == n_calls
    clone(fly).fit(documents)


def test_beside_those_of_scikit_learn(make_lloyd, documents):
    callback = pytest.importorskip("sklearn.callback")
    listener = Listener()
    bar = callback.ProgressBar(max_propagation_depth=None)
    make_lloyd().set_callbacks(bar, listener).fit(documents)
    assert len(listener.losses) == 2
    with pytest.raises(TypeError, match="FitCallback"):
        make_lloyd().set_callbacks(Listener)


def test_each_epoch_is_logged(make_lloyd, documents, caplog):
    with caplog.at_level(logging.INFO, "skfly"):
        fly = make_lloyd(n_epochs=2).fit(documents)
    told = [record.getMessage() for record in caplog.records if record.name == "skfly"]
    assert [line for line in told if line.startswith("epoch")] == [
        f"epoch {i} of 2: energy {energy:.4f}, {100 * used:.0f} % of cells in use"
        for i, (energy, used) in enumerate(zip(fly.energy_, fly.cells_used_, strict=True), 1)
    ]
