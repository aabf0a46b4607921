"""What FlyHashVectorizer learns, and the codes that it gives."""

import copy
import tempfile
from dataclasses import replace

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from sklearn.cluster import KMeans
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.naive_bayes import MultinomialNB
from sklearn.svm import LinearSVC

import skfly.engine._numba
import skfly.text._encode
import skfly.vectorizer
from skfly.engine._numba import NumbaEngine
from skfly.text import encode_documents


def same(left, right):
    """Whether two sparse matrices are equal, bit by bit."""
    return left.shape == right.shape and left.dtype == right.dtype and (left != right).nnz == 0


# Codes


def test_words_of_a_topic_have_more_cells_in_common(fitted, topics):
    fruit, money = (fitted.hash_words(words) for words in topics.values())
    within = ((fruit @ fruit.T).mean() + (money @ money.T).mean()) / 2
    assert within > 3 * (fruit @ money.T).mean()


def test_a_document_without_a_known_word_has_no_cell(fitted):
    codes = fitted.transform(["ripe fruit", "nothing known", ""])
    assert codes.sum(axis=1).ravel().tolist() == [[4, 0, 0]]
    assert set(codes.data) == {1}


def test_counts_are_the_sum_of_the_codes_of_the_words(make_fly, documents):
    fly = make_fly(document_codes="counts").fit(documents)
    words = fly.hash_words(["ripe", "fruit"])
    assert same(fly.transform(["ripe fruit ripe unknown"]), 2 * words[:1] + words[1:])


@pytest.mark.parametrize("document_codes", ["binary", "counts"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32, np.uint8])
def test_matrices_have_the_dtype_asked_for(make_fly, documents, dtype, document_codes):
    fly = make_fly(dtype=dtype, document_codes=document_codes).fit(documents)
    assert fly.transform(documents[:3]).dtype == dtype
    assert fly.hash_words(["fly"]).dtype == dtype
    assert fly.hash_in_context(["ripe fruit"], ["fruit"]).dtype == dtype
    assert fly.word_codes_.dtype == dtype
    dense = fly.set_params(sparse_output=False).transform(documents[:3])
    assert type(dense) is np.ndarray
    assert dense.dtype == dtype


@pytest.mark.parametrize("dtype", [np.float16, np.complex64, object])
def test_types_that_codes_cannot_have_are_refused_before_anything_is_read(make_fly, dtype):
    with pytest.raises(ValueError, match="choose another type of numbers, such as float32"):
        make_fly(dtype=dtype).fit(iter(lambda: pytest.fail("it was read"), None))


def test_whole_numbers_cannot_hold_graded_codes(fitted, documents):
    fly = copy.deepcopy(fitted).set_params(dtype=np.int8, document_codes="graded")
    with pytest.raises(ValueError, match="fractions, which dtype=int8 cannot hold"):
        fly.transform(documents)


def test_a_word_is_found_as_the_preprocessing_leaves_it(fitted):
    assert same(fitted.hash_words(["FLY"]), fitted.hash_words(["fly"]))
    assert fitted.hash_words(["moth"]).nnz == 0
    assert fitted.hash_words([]).shape == (0, 20)


def test_hash_words_says_what_a_word_is(fitted):
    with pytest.raises(ValueError, match=r"got a single str; pass \[word\]"):
        fitted.hash_words("fly")
    with pytest.raises(TypeError, match="a word must be a str; got int: 7"):
        fitted.hash_words(["fly", 7])


def test_word_codes_are_the_codes_of_the_vocabulary(fitted):
    assert same(fitted.word_codes_, fitted.hash_words(list(fitted.vocabulary_)))


# Parameters changed after fit


def test_hash_length_may_change_after_fit(fitted, documents, fingerprint):
    fly = copy.deepcopy(fitted).set_params(hash_length=7)
    contexts, targets = ["ripe fruit", "cash money"], ["fruit", "money"]
    for codes in (
        fly.transform(documents),
        fly.hash_words(["fly", "bank"]),
        fly.hash_in_context(contexts, targets),
        fly.word_codes_,
    ):
        assert set(np.diff(codes.indptr)) == {7}
    # the four most active cells stay among the seven
    assert (fly.transform(documents).multiply(fitted.transform(documents))).sum() == 4 * len(
        documents
    )
    assert fingerprint(fly) == fingerprint(fitted)
    assert same(fly.set_params(hash_length=4).transform(documents), fitted.transform(documents))


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"hash_length": 21}, "hash_length=21, but the model has 20"),
        ({"hash_length": 0}, "'hash_length' parameter .* Got 0"),
        ({"document_codes": "nonsense"}, "'document_codes' parameter .* Got 'nonsense'"),
        ({"word_codes": "nonsense"}, "'word_codes' parameter"),
        ({"unknown_words": "nonsense"}, "'unknown_words' parameter"),
        ({"backend": "nonsense"}, "'backend' parameter"),
        ({"stop_words": "klingon"}, "'stop_words' parameter"),
        ({"sentence_splitter": "nonsense"}, "'sentence_splitter' parameter"),
        ({"dtype": "nonsense"}, "nonsense"),
        ({"dtype": np.float16}, "dtype=float16, of which scipy has no sparse matrices"),
    ],
)
def test_parameters_that_were_set_after_fit_are_checked_when_used(fitted, params, message):
    for use in (
        lambda fly: fly.transform(["fly"]),
        lambda fly: fly.hash_words(["fly"]),
        lambda fly: fly.hash_in_context(["ripe fruit"], ["fruit"]),
    ):
        fly = copy.deepcopy(fitted).set_params(**params)
        with pytest.raises((ValueError, TypeError), match=message):
            use(fly)


@pytest.mark.parametrize("document_codes", ["binary", "counts"])
def test_sparse_codes_have_32_bit_indices(fitted, documents, document_codes):
    fly = copy.deepcopy(fitted).set_params(document_codes=document_codes)
    for codes in (fly.transform(documents), fly.hash_words(["fly", "no such word"])):
        assert codes.indices.dtype == codes.indptr.dtype == np.int32


@pytest.mark.parametrize(
    "client",
    [LinearSVC(), SGDClassifier(), KMeans(2, n_init=1), MultinomialNB(), LogisticRegression()],
    ids=lambda client: type(client).__name__,
)
def test_counts_go_straight_into_estimators_of_scikit_learn(fitted, documents, client):
    fly = copy.deepcopy(fitted).set_params(document_codes="counts")
    labels = [0, 1] * (len(documents) // 2)
    assert client.fit(fly.transform(documents), labels).predict(fly.transform(documents)).any()


def test_document_codes_may_change_after_fit(fitted, make_fly, documents):
    counts = copy.deepcopy(fitted).set_params(document_codes="counts").transform(documents)
    assert same(counts, make_fly(document_codes="counts").fit_transform(documents))
    assert not same(counts, fitted.transform(documents))


def test_codes_from_synapses_need_no_new_fit(fitted_lloyd, make_lloyd, documents):
    fly = copy.deepcopy(fitted_lloyd).set_params(word_codes="synapses")
    assert same(fly.word_codes_, make_lloyd(word_codes="synapses").fit(documents).word_codes_)
    assert not same(fly.word_codes_, fitted_lloyd.word_codes_)


def test_codes_by_consensus_need_a_consensus(make_lloyd, documents):
    fly = make_lloyd(word_codes="synapses").fit(documents)
    assert fly.consensus_ is None
    fly.set_params(word_codes="consensus")
    with pytest.raises(ValueError, match="has no consensus: set word_codes='synapses'"):
        fly.hash_words(["fly"])


# Words in context


def test_a_target_may_be_a_word_or_a_place(fitted):
    by_word = fitted.hash_in_context(["Some RIPE fruit"], ["Ripe"])
    by_place = fitted.hash_in_context(["Some RIPE fruit"], [1])
    assert same(by_word, by_place)
    assert same(by_word, fitted.hash_in_context([["some", "ripe", "fruit"]], ["ripe"]))
    assert by_word.nnz == 4


def test_a_window_takes_the_words_nearest_to_the_target(fitted):
    context = "bank money ripe fruit sweet loan cash"
    near = fitted.hash_in_context([context], ["fruit"], window=3)
    assert same(near, fitted.hash_in_context(["ripe fruit sweet"], ["fruit"]))
    assert not same(near, fitted.hash_in_context([context], ["fruit"]))


def test_the_first_occurrence_of_a_word_is_meant(fitted):
    context = "ripe fruit sweet tree bank fruit loan"
    by_word = fitted.hash_in_context([context], ["fruit"], window=3)
    assert same(by_word, fitted.hash_in_context([context], [1], window=3))
    assert not same(by_word, fitted.hash_in_context([context], [5], window=3))


def test_what_is_unknown_gives_no_input(fitted):
    codes = fitted.hash_in_context(
        ["ripe moth banana", "unknown fruit here", "nothing known", "ripe banana"],
        ["moth", "fruit", "nothing", "moth"],
    )
    assert np.diff(codes.indptr).tolist() == [4, 4, 0, 4]
    # a target that the context does not have: the context is taken whole
    assert same(codes[:1], codes[3:])
    assert same(codes[1:2], fitted.hash_in_context(["fruit"], ["fruit"]))


def test_context_and_target_share_the_space_of_words(fitted, topics):
    words = fitted.hash_words(topics["fruit"] + topics["money"])
    contexts = ["ripe sweet banana with juice", "the credit and the debt of money"]
    codes = fitted.hash_in_context(contexts, ["banana", "debt"])
    assert codes.shape == (2, words.shape[1])
    overlap = (codes @ words.T).toarray()
    fruit, money = np.split(overlap, 2, axis=1)
    assert fruit[0].sum() > money[0].sum()
    assert fruit[1].sum() < money[1].sum()


@pytest.mark.parametrize(
    ("contexts", "targets", "window", "message"),
    [
        (["one", "two"], ["one"], None, "2 contexts and 1 targets"),
        (["one"], "one", None, "expected a list of targets, got a single str"),
        (["ripe fruit"], [2], None, "target 2 is outside its context of 2 words"),
        (["ripe fruit"], [-1], None, "target -1 is outside its context"),
        (["ripe fruit"], ["fruit"], 4, "window must be an odd number of words; got 4"),
        (["ripe fruit"], ["fruit"], 0, "window must be an odd number of words; got 0"),
        ("ripe fruit", ["fruit"], None, "got a single str"),
    ],
)
def test_contexts_that_make_no_sense_are_refused(fitted, contexts, targets, window, message):
    with pytest.raises(ValueError, match=message):
        fitted.hash_in_context(contexts, targets, window=window)


def test_a_target_must_be_a_word_or_a_place(fitted):
    with pytest.raises(
        TypeError, match=r"a target must be a word \(str\) or its position \(int\)"
    ):
        fitted.hash_in_context(["ripe fruit"], [1.0])


# Kenyon cells


def test_the_cells_of_a_text_stand_for_its_topic(fitted, topics):
    cells = fitted.kenyon_cells("ripe sweet fruit", n_cells=3, n_words=5)
    assert [len(cell.words) for cell in cells] == [5, 5, 5]
    activations = [cell.activation for cell in cells]
    assert activations == sorted(activations, reverse=True)
    assert len({cell.number for cell in cells}) == 3
    assert {cell.number for cell in cells} <= set(fitted.transform(["ripe sweet fruit"]).indices)
    assert cells[0].words[0][0] in topics["fruit"]
    chances = [chance for _, chance in cells[0].words]
    assert chances == sorted(chances, reverse=True)


def test_the_probabilities_of_all_words_add_up_to_one(fitted):
    (cell,) = fitted.kenyon_cells(["ripe", "fruit"], n_cells=1, n_words=1000)
    assert {word for word, _ in cell.words} == set(fitted.vocabulary_)
    assert sum(chance for _, chance in cell.words) == pytest.approx(1)


def test_a_lower_temperature_lets_the_first_words_stand_out(fitted):
    (warm,) = fitted.kenyon_cells("ripe fruit", n_cells=1, temperature=1.0)
    (cold,) = fitted.kenyon_cells("ripe fruit", n_cells=1, temperature=0.01)
    assert cold.words[0][1] > warm.words[0][1]


def test_cells_are_never_more_than_there_are(fitted):
    assert len(fitted.kenyon_cells("ripe fruit", n_cells=1000)) == 20
    assert fitted.kenyon_cells("nothing known") == []


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"temperature": 0}, "temperature must be positive; got 0"),
        ({"temperature": float("nan")}, "temperature must be positive; got nan"),
        ({"n_cells": 0}, "n_cells=0"),
        ({"n_words": 0}, "n_words=0"),
    ],
)
def test_cells_that_make_no_sense_are_refused(fitted, params, message):
    with pytest.raises(ValueError, match=message):
        fitted.kenyon_cells("ripe fruit", **params)


# The same bits


@pytest.mark.parametrize("learning", ["whiten", "lloyd", "hebbian"])
def test_the_number_of_threads_changes_no_bit(make_fly, documents, learning, fingerprint):
    before = numba.get_num_threads()
    flies = [
        make_fly(learning=learning, n_jobs=n_jobs).fit(documents).partial_fit(documents[:50])
        for n_jobs in (1, 2, 3, 7)
    ]
    first, *others = flies
    for fly in others:
        assert fingerprint(fly) == fingerprint(first)
        assert same(fly.transform(documents), first.transform(documents))
        assert same(fly.word_codes_, first.word_codes_)
    assert numba.get_num_threads() == before


def test_another_random_state_gives_another_model(make_lloyd, documents, fitted_lloyd):
    fly = make_lloyd(random_state=1).fit(documents)
    assert not np.array_equal(fly.synapses_, fitted_lloyd.synapses_)


@pytest.mark.parametrize(("n_jobs", "expected"), [(None, 1), (1, 1), (2, 2)])
def test_threads_are_as_many_as_asked_for(make_fly, documents, monkeypatch, n_jobs, expected):
    used = set()
    run_chunks = skfly.engine._numba.run_chunks

    def spy(kernel, chunks, n_threads):
        used.add(n_threads)
        return run_chunks(kernel, chunks, n_threads)

    monkeypatch.setattr(skfly.engine._numba, "run_chunks", spy)
    monkeypatch.setattr(skfly.engine._numba, "_WORTH_THREADS", 0)
    before = numba.get_num_threads()
    numba.set_num_threads(1)
    try:
        make_fly(n_jobs=n_jobs).fit(documents[:5]).transform(documents[:5])
        assert numba.get_num_threads() == 1
    finally:
        numba.set_num_threads(before)
    assert used == {expected}


@pytest.mark.parametrize("learning", ["whiten", "lloyd", "hebbian"])
def test_backends_give_the_same_codes(make_fly, documents, learning):
    compiled, reference = (
        make_fly(learning=learning, backend=backend).fit(documents)
        for backend in ("numba", "numpy")
    )
    if learning != "whiten":
        np.testing.assert_allclose(compiled.synapses_, reference.synapses_, atol=1e-6)
        assert_array_equal(compiled.consensus_, reference.consensus_)
    assert same(compiled.transform(documents), reference.transform(documents))
    assert same(compiled.word_codes_, reference.word_codes_)


# Words that were never seen


def test_an_unknown_word_may_have_the_code_of_words_spelled_like_it(fitted, topics):
    fly = copy.deepcopy(fitted)
    words = ["bananas", "fruit", "creditor", "zzz"]
    assert np.diff(fly.hash_words(words).indptr).tolist() == [0, 4, 0, 0]
    codes = fly.set_params(unknown_words="spelling").hash_words(words)
    assert np.diff(codes.indptr).tolist() == [4, 4, 4, 0]
    shared = codes[:1].multiply(fly.hash_words(["banana"])).sum()  # and some of other words
    assert 2 <= shared > codes[:1].multiply(fly.hash_words(["bank"])).sum()
    assert same(codes[1:2], fitted.hash_words(["fruit"]))
    assert same(fly.transform(["bananas"]), codes[:1])
    assert not fitted.transform(["bananas"]).nnz


@pytest.mark.parametrize("dtype", [bool, np.int8, np.float64])
def test_unknown_words_have_codes_of_the_same_dtype(make_fly, documents, dtype):
    fly = make_fly(dtype=dtype, unknown_words="spelling").fit(documents)
    codes = fly.hash_words(["bananas", "fruit"])
    assert codes.dtype == dtype
    assert (codes.data == 1).all()


# Connections between the cells


def test_cells_are_connected_where_there_are_words_enough(make_lloyd, documents, fitted_lloyd):
    connected = make_lloyd(n_kenyon_cells=12).fit(documents)
    assert connected.lateral_.shape == (12, 12)
    assert connected.decorrelation_ == 0.05
    assert fitted_lloyd.lateral_ is None  # 26 words, 20 cells
    for params in (
        {"decorrelation": None},
        {"word_codes": "synapses"},
        {"learning": "hebbian"},
    ):
        assert make_lloyd(n_kenyon_cells=12, **params).fit(documents).lateral_ is None


def without_connections(fly):
    """Return the fitted estimator as it would be if its cells did not act on one another."""
    other = copy.copy(fly)
    coder = replace(fly.model_.coder, lateral=None)
    other._model = replace(fly.model_, coder=coder)
    other._current = (fly._current[0], other._model)
    return other


def test_connections_are_seen_in_every_code(make_lloyd, documents):
    fly = make_lloyd(n_kenyon_cells=12, decorrelation=1.0).fit(documents)
    with_them = fly.word_codes_, fly.transform(documents), fly.kenyon_cells("ripe fruit")
    fly = without_connections(fly)
    without = fly.word_codes_, fly.transform(documents), fly.kenyon_cells("ripe fruit")
    assert not same(with_them[0], without[0])
    assert not same(with_them[1], without[1])
    assert with_them[2] != without[2]


def test_connected_backends_and_threads_give_the_same_codes(make_lloyd, documents):
    first, *others = (
        make_lloyd(n_kenyon_cells=12, decorrelation=0.25, **params).fit(documents)
        for params in ({"n_jobs": 1}, {"n_jobs": 3}, {"backend": "numpy"})
    )
    for other in others:
        assert_array_equal(first.lateral_, other.lateral_)
        assert same(first.transform(documents), other.transform(documents))
        assert same(first.word_codes_, other.word_codes_)


def test_cells_are_connected_anew_when_the_text_has_grown_by_a_tenth(make_lloyd, documents):
    fly = make_lloyd(n_kenyon_cells=12).partial_fit(documents)
    first, at = fly.lateral_, fly.lateral_at_
    assert at == fly.n_words_seen_
    fly.partial_fit(documents[:5])
    assert fly.lateral_ is first
    fly.partial_fit(documents)
    assert fly.lateral_ is not first
    assert fly.lateral_at_ == fly.n_words_seen_ > at


# A stream of documents


@pytest.mark.parametrize(("learning", "n_epochs"), [("whiten", 1), ("lloyd", 2)])
def test_partial_fit_keeps_the_width_and_the_vocabulary(
    make_fly, documents, fingerprint, learning, n_epochs
):
    fly = make_fly(learning=learning).partial_fit(documents[:40])
    assert fingerprint(fly) == fingerprint(make_fly(learning=learning).fit(documents[:40]))
    words, seen = dict(fly.vocabulary_), fly.n_windows_seen_
    for start in (40, 80):
        fly.partial_fit(documents[start : start + 40])
        assert fly.vocabulary_ == words
        assert fly.transform(documents).shape == (len(documents), 20)
        assert fly.n_windows_seen_ > seen
        seen = fly.n_windows_seen_
    assert fly.n_words_seen_ == sum(len(text.split()) for text in documents)
    assert fly.n_iter_ == n_epochs + 1 + 1  # then one a call


def test_a_word_first_seen_later_is_unknown(make_fly, documents):
    fly = make_fly().partial_fit(documents[:40])
    fly.partial_fit(["the moth and the fly with some fruit"] * 10)
    assert "moth" not in fly.vocabulary_
    assert fly.hash_words(["moth"]).nnz == 0


def test_a_word_given_up_front_is_known_once_it_was_seen(make_fly, documents, topics):
    fly = make_fly(vocabulary=["moth", *topics["fruit"], *topics["money"]])
    fly.partial_fit(documents[:40])
    assert fly.hash_words(["moth", "fly"]).sum(axis=1).ravel().tolist() == [[0, 4]]
    assert fly.transform(["moth"]).nnz == 0
    fly.partial_fit(["the moth and the fly with some fruit"] * 10)
    assert fly.word_counts_[fly.vocabulary_["moth"]] == 10
    assert fly.hash_words(["moth"]).nnz == 4
    assert fly.transform(["moth"]).nnz == 4


@pytest.mark.parametrize("nothing", [[], [""], ["...", "! ?"]])
def test_an_empty_part_changes_nothing(fitted, fingerprint, nothing):
    fly = copy.deepcopy(fitted).partial_fit(nothing)
    assert fingerprint(fly) == fingerprint(fitted)


@pytest.mark.parametrize("learning", ["whiten", "lloyd", "hebbian"])
def test_a_part_with_no_known_word_changes_no_array(make_fly, documents, learning):
    fly = make_fly(learning=learning).fit(documents)
    before = {name: array.copy() for name, array in fly.model_.coder.arrays.items()}
    fly.partial_fit(["nothing here was ever seen anywhere before this"] * 20)
    assert fly.model_.coder.arrays.keys() == before.keys()
    for name, array in before.items():
        assert_array_equal(fly.model_.coder.arrays[name], array)


def test_words_that_are_all_left_out_at_random_are_counted(fitted_lloyd):
    fly = copy.deepcopy(fitted_lloyd).set_params(subsample=1e-12)
    fly.partial_fit(["ripe fruit and fruit"])
    fruit = fly.vocabulary_["fruit"]
    assert fly.word_counts_[fruit] == fitted_lloyd.word_counts_[fruit] + 2
    assert fly.n_words_seen_ == fitted_lloyd.n_words_seen_ + 4
    assert fly.n_windows_seen_ == fitted_lloyd.n_windows_seen_
    assert_array_equal(fly.synapses_, fitted_lloyd.synapses_)


def test_partial_fit_refuses_another_width(fitted):
    fly = copy.deepcopy(fitted).set_params(n_kenyon_cells=30)
    with pytest.raises(ValueError, match=r"n_kenyon_cells is 30, but .* fitted with 20"):
        fly.partial_fit(["ripe fruit"])


@pytest.mark.parametrize(
    "wrong", [{"shrinkage": float("nan")}, {"subsample": -1}, {"hash_length": 0}, {"n_epochs": 0}]
)
def test_partial_fit_checks_what_was_set_since_the_first(fitted, fingerprint, wrong):
    fly = copy.deepcopy(fitted).set_params(**wrong)
    with pytest.raises(ValueError, match=f"'{next(iter(wrong))}' parameter"):
        fly.partial_fit(["ripe fruit"])
    assert fingerprint(fly) == fingerprint(fitted)


def failing_after(documents, error):
    yield from documents
    raise error


def fail_in_step(monkeypatch, error, after, learning="whiten"):
    """Let the learning fail after call number ``after`` of a kernel that every batch calls."""
    name = "count_pairs" if learning == "whiten" else "add_windows"
    kernel, calls = getattr(NumbaEngine, name), []

    def failing(self, *args):
        result = kernel(self, *args)
        calls.append(1)
        if len(calls) > after:
            raise error
        return result

    monkeypatch.setattr(NumbaEngine, name, failing)


@pytest.mark.parametrize("learning", ["whiten", "lloyd", "hebbian"])
@pytest.mark.parametrize("where", ["reading", "learning", "finishing"])
def test_a_partial_fit_that_fails_changes_nothing(
    make_fly, documents, fingerprint, monkeypatch, learning, where
):
    fly = make_fly(learning=learning, batch_size=100).fit(documents[:60])
    before, codes = fingerprint(fly), fly.transform(documents)
    part = documents[60:]
    if where == "reading":
        part = failing_after(part, OSError("disk gone"))
    elif where == "learning":
        fail_in_step(monkeypatch, OSError("disk gone"), 2, learning)
    else:

        def failing(self, counts, *args):
            if learning != "whiten":
                counts += 1
            raise OSError("disk gone")

        kernel = "multiply_sparse" if learning == "whiten" else "count_top"
        monkeypatch.setattr(NumbaEngine, kernel, failing)
    with pytest.raises(OSError, match="disk gone"):
        fly.partial_fit(part)
    monkeypatch.undo()
    assert fingerprint(fly) == before
    assert same(fly.transform(documents), codes)


# Ctrl-C


@pytest.fixture
def spooling(monkeypatch, tmp_path):
    """Every text is spooled to this directory, block by block."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(skfly.text._encode, "_BLOCK", 50)
    made = []

    def encode(*args, **params):
        corpus = encode_documents(*args, **params, max_memory=0)
        made.extend(tmp_path.glob("skfly-corpus-*"))
        return corpus

    monkeypatch.setattr(skfly.vectorizer, "encode_documents", encode)
    return tmp_path, made


def test_a_spooled_text_gives_the_same_model_and_leaves_no_file(
    make_fly, documents, fitted, fingerprint, spooling
):
    directory, made = spooling
    fly = make_fly().fit(documents)
    assert made  # it was on disk
    assert list(directory.iterdir()) == []
    assert fingerprint(fly) == fingerprint(fitted)
    assert same(make_fly().fit_transform(iter(documents)), fitted.transform(documents))
    assert list(directory.iterdir()) == []


@pytest.mark.parametrize("method", ["fit", "fit_transform", "partial_fit"])
def test_ctrl_c_while_reading(make_fly, documents, fingerprint, spooling, method):
    directory, _ = spooling
    seen = []

    def read():
        yield from documents
        seen.extend(directory.glob("skfly-corpus-*"))
        raise KeyboardInterrupt

    fly = make_fly()
    with pytest.raises(KeyboardInterrupt):
        getattr(fly, method)(read())
    assert seen  # it was spooling
    assert list(directory.iterdir()) == []
    assert fingerprint(fly) == {}
    with pytest.raises(NotFittedError):
        fly.transform(documents)


@pytest.mark.parametrize("learning", ["whiten", "lloyd", "hebbian"])
@pytest.mark.parametrize("method", ["fit", "fit_transform", "partial_fit"])
def test_ctrl_c_while_learning(
    make_fly, documents, fingerprint, spooling, monkeypatch, method, learning
):
    directory, made = spooling
    fail_in_step(monkeypatch, KeyboardInterrupt, 3, learning)
    fly = make_fly(learning=learning, batch_size=100)
    with pytest.raises(KeyboardInterrupt):
        getattr(fly, method)(documents)
    assert made
    assert list(directory.iterdir()) == []
    assert fingerprint(fly) == {}
    with pytest.raises(NotFittedError):
        fly.hash_words(["fly"])


@pytest.mark.parametrize("where", ["reading", "learning"])
def test_ctrl_c_in_a_second_fit_keeps_the_first(
    make_fly, documents, fingerprint, monkeypatch, where
):
    fly = make_fly().fit(documents[:60])
    before, codes = fingerprint(fly), fly.transform(documents)
    text = documents
    if where == "reading":
        text = failing_after(documents, KeyboardInterrupt)
    else:
        fail_in_step(monkeypatch, KeyboardInterrupt, after=1)
    with pytest.raises(KeyboardInterrupt):
        fly.fit(text)
    monkeypatch.undo()
    assert fingerprint(fly) == before
    assert same(fly.transform(documents), codes)


# Properties

words = st.sampled_from(["fly", "Fruit", "BANK", "money", "the", "moth", "ripe", "loan"])
bags = st.lists(words, max_size=12)
texts = st.one_of(st.text(), bags.map(" ".join), st.lists(words | st.text(), max_size=8))


@given(documents=st.lists(texts, max_size=6), hash_length=st.integers(1, 20))
def test_a_row_has_hash_length_ones_or_none(fitted, documents, hash_length):
    fly = copy.copy(fitted).set_params(hash_length=hash_length)
    codes = fly.transform(documents)
    assert codes.shape == (len(documents), 20)
    assert set(np.diff(codes.indptr)) <= {0, hash_length}
    assert set(codes.data) <= {1}
    assert codes.has_canonical_format


@given(data=st.data(), documents=st.lists(texts, min_size=1, max_size=8))
@pytest.mark.parametrize("document_codes", ["binary", "counts"])
def test_the_order_of_documents_is_the_order_of_rows(fitted, document_codes, data, documents):
    fly = copy.copy(fitted).set_params(document_codes=document_codes)
    order = data.draw(st.permutations(range(len(documents))))
    codes = fly.transform(documents)
    assert same(fly.transform([documents[i] for i in order]), codes[list(order)])


@given(data=st.data(), bag=bags)
def test_order_in_a_bag_does_not_matter(fitted, data, bag):
    shuffled = data.draw(st.permutations(bag))
    assert same(fitted.transform([" ".join(bag)]), fitted.transform([" ".join(shuffled)]))


@given(data=st.data(), bag=bags)
def test_lloyd_takes_no_notice_of_repetition_in_a_bag(fitted_lloyd, data, bag):
    repeated = data.draw(st.lists(st.sampled_from(bag), max_size=5)) if bag else []
    before, after = (
        fitted_lloyd.transform([" ".join(words)])
        for words in (bag, data.draw(st.permutations(bag + repeated)))
    )
    assert same(before, after)


@given(data=st.data(), before=bags, after=bags)
def test_order_and_repetition_in_a_context_do_not_matter(fitted, data, before, after):
    around = before + after
    repeated = data.draw(st.lists(st.sampled_from(around), max_size=5)) if around else []
    shuffled = data.draw(st.permutations(around + repeated))
    code = fitted.hash_in_context([[*before, "fund", *after]], [len(before)])
    assert same(code, fitted.hash_in_context([["fund", *shuffled]], ["fund"]))
