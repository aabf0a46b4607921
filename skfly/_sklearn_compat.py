"""All imports from scikit-learn that are private or depend on its version."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from scipy import sparse
from sklearn import get_config
from sklearn.utils._param_validation import (
    HasMethods,
    Interval,
    RealNotInt,
    StrOptions,
)
from sklearn.utils._set_output import _get_output_config

Method = TypeVar("Method", bound=Callable[..., Any])

if TYPE_CHECKING:  # scikit-learn has no types, and its decorators would hide those of our methods
    CallbackSupportMixin: Any

    def _fit_context(*, prefer_skip_nested_validation: bool) -> Callable[[Method], Method]: ...
    def with_callbacks(method: Method) -> Method: ...

else:
    from sklearn.base import _fit_context

    try:
        from sklearn.callback import CallbackSupportMixin, with_callbacks
    except ImportError:  # before scikit-learn 1.9

        class CallbackSupportMixin:
            """No callbacks."""

            def set_callbacks(self, *callbacks):  # noqa: ARG002
                """Raise an error: this version of scikit-learn has no callbacks."""
                raise ImportError("callbacks need scikit-learn 1.9 or newer")

        def with_callbacks(method):
            """Return the method as it is."""
            return method


__all__ = [
    "CallbackSupportMixin",
    "HasMethods",
    "Interval",
    "RealNotInt",
    "StrOptions",
    "_fit_context",
    "as_output",
    "strip_newsgroup",
    "with_callbacks",
]


def as_output(codes: sparse.csr_array, transformer: Any = None) -> Any:
    """Return codes as scikit-learn's settings and those of a transformer say.

    The setting ``sparse_interface`` came with scikit-learn 1.9; before that, matrices are what its
    users expect. Data frames are made of arrays.
    """
    if transformer is not None:
        makes_frames = _get_output_config("transform", transformer)["dense"] != "default"
        if makes_frames or not transformer.sparse_output:
            return codes.toarray()
    if get_config().get("sparse_interface", "spmatrix") == "sparray":
        return codes
    return sparse.csr_matrix(codes)


def strip_newsgroup(text: str, *, footers: bool, quotes: bool) -> str:
    """Return a message without its signature or quotes, as requested."""
    # slow to import, and few need it
    from sklearn.datasets import _twenty_newsgroups as newsgroups

    text = newsgroups.strip_newsgroup_footer(text) if footers else text
    return str(newsgroups.strip_newsgroup_quoting(text) if quotes else text)
