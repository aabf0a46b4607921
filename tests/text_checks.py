"""Checks of scikit-learn's contract for estimators that take text.

scikit-learn's own ``parametrize_with_checks`` feeds numbers in two dimensions, so of a text
vectorizer (tags ``input_tags.string=True``, ``two_d_array=False``) it checks nothing but that it
can be cloned. This module is its counterpart for text:

- the checks of scikit-learn that need no data, or only parameters, are run as they are;
- the others are ported to strings under the names that they have there.

In a test file::

    from text_checks import parametrize_with_text_checks

    @parametrize_with_text_checks([FlyHashVectorizer(n_kenyon_cells=20, hash_length=3)])
    def test_text_estimator(estimator, check):
        check(estimator)

A check clones the estimator that it is given, raises ``AssertionError`` if a promise is broken,
and ``unittest.SkipTest`` if the promise is not made (no ``partial_fit``, say) or cannot be checked
here.
"""

from __future__ import annotations

import pickle
import re
import tempfile
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest import SkipTest

import joblib
import numpy as np
import sklearn
from numpy.testing import assert_array_equal
from numpy.typing import NDArray
from scipy import sparse
from sklearn import clone, config_context
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

if TYPE_CHECKING:
    import pytest

__all__ = ["parametrize_with_text_checks", "text_estimator_checks"]

SKLEARN_CHECKS = (
    "check_estimator_cloneable",
    "check_estimator_tags_renamed",
    "check_valid_tag_types",
    "check_estimator_repr",
    "check_no_attributes_set_in_init",
    "check_mixin_order",
    "check_do_not_raise_errors_in_init_or_set_params",
    "check_parameters_default_constructible",
    "check_get_params_invariance",
    "check_set_params",
    "check_param_validation",
    "check_get_feature_names_out_error",
)
"""Checks of scikit-learn that say as much about a text vectorizer as about any estimator.

``check_estimators_unfitted`` and ``check_transformers_unfitted`` are not among them: the first
only calls methods that a vectorizer does not have, and the second is content with the
``ValueError`` that a vectorizer raises at its numbers, fitted or not.
"""

_FRUIT = (
    "the fly smells ripe fruit and eats the sweet banana under the old tree",
    "a ripe banana and a sweet peach draw many a fly to the fruit tree",
    "under the tree the fly finds sweet fruit a peach and a very ripe banana",
)
_MONEY = (
    "the bank lends money and takes interest for every loan that it has made",
    "a loan from the bank costs interest and the bank wants its money back",
    "who owes the bank money pays interest on the loan until it is repaid",
)


def parametrize_with_text_checks(estimators: Iterable[Any]) -> pytest.MarkDecorator:
    """Decorate a test to be run once for every estimator and check.

    The tests are called ``FlyHashVectorizer(...)-check_fit_idempotent`` and the like, so that
    ``pytest -k`` can choose among them.

    Parameters
    ----------
    estimators : iterable of estimators
        Instances, not classes. They are not changed.

    Returns
    -------
    decorator : pytest.MarkDecorator
        For a function of ``estimator`` and ``check`` that calls ``check(estimator)``.

    Examples
    --------
    >>> from skfly import FlyHashVectorizer
    >>> from text_checks import parametrize_with_text_checks
    >>> @parametrize_with_text_checks([FlyHashVectorizer(n_kenyon_cells=20, hash_length=3)])
    ... def test_text_estimator(estimator, check):
    ...     check(estimator)
    """
    import pytest

    return pytest.mark.parametrize(
        ("estimator", "check"),
        [
            pytest.param(estimator, check, id=f"{_describe(estimator)}-{check_name}")
            for estimator in estimators
            for check_name, check in text_estimator_checks(estimator)
        ],
    )


def text_estimator_checks(estimator: Any) -> Iterator[tuple[str, Callable[[Any], None]]]:
    """Yield the checks for a text vectorizer.

    Parameters
    ----------
    estimator : estimator
        An instance, not a class.

    Yields
    ------
    name : str
    check : callable
        Takes the estimator.

    Examples
    --------
    >>> from skfly import FlyHashVectorizer
    >>> from text_checks import text_estimator_checks
    >>> fly = FlyHashVectorizer(n_kenyon_cells=20, hash_length=3)
    >>> checks = dict(text_estimator_checks(fly))
    >>> checks["check_estimators_fit_returns_self"](fly)
    """
    if isinstance(estimator, type):
        raise TypeError(
            f"expected an estimator, got the class {estimator.__name__}; pass an instance of it"
        )
    name = type(estimator).__name__
    for check_name in SKLEARN_CHECKS:
        yield check_name, partial(_run_sklearn_check, check_name, name)
    for check in TEXT_CHECKS:
        yield check.__name__, partial(check, name)


def _run_sklearn_check(check_name: str, name: str, estimator_orig: Any) -> None:
    from sklearn.utils import estimator_checks

    check = getattr(estimator_checks, check_name, None)
    if check is None:
        raise SkipTest(f"scikit-learn {sklearn.__version__} has no {check_name}")
    check(name, estimator_orig)


# What the checks share


def _documents() -> list[str]:
    """Return new copies of some documents about two topics."""
    return [*_FRUIT, *_MONEY] * 5


def _new(estimator_orig: Any) -> Any:
    """Return an unfitted copy that gives the same results every time."""
    estimator = clone(estimator_orig)
    if "random_state" in estimator.get_params():
        estimator.set_params(random_state=0)
    return estimator


def _dense(codes: Any) -> NDArray[Any]:
    return np.asarray(codes.toarray() if sparse.issparse(codes) else codes)


def _assert_same(actual: Any, expected: Any, message: str) -> None:
    assert sparse.issparse(actual) == sparse.issparse(expected), message
    assert_array_equal(_dense(actual), _dense(expected), err_msg=message, strict=True)


def _assert_raises(
    kind: type[BaseException], call: Callable[..., Any], *args: Any, message: str
) -> None:
    try:
        call(*args)
    except kind:
        return
    except Exception as error:
        raise AssertionError(f"{message}; it raised {error!r}") from error
    raise AssertionError(message)


def _describe(estimator: Any) -> str:
    with config_context(print_changed_only=True):
        return re.sub(r"\s", "", str(estimator))


def _require(estimator: Any, name: str, attribute: str) -> None:
    if not hasattr(estimator, attribute):
        raise SkipTest(f"{name} has no {attribute}")


# The checks, in the manner of scikit-learn's: of a name and an estimator


def check_string_tags(name: str, estimator_orig: Any) -> None:
    """Check that the tags say that text goes in, and nothing of two dimensions."""
    tags = get_tags(estimator_orig).input_tags
    assert tags.string, f"{name} takes text: set tags.input_tags.string"
    assert not tags.two_d_array, f"{name} takes text: clear tags.input_tags.two_d_array"


def check_estimators_fit_returns_self(name: str, estimator_orig: Any) -> None:
    """Check that ``fit`` and ``partial_fit`` return the estimator."""
    for method in ("fit", "partial_fit"):
        estimator = _new(estimator_orig)
        if hasattr(estimator, method):
            returned = getattr(estimator, method)(_documents())
            assert returned is estimator, f"{method} of {name} does not return self"


def check_fit_idempotent(name: str, estimator_orig: Any) -> None:
    """Check that a second ``fit`` on the same text gives what the first gave."""
    estimator = _new(estimator_orig).fit(_documents())
    first = estimator.transform(_documents())
    second = estimator.fit(_documents()).transform(_documents())
    _assert_same(second, first, f"fitting {name} twice gives something else than fitting it once")


def check_estimators_overwrite_params(name: str, estimator_orig: Any) -> None:
    """Check that ``fit`` and ``transform`` leave the parameters as they were given."""
    estimator = _new(estimator_orig)
    before = {key: joblib.hash(value) for key, value in estimator.get_params().items()}
    estimator.fit(_documents()).transform(_documents())
    for key, value in estimator.get_params().items():
        assert joblib.hash(value) == before[key], f"{name} changes its parameter {key!r}"


def check_dont_overwrite_parameters(name: str, estimator_orig: Any) -> None:
    """Check that what ``fit`` adds has a name that ends, or is private and begins, with ``_``."""
    estimator = _new(estimator_orig)
    before = set(vars(estimator))
    estimator.fit(_documents())
    public = [
        attribute
        for attribute in set(vars(estimator)) - before
        if not (attribute.endswith("_") or attribute.startswith("_"))
    ]
    assert not public, f"fit of {name} adds public attributes without a final _: {sorted(public)}"


def check_dict_unchanged(name: str, estimator_orig: Any) -> None:
    """Check that ``transform`` changes nothing in the estimator and the arrays that it holds."""
    estimator = _new(estimator_orig).fit(_documents())
    names = set(vars(estimator))
    before = joblib.hash(vars(estimator))
    estimator.transform(_documents())
    new = sorted(set(vars(estimator)) - names)
    assert joblib.hash(vars(estimator)) == before, f"transform changes {name}; new: {new}"


def check_fit_check_is_fitted(name: str, estimator_orig: Any) -> None:
    """Check that ``check_is_fitted`` fails before ``fit`` and passes after it."""
    estimator = _new(estimator_orig)
    if not get_tags(estimator).requires_fit:
        raise SkipTest(f"{name} needs no fit")
    _assert_raises(
        NotFittedError,
        check_is_fitted,
        estimator,
        message=f"{name} passes check_is_fitted before fit",
    )
    check_is_fitted(estimator.fit(_documents()))


def check_transformers_unfitted(name: str, estimator_orig: Any) -> None:
    """Check that ``transform`` of text before ``fit`` raises ``NotFittedError``."""
    estimator = _new(estimator_orig)
    if not get_tags(estimator).requires_fit:
        raise SkipTest(f"{name} needs no fit")
    _assert_raises(
        NotFittedError,
        estimator.transform,
        _documents(),
        message=f"transform of {name} before fit does not raise NotFittedError",
    )


def check_transformer_general(name: str, estimator_orig: Any) -> None:
    """Check that ``fit_transform`` gives what ``fit`` and ``transform`` give, a row a document."""
    documents = _documents()
    together = _new(estimator_orig).fit_transform(documents)
    apart = _new(estimator_orig).fit(documents).transform(documents)
    assert apart.shape[0] == len(documents), f"{name} does not give one row a document"
    _assert_same(together, apart, f"fit_transform of {name} differs from fit and transform")


def check_pipeline_consistency(name: str, estimator_orig: Any) -> None:
    """Check that in a pipeline the estimator gives what it gives alone."""
    alone = _new(estimator_orig).fit(_documents())
    pipeline = make_pipeline(_new(estimator_orig)).fit(_documents())
    _assert_same(
        pipeline.transform(_documents()),
        alone.transform(_documents()),
        f"{name} gives something else in a pipeline",
    )


def check_methods_subset_invariance(name: str, estimator_orig: Any) -> None:
    """Check that the row of a document does not depend on the other documents."""
    documents = _documents()
    estimator = _new(estimator_orig).fit(documents)
    whole = _dense(estimator.transform(documents))
    for number, document in enumerate(documents[: len(_FRUIT + _MONEY)]):
        single = _dense(estimator.transform([document]))
        assert_array_equal(
            single[0], whole[number], err_msg=f"transform of {name} depends on other documents"
        )


def check_methods_sample_order_invariance(name: str, estimator_orig: Any) -> None:
    """Check that documents in another order give the same rows in that order."""
    documents = _documents()
    estimator = _new(estimator_orig).fit(documents)
    order = np.random.RandomState(0).permutation(len(documents))
    _assert_same(
        estimator.transform([documents[i] for i in order]),
        estimator.transform(documents)[order],
        f"transform of {name} depends on the order of the documents",
    )


def check_one_sample(name: str, estimator_orig: Any) -> None:
    """Check that one document is enough to fit and to transform."""
    codes = _new(estimator_orig).fit_transform([_FRUIT[0]])
    assert codes.shape[0] == 1, f"{name} gives {codes.shape[0]} rows for one document"


def check_iterators(name: str, estimator_orig: Any) -> None:
    """Check that documents may come from an iterator, which is gone through once."""
    expected = _new(estimator_orig).fit_transform(_documents())
    estimator = _new(estimator_orig).fit(iter(_documents()))
    message = f"{name} gives something else for an iterator than for a list"
    _assert_same(estimator.transform(iter(_documents())), expected, message)
    _assert_same(_new(estimator_orig).fit_transform(iter(_documents())), expected, message)


def check_transform_empty(name: str, estimator_orig: Any) -> None:
    """Check that no document gives no row, of the usual width."""
    estimator = _new(estimator_orig).fit(_documents())
    expected = (0, estimator.transform(_documents()).shape[1])
    found = estimator.transform([]).shape
    assert found == expected, f"transform([]) of {name} has shape {found}, not {expected}"


def check_fit_empty(name: str, estimator_orig: Any) -> None:
    """Check that no text to learn from is a ``ValueError``, and nothing is fitted then."""
    estimator = _new(estimator_orig)
    if not get_tags(estimator).requires_fit:
        raise SkipTest(f"{name} needs no fit")
    for documents in ([], ["", ""]):
        for method in ("fit", "fit_transform", "partial_fit"):
            if hasattr(estimator, method):
                _assert_raises(
                    ValueError,
                    getattr(estimator, method),
                    documents,
                    message=f"{method}({documents}) of {name} does not raise ValueError",
                )
                _assert_raises(
                    NotFittedError,
                    check_is_fitted,
                    estimator,
                    message=f"{name} is fitted after {method} of nothing",
                )


def check_single_string(name: str, estimator_orig: Any) -> None:
    """Check that one str instead of a list is a ``ValueError``, not a list of letters."""
    estimator = _new(estimator_orig).fit(_documents())
    for method in ("fit", "fit_transform", "partial_fit", "transform"):
        if hasattr(estimator, method):
            _assert_raises(
                ValueError,
                getattr(estimator, method),
                _FRUIT[0],
                message=f"{method} of {name} takes a str for a list of documents",
            )


def check_estimators_partial_fit_n_features(name: str, estimator_orig: Any) -> None:
    """Check that ``partial_fit`` keeps the width of the output, and the vocabulary."""
    estimator = _new(estimator_orig)
    _require(estimator, name, "partial_fit")
    estimator.partial_fit(_FRUIT)
    width = estimator.transform(_FRUIT).shape[1]
    words = dict(getattr(estimator, "vocabulary_", {}))
    estimator.partial_fit(_MONEY)
    found = estimator.transform(_MONEY).shape[1]
    assert found == width, f"partial_fit of {name} changes the width from {width} to {found}"
    assert getattr(estimator, "vocabulary_", {}) == words, (
        f"partial_fit of {name} changes the vocabulary"
    )


def check_estimators_pickle(name: str, estimator_orig: Any) -> None:
    """Check that a fitted estimator survives pickling."""
    estimator = _new(estimator_orig).fit(_documents())
    again = pickle.loads(pickle.dumps(estimator))
    message = f"{name} gives something else after pickling"
    _assert_same(again.transform(_documents()), estimator.transform(_documents()), message)


def check_estimators_readonly_memmap(name: str, estimator_orig: Any) -> None:
    """Check that a fitted estimator works on read-only arrays, as joblib's workers get them."""
    estimator = _new(estimator_orig).fit(_documents())
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as directory:
        path = Path(directory) / "estimator.joblib"
        joblib.dump(estimator, path)
        mapped = joblib.load(path, mmap_mode="r")
        message = f"{name} gives something else from a read-only memory map"
        _assert_same(mapped.transform(_documents()), estimator.transform(_documents()), message)


def check_set_output_transform(name: str, estimator_orig: Any) -> None:
    """Check that ``set_output(transform="default")`` changes nothing."""
    estimator = _new(estimator_orig).fit(_documents())
    _require(estimator, name, "set_output")
    before = estimator.transform(_documents())
    after = estimator.set_output(transform="default").transform(_documents())
    _assert_same(after, before, f"set_output(transform='default') changes the output of {name}")


def check_set_output_transform_pandas(name: str, estimator_orig: Any) -> None:
    """Check that dense output becomes a data frame, with the names of the features."""
    estimator = _pandas_output(name, estimator_orig, sparse_output=False)
    plain = clone(estimator).set_output(transform="default").fit_transform(_documents())
    for frame in (
        clone(estimator).fit_transform(_documents()),
        estimator.fit(_documents()).transform(_documents()),
    ):
        assert hasattr(frame, "columns"), f"{name} does not give a data frame"
        assert list(frame.columns) == list(estimator.get_feature_names_out()), (
            f"the columns of {name} are not its feature names"
        )
        _assert_same(frame.to_numpy(), plain, f"the data frame of {name} has other values")


def check_set_output_transform_index(name: str, estimator_orig: Any) -> None:
    """Check that ``fit_transform`` and ``transform`` of a series give the same index.

    That is the index of the series, where scikit-learn keeps it.
    """
    estimator = _pandas_output(name, estimator_orig, sparse_output=False)
    documents = _documents()
    series = import_module("pandas").Series(documents, index=range(7, 7 + len(documents)))
    together = clone(estimator).fit_transform(series)
    apart = estimator.fit(series).transform(series)
    assert_array_equal(
        together.index, apart.index, err_msg=f"fit_transform of {name} has another index"
    )


def check_set_output_transform_sparse(name: str, estimator_orig: Any) -> None:
    """Check that a data frame does not depend on ``sparse_output``."""
    frames = [
        _pandas_output(name, estimator_orig, sparse_output=is_sparse).fit_transform(_documents())
        for is_sparse in (False, True)
    ]
    _assert_same(
        frames[1].to_numpy(), frames[0].to_numpy(), f"sparse_output changes data frames of {name}"
    )


def _pandas_output(name: str, estimator_orig: Any, *, sparse_output: bool) -> Any:
    estimator = _new(estimator_orig)
    _require(estimator, name, "set_output")
    _require(estimator, name, "sparse_output")
    if find_spec("pandas") is None:
        raise SkipTest("pandas is not installed")
    return estimator.set_params(sparse_output=sparse_output).set_output(transform="pandas")


def check_transformer_get_feature_names_out(name: str, estimator_orig: Any) -> None:
    """Check that each column has a name of its own."""
    estimator = _new(estimator_orig)
    _require(estimator, name, "get_feature_names_out")
    width = estimator.fit_transform(_documents()).shape[1]
    names = estimator.get_feature_names_out()
    assert names.dtype == object, f"feature names of {name} are not an array of str objects"
    assert len(names) == len(set(names)) == width, (
        f"{name} has {len(set(names))} different feature names for {width} columns"
    )


def check_n_features_out(name: str, estimator_orig: Any) -> None:
    """Check that ``n_features_out_`` is the width of the output."""
    estimator = _new(estimator_orig).fit(_documents())
    _require(estimator, name, "n_features_out_")
    width = estimator.transform(_documents()).shape[1]
    assert estimator.n_features_out_ == width, (
        f"n_features_out_ of {name} is {estimator.n_features_out_}, the output has {width} columns"
    )


TEXT_CHECKS: tuple[Callable[[str, Any], None], ...] = (
    check_string_tags,
    check_estimators_fit_returns_self,
    check_fit_idempotent,
    check_estimators_overwrite_params,
    check_dont_overwrite_parameters,
    check_dict_unchanged,
    check_fit_check_is_fitted,
    check_transformers_unfitted,
    check_transformer_general,
    check_pipeline_consistency,
    check_methods_subset_invariance,
    check_methods_sample_order_invariance,
    check_one_sample,
    check_iterators,
    check_transform_empty,
    check_fit_empty,
    check_single_string,
    check_estimators_partial_fit_n_features,
    check_estimators_pickle,
    check_estimators_readonly_memmap,
    check_set_output_transform,
    check_set_output_transform_pandas,
    check_set_output_transform_index,
    check_set_output_transform_sparse,
    check_transformer_get_feature_names_out,
    check_n_features_out,
)
"""The checks of this module, ported to strings or its own."""
