"""Any sequence of calls, with any text: what must always hold of the estimator.

``SKFLY_EXAMPLES=1000 pytest tests/test_random_use.py`` tries more sequences than the usual 25.
"""

import os
import pickle
import re
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import joblib
import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from sklearn.base import clone

from skfly import FlyHashVectorizer

COMMON = [
    "fly",
    "fruit",
    "ripe",
    "bank",
    "money",
    "loan",
    "Tree",
    "été",
    "straße",
    "ΣΟΦΟΣ",
    "1984",
]
STRANGE = [
    "",
    "\x00",
    "nul\x00inside",
    "\ud800",  # half of a pair
    "word\udfffword",
    "e\u0301te\u0301",  # combining marks
    "a" + "\u0300" * 50,
    "שלום עולם",
    "\u202eright to left\u202c",
    "zero\u200bwidth\u200djoiner\ufeff",
    "👩‍👩‍👧‍👦",
    "ｆｕｌｌｗｉｄｔｈ",
    "İstanbul ıı",
    "line\u2028separator\x85next",
    "<long>",  # stands for a word of a million letters, which nobody wants to read
]  # fmt: skip

words = st.one_of(
    st.sampled_from(COMMON),
    st.sampled_from(COMMON),
    st.text(max_size=12),
    st.text(st.characters(), min_size=1, max_size=6),  # surrogates too
    st.sampled_from(STRANGE),
)
texts = st.builds(
    lambda parts, mark: mark.join(parts),
    st.lists(words, max_size=12),
    st.sampled_from([" ", ". ", "\n", " \u00a0", "\r\n"]),
)
documents = st.lists(texts, max_size=6)
learnable = st.builds(
    lambda some, more: some + more, documents, st.just(["ripe fruit for the fly", "bank loan"])
)
parameters = st.fixed_dictionaries(
    {
        "n_kenyon_cells": st.sampled_from([1, 2, 7, 32, 65]),
        "window": st.sampled_from([1, 3, 11]),
        "n_epochs": st.sampled_from([1, 2]),
        "min_count": st.sampled_from([1, "auto"]),
        "learning": st.sampled_from(["lloyd", "lloyd", "hebbian"]),
        "word_codes": st.sampled_from(["consensus", "synapses"]),
        "document_codes": st.sampled_from(["binary", "binary", "counts"]),
        "unknown_words": st.sampled_from(["ignore", "spelling"]),
        "strip_accents": st.sampled_from([None, "unicode", "ascii"]),
        "lowercase": st.booleans(),
        "fold_numbers": st.booleans(),
        "sentence_splitter": st.sampled_from(["punctuation", "line", None]),
        "token_pattern": st.sampled_from([r"(?u)\b\w\w+\b", r"\S+"]),
        "subsample": st.sampled_from(["auto", 0, 1e-3]),
        "decorrelation": st.sampled_from(["auto", None, 0.5]),
        "truncate_windows": st.sampled_from(["auto", True]),
        "backend": st.sampled_from(["numba", "numba", "numpy"]),
        "n_jobs": st.sampled_from([None, 1, 2]),
        "random_state": st.integers(0, 2**32 - 1),
    }
)
WRONG_DOCUMENTS = [
    "one text",
    b"bytes",
    None,
    7,
    ["good", None],
    ["good", 7],
    [b"not \xff utf-8"],
    [["words", 3]],
]
WRONG_PARAMETERS = [
    {"window": 4},
    {"n_epochs": 0},
    {"hash_length": 0},
    {"hash_length": 10**6},
    {"learning": "magic"},
    {"subsample": -1},
    {"shrinkage": float("nan")},
    {"backend": "abacus"},
    {"vocabulary": ["twice", "twice"]},
    {"n_kenyon_cells": 66},
]


def lengthen(texts):
    return [text.replace("<long>", "x" * (1 << 20)) for text in texts]


FITTED = {"_model", "_current", "_training", "min_count_"}


def learned(fly):
    """Return a hash of everything that was learned."""
    names = [name for name in dir(fly) if name.endswith("_") and not name.startswith("_")]
    found = {name: getattr(fly, name, None) for name in names}
    del found["model_"], found["word_codes_"]  # made of the others and of parameters
    return joblib.hash(found)


def same(left, right):
    return left.shape == right.shape and (left != right).nnz == 0


class RandomUse(RuleBasedStateMachine):
    @initialize(params=parameters, share=st.floats(0, 1))
    def make(self, params, share):
        length = max(1, round(share * params["n_kenyon_cells"]))
        self.fly = FlyHashVectorizer(hash_length=length, **params)
        self.known = None

    def is_fitted(self):
        return self.known is not None

    def check_codes(self, codes, n_rows):
        assert codes.shape == (n_rows, self.fly.n_features_out_)
        ones = np.asarray(codes.sum(axis=1)).ravel()
        if self.fly.document_codes == "binary":
            assert set(ones) <= {0, self.fly.hash_length}
            assert set(codes.data) <= {1}
        else:
            assert not (ones % self.fly.hash_length).any()

    @rule(texts=learnable, n_jobs=st.sampled_from([1, 2, 3]))
    def fit(self, texts, n_jobs):
        texts = lengthen(texts)
        try:
            assert self.fly.fit(texts) is self.fly
        except ValueError as error:
            if not re.search("has left out every word|no sentence is as long", str(error)):
                raise
            return
        self.known = learned(self.fly)
        again = clone(self.fly).set_params(n_jobs=n_jobs).fit(iter(texts))
        assert learned(again) == self.known, "the same seed, other bits"
        self.check_codes(self.fly.transform(texts), len(texts))

    @rule(texts=documents)
    def partial_fit(self, texts):
        texts = lengthen(texts)
        fitted, before = self.is_fitted(), dict(vars(self.fly))
        model = self.fly.model_ if fitted else None
        try:
            self.fly.partial_fit(texts)
        except ValueError:
            if fitted:  # a model that has words goes on with any text
                raise
            assert vars(self.fly) == before
            return
        if fitted:
            assert self.fly.n_features_out_ == model.n_cells
            assert self.fly.vocabulary_ == model.vocabulary.index
            assert (self.fly.word_counts_ >= model.vocabulary.counts).all()
            assert self.fly.n_windows_seen_ >= model.provenance.n_windows
        self.known = learned(self.fly)

    @precondition(is_fitted)
    @rule(texts=documents.filter(bool))
    def transform(self, texts):
        texts = lengthen(texts)
        codes = self.fly.transform(texts)
        self.check_codes(codes, len(texts))
        assert same(self.fly.transform(texts[::-1]), codes[::-1])
        other = "numpy" if self.fly.backend == "numba" else "numba"
        assert same(clone_with_state(self.fly, backend=other, n_jobs=3).transform(texts), codes)

    @precondition(is_fitted)
    @rule(texts=documents.filter(bool))
    def transform_in_eight_threads(self, texts):
        texts = lengthen(texts)
        with ThreadPoolExecutor(8) as pool:
            codes = list(pool.map(self.fly.transform, [texts] * 16))
        alone = self.fly.transform(texts)
        assert all(same(part, alone) for part in codes)

    @precondition(is_fitted)
    @rule(some=st.lists(words, min_size=1, max_size=5), text=texts)
    def words_cells_and_contexts(self, some, text):
        some, (text,) = lengthen(some), lengthen([text])
        for codes in (
            self.fly.hash_words(some),
            self.fly.hash_in_context([text] * len(some), some),
        ):
            assert codes.shape == (len(some), self.fly.n_features_out_)
            assert set(np.asarray(codes.sum(axis=1)).ravel()) <= {0, self.fly.hash_length}
        cells = self.fly.kenyon_cells(text, n_cells=3, n_words=2)
        assert np.isfinite([cell.activation for cell in cells]).all()

    @precondition(is_fitted)
    @rule(mmap=st.booleans())
    def save_and_load(self, mmap):
        codes = self.fly.transform(COMMON)
        with tempfile.TemporaryDirectory() as directory:
            path = Path(directory, "model")
            self.fly.save(path)
            assert [file.name for file in Path(directory).iterdir()] == ["model"]
            read = FlyHashVectorizer.load(path, mmap=mmap)
            assert same(read.transform(COMMON), codes)
            if mmap:
                return  # the file goes away
        assert read.get_params() == self.fly.get_params()
        assert list(read.vocabulary_.items()) == list(self.fly.vocabulary_.items())
        assert read.n_windows_seen_ == self.fly.n_windows_seen_
        self.fly, self.known = read, learned(read)

    @rule()
    def through_pickle(self):
        self.fly = pickle.loads(pickle.dumps(self.fly))

    @rule()
    def clone(self):
        new = clone(self.fly)
        assert new.get_params() == self.fly.get_params()
        assert not FITTED & vars(new).keys()

    @rule(share=st.floats(0, 1))
    def set_hash_length(self, share):
        self.fly.set_params(hash_length=max(1, round(share * self.fly.n_kenyon_cells)))

    @rule(wrong=st.sampled_from(WRONG_PARAMETERS))
    def wrong_parameters(self, wrong):
        right = self.fly.get_params()
        self.fly.set_params(**wrong)
        if not self.is_fitted() and wrong.keys() <= {"n_kenyon_cells"}:
            pass  # nothing wrong with it yet
        elif not (self.is_fitted() and wrong.keys() <= {"vocabulary"}):  # which is not read again
            with pytest.raises((ValueError, TypeError)):
                self.fly.partial_fit(["ripe fruit for the fly", "bank loan"])
        self.fly.set_params(**{name: right[name] for name in wrong})

    @rule(wrong=st.sampled_from(WRONG_DOCUMENTS))
    def wrong_documents(self, wrong):
        calls = [self.fly.fit, self.fly.partial_fit]
        for call in [*calls, self.fly.transform] if self.is_fitted() else calls:
            with pytest.raises((ValueError, TypeError, AttributeError)):
                call(wrong)

    @rule()
    def a_source_that_breaks_off(self):
        def source():
            yield "ripe fruit"
            raise OSError("the disk is gone")

        for call in (self.fly.fit, self.fly.partial_fit):
            with pytest.raises(OSError, match="the disk is gone"):
                call(source())

    @invariant()
    def nothing_else_changes_the_model(self):
        if hasattr(self, "fly"):
            assert (vars(self.fly).keys() >= FITTED) == self.is_fitted()
            assert not self.is_fitted() or learned(self.fly) == self.known


def clone_with_state(fly, **params):
    """Return another estimator with the same model."""
    other = clone(fly).set_params(**params)
    other.__dict__.update({name: vars(fly)[name] for name in FITTED})
    return other


TestRandomUse = RandomUse.TestCase
TestRandomUse.settings = settings(
    max_examples=int(os.environ.get("SKFLY_EXAMPLES", "25")),
    derandomize="SKFLY_EXAMPLES" not in os.environ,  # the usual ones are the same everywhere
    stateful_step_count=15,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
