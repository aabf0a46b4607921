"""FlyBloomClassifier: a Bloom filter of codes per class."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.utils.estimator_checks import parametrize_with_checks

from skfly.classify import FlyBloomClassifier


@parametrize_with_checks([FlyBloomClassifier(), FlyBloomClassifier(decay=0.0)])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def plain_classes(train, labels, codes, decay):
    """Filters of novelty, by the formula: begin at 1, and decay for each active cell."""
    classes = sorted(set(labels))
    filters = {label: np.ones(train.shape[1]) for label in classes}
    for code, label in zip(train, labels, strict=True):
        filters[label][code > 0] *= decay
    novelty = [[filters[label] @ (code > 0) for label in classes] for code in codes]
    return [classes[np.argmin(one)] for one in novelty]


def make_codes(seed, n_codes, n_cells=12, n_classes=3):
    random = np.random.default_rng(seed)
    codes = (random.random((n_codes, n_cells)) < 0.3).astype(np.float32)
    return codes, random.integers(n_classes, size=n_codes)


@given(seed=st.integers(0, 999), decay=st.sampled_from([0.0, 0.5, 0.75]))  # sums are exact
def test_the_least_novel_class_is_predicted(seed, decay):
    (train, labels), (codes, _) = make_codes(seed, 15), make_codes(seed + 1, 8)
    found = FlyBloomClassifier(decay).fit(train, labels).predict(codes).tolist()
    assert found == plain_classes(train, labels, codes, decay)


def test_familiarity_by_hand():
    codes = [[1, 1, 0, 0], [1, 0, 1, 0], [0, 0, 1, 1]]
    classifier = FlyBloomClassifier(decay=0.5).fit(codes, ["a", "a", "b"])
    assert classifier.class_count_.tolist() == [2, 1]
    assert classifier.feature_count_.tolist() == [[2, 1, 1, 0], [0, 0, 1, 1]]
    # to a, cells 0 and 3 are familiar by 3/4 and 0; to b, by 0 and 1/2
    assert classifier.decision_function([[1, 0, 0, 1]]).tolist() == [0.25 - 0.375]
    assert classifier.predict([[1, 0, 0, 1], [0, 0, 0, 1]]).tolist() == ["a", "b"]


def test_sparse_codes_and_strengths_count_as_ones():
    codes, labels = make_codes(0, 20)
    ones = FlyBloomClassifier().fit(codes, labels)
    graded = FlyBloomClassifier().fit(sparse.csr_matrix(0.3 * codes), labels)
    np.testing.assert_array_equal(graded.feature_count_, ones.feature_count_)
    np.testing.assert_array_equal(graded.predict(sparse.csr_array(codes)), ones.predict(codes))


@given(seed=st.integers(0, 99), n_first=st.integers(1, 19))
def test_parts_add_up_to_the_whole(seed, n_first):
    codes, labels = make_codes(seed, 20)
    names = np.array(["fig", "plum", "pear"])[labels]  # some come in the second part only
    whole = FlyBloomClassifier().fit(codes, names)
    parts = slice(None, n_first), slice(n_first, None)
    streamed = FlyBloomClassifier()
    for part in parts:
        streamed.partial_fit(codes[part], names[part])
    first, second = (FlyBloomClassifier().fit(codes[part], names[part]) for part in parts)
    for other in (streamed, first.merge(second)):
        assert other.classes_.tolist() == whole.classes_.tolist()
        np.testing.assert_array_equal(other.class_count_, whole.class_count_)
        np.testing.assert_array_equal(other.feature_count_, whole.feature_count_)


def test_fit_begins_anew_and_classes_may_be_announced():
    classifier = FlyBloomClassifier().partial_fit([[1, 0]], [1], classes=[0, 1, 2])
    assert classifier.classes_.tolist() == [0, 1, 2]
    assert classifier.class_count_.tolist() == [0, 1, 0]
    assert classifier.predict([[1, 1]]).tolist() == [1]
    assert classifier.fit([[1, 1]], [5]).classes_.tolist() == [5]


def test_a_code_without_active_cells_gets_the_first_class():
    classifier = FlyBloomClassifier().fit([[1, 0], [0, 1]], ["b", "a"])
    assert classifier.predict([[0, 0]]).tolist() == ["a"]


def test_what_cannot_be_added():
    classifier = FlyBloomClassifier().fit([[1, 0]], ["a"])
    with pytest.raises(ValueError, match=r"counts of 3 features with those of 2"):
        classifier.merge(FlyBloomClassifier().fit([[1, 0, 0]], ["a"]))
    with pytest.raises(ValueError, match="give all of them as numbers, or all as text"):
        classifier.partial_fit([[1, 0]], [3])
    with pytest.raises(ValueError, match="decay"):
        FlyBloomClassifier(decay=1.0).fit([[1, 0]], ["a"])
