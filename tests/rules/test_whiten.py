"""The rule of pairs."""

import numpy as np
import pytest
from scipy import sparse

from planted import WORDS_PER_TOPIC, plant
from skfly import FlyHashVectorizer
from skfly.engine import get_engine
from skfly.rules import RULES, CorpusSize
from skfly.rules.whiten import PairCounts, WhitenRule

WHITEN = {"learning": "whiten", "document_cells": "words", "random_state": 0}
TEXTS = ["ripe fruit smells sweet to the fly", "the bank lends money to the state"] * 30


def fly_of(**params):
    return FlyHashVectorizer(**({"n_kenyon_cells": 12, "hash_length": 3} | WHITEN | params))


def test_it_is_registered():
    assert RULES["whiten"] is WhitenRule


@pytest.mark.parametrize("backend", ["numpy", "numba"])
def test_words_of_a_topic_share_cells(backend):
    corpus, _ = plant()
    fly = fly_of(backend=backend).fit(corpus)
    codes = fly.word_codes_.toarray()
    topics = np.arange(len(codes)) // WORDS_PER_TOPIC
    ids = [int(word[5]) for word in fly.vocabulary_]
    shared = codes @ codes.T
    same = np.equal.outer(ids, ids)
    assert len(topics) == len(ids)
    assert shared[same].mean() > 4 * shared[~same].mean()


def test_codes_do_not_depend_on_threads_batches_or_the_seed():
    corpus, _ = plant()
    expected = fly_of(n_jobs=1).fit(corpus).word_codes_
    for params in ({"n_jobs": 3}, {"batch_size": 100}, {"random_state": 7}):
        assert (fly_of(**params).fit(corpus).word_codes_ != expected).nnz == 0


def test_parts_of_a_stream_give_what_the_whole_gives():
    corpus, _ = plant()
    sentences = [" ".join(words) for words in corpus]
    words = list(corpus.vocabulary.words)
    whole = fly_of(vocabulary=words).fit(sentences)
    parts = fly_of(vocabulary=words)
    for start in range(0, len(sentences), 40):
        parts.partial_fit(sentences[start : start + 40])
    assert (parts.word_codes_ != whole.word_codes_).nnz == 0
    for name, array in whole.rule_state_.items():
        np.testing.assert_array_equal(parts.rule_state_[name], array)


def test_which_words_are_frequent_is_decided_by_all_of_a_stream():
    random = np.random.default_rng(0)
    shares = 1 / np.arange(2, 802)
    words = [f"w{i}" for i in range(800)]  # four frequent words, of which two are left out at once
    texts = [" ".join(random.choice(words, 40, p=shares / shares.sum())) for _ in range(300)]
    texts[:20] = [text + " w9 w9" for text in texts[:20]]  # frequent in the first part only
    whole = fly_of(vocabulary=words, n_kenyon_cells=60).fit(texts)
    parts = fly_of(vocabulary=words, n_kenyon_cells=60)
    for start in range(0, 300, 30):
        parts.partial_fit(texts[start : start + 30])
    first = fly_of(vocabulary=words).fit(texts[:30]).word_counts_
    assert 9 in np.argsort(-first)[2:4]
    assert 9 not in np.argsort(-whole.word_counts_)[:4]
    for name, array in whole.model_.arrays.items():
        np.testing.assert_array_equal(parts.model_.arrays[name], array)


def test_a_part_without_words_changes_nothing():
    fly = fly_of().fit(TEXTS)
    before = fly.word_codes_.copy()
    assert (fly.partial_fit([""]).word_codes_ != before).nnz == 0


def test_a_saved_model_gives_the_same_codes_and_learns_on(tmp_path):
    fly = fly_of().fit(TEXTS)
    fly.save(tmp_path / "fly.skfly")
    loaded = FlyHashVectorizer.load(tmp_path / "fly.skfly")
    assert (loaded.transform(TEXTS) != fly.transform(TEXTS)).nnz == 0
    more = ["sweet money smells", "the state lends fruit"] * 20
    expected = fly.partial_fit(more).word_codes_
    assert (loaded.partial_fit(more).word_codes_ != expected).nnz == 0


def test_words_contexts_and_texts_share_one_space():
    fly = fly_of(n_kenyon_cells=8, hash_length=2).fit(TEXTS)
    word = fly.hash_words(["fruit"])
    alone = fly.hash_in_context([["fruit"]], ["fruit"])
    text = fly.transform(["fruit"])
    assert (word != alone).nnz == 0
    assert (word != text).nnz == 0


def test_an_unknown_word_or_text_has_no_cells():
    fly = fly_of().fit(TEXTS)
    assert fly.hash_words(["zebra"]).nnz == 0
    assert fly.transform(["", "zebra"]).nnz == 0
    assert fly.hash_in_context(["zebra"], ["zebra"]).nnz == 0


@pytest.mark.parametrize(
    "texts",
    [["fly"] * 50, ["fly moth"] * 50, ["fly moth", "bee"], ["a1 b1 c1"]],
    ids=["one word", "two words", "alone", "once"],
)
def test_tiny_texts(texts):
    fly = fly_of(min_count=1).fit(texts)
    codes = fly.word_codes_
    assert codes.shape[1] == 12
    assert set(np.diff(codes.indptr)) <= {0, 3}
    assert fly.transform(texts).shape == (len(texts), 12)


def test_words_of_a_given_vocabulary_that_never_come_have_no_code():
    fly = fly_of(vocabulary=["fruit", "zebra", "sweet", "ripe"]).fit(TEXTS)
    assert fly.hash_words(["zebra"]).nnz == 0
    assert fly.hash_words(["fruit"]).nnz == 3


TOPICS = ["kings crown throne royal", "kings rule royal lands"] * 20 + [
    "boats sail the rough sea",
    "waves and boats at sea",
] * 20


def overlap(fly, left, right):
    first, second = fly.hash_words([left, right])
    return (first.multiply(second)).sum()


def test_rare_words_lean_on_words_spelled_alike():
    texts = [*TOPICS, "boats kingsly sea"]
    with_spelling = fly_of(spelling_weight=50.0).fit(texts)
    without = fly_of(spelling_weight=0).fit(texts)
    assert overlap(with_spelling, "kingsly", "kings") > overlap(without, "kingsly", "kings")
    assert with_spelling.spelling_weight_ == 50.0


def test_the_weight_of_spelling_grows_with_the_text():
    weights = [
        WhitenRule.resolve({}, CorpusSize(n_tokens, 1000, 400)).spelling_weight
        for n_tokens in (10**6, 4 * 10**6)
    ]
    assert weights == [40, 80]


def test_in_a_large_vocabulary_cells_compete_for_the_most_frequent_words(monkeypatch):
    corpus, _ = plant()
    whole = fly_of().fit(corpus)
    monkeypatch.setattr("skfly.rules.whiten._COMMON_WORDS", len(whole.vocabulary_) // 2)
    results = [fly_of(n_jobs=n_jobs).fit(corpus) for n_jobs in (1, 2)]
    assert (results[0].word_codes_ != results[1].word_codes_).nnz == 0
    codes = results[0].word_codes_.toarray()
    ids = [int(word[5]) for word in results[0].vocabulary_]
    same = np.equal.outer(ids, ids)
    shared = codes @ codes.T
    assert shared[same].mean() > 3 * shared[~same].mean()  # rare words, too


def test_attributes_of_other_rules_are_missing():
    fly = fly_of().fit(TEXTS)
    with pytest.raises(AttributeError, match="learning='whiten' has no synapses"):
        _ = fly.synapses_
    assert not hasattr(fly, "consensus_")


@pytest.mark.parametrize("engine", ["numpy", "numba"])
def test_counts_beyond_32_bits_add_up(engine):
    many = sparse.csr_array(np.array([[0, 2**31 - 1], [0, 0]], dtype=np.int32))
    counts = PairCounts(many, get_engine(engine))
    counts.add(many)
    counts.add(many)
    assert counts.total()[0, 1] == 3 * (2**31 - 1)


def test_counts_of_any_size_are_kept_in_files(tmp_path):
    fly = fly_of(n_kenyon_cells=4, hash_length=1).fit(["fly moth bee " * 400])
    assert sorted(fly.rule_state_["near.large"].tolist()) == [399, 400, 400]
    fly.save(tmp_path / "fly.skfly")
    loaded = FlyHashVectorizer.load(tmp_path / "fly.skfly").partial_fit(["fly moth"])
    assert sorted(loaded.rule_state_["near.large"].tolist()) == [399, 400, 401]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("near.counts", np.array([0], np.uint8)),
        ("near.counts", np.array([4], np.int32)),
        ("near.counts", np.array([255], np.uint8)),
        ("near.large", np.array([300], np.int64)),
        ("near.words", np.array([9], np.uint16)),
        ("near.words", np.array([1], np.int64)),
        ("near.ends", np.array([0, 1, 0], np.int64)),
        ("near.ends", np.array([0, 1], np.int64)),
    ],
)
def test_a_damaged_state_is_refused(name, value):
    one = {
        "counts": np.array([4], np.uint8),
        "large": np.zeros(0, np.int64),
        "words": np.array([1], np.uint16),
        "ends": np.array([0, 1, 1], np.int64),
    }
    state = {f"{kind}.{part}": array for kind in ("near", "wide") for part, array in one.items()}
    WhitenRule.check_state(state, 2, 4)
    with pytest.raises(ValueError, match="near pairs"):
        WhitenRule.check_state(state | {name: value}, 2, 4)
    with pytest.raises(ValueError, match="must be"):
        WhitenRule.check_state({}, 2, 4)


def test_settings_of_a_file_are_checked():
    settings = {"n_epochs": 1, "batch_size": 9, "subsample": 0.0, "rank": 3, "decorrelation": 1.0}
    assert WhitenRule.restore_settings(settings).rank == 3
    for wrong in (-1, True, "3", None):
        with pytest.raises(ValueError, match="rank is"):
            WhitenRule.restore_settings(settings | {"rank": wrong})


def test_given_settings_are_kept():
    params = {"batch_size": 77, "subsample": 0.01, "decorrelation": None}
    settings = WhitenRule.resolve(params, CorpusSize(10**6, 1000, 400))
    assert (settings.batch_size, settings.subsample, settings.decorrelation) == (77, 0.01, 0.0)


def test_every_cell_of_a_small_text_tells_words_apart():
    fly = fly_of(n_kenyon_cells=60, hash_length=8).fit(TEXTS)
    assert len(fly.vocabulary_) < 60 / 4
    fruit = fly.hash_words(["ripe", "fruit", "smells", "sweet"])
    money = fly.hash_words(["bank", "lends", "money", "state"])
    assert (fruit @ money.T).nnz == 0
    for codes in (fruit, money):
        assert (codes @ codes.T).sum() > 1.2 * codes.nnz


class TestNewWords:
    FIRST, LATER = TEXTS[:1] * 30 + TEXTS[1:2] * 20, ["the moth smells the lamp"] * 25

    def test_are_learned_as_if_they_had_been_known(self):
        grown = fly_of(grow_vocabulary=True, min_count=1).fit(self.FIRST)
        words = list(grown.vocabulary_)
        grown.partial_fit(self.LATER)
        assert list(grown.vocabulary_) == [*words, "lamp", "moth"]
        known = fly_of(vocabulary=list(grown.vocabulary_), min_count=1).fit(self.FIRST)
        known.partial_fit(self.LATER)
        assert (grown.word_codes_ != known.word_codes_).nnz == 0
        np.testing.assert_array_equal(grown.word_counts_, known.word_counts_)
        for name, array in known.rule_state_.items():
            np.testing.assert_array_equal(grown.rule_state_[name], array)

    def test_enter_cells_of_documents_too(self):
        texts = [" ".join([text] * 6) for text in self.FIRST * 3]
        fly = fly_of(grow_vocabulary=True, document_cells="auto").fit(texts)
        before = fly.transform(["moth lamp"]).nnz
        fly.partial_fit([" ".join([text] * 6) for text in self.LATER * 3])
        assert fly.model_.document_coder is not None
        assert (before, fly.transform(["moth lamp"]).nnz) == (0, 3)

    @pytest.mark.parametrize(("most", "n_words"), [(5, 11), (13, 13), (100, 14), (None, 14)])
    def test_enter_while_there_is_room(self, most, n_words):
        fly = fly_of(max_features=12, grow_vocabulary=True).fit(self.FIRST)
        assert len(fly.vocabulary_) == 11
        fly.set_params(max_features=most).partial_fit([*self.LATER, "a fly eats a lamp"] * 9)
        assert len(fly.vocabulary_) == n_words

    def test_must_come_often_enough_in_one_part(self):
        fly = fly_of(min_count=3, grow_vocabulary=True).fit(self.FIRST)
        fly.partial_fit(["the moth", "the moth", "the lamp", "the lamp", "the lamp"])
        assert "lamp" in fly.vocabulary_
        assert "moth" not in fly.vocabulary_

    def test_survive_files(self, tmp_path):
        fly = fly_of(grow_vocabulary=True).fit(self.FIRST)
        fly.partial_fit(self.LATER).save(tmp_path / "fly.skfly")
        again = FlyHashVectorizer.load(tmp_path / "fly.skfly")
        again.partial_fit(["the wasp stings"] * 9)
        assert list(again.vocabulary_)[-2:] == ["stings", "wasp"]
        assert again.transform(["the wasp"]).shape == (1, 12)

    @pytest.mark.parametrize("rule", ["lloyd", "hebbian"])
    def test_need_a_rule_that_counts_pairs(self, rule):
        with pytest.raises(ValueError, match="cannot take new words later"):
            fly_of(learning=rule, grow_vocabulary=True).fit(TEXTS)


class TestManyPairs:
    def test_the_rarest_are_dropped(self):
        counts = PairCounts(sparse.csr_array((30, 30), dtype=np.int32), get_engine(), most=100)
        random = np.random.default_rng(0)
        whole = np.zeros((30, 30), np.int64)
        for _ in range(20):
            pairs = (random.random((30, 30)) < 0.1).astype(np.int32)
            pairs[3, 4] += 5
            whole += pairs
            counts.add(sparse.csr_array(pairs))
        kept = counts.total()
        assert 0 < kept.nnz <= 100
        assert kept[3, 4] == whole[3, 4]
        assert (kept.toarray() <= whole).all()

    def test_bound_the_state_of_a_fit(self):
        corpus, _ = plant()
        free = fly_of(batch_size=200).fit(corpus)
        most = len(free.rule_state_["wide.counts"]) // 2
        fly = fly_of(batch_size=200, max_pairs=most).fit(corpus)
        assert len(fly.rule_state_["wide.counts"]) <= most
        assert fly.max_pairs_ == most
        assert fly.rule_state_["wide.counts"].mean() > free.rule_state_["wide.counts"].mean()
