"""The contract of text estimators, and whether the checks of it can fail."""

from unittest import SkipTest

import numpy as np
import pytest
import sklearn.utils.estimator_checks
from scipy import sparse
from sklearn.feature_extraction.text import CountVectorizer

from skfly import FlyHashVectorizer
from text_checks import (
    SKLEARN_CHECKS,
    TEXT_CHECKS,
    parametrize_with_text_checks,
    text_estimator_checks,
)

SMALL = {"n_kenyon_cells": 16, "hash_length": 3, "window": 5, "n_epochs": 2, "n_jobs": 1}


@parametrize_with_text_checks(
    [
        FlyHashVectorizer(**SMALL),
        FlyHashVectorizer(**SMALL, learning="hebbian"),
        FlyHashVectorizer(**SMALL, document_codes="counts"),
        FlyHashVectorizer(**SMALL, learning="lloyd", word_codes="synapses"),
        FlyHashVectorizer(**SMALL, backend="numpy"),
        FlyHashVectorizer(**SMALL | {"n_jobs": 2}),
    ]
)
def test_fly(estimator, check):
    check(estimator)


def failures(estimator, of=None):
    """Return the names of the checks, of all or some, that an estimator does not pass."""
    names = set()
    for name, check in text_estimator_checks(estimator):
        if of is not None and name not in of:
            continue
        try:
            check(estimator)
        except SkipTest:
            continue
        except Exception:
            names.add(name)
    return names


def test_the_checks_ask_no_more_than_scikit_learn_gives():
    # it is half fitted after it found no word
    assert failures(CountVectorizer()) <= {"check_fit_empty"}


class NoSelf(FlyHashVectorizer):
    def fit(self, raw_documents, y=None):
        super().fit(raw_documents)


class GoesOn(FlyHashVectorizer):
    def fit(self, raw_documents, y=None):
        return (
            self.partial_fit(raw_documents)
            if hasattr(self, "vocabulary_")
            else super().fit(raw_documents)
        )


class ChangesParameter(FlyHashVectorizer):
    def fit(self, raw_documents, y=None):
        super().fit(raw_documents)
        self.window = 7
        return self


class PublicAttribute(FlyHashVectorizer):
    def fit(self, raw_documents, y=None):
        self.n_documents = len(list(raw_documents))
        return super().fit(raw_documents)


class Remembers(FlyHashVectorizer):
    def transform(self, raw_documents):
        codes = super().transform(raw_documents)
        self.last_ = codes.shape
        return codes


class WritesInPlace(FlyHashVectorizer):
    def transform(self, raw_documents):
        codes = super().transform(raw_documents)
        self.word_counts_[:] += 1
        return codes


class OtherError(FlyHashVectorizer):
    def transform(self, raw_documents):
        if not hasattr(self, "vocabulary_"):
            raise ValueError("not ready")
        return super().transform(raw_documents)


class OtherFitTransform(FlyHashVectorizer):
    def fit_transform(self, raw_documents, y=None):
        return 2 * super().fit_transform(raw_documents)


class ByPlace(FlyHashVectorizer):
    def transform(self, raw_documents):
        codes = super().transform(raw_documents)
        if sparse.issparse(codes):
            codes.data *= 1 + np.repeat(np.arange(codes.shape[0]), np.diff(codes.indptr))
        return codes


class ByNumber(FlyHashVectorizer):
    def transform(self, raw_documents):
        codes = super().transform(raw_documents)
        if sparse.issparse(codes):
            codes.data *= codes.shape[0]
        return codes


class ReadsTwice(FlyHashVectorizer):
    def transform(self, raw_documents):
        if not hasattr(raw_documents, "vocabulary"):  # not an encoded corpus
            list(raw_documents)
        return super().transform(raw_documents)


class NeedsMany(FlyHashVectorizer):
    def fit_transform(self, raw_documents, y=None):
        raw_documents = list(raw_documents)
        if len(raw_documents) == 1:
            raise ValueError("too few")
        return super().fit_transform(raw_documents)


class NeedsOne(FlyHashVectorizer):
    def transform(self, raw_documents):
        codes = super().transform(raw_documents)
        if codes.shape[0] == 0:
            raise ValueError("too few")
        return codes


class TakesNothing(FlyHashVectorizer):
    def partial_fit(self, raw_documents, y=None):
        raw_documents = raw_documents if isinstance(raw_documents, str) else list(raw_documents)
        return super().partial_fit(raw_documents) if any(raw_documents) else self


class TakesString(FlyHashVectorizer):
    def transform(self, raw_documents):
        if isinstance(raw_documents, str):
            raw_documents = [raw_documents]
        return super().transform(raw_documents)


class NewWords(FlyHashVectorizer):
    def partial_fit(self, raw_documents, y=None):
        return super().fit(raw_documents)


class Forgetful(FlyHashVectorizer):
    def __getstate__(self):
        state = super().__getstate__().copy()
        state.pop("_current", None)
        state.pop("_model", None)
        return state


class NoTags(FlyHashVectorizer):
    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.string = False
        return tags


class FewNames(FlyHashVectorizer):
    def get_feature_names_out(self, input_features=None):
        return super().get_feature_names_out(input_features)[:-1]


class WrongWidth(FlyHashVectorizer):
    def fit(self, raw_documents, y=None):
        super().fit(raw_documents)
        self.n_features_out_ += 1
        return self


@pytest.mark.parametrize(
    ("broken", "caught_by"),
    [
        (NoTags, {"check_string_tags"}),
        (GoesOn, {"check_fit_idempotent"}),
        (ChangesParameter, {"check_estimators_overwrite_params", "check_fit_idempotent"}),
        (Remembers, {"check_dict_unchanged"}),
        (WritesInPlace, {"check_dict_unchanged", "check_estimators_readonly_memmap"}),
        (OtherError, {"check_transformers_unfitted"}),
        (NeedsOne, {"check_transform_empty"}),
        (TakesString, {"check_single_string"}),
        (NewWords, {"check_estimators_partial_fit_n_features"}),
        (Forgetful, {"check_estimators_pickle", "check_estimators_readonly_memmap"}),
        (ReadsTwice, {"check_iterators"}),
        (NoSelf, {"check_estimators_fit_returns_self"}),
        (PublicAttribute, {"check_dont_overwrite_parameters"}),
        (NeedsMany, {"check_one_sample"}),
        (ByPlace, {"check_methods_sample_order_invariance"}),
        (ByNumber, {"check_methods_subset_invariance"}),
        (OtherFitTransform, {"check_transformer_general"}),
        (FewNames, {"check_transformer_get_feature_names_out"}),
        (TakesNothing, {"check_fit_empty"}),
        (WrongWidth, {"check_n_features_out"}),
    ],
)
def test_a_broken_estimator_is_caught(broken, caught_by):
    # a sound one passes all: test_fly
    # learning="whiten" learns the same from a text that comes twice
    assert failures(broken(**SMALL, learning="lloyd"), caught_by) == caught_by


def test_a_check_that_scikit_learn_does_not_have_is_skipped(monkeypatch):
    monkeypatch.delattr(sklearn.utils.estimator_checks, "check_mixin_order")
    fly = FlyHashVectorizer(**SMALL)
    with pytest.raises(SkipTest, match="has no check_mixin_order"):
        dict(text_estimator_checks(fly))["check_mixin_order"](fly)


def test_the_installed_scikit_learn_has_every_check_that_is_run_as_it_is():
    assert [
        name for name in SKLEARN_CHECKS if not hasattr(sklearn.utils.estimator_checks, name)
    ] == []


def test_ids_name_the_estimator_and_the_check():
    mark = parametrize_with_text_checks([FlyHashVectorizer(window=5)]).mark
    ids = [parameters.id for parameters in mark.args[1]]
    assert "FlyHashVectorizer(window=5)-check_fit_idempotent" in ids
    assert len(ids) == len(set(ids)) == len(SKLEARN_CHECKS) + len(TEXT_CHECKS)


def test_a_class_instead_of_an_instance_is_refused():
    with pytest.raises(TypeError, match="pass an instance"):
        parametrize_with_text_checks([FlyHashVectorizer])
