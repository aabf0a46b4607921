import copy
import pickle

import numpy as np
import pytest
from gensim.models import KeyedVectors
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from skfly import FlyKeyedVectors
from skfly.evaluation import word_analogies, word_similarity

PAIRS = """# word1\tword2\tscore
Fly\tfruit\t8.1
bank\tmoney\t9
fly\tmoney\t1.5
loan\tDebt\t7
peach\tbanana\t8
cash\tsweet\t0.5
ocean\twater\t9
"""
ANALOGIES = """: topics
fly fruit bank money
peach banana loan debt
bank money fly fruit
ocean water bank money
: rest
the and with very
cash credit sweet juice
"""


class TestVectorsOfAFly:
    def test_are_its_word_codes(self, fitted):
        wv = fitted.wv

        assert isinstance(wv, FlyKeyedVectors)
        assert wv.index_to_key == list(fitted.vocabulary_)
        np.testing.assert_array_equal(wv.vectors, fitted.word_codes_.toarray())
        assert wv.hash_length == fitted.hash_length

    def test_have_counts(self, fitted):
        for word in ("fly", "bank"):
            i = fitted.vocabulary_[word]
            assert fitted.wv.get_vecattr(word, "count") == fitted.word_counts_[i]

    def test_are_made_once(self, fitted):
        assert fitted.wv is fitted.wv

    def test_follow_the_hash_length(self, fitted):
        fly = copy.deepcopy(fitted)
        before = fly.wv
        fly.set_params(hash_length=2)

        assert fly.wv is not before
        assert fly.wv.hash_length == 2

    def test_follow_learning(self, make_fly, documents):
        fly = make_fly().fit(documents)
        before = fly.wv.vectors.copy()
        fly.partial_fit(documents[::-1])
        np.testing.assert_array_equal(fly.wv.vectors, fly.word_codes_.toarray())
        fly.set_params(window=11).fit(documents)

        np.testing.assert_array_equal(fly.wv.vectors, fly.word_codes_.toarray())
        assert not np.array_equal(fly.wv.vectors, before)

    def test_words_that_were_not_seen_are_not_there(self, make_fly, documents):
        words = ["fly", "ocean", "bank", "money", "fruit"]
        fly = make_fly(vocabulary=words).fit(documents)

        assert fly.wv.index_to_key == ["fly", "bank", "money", "fruit"]
        np.testing.assert_array_equal(fly.wv["money"], fly.hash_words(["money"]).toarray()[0])

    def test_an_unfitted_one_has_none(self, make_fly):
        with pytest.raises(NotFittedError):
            _ = make_fly().wv
        assert not hasattr(clone(make_fly()), "wv")

    def test_are_not_pickled_with_it(self, fitted):
        fly = copy.deepcopy(fitted)
        before = len(pickle.dumps(fly))
        assert len(fly.wv)

        assert len(pickle.dumps(fly)) == before

    def test_a_hash_length_that_is_too_large(self, fitted):
        fly = copy.deepcopy(fitted).set_params(hash_length=1000)
        with pytest.raises(ValueError, match="hash_length=1000"):
            _ = fly.wv

    def test_adding_a_code_of_another_length_is_refused(self, fitted):
        with pytest.raises(ValueError, match="must have 4 ones"):
            copy.deepcopy(fitted.wv)["new"] = np.ones(20)


class TestContextCodesAsQueries:
    def test_neighbours_of_a_word_in_its_context(self, fitted, topics):
        code = fitted.hash_in_context(["ripe banana and the sweet juice"], ["banana"])

        found = [word for word, _ in fitted.wv.similar_by_vector(code, topn=5)]

        assert len(set(found) & set(topics["fruit"])) >= 4

    def test_many_at_once(self, fitted, topics):
        contexts = ["money cash loan bank debt fund", "ripe peach tree juice fruit"]
        codes = fitted.hash_in_context(contexts, ["bank", "peach"])

        found = fitted.wv.neighbors(codes, 4)

        assert found == [fitted.wv.similar_by_vector(codes[i : i + 1], 4) for i in (0, 1)]


class TestEvaluation:
    @pytest.fixture
    def pairs(self, tmp_path):
        (tmp_path / "pairs.tsv").write_text(PAIRS)
        return tmp_path / "pairs.tsv"

    @pytest.mark.parametrize("hash_length", [2, 4, 8])
    @pytest.mark.parametrize("measure", ["cosine", "overlap", "sokal-michener", "jaccard"])
    def test_word_pairs_as_skfly_evaluate(self, fitted, pairs, hash_length, measure):
        fly = copy.deepcopy(fitted).set_params(hash_length=hash_length)
        row = word_similarity(fly, pairs, hash_lengths=[hash_length]).rows[0]
        fly.wv.similarity_measure = measure

        _, spearman, unknown = fly.wv.evaluate_word_pairs(str(pairs))

        assert 100 * spearman[0] == pytest.approx(row.spearman)
        assert unknown == pytest.approx(100 * (1 - row.n_pairs / row.n_pairs_in_all))

    def test_vectors_are_evaluated_too(self, fitted, pairs):
        fly = word_similarity(fitted, pairs, hash_lengths=[4]).rows[0]
        wv = word_similarity(fitted.wv, pairs).rows[0]

        assert (wv.spearman, wv.n_pairs) == (pytest.approx(fly.spearman), fly.n_pairs)

    @pytest.mark.parametrize("dummy", [True, False])
    def test_word_pairs_as_gensim(self, fitted, pairs, dummy):
        kv = KeyedVectors(20)
        kv.add_vectors(fitted.wv.index_to_key, fitted.wv.vectors)
        kv.vectors = kv.vectors.astype(np.float64)  # in float32, equal cosines differ

        ours, theirs = (
            some.evaluate_word_pairs(str(pairs), dummy4unknown=dummy) for some in (fitted.wv, kv)
        )

        for one, other in zip(ours[:2], theirs[:2], strict=True):
            assert one[0] == pytest.approx(other[0], abs=1e-6)
        assert ours[2] == theirs[2]

    @pytest.mark.parametrize("insensitive", [True, False])
    @pytest.mark.parametrize("dummy", [True, False])
    def test_word_analogies_as_gensim(self, fitted, tmp_path, insensitive, dummy):
        (tmp_path / "analogies").write_text(ANALOGIES)
        kv = _Exact(20)
        kv.add_vectors(fitted.wv.index_to_key, fitted.wv.vectors)

        ours, theirs = (
            some.evaluate_word_analogies(
                str(tmp_path / "analogies"), case_insensitive=insensitive, dummy4unknown=dummy
            )
            for some in (fitted.wv, kv)
        )

        assert ours == theirs
        assert len(ours[1][-1]["correct"] + ours[1][-1]["incorrect"]) == (6 if dummy else 5)

    @pytest.mark.parametrize("hash_length", [2, 4])
    def test_word_analogies_as_skfly_evaluate(self, fitted, tmp_path, hash_length):
        (tmp_path / "analogies").write_text(ANALOGIES)
        fly = copy.deepcopy(fitted).set_params(hash_length=hash_length)
        table = word_analogies(fitted, tmp_path / "analogies", [hash_length])

        accuracy, sections = fly.wv.evaluate_word_analogies(str(tmp_path / "analogies"))

        assert table.score(hash_length=hash_length) == pytest.approx(100 * accuracy)
        assert [row.n_correct for row in table.rows] == [len(s["correct"]) for s in sections]

    def test_scores_are_logged_as_in_gensim(self, fitted, pairs, tmp_path, caplog):
        (tmp_path / "analogies").write_text(ANALOGIES)
        caplog.set_level("INFO", logger="gensim")
        _, sections = fitted.wv.evaluate_word_analogies(str(tmp_path / "analogies"))
        scores = fitted.wv.evaluate_word_pairs(str(pairs))
        caplog.clear()

        fitted.wv.log_accuracy(sections[-1])
        fitted.wv.log_evaluate_word_pairs(*scores, pairs)
        ours = caplog.messages
        caplog.clear()
        KeyedVectors.log_accuracy(sections[-1])
        KeyedVectors.log_evaluate_word_pairs(*scores, pairs)

        assert ours == caplog.messages
        assert ours[0].startswith("Total accuracy: ")
        assert f"Spearman rank-order correlation coefficient against {pairs}" in ours[2]

    def test_nothing_known(self, fitted, tmp_path):
        (tmp_path / "pairs").write_text("ocean\twater\t9\n")
        with pytest.raises(ValueError, match="No valid similarity judgements"):
            fitted.wv.evaluate_word_pairs(str(tmp_path / "pairs"))


class _Exact(KeyedVectors):
    """gensim's vectors, but equally similar words come in the order of the keys."""

    def most_similar(self, positive=None, negative=None, topn=10, restrict_vocab=None):
        scores = super().most_similar(positive, negative, topn=None, restrict_vocab=restrict_vocab)
        inputs = {self.get_index(key) for key in [*positive, *negative]}
        order = np.argsort(-scores.astype(np.float64).round(5), kind="stable")
        best = [i for i in order if i not in inputs][:topn]
        return [(self.index_to_key[i], float(scores[i])) for i in best]
