"""Every way to give text gives the same model, and what is wrong with it is said."""

import copy
import gzip
import io

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from sklearn.exceptions import NotFittedError

from skfly import EncodedCorpus, TextLines

# The same text, however it comes


class Restartable:
    """As gensim's corpora: a new iterator over sentences of words each time."""

    def __init__(self, sentences):
        self._sentences = sentences
        self.n_passes = 0

    def __iter__(self):
        self.n_passes += 1
        yield from self._sentences


def as_token_lists(documents, sentences, directory):
    return sentences, {}


def as_generator(documents, sentences, directory):
    return (text for text in documents), {}


def as_array(documents, sentences, directory):
    return np.array(documents, dtype=object), {}


def as_series(documents, sentences, directory):
    return pd.Series(documents, index=range(100, 100 + len(documents))), {}


def as_bytes(documents, sentences, directory):
    return [text.encode("utf-16") for text in documents], {"encoding": "utf-16"}


def write_files(documents, directory):
    for number, text in enumerate(documents):
        (directory / f"{number:03}.txt").write_text(text, encoding="utf-8")
    return sorted(directory.iterdir())


def as_file_names(documents, sentences, directory):
    return [str(path) for path in write_files(documents, directory)], {"input": "filename"}


def as_paths(documents, sentences, directory):
    return write_files(documents, directory), {"input": "filename"}


def as_file_objects(documents, sentences, directory):
    return [io.BytesIO(text.encode()) for text in documents], {"input": "file"}


def as_one_file(documents, sentences, directory):
    path = directory / "all.txt"
    path.write_text("\n".join(documents), encoding="utf-8")
    return [path], {"input": "filename"}


def as_lines(documents, sentences, directory):
    path = directory / "lines.txt"
    path.write_text("\n".join(documents), encoding="utf-8")
    return TextLines(path), {}


def as_sentence_lines(documents, sentences, directory):
    path = directory / "lines.txt.gz"
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.writelines(f"{' '.join(line)}\n" for document in sentences for line in document)
    return TextLines(path), {"sentence_splitter": None}


def as_open_file(documents, sentences, directory):
    return io.StringIO("\n".join(documents)), {}


def as_corpus(documents, sentences, directory):
    return EncodedCorpus.from_documents(documents), {}


def as_corpus_directory(documents, sentences, directory):
    EncodedCorpus.from_documents(documents).save(directory / "corpus")
    return EncodedCorpus.load(directory / "corpus"), {}


def as_restartable(documents, sentences, directory):
    return Restartable([line for document in sentences for line in document]), {}


@pytest.mark.parametrize(
    "source",
    [
        as_token_lists,
        as_generator,
        as_array,
        as_series,
        as_bytes,
        as_file_names,
        as_paths,
        as_file_objects,
        as_one_file,
        as_lines,
        as_sentence_lines,
        as_open_file,
        as_corpus,
        as_corpus_directory,
        as_restartable,
    ],
)
def test_the_same_text_gives_the_same_model(
    make_fly, documents, sentences, fitted, fingerprint, tmp_path, source
):
    text, params = source(documents, sentences, tmp_path)
    assert fingerprint(make_fly(**params).fit(text)) == fingerprint(fitted)


@pytest.mark.parametrize(
    "source",
    [as_token_lists, as_generator, as_series, as_bytes, as_paths, as_lines, as_corpus],
)
def test_the_same_documents_give_the_same_codes(
    make_fly, documents, sentences, fitted, tmp_path, source
):
    text, params = source(documents, sentences, tmp_path)
    fly = copy.deepcopy(fitted).set_params(**params)
    assert (fly.transform(text) != fitted.transform(documents)).nnz == 0


def test_a_text_is_gone_through_once(make_fly, sentences):
    text = Restartable(sentences)
    make_fly().fit_transform(text)
    assert text.n_passes == 1


def test_a_generator_is_read_to_its_end(make_fly, documents):
    text = (document for document in documents)
    assert make_fly().fit_transform(text).shape == (len(documents), 20)
    assert next(text, None) is None


def test_a_corpus_stays_open_after_fit(make_fly, documents):
    corpus = EncodedCorpus.from_documents(documents, max_memory=0)
    fly = make_fly().fit(corpus)
    assert fly.transform(corpus).shape == (len(documents), 20)
    corpus.close()


def test_a_corpus_of_other_words_is_told(make_fly, documents):
    corpus = EncodedCorpus.from_documents(documents, lowercase=False)
    with pytest.warns(UserWarning, match="lowercase=False there, True here"):
        make_fly().fit(corpus)


# Parameters of the text


def test_text_parameters_mean_what_they_mean_in_scikit_learn(make_fly):
    fly = make_fly(
        stop_words=["ist"], strip_accents="unicode", token_pattern=r"(?u)\b\w+\b", min_count=2
    )
    fly.fit(["Der Käse ist gut", "Der Kase ist gut", "O ja ist"])
    assert set(fly.vocabulary_) == {"der", "kase", "gut"}
    assert fly.hash_words(["KÄSE"]).nnz == 4


def test_numbers_can_be_folded_into_one_word(make_fly):
    fly = make_fly(fold_numbers=True).fit(["in 1984 it cost 20 coins", "in 2024 it costs 45"])
    assert fly.vocabulary_["<NUM>"] == 0
    assert fly.hash_words(["777"]).nnz == 4


def test_max_features_keeps_the_most_frequent_words(make_fly):
    fly = make_fly(max_features=2).fit(["aa aa aa bb bb cc cc cc cc dd"])
    assert fly.vocabulary_ == {"cc": 0, "aa": 1}
    assert fly.word_counts_.tolist() == [4, 3]
    assert fly.model_.coder.vectors.shape[0] == 2


def test_a_vocabulary_gives_the_ids(make_fly):
    fly = make_fly(vocabulary={"bb": 0, "aa": 1, "zz": 2}).fit(["aa bb aa cc"])
    assert fly.vocabulary_ == {"bb": 0, "aa": 1, "zz": 2}
    assert fly.word_counts_.tolist() == [1, 2, 0]


@pytest.mark.parametrize("make", [set, frozenset, tuple, dict.fromkeys])
def test_a_vocabulary_may_be_any_collection(make_fly, make):
    words = make(["aa", "bb"])
    fly = make_fly(vocabulary=words.keys() if isinstance(words, dict) else words).fit(
        ["aa bb aa cc"]
    )
    assert fly.vocabulary_ == {"aa": 0, "bb": 1}


# Bad input


@pytest.mark.parametrize("method", ["fit", "fit_transform", "partial_fit", "transform"])
@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("one document", ValueError, r"got a single str; put one document in a list: \[text\]"),
        (b"one document", ValueError, "got a single bytes"),
        (np.array([["one", "two"]]), ValueError, r"one-dimensional .* got shape \(1, 2\)"),
        (pd.DataFrame([["one", "two"]]), ValueError, r"pass one text column, e.g. X\['text'\]"),
        (pd.DataFrame({"n": [1]}), TypeError, "got a column of int64; pass the column with the"),
        ({"text": ["one", "two"]}, TypeError, r"got dict; pass its text, e.g. X\['text'\]"),
        (None, TypeError, "expected an iterable of documents .* got NoneType"),
        (7, TypeError, "expected an iterable of documents .* got int"),
        (["ripe fruit", None], TypeError, "a document must be a str.* got NoneType: None"),
        (["ripe fruit", float("nan")], TypeError, "a document must be a str.* got float: nan"),
        ([["ripe", 7]], TypeError, r"list of words \(str\); it contains a int: 7"),
        ([b"ripe \xff fruit"], UnicodeDecodeError, "can't decode byte 0xff in position 5"),
    ],
)
def test_what_is_no_list_of_documents_is_refused(
    fitted, fingerprint, method, text, error, message
):
    fly = copy.deepcopy(fitted)
    with pytest.raises(error, match=message):
        getattr(fly, method)(text)
    assert fingerprint(fly) == fingerprint(fitted)


def test_the_document_that_cannot_be_read_is_named(make_fly):
    with pytest.raises(
        UnicodeDecodeError, match=r"document number 1 .*\n.*decode_error='replace'"
    ):
        make_fly().fit([b"ripe fruit", b"ripe \xff fruit"])
    with pytest.raises(TypeError, match=r"missing='empty' reads it.*\nin document number 2"):
        make_fly().fit(["ripe fruit", "ripe banana", None])


@pytest.mark.parametrize(
    "missing", [None, float("nan"), np.float64("nan"), pd.NA, pd.NaT, np.ma.masked]
)
@pytest.mark.parametrize("params", [{}, {"token_pattern": "[a-z]+"}])
def test_missing_documents_can_be_read_as_empty(make_fly, missing, params):
    texts = ["ripe fruit", missing, "ripe banana"]
    fly = make_fly(missing="empty", **params).fit(texts)
    codes = fly.transform(pd.Series(texts, dtype=object))
    assert np.diff(codes.indptr).tolist() == [4, 0, 4]
    with pytest.raises(TypeError, match="missing='empty' reads it"):
        copy.copy(fly).set_params(missing="error").transform(texts)


def test_a_column_of_missing_texts_may_be_one_of_floats(make_fly, documents):
    column = pd.DataFrame({"text": [float("nan")] * 2})
    fly = make_fly(missing="empty").fit(documents)
    assert fly.transform(column).nnz == 0
    with pytest.raises(TypeError, match="missing='empty' reads it"):
        fly.set_params(missing="error").transform(column)
    with pytest.raises(TypeError, match="got a column of float64"):
        fly.transform(column.fillna(1.5))


def test_bytes_that_do_not_decode_can_be_replaced(make_fly):
    fly = make_fly(decode_error="replace").fit([b"ripe \xff fruit"])
    assert set(fly.vocabulary_) == {"ripe", "fruit"}


def test_a_file_that_is_not_there_is_named(make_fly, tmp_path):
    with pytest.raises(FileNotFoundError, match=r"missing\.txt"):
        make_fly(input="filename").fit([tmp_path / "missing.txt"])


@pytest.mark.parametrize("method", ["fit", "fit_transform", "partial_fit"])
@pytest.mark.parametrize(
    ("params", "text", "message"),
    [
        ({}, [], "empty vocabulary; perhaps there are no documents"),
        ({}, ["", " "], "empty vocabulary"),
        ({"stop_words": "english"}, ["and the", "of it"], "only contain stop words"),
        ({"min_count": 3}, ["aa bb aa bb cc"], "occur fewer than min_count=3 times"),
        ({"vocabulary": ["zz"]}, ["aa bb"], "no sentence of the corpus has a word of the voc"),
        ({"learning": "lloyd", "subsample": 1e-12}, ["aa bb"], "subsample=1e-12 has left out"),
        ({"subsample": 1e-12}, ["aa bb"], "subsample=1e-12 has left out every word"),
        (
            {"learning": "lloyd", "truncate_windows": False},
            ["too short. also too short"],
            r"no sentence is as long as the window of 5 words \(the longest has 3\)",
        ),
        ({"learning": "hebbian"}, ["too short"], "truncate_windows=True to cut windows"),
    ],
)
def test_a_text_with_nothing_to_learn_is_refused(make_fly, method, params, text, message):
    fly = make_fly(**params)
    with pytest.raises(ValueError, match=message):
        getattr(fly, method)(text)
    with pytest.raises(NotFittedError):
        fly.transform(["aa"])


@pytest.mark.parametrize("method", ["fit", "fit_transform", "partial_fit"])
@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"hash_length": 21}, "hash_length=21 is more than n_kenyon_cells=20"),
        ({"window": 4}, "window must be odd.* got 4: take 3 or 5"),
        ({"window": -3}, "'window' parameter .* Got -3"),
        ({"n_kenyon_cells": 0}, "'n_kenyon_cells' parameter .* Got 0"),
        ({"n_kenyon_cells": 70_000}, "'n_kenyon_cells' parameter .* Got 70000"),
        ({"hash_length": -1}, "'hash_length' parameter .* Got -1"),
        ({"learning_rate": float("nan")}, "'learning_rate' parameter .* Got nan"),
        ({"subsample": float("nan")}, "'subsample' parameter .* Got nan"),
        ({"shrinkage": float("nan")}, "'shrinkage' parameter .* Got nan"),
        ({"shrinkage": float("inf")}, "'shrinkage' parameter .* Got inf"),
        ({"subsample": -0.1}, "'subsample' parameter .* Got -0.1"),
        ({"n_epochs": 0}, "'n_epochs' parameter .* Got 0"),
        ({"min_count": -1}, "'min_count' parameter .* Got -1"),
        ({"n_jobs": 0}, "n_jobs == 0"),
        ({"vocabulary": ["aa", "bb", "aa"]}, "'aa' is in the vocabulary more than once"),
        ({"vocabulary": {"aa": 0, "bb": 0}}, "ids in vocabulary must be 0 to n-1"),
        ({"vocabulary": {"aa": 0, "bb": 2}}, "ids in vocabulary must be 0 to n-1"),
        ({"vocabulary": {"aa": 1, "bb": 2}}, "ids in vocabulary must be 0 to n-1"),
        ({"vocabulary": []}, "vocabulary is empty"),
        ({"vocabulary": "aa"}, "vocabulary is a str"),
    ],
)
def test_parameters_that_make_no_sense_are_refused(make_fly, method, params, message):
    fly = make_fly(**params)
    with pytest.raises(ValueError, match=message):
        getattr(fly, method)(["aa bb cc dd ee"])
    with pytest.raises(NotFittedError):
        fly.transform(["aa"])


def test_a_vocabulary_holds_words(make_fly):
    with pytest.raises(TypeError, match=r"vocabulary must contain words \(str\); got int: 7"):
        make_fly(vocabulary=["aa", 7]).fit(["aa bb"])


@pytest.mark.parametrize("params", [{"window": 4}, {"hash_length": 21}])
def test_parameters_are_refused_before_a_generator_is_used_up(make_fly, params):
    documents = iter(["aa bb cc dd ee"])
    with pytest.raises(ValueError, match=r"window must be odd|hash_length=21"):
        make_fly(**params).fit(documents)
    assert list(documents) == ["aa bb cc dd ee"]


@pytest.mark.slow
def test_ten_megabytes_in_one_line(make_fly, topics):
    line = " ".join(np.random.default_rng(0).choice(topics["fruit"] + topics["money"], 1_800_000))
    assert len(line) > 10_000_000
    fly = make_fly(n_epochs=1, n_jobs=None)
    codes = fly.fit_transform([line, "ripe fruit"])
    assert fly.n_words_seen_ == 1_800_002
    assert np.diff(codes.indptr).tolist() == [4, 4]
    assert_array_equal(codes.toarray(), fly.transform([line, "ripe fruit"]).toarray())
