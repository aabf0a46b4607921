"""Callbacks of the estimator: what they are told, and that they change nothing."""

import copy

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skfly import FlyHashVectorizer

callback = pytest.importorskip("sklearn.callback", reason="scikit-learn 1.9 brought callbacks")


class Listener:
    """Remembers what it is told."""

    def __init__(self, stop_after=None):
        self.calls = []
        self.models = []
        self.metadata = []
        self.stop_after = stop_after

    def setup(self, estimator, context):
        self.calls.append("setup")

    def teardown(self, estimator, context):
        self.calls.append("teardown")

    def on_fit_task_begin(self, estimator, context):
        self.calls.append(f"begin {context.task_name} {context.task_id}")

    def on_fit_task_end(self, estimator, context, *, metadata=None, fitted_estimator=None):
        self.calls.append(f"end {context.task_name} {context.task_id}")
        if fitted_estimator is not None:
            self.models.append(fitted_estimator)
            self.metadata.append(metadata)
        return len(self.models) == self.stop_after


def test_each_epoch_is_told(make_lloyd, documents):
    listener = Listener()
    fly = make_lloyd(n_epochs=2).set_callbacks(listener).fit(documents)
    assert listener.calls == [
        "setup",
        "begin fit 0",
        "begin epoch 0",
        "end epoch 0",
        "begin epoch 1",
        "end epoch 1",
        "end fit 0",
        "teardown",
    ]
    first, second = listener.metadata
    assert 0 < first["seconds"] < second["seconds"]
    assert [first["energy"], second["energy"]] == fly.energy_
    assert [first["cells_used"], second["cells_used"]] == fly.cells_used_


@pytest.mark.parametrize(
    "params",
    [{"learning": "whiten"}, {}, {"word_codes": "synapses"}, {"learning": "hebbian"}],
)
def test_listening_changes_nothing_and_the_last_model_is_the_result(
    make_lloyd, documents, fingerprint, params
):
    listener = Listener()
    plain = make_lloyd(n_epochs=3, **params).fit(documents)
    heard = make_lloyd(n_epochs=3, **params).set_callbacks(listener).fit(documents)
    assert fingerprint(heard) == fingerprint(plain)
    assert fingerprint(listener.models[-1]) == fingerprint(plain)
    epochs = [1] if heard.learning_ == "whiten" else [1, 2, 3]
    assert [model.n_iter_ for model in listener.models] == epochs


def test_a_model_of_an_epoch_makes_codes(make_lloyd, documents):
    listener = Listener()
    make_lloyd(n_epochs=2).set_callbacks(listener).fit(documents)
    model = listener.models[0]
    assert model.transform(["ripe fruit"]).nnz == 4
    assert len(model.energy_) == 1


def test_a_callback_may_stop(make_lloyd, documents):
    listener = Listener(stop_after=2)
    fly = make_lloyd(n_epochs=5).set_callbacks(listener).fit(documents)
    assert fly.n_iter_ == len(fly.energy_) == 2
    np.testing.assert_array_equal(fly.synapses_, listener.models[-1].synapses_)
    assert "begin epoch 2" not in listener.calls


def test_a_failing_callback_leaves_the_estimator_as_it_was(make_fly, documents, fingerprint):
    class Failing(Listener):
        def on_fit_task_end(self, estimator, context, *, fitted_estimator=None):
            raise RuntimeError("stop")

    fly = make_fly().fit(documents)
    before = fingerprint(fly)
    failing = Failing()
    with pytest.raises(RuntimeError, match="stop"):
        fly.set_callbacks(failing).fit(documents[:50])
    assert failing.calls[-1] == "teardown"
    assert fingerprint(fly) == before


def test_without_a_wish_for_models_none_is_made(make_fly, documents, monkeypatch):
    class Deaf(Listener):
        def on_fit_task_end(self, estimator, context):
            pass

    def refuse(*_):
        raise AssertionError("a model was made")

    monkeypatch.setattr("skfly.fit._fit._Run._so_far", refuse)
    make_fly().set_callbacks(Deaf()).fit(documents)


def test_progress_bars_of_scikit_learn(make_fly, documents, capsys):
    pipeline = make_pipeline(make_fly(), StandardScaler(with_mean=False))
    pipeline.set_callbacks(callback.ProgressBar(max_propagation_depth=None))
    pipeline.fit(documents)
    assert "FlyHashVectorizer" in capsys.readouterr().out


def test_callbacks_are_not_saved(make_fly, documents, tmp_path, fingerprint):
    fly = make_fly().set_callbacks(Listener()).fit(documents)
    fly.save(tmp_path / "model")
    loaded = FlyHashVectorizer.load(tmp_path / "model")
    assert not hasattr(loaded, "_skl_callbacks")
    assert fingerprint(copy.deepcopy(fly)) == fingerprint(fly)
