"""One frozen object that turns words, contexts and documents into codes."""

import pickle
from concurrent.futures import ThreadPoolExecutor
from dataclasses import FrozenInstanceError
from threading import Barrier

import numpy as np
import pytest
from scipy import sparse

from skfly import FlyHashVectorizer
from skfly._model_file import ModelFileError
from skfly.model import FlyModel

WORDS = ["fly", "fruit", "bank", "unknown", "The"]
CONTEXTS = ["ripe fruit on the tree", "money in the bank", "nothing of this"]
TARGETS = ["fruit", 3, "this"]


@pytest.fixture
def model(fitted):
    """Return a model that has computed nothing yet."""
    return pickle.loads(pickle.dumps(fitted.model_))


def bits(codes):
    return [codes.shape, codes.dtype, *(a.tobytes() for a in (codes.indptr, codes.indices))], (
        codes.data.tobytes()
    )


def all_codes(model, documents):
    return [
        bits(codes)
        for codes in (
            model.documents(documents),
            model.words(WORDS),
            model.word_codes(),
            model.contexts(CONTEXTS, TARGETS),
            model.contexts(CONTEXTS, TARGETS, window=3),
            model.with_(unknown_words="spelling").words(["fruits", "banker", "xyzzy"]),
            model.with_(document_codes="counts").documents(documents),
        )
    ]


def all_codes_of_estimator(fly, documents):
    found = [
        fly.transform(documents),
        fly.hash_words(WORDS),
        fly.word_codes_,
        fly.hash_in_context(CONTEXTS, TARGETS),
        fly.hash_in_context(CONTEXTS, TARGETS, window=3),
    ]
    fly.set_params(unknown_words="spelling")
    found.append(fly.hash_words(["fruits", "banker", "xyzzy"]))
    fly.set_params(unknown_words="ignore", document_codes="counts")
    found.append(fly.transform(documents))
    fly.set_params(document_codes="binary")
    return [bits(codes) for codes in found]


def test_codes_are_those_of_the_estimator(fitted, model, documents):
    copy = pickle.loads(pickle.dumps(fitted))

    assert all_codes(model, documents) == all_codes_of_estimator(copy, documents)
    assert model.cells("ripe fruit") == copy.kenyon_cells("ripe fruit") != []
    assert model.words(WORDS).nnz == 4 * model.hash_length


class TestFrozen:
    @pytest.mark.parametrize("name", ["settings", "coder", "vocabulary", "hash_length", "more"])
    def test_no_attribute_can_be_set(self, model, name):
        with pytest.raises((FrozenInstanceError, AttributeError)):
            setattr(model, name, None)

    def test_nor_one_of_its_parts(self, model):
        for part, name in [
            (model.settings, "hash_length"),
            (model.provenance, "rule"),
            (model.coder, "vectors"),
        ]:
            with pytest.raises(FrozenInstanceError):
                setattr(part, name, None)

    def test_arrays_are_read_only_views(self, model):
        assert model.arrays.keys() >= {"vectors", "cells"}
        for name, array in model.arrays.items():
            assert np.shares_memory(array, model.coder.arrays[name])
            with pytest.raises(ValueError, match="read-only"):
                array[0] = 0


class TestWith:
    def test_another_hash_length_changes_only_the_new_model(self, model, documents):
        before = bits(model.documents(documents))
        longer = model.with_(hash_length=7)

        assert (model.hash_length, longer.hash_length) == (4, 7)
        assert set(longer.documents(documents).sum(axis=1).tolist()) == {7}
        assert bits(model.documents(documents)) == before

    def test_a_shorter_code_is_a_part_of_a_longer(self, model, documents):
        short, long = (model.with_(hash_length=n).documents(documents).toarray() for n in (3, 9))

        assert (short <= long).all()

    def test_arrays_and_what_was_computed_from_them_are_shared(self, model):
        model.with_(unknown_words="spelling").words(["fruits"])
        model.documents(CONTEXTS)
        _ = model._spelling
        other = model.with_(hash_length=2)

        assert other.coder is model.coder
        assert other.vocabulary is model.vocabulary
        for name in ("_spelling", "_known", "analyzer", "_engine"):
            assert getattr(other, name) is getattr(model, name)

    def test_what_depends_on_a_setting_is_made_again(self, model):
        assert model.tokens("Ripe Fruit") == ["ripe", "fruit"]
        cased = model.with_(text={**model.settings.text, "lowercase": False})
        assert cased.tokens("Ripe Fruit") == ["Ripe", "Fruit"]
        model.words(WORDS)
        assert model.with_(backend="numpy")._engine.name == "numpy"

    def test_a_setting_that_is_none(self, model):
        with pytest.raises(TypeError, match="hash_lenth"):
            model.with_(hash_lenth=3)


@pytest.mark.parametrize("hash_length", [0, -1, 21, 2.5, None, "4"])
def test_a_hash_length_that_the_cells_cannot_have(model, hash_length):
    with pytest.raises(ValueError, match=f"hash_length={hash_length!r}, but the model has 20"):
        model.with_(hash_length=hash_length)


@pytest.mark.parametrize("hash_length", [1, 20, np.int64(3)])
def test_a_hash_length_that_they_can_have(model, hash_length):
    code = model.with_(hash_length=hash_length).words(["fruit"])
    assert code.nnz == hash_length


@pytest.mark.parametrize("document_codes", ["nonsense", "", None])
def test_an_encoding_of_documents_that_there_is_not(model, document_codes):
    with pytest.raises(
        ValueError, match=r"document_codes must be one of .*'binary', 'graded', 'counts'"
    ):
        model.with_(document_codes=document_codes).documents(["ripe fruit"])


@pytest.mark.parametrize("batch_size", [1, 3, 1000])
def test_batches_of_documents_are_all_of_them(model, documents, batch_size):
    parts = list(model.document_batches(iter(documents), batch_size))

    assert [part.shape[0] for part in parts[:-1]] == [batch_size] * (len(parts) - 1)
    whole = model.documents(documents)
    assert (sparse.vstack(parts) != whole).nnz == 0
    assert whole.shape[0] == sum(part.shape[0] for part in parts)


def test_no_documents_are_no_batches(model):
    assert list(model.document_batches([], 2)) == []


def test_a_batch_has_documents(model):
    with pytest.raises(ValueError, match="batch_size must be at least 1; got 0"):
        next(model.document_batches(["text"], 0))


def test_the_codes_that_are_kept_are_those_of_single_words(model):
    single = [bits(model.words([word])) for word in model.vocabulary]
    before = bits(model.word_codes())

    kept = model.word_codes()
    assert [bits(kept[[i]]) for i in range(len(single))] == single
    kept.data[:] = 7
    kept.indices[:] = 0
    assert bits(model.word_codes()) == before
    assert [bits(model.words([word])) for word in model.vocabulary] == single


def test_one_word_is_not_a_list_of_words(model):
    with pytest.raises(ValueError, match=r"pass \[word\]"):
        model.words("fruit")


@pytest.mark.parametrize("window", [0, 2, -3])
def test_a_window_that_has_no_middle(model, window):
    with pytest.raises(ValueError, match="window must be an odd number"):
        model.contexts(CONTEXTS, TARGETS, window=window)


def test_each_context_needs_a_target(model):
    with pytest.raises(ValueError, match="3 contexts and 1 targets"):
        model.contexts(CONTEXTS, ["fruit"])


class TestFiles:
    def test_a_pickle_has_the_model_and_not_what_was_computed(self, model, documents):
        before = pickle.dumps(model)
        codes = all_codes(model, documents)
        again = pickle.loads(pickle.dumps(model))

        assert len(pickle.dumps(model)) == len(before)
        assert all_codes(again, documents) == codes
        assert again.settings == model.settings
        assert again.provenance == model.provenance

    @pytest.mark.parametrize("mmap", [False, True])
    def test_saved_and_loaded(self, model, documents, tmp_path, mmap):
        model = model.with_(hash_length=5, dtype=np.int8)
        model.save(tmp_path / "model.skfly")
        again = FlyModel.load(tmp_path / "model.skfly", mmap=mmap)

        assert type(again) is FlyModel
        assert all_codes(again, documents) == all_codes(model, documents)
        assert again.settings == model.settings
        assert again.provenance == model.provenance
        assert again.provenance.rule == "whiten"
        assert list(again.vocabulary.words) == list(model.vocabulary.words)

    @pytest.mark.parametrize("mmap", [False, True])
    def test_what_an_estimator_saved(self, fitted, documents, tmp_path, mmap):
        fitted.save(tmp_path / "fly.skfly")
        model = FlyModel.load(tmp_path / "fly.skfly", mmap=mmap)

        assert all_codes(model, documents) == all_codes(fitted.model_, documents)
        assert model.settings == fitted.model_.settings

    def test_an_estimator_makes_codes_with_it_and_says_that_it_cannot_go_on(
        self, model, documents, tmp_path
    ):
        model.save(tmp_path / "model.skfly")
        fly = FlyHashVectorizer.load(tmp_path / "model.skfly")

        assert all_codes_of_estimator(fly, documents) == all_codes(model, documents)
        with pytest.raises(ValueError, match="no learning state"):
            fly.partial_fit(documents)
        fly.fit(documents[:30])

    def test_it_is_smaller_than_that_of_an_estimator(self, fitted, tmp_path):
        fitted.save(tmp_path / "fly.skfly")
        fitted.model_.save(tmp_path / "model.skfly")
        sizes = [(tmp_path / f"{name}.skfly").stat().st_size for name in ("model", "fly")]
        assert sizes[0] < sizes[1]

    def test_a_function_cannot_be_saved(self, model, tmp_path):
        with_function = model.with_(text={**model.settings.text, "tokenizer": str.split})
        with pytest.raises(ValueError, match=r"tokenizer=.* cannot be written to a model file"):
            with_function.save(tmp_path / "model.skfly")
        assert list(tmp_path.iterdir()) == []

    def test_keyed_vectors_are_no_model(self, fitted, tmp_path):
        pytest.importorskip("gensim")
        fitted.wv.save(str(tmp_path / "vectors"))
        with pytest.raises(ModelFileError, match=r"FlyKeyedVectors\.load"):
            FlyModel.load(tmp_path / "vectors")


@pytest.mark.parametrize("backend", ["numba", "numpy"])
def test_eight_threads_at_once_get_the_codes_of_one(model, documents, backend):
    alone = all_codes(pickle.loads(pickle.dumps(model)), documents)
    shared, together = model.with_(backend=backend, n_jobs=2), Barrier(8)

    def use(_):
        together.wait()
        return all_codes(shared, documents)

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(use, range(8)))

    assert found == [alone] * 8
