import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.feature_extraction.text import CountVectorizer

from skfly.text import (
    EncodedCorpus,
    TextAnalyzer,
    Vocabulary,
    _bags,
    context_words,
    count_words,
    encode_documents,
    sample_pieces,
    word_ids,
)

KNOWN = {"fly": 0, "cell": 1, "Moth": 2}


def counted(documents, known, **params):
    parts = list(count_words(documents, known, len(known), TextAnalyzer(**params)))
    return sparse.vstack(parts, format="csr")


class TestWordIds:
    def test_unknown_words_are_minus_one(self):
        ids = word_ids(["cell", "bee", "fly"], KNOWN, TextAnalyzer())

        assert ids.tolist() == [1, -1, 0]
        assert ids.dtype == np.int32

    def test_a_word_is_looked_up_as_written_then_as_preprocessing_leaves_it(self):
        ids = word_ids(["Fly", "CELL", "Moth", "MOTH"], KNOWN, TextAnalyzer())

        assert ids.tolist() == [0, 1, 2, -1]

    def test_nothing_is_looked_up_otherwise_without_preprocessing(self):
        assert word_ids(["Fly"], KNOWN, TextAnalyzer(lowercase=False)).tolist() == [-1]

    def test_no_words_give_no_ids(self):
        ids = word_ids([], KNOWN, TextAnalyzer())

        assert ids.shape == (0,)
        assert ids.dtype == np.int32

    @pytest.mark.parametrize(
        ("wrong", "kind"), [(3, "int"), (None, "NoneType"), (b"fly", "bytes")]
    )
    def test_anything_but_a_word_is_refused_by_type(self, wrong, kind):
        with pytest.raises(TypeError, match=f"a word must be a str; got {kind}"):
            word_ids(["fly", wrong], KNOWN, TextAnalyzer())

    def test_unknown_words_are_fine_with_a_preprocessor_of_other_objects_than_text(self):
        analyzer = TextAnalyzer(preprocessor=lambda row: row["text"])

        assert word_ids(["fly", "bee"], KNOWN, analyzer).tolist() == [0, -1]


class TestCountWords:
    @pytest.mark.parametrize("as_generator", [False, True])
    def test_a_long_document_is_counted_in_pieces(self, as_generator, monkeypatch):
        monkeypatch.setattr(_bags, "_LONGEST", 10)
        documents = [
            "fly cell fly cell fly moth",
            "cell",
            "",
            b"cell fly cell fly cell",
            "fly" * 9,
        ]
        whole = [[3, 2, 0], [0, 1, 0], [0, 0, 0], [2, 3, 0], [0, 0, 0]]

        given = iter(documents) if as_generator else documents

        assert counted(given, KNOWN).toarray().tolist() == whole

    @given(
        st.lists(st.lists(st.sampled_from(["fly", "cell", "bee"]), max_size=9), max_size=9),
        st.integers(1, 4),
        st.integers(1, 4),
        st.integers(1, 12),
    )
    def test_the_parts_do_not_change_the_counts(self, words, n_words, n_documents, longest):
        documents = [" ".join(document) for document in words]
        expected = [[document.count(word) for word in KNOWN] for document in words]

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(_bags, "_WORDS", n_words)
            patch.setattr(_bags, "_DOCUMENTS", n_documents)
            patch.setattr(_bags, "_LONGEST", longest)
            found = counted(documents, KNOWN).toarray().tolist()
            corpus = encode_documents(documents)
            parts = list(count_words(corpus, KNOWN, len(KNOWN), TextAnalyzer()))

        assert found == expected
        assert sparse.vstack(parts).toarray().tolist() == expected

    def test_a_literal_example(self):
        documents = ["A fly is a fly. No cell!", "bees", "", ["Moth", "cell"]]

        counts = counted(documents, KNOWN)

        assert counts.toarray().tolist() == [[2, 1, 0], [0, 0, 0], [0, 0, 0], [0, 1, 1]]
        assert counts.has_canonical_format

    def test_counts_are_those_of_count_vectorizer(self):
        documents = ["One fly is one cell", "Cells of a fly", "nothing"]
        known = {"fly": 0, "cell": 1, "one": 2}

        expected = CountVectorizer(vocabulary=known).fit_transform(documents)

        assert (counted(documents, known) != expected).nnz == 0

    @given(
        st.lists(st.lists(st.sampled_from("abcdef"), max_size=6), max_size=5),
        st.lists(st.sampled_from("abcdefgh"), unique=True, min_size=1),
    )
    def test_an_encoded_corpus_counts_as_its_documents_do(self, documents, words):
        known = Vocabulary(words).index

        from_text = counted(documents, known)
        from_corpus = counted(encode_documents(documents), known)

        np.testing.assert_array_equal(from_corpus.toarray(), from_text.toarray())

    def test_gaps_of_an_encoded_corpus_are_not_counted(self):
        corpus = encode_documents([["fly", "bee", "cell", "fly"]], min_count=2)

        assert counted(corpus, KNOWN).toarray().tolist() == [[2, 0, 0]]

    def test_no_documents_give_no_rows(self):
        assert counted([], KNOWN).shape == (0, 3)

    def test_many_words_come_in_several_parts_and_none_is_lost(self):
        documents = [["fly", "cell", "fly"] * 200_000] * 5
        parts = list(count_words(iter(documents), KNOWN, 3, TextAnalyzer()))

        assert len(parts) > 1
        total = sparse.vstack(parts).toarray()
        assert total.tolist() == [[400_000, 200_000, 0]] * 5

    def test_a_single_document_is_refused(self):
        with pytest.raises(ValueError, match="got a single str"):
            counted("one fly", KNOWN)


class TestContextWords:
    text = "He sat by the BANK of the river bank"

    @pytest.mark.parametrize(
        ("window", "around"),
        [
            (1, []),
            (3, ["the", "of"]),
            (5, ["by", "the", "of", "the"]),
            (99, ["he", "sat", "by", "the", "of", "the", "river", "bank"]),
            (None, ["he", "sat", "by", "the", "of", "the", "river", "bank"]),
        ],
    )
    @pytest.mark.parametrize("target", ["bank", "Bank", 4, np.int64(4)])
    def test_the_words_around_a_target_given_by_word_or_place(self, target, window, around):
        assert context_words(self.text, target, window, TextAnalyzer()) == ("bank", around)

    def test_a_place_tells_occurrences_apart(self):
        found = context_words(self.text, 8, 5, TextAnalyzer())

        assert found == ("bank", ["the", "river"])

    def test_windows_are_cut_at_the_beginning(self):
        assert context_words(self.text, 0, 5, TextAnalyzer()) == ("he", ["sat", "by"])

    def test_a_tokenized_context_is_taken_as_it_is(self):
        found = context_words(["The", "Bank", "lends"], "Bank", None, TextAnalyzer())

        assert found == ("Bank", ["The", "lends"])

    def test_a_context_without_the_target_is_taken_whole(self):
        found = context_words("He sat by the water", "bank", 3, TextAnalyzer())

        assert found == ("bank", ["he", "sat", "by", "the", "water"])

    @pytest.mark.parametrize("place", [-1, 9])
    def test_a_place_outside_the_context_is_refused(self, place):
        with pytest.raises(ValueError, match=f"target {place} is outside its context of 9 words"):
            context_words(self.text, place, None, TextAnalyzer())

    @pytest.mark.parametrize(("target", "kind"), [(1.0, "float"), (None, "NoneType")])
    def test_a_target_of_another_type_is_refused(self, target, kind):
        with pytest.raises(TypeError, match=rf"word \(str\) or its position \(int\); got {kind}"):
            context_words(self.text, target, None, TextAnalyzer())


def corpus_of(lengths):
    """Return a corpus of documents of these lengths, whose words are all different."""
    words = iter(range(10**6))
    documents = [[f"w{next(words):06}" for _ in range(length)] for length in lengths]
    corpus = EncodedCorpus.from_documents(documents)
    return corpus, documents


def pieces_of(corpus, **params):
    n_words = len(corpus.vocabulary)
    ids = np.arange(n_words, dtype=np.int32)
    return sample_pieces(corpus, ids, n_words, **({"most_words": 10**9, "seed": 0} | params))


@given(st.lists(st.integers(0, 20), min_size=1, max_size=8), st.integers(1, 9))
@settings(deadline=None, max_examples=40)
def test_every_word_is_in_one_piece_of_its_document(lengths, longest):
    if not any(lengths):
        return
    corpus, documents = corpus_of(lengths)
    pieces = pieces_of(corpus, longest=longest)
    words = np.array(corpus.vocabulary.words)
    found = [set(words[row.indices]) for row in pieces]
    assert sorted(w for piece in found for w in piece) == sorted(w for d in documents for w in d)
    assert all(any(piece <= set(d) for d in documents) for piece in found)
    sizes = [len(piece) for piece in found]
    assert max(sizes) <= longest
    for document in documents:
        own = [len(piece) for piece in found if piece <= set(document)]
        assert not own or max(own) - min(own) <= 1


def test_of_a_long_corpus_some_pieces_are_drawn():
    corpus, _ = corpus_of([10] * 50)
    drawn = pieces_of(corpus, longest=5, most_words=100)
    assert drawn.shape[0] == 20
    assert drawn.sum() == 100
    again = pieces_of(corpus, longest=5, most_words=100)
    assert (drawn != again).nnz == 0
    assert (drawn != pieces_of(corpus, longest=5, most_words=100, seed=1)).nnz > 0


@pytest.mark.parametrize("longest", [1, 100])
def test_words_that_are_not_counted_leave_no_rows(longest):
    corpus = EncodedCorpus.from_documents(["one two", "three", "", "two two"])
    columns = np.array([{"two": 0}.get(w, -1) for w in corpus.vocabulary.words], dtype=np.int32)
    pieces = sample_pieces(corpus, columns, 1, longest=longest, most_words=100, seed=0)
    assert pieces.sum() == 3
    assert np.diff(pieces.indptr).min() == 1
