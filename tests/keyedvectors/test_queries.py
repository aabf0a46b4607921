import numpy as np
import pytest
from scipy import sparse

from skfly import FlyKeyedVectors
from skfly.codes import similarity

MEASURES = ("cosine", "overlap", "sokal-michener", "jaccard")
REAL = np.random.default_rng(5).normal(size=100)


def of(row):
    """A query that stands for the code of a row, put in when codes are known."""
    return lambda codes: codes[row].astype(np.float32)


QUERIES = {
    "a key": (["w1"], None),
    "a key alone": ("w1", None),
    "a number": (3, None),
    "keys": (["w1", "w2", 7], None),
    "keys and others": (["w1", "w2"], ["w3", "w4"]),
    "a key and another": ("w1", "w3"),
    "only another": (None, ["w1"]),
    "weights": ([("w1", 0.2), ("w2", 3.0), "w4"], [("w5", -0.7)]),
    "a weight below 0": ([("w1", -1.0)], None),
    "a vector": (REAL, None),
    "a vector in a list": ([REAL], None),
    "vectors": (np.stack([REAL, REAL[::-1]]), None),
    "a vector and a key": ([REAL, "w1", (REAL[::-1], 0.5)], ["w9"]),
    "many keys": ([f"w{i}" for i in range(20)], ["w30"]),
    "all weights 0": ([("w1", 0.0)], None),
}


@pytest.fixture(params=[False, True], ids=["store", "index"])
def any_wv(request, wv):
    if request.param:
        wv.build_index()
    return wv


class TestMostSimilar:
    @pytest.mark.parametrize("query", QUERIES)
    @pytest.mark.parametrize("topn", [1, 10, 1000])
    def test_as_in_gensim(self, any_wv, kv, same_ranking, query, topn):
        positive, negative = QUERIES[query]

        ours = any_wv.most_similar(positive, negative, topn=topn)

        same_ranking(ours, kv.most_similar(positive, negative, topn=topn))
        assert any_wv._float_vectors is None

    @pytest.mark.parametrize("query", QUERIES)
    def test_all_similarities(self, wv, kv, query):
        ours, theirs = (some.most_similar(*QUERIES[query], topn=None) for some in (wv, kv))

        np.testing.assert_allclose(ours, theirs, atol=1e-6)
        assert ours.dtype == np.float32

    @pytest.mark.parametrize(
        "limits",
        [
            {"restrict_vocab": 5},
            {"restrict_vocab": 500},
            {"clip_start": 10, "clip_end": 20},
            {"clip_start": 50},
            {"clip_end": 3},
            {"clip_start": -5},
            {"clip_end": -50},
            {"clip_start": 20, "clip_end": 10},
            {"clip_start": 10, "restrict_vocab": 4},
        ],
        ids=str,
    )
    @pytest.mark.parametrize("query", ["a key", "keys and others", "a vector"])
    def test_parts_of_the_vocabulary(self, any_wv, kv, same_ranking, query, limits):
        positive, negative = QUERIES[query]
        theirs = kv.most_similar(positive, negative, topn=None, **limits)

        same_ranking(
            any_wv.most_similar(positive, negative, **limits),
            kv.most_similar(positive, negative, **limits) if len(theirs) else [],
        )
        np.testing.assert_allclose(
            any_wv.most_similar(positive, negative, topn=None, **limits), theirs, atol=1e-6
        )

    @pytest.mark.parametrize("topn", [0, -1, False, np.uint8(0)])
    def test_none_of_them(self, wv, topn):
        assert wv.most_similar("w1", topn=topn) == []
        assert wv.most_similar_cosmul("w1", topn=topn) == []

    def test_more_than_there_are(self, wv):
        assert len(wv.most_similar("w1", topn=10**9)) == 59

    @pytest.mark.parametrize("nothing", [None, [], ()])
    def test_of_nothing(self, wv, nothing):
        with pytest.raises(ValueError, match="cannot compute mean with no input"):
            wv.most_similar(nothing)
        with pytest.raises(ValueError, match="cannot compute similarity with no input"):
            wv.most_similar_cosmul(nothing)

    def test_an_unknown_key_among_others(self, wv):
        with pytest.raises(KeyError, match="Key 'none' not present in vocabulary"):
            wv.most_similar(["w1", "none"])

    @pytest.mark.parametrize(
        ("query", "error", "match"),
        [
            (np.ones(99), ValueError, "100 cells wide"),
            (np.full(100, np.nan), ValueError, "finite"),
            (np.array(["x"] * 100), TypeError, "must be numbers"),
            (sparse.csr_array(np.ones((1, 7))), ValueError, "100 cells wide"),
        ],
    )
    def test_vectors_that_are_no_query(self, wv, query, error, match):
        with pytest.raises(error, match=match):
            wv.similar_by_vector(query)

    def test_equals_come_in_the_order_of_the_keys(self):
        wv = FlyKeyedVectors.from_codes(list("abcd"), [[1, 0], [1, 0], [1, 0], [0, 1]])

        assert wv.most_similar("c") == [("a", 1.0), ("b", 1.0), ("d", 0.0)]
        assert wv.most_similar(["c", "d"], topn=1) == [("a", pytest.approx(0.5**0.5))]

    def test_by_key_by_word_and_by_vector(self, wv, kv, codes, same_ranking):
        same_ranking(wv.similar_by_word("w1", 5), kv.similar_by_word("w1", 5))
        same_ranking(wv.similar_by_key("w1", 5, 20), kv.similar_by_key("w1", 5, 20))
        vector = codes[1].astype(np.float32)
        same_ranking(wv.similar_by_vector(vector, 5), kv.similar_by_vector(vector, 5))

    @pytest.mark.parametrize(
        "form",
        [
            sparse.csr_array,
            sparse.csr_matrix,
            sparse.coo_array,
            lambda row: row[0],
            lambda row: next(iter(sparse.csr_array(row))),
        ],
        ids=range(5),
    )
    @pytest.mark.parametrize("dtype", [np.float32, np.uint8, bool])
    def test_a_code_in_any_form(self, wv, codes, form, dtype):
        code = form(codes[4:5].astype(dtype))

        assert wv.similar_by_vector(code, 1) == [("w4", pytest.approx(1.0))]
        assert wv.most_similar([code], topn=1)[0][0] == "w4"
        assert wv.neighbors(code, 1) == [[("w4", pytest.approx(1.0))]]
        assert wv.most_similar(positive=[(code, 1.0)], topn=1)[0][0] == "w4"

    def test_an_indexer_is_asked_instead(self, wv, kv):
        class Indexer:
            def most_similar(self, vector, topn):
                return vector, topn

        ours, theirs = (
            some.most_similar(["w1", "w2"], topn=3, indexer=Indexer()) for some in (wv, kv)
        )

        np.testing.assert_allclose(ours[0], theirs[0], atol=1e-6)
        assert ours[1] == 3


class TestCosmul:
    @pytest.mark.parametrize(
        "query", [("w1", None), ("w1", "w2"), (["w1", "w2"], ["w3"]), ([REAL, "w1"], None)]
    )
    @pytest.mark.parametrize("topn", [5, None])
    def test_as_in_gensim(self, wv, kv, same_ranking, query, topn):
        with pytest.warns(
            DeprecationWarning, match="fill_norms"
        ):  # gensim calls what it has deprecated
            theirs = kv.most_similar_cosmul(*query, topn=topn)
        ours = wv.most_similar_cosmul(*query, topn=topn)

        if topn:
            same_ranking(ours, theirs, atol=1e-4)
        else:
            np.testing.assert_allclose(ours, theirs, rtol=1e-4)

    def test_restrict_vocab_holds(self, wv):
        found = wv.most_similar_cosmul("w1", topn=100, restrict_vocab=5)

        assert {key for key, _ in found} == {"w0", "w2", "w3", "w4"}

    def test_an_unknown_key(self, wv):
        with pytest.raises(KeyError, match="Key 'none' not present"):
            wv.most_similar_cosmul("none")


class TestPairs:
    def test_similarity_and_distance(self, wv, kv, words):
        for other in words[:20]:
            assert wv.similarity("w1", other) == pytest.approx(
                kv.similarity("w1", other), abs=1e-6
            )
            assert wv.distance("w1", other) == pytest.approx(kv.distance("w1", other), abs=1e-6)
        assert wv.similarity("w3", "w3") == 1

    def test_distances(self, wv, kv, codes):
        for query in ("w1", 3, REAL, codes[2].astype(np.float32)):
            for others in ((), ["w5", "w3", "w5"]):
                ours, theirs = (some.distances(query, others) for some in (wv, kv))
                np.testing.assert_allclose(ours, theirs, atol=1e-6)
                assert ours.dtype == np.float32

    def test_distances_of_a_sparse_row(self, wv, codes):
        np.testing.assert_allclose(
            wv.distances(sparse.csr_array(codes[1:2])), wv.distances("w1"), atol=1e-6
        )

    def test_distances_to_an_unknown_key(self, wv):
        with pytest.raises(KeyError, match="Key 'none' not present"):
            wv.distances("w1", ["none"])

    def test_closer_and_rank(self, wv, words, codes):
        cosines = similarity(np.repeat(codes[1:2], 60, axis=0), codes, "cosine").round(9)
        for i, other in enumerate(words):
            closer = [w for j, w in enumerate(words) if cosines[j] > cosines[i] and j != 1]
            assert wv.closer_than("w1", other) == closer
            assert wv.rank("w1", other) == len(closer) + 1

    def test_closer_is_that_of_gensim_where_floats_can_tell(self, wv, kv):
        distances = kv.distances("w1")
        for other in ("w2", "w30"):
            apart = np.abs(distances - distances[kv.get_index(other)]) > 1e-6
            surely = {key for key in kv.closer_than("w1", other) if apart[kv.get_index(key)]}
            assert set(wv.closer_than("w1", other)) == surely

    def test_the_old_name_of_closer_than(self, wv):
        with pytest.warns(DeprecationWarning, match="closer_than"):
            assert wv.words_closer_than("w1", "w2") == wv.closer_than("w1", "w2")

    def test_most_similar_to_given(self, wv, kv):
        for given in (["w5", "w9", "w12"], ["w40", "w41"]):
            chosen = wv.most_similar_to_given("w1", given)
            best = max(kv.similarity("w1", key) for key in given)
            assert kv.similarity("w1", chosen) == pytest.approx(best, abs=1e-6)

    def test_relative_cosine_similarity(self, wv, kv):
        ours, theirs = (some.relative_cosine_similarity("w1", "w2", 5) for some in (wv, kv))

        assert ours == pytest.approx(theirs, rel=1e-5)

    def test_cosine_similarities(self, wv, kv):
        args = REAL, np.stack([REAL[::-1], REAL])

        np.testing.assert_array_equal(wv.cosine_similarities(*args), kv.cosine_similarities(*args))


class TestSets:
    def test_n_similarity(self, wv, kv):
        for sets in ((["w1", "w2"], ["w3"]), (["w1"], ["w1"]), (["w1", "none"], ["w4", "w5"])):
            assert wv.n_similarity(*sets) == pytest.approx(kv.n_similarity(*sets), abs=1e-6)

    @pytest.mark.parametrize("measure", MEASURES)
    def test_n_similarity_of_nothing(self, wv, measure):
        wv.similarity_measure = measure
        with pytest.raises(ZeroDivisionError, match="empty"):
            wv.n_similarity([], ["w1"])

    def test_centrality_and_what_does_not_match(self, wv, kv):
        some = ["w1", "w2", "w3", "w4", "none"]
        for norm in (True, False):
            ours, theirs = (v.rank_by_centrality(some, use_norm=norm) for v in (wv, kv))
            np.testing.assert_allclose([s for s, _ in ours], [s for s, _ in theirs], atol=1e-6)
        worst = kv.rank_by_centrality(some)[-1][0]
        assert dict(map(reversed, kv.rank_by_centrality(some)))[wv.doesnt_match(some)] == (
            pytest.approx(worst, abs=1e-6)
        )

    @pytest.mark.parametrize("unknown", [[], ["none"]])
    def test_nothing_to_match(self, wv, unknown):
        with pytest.raises(ValueError, match="cannot select a word from an empty list"):
            wv.doesnt_match(unknown)

    @pytest.mark.parametrize("norm", [True, False])
    def test_word_movers_distance(self, wv, kv, norm):
        for documents in ((["w1", "w2"], ["w3", "w1"]), (["w1"], ["w1"]), (["w1"], ["none"])):
            ours, theirs = (some.wmdistance(*documents, norm=norm) for some in (wv, kv))
            assert ours == pytest.approx(theirs, rel=1e-5)


class TestMeasures:
    @pytest.mark.parametrize("measure", MEASURES)
    def test_every_query_by_codes_uses_it(self, any_wv, codes, words, measure):
        any_wv.similarity_measure = measure
        expected = similarity(np.repeat(codes[1:2], 60, axis=0), codes, measure)

        assert any_wv.similarity("w1", "w7") == pytest.approx(expected[7])
        assert any_wv.distance("w1", "w7") == pytest.approx(1 - expected[7])
        np.testing.assert_allclose(any_wv.distances("w1"), 1 - expected, rtol=1e-5, atol=1e-7)
        np.testing.assert_allclose(
            any_wv.distances("w1", ["w4", "w9"]), 1 - expected[[4, 9]], rtol=1e-5
        )
        np.testing.assert_allclose(any_wv.most_similar("w1", topn=None), expected, rtol=1e-5)
        order = [i for i in np.argsort(-expected.round(12), kind="stable") if i != 1]
        assert any_wv.most_similar("w1", topn=7) == [
            (words[i], pytest.approx(expected[i])) for i in order[:7]
        ]
        assert any_wv.neighbors(["w1"], 7) == [any_wv.most_similar("w1", topn=7)]
        closer = [w for i, w in enumerate(words) if i != 1 and expected[i] - expected[7] > 1e-9]
        assert any_wv.closer_than("w1", "w7") == closer

    @pytest.mark.parametrize("measure", MEASURES[1:])
    def test_several_keys_ask_for_the_mean_of_similarities(self, wv, codes, measure):
        wv.similarity_measure = measure
        one, other = (
            similarity(np.repeat(codes[i : i + 1], 60, axis=0), codes, measure) for i in (1, 2)
        )

        found = wv.most_similar([("w1", 2.0)], ["w2"], topn=None)

        np.testing.assert_allclose(found, (2 * one - other) / 3, rtol=1e-4, atol=1e-6)

    @pytest.mark.parametrize("measure", MEASURES[1:])
    def test_sets_are_compared_by_the_mean_over_pairs(self, wv, codes, measure):
        wv.similarity_measure = measure
        pairs = similarity(codes[[1, 1, 2, 2]], codes[[3, 4, 3, 4]], measure)

        assert wv.n_similarity(["w1", "w2"], ["w3", "none", "w4"]) == pytest.approx(pairs.mean())
        assert wv.n_similarity(["none"], ["w3"]) == 0

    def test_overlap_with_a_vector_is_the_product(self, wv, codes):
        wv.similarity_measure = "overlap"

        np.testing.assert_allclose(
            wv.most_similar([REAL], topn=None), codes @ REAL, rtol=1e-4, atol=1e-5
        )

    @pytest.mark.parametrize("measure", ["sokal-michener", "jaccard"])
    def test_a_vector_that_is_no_code_is_refused(self, wv, measure):
        wv.similarity_measure = measure
        with pytest.raises(ValueError, match=f"'{measure}' compares codes.*'cosine'"):
            wv.similar_by_vector(REAL)

    def test_what_is_defined_by_the_cosine_stays_so(self, wv, kv):
        expected = kv.relative_cosine_similarity("w1", "w2"), wv.most_similar_cosmul("w1", "w2")
        wv.similarity_measure = "sokal-michener"

        assert wv.relative_cosine_similarity("w1", "w2") == pytest.approx(expected[0], rel=1e-5)
        assert wv.most_similar_cosmul("w1", "w2") == expected[1]
        assert wv.similarity_measure == "sokal-michener"

    def test_one_that_there_is_not(self, wv):
        with pytest.raises(ValueError, match=r"measure must be one of .*got 'dice'"):
            wv.similarity_measure = "dice"
        assert wv.similarity_measure == "cosine"


class TestNeighbors:
    @pytest.mark.parametrize("n_jobs", [None, 1, 3])
    def test_are_those_of_most_similar(self, any_wv, words, n_jobs):
        found = any_wv.neighbors(words, 4, n_jobs=n_jobs)

        assert found == [any_wv.most_similar(word, topn=4) for word in words]

    @pytest.mark.parametrize("form", [np.asarray, sparse.csr_array, sparse.csr_matrix])
    def test_of_codes_include_the_same_code(self, any_wv, codes, form):
        found = any_wv.neighbors(form(codes[:5]), 1)

        assert found == [[(f"w{i}", pytest.approx(1.0))] for i in range(5)]

    def test_of_one(self, wv, codes):
        assert wv.neighbors("w1", 3) == [wv.most_similar("w1", topn=3)]
        assert wv.neighbors(codes[1], 2) == [wv.similar_by_vector(codes[1], 2)]

    def test_of_a_list_of_codes(self, wv, codes):
        assert wv.neighbors(codes[:2].tolist(), 2) == wv.neighbors(codes[:2], 2)

    def test_none_and_all(self, wv):
        assert wv.neighbors([]) == []
        assert wv.neighbors(["w1"], 0) == [[]]
        assert len(wv.neighbors(["w1"], 10**9)[0]) == 59
        assert FlyKeyedVectors(100).neighbors(np.ones((1, 100)), 5) == [[]]

    @pytest.mark.parametrize("n", [-1, None, 2.5])
    def test_a_number_that_is_none(self, wv, n):
        with pytest.raises(ValueError, match="n must be 0 or more"):
            wv.neighbors(["w1"], n)

    def test_bad_queries(self, wv):
        with pytest.raises(KeyError, match="Key 'none' not present"):
            wv.neighbors(["w1", "none"])
        with pytest.raises(ValueError, match="100 cells wide; got 7"):
            wv.neighbors(np.ones((2, 7)))
        with pytest.raises(ValueError, match="ones and zeros"):
            wv.neighbors(REAL[None])


class TestEmptyCodes:
    @pytest.fixture
    def some_empty(self):
        return FlyKeyedVectors.from_codes(list("abc"), [[1, 1, 0], [0, 0, 0], [0, 1, 1]])

    @pytest.mark.parametrize("measure", MEASURES)
    def test_crash_nothing(self, some_empty, measure):
        some_empty.similarity_measure = measure
        for query in ("b", ["a", "b"], np.zeros(3)):
            found = some_empty.most_similar(query)
            assert np.isfinite([s for _, s in found]).all()
            assert np.isfinite(some_empty.most_similar(query, topn=None)).all()
        assert some_empty.neighbors(["b"])
        assert some_empty.rank("b", "a") >= 1
        assert np.isfinite(some_empty.distances("b")).all()

    def test_have_cosine_0(self, some_empty):
        assert some_empty.similarity("a", "b") == 0
        assert some_empty.similarity("b", "b") == 0
        assert some_empty.most_similar("b") == [("a", 0.0), ("c", 0.0)]

    def test_have_cells_that_neither_has(self, some_empty):
        some_empty.similarity_measure = "sokal-michener"

        assert some_empty.most_similar("a") == [
            ("b", pytest.approx(1 / 3)),
            ("c", pytest.approx(1 / 3)),
        ]


class TestMemory:
    def test_no_query_makes_floats(self, wv, monkeypatch):
        monkeypatch.setattr(
            type(wv._index), "dense", lambda *_: pytest.fail("a matrix of floats was made")
        )

        wv.most_similar(["w1", REAL], ["w2"])
        wv.most_similar_cosmul("w1", "w2")
        wv.distances("w1")
        wv.rank("w1", "w2")
        wv.n_similarity(["w1"], ["w2"])
        wv.rank_by_centrality(["w1", "w2"])
        wv.wmdistance(["w1"], ["w2"])
        wv.relative_cosine_similarity("w1", "w2")
        wv.neighbors(["w1"])
        wv.vectors_for_all(["w1"])
        wv.sort_by_descending_frequency()
        wv.fill_norms()

    def test_the_index_is_counted_and_dropped(self, wv):
        before = wv.nbytes
        wv.build_index()
        assert wv.nbytes == before + 100 * 8

        wv.drop_index()
        assert wv.nbytes == before
