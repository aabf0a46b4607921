"""How "auto" becomes a number."""

import pytest

from skfly.learning import LearningSettings, auto_min_count, tell_of_small_corpus
from skfly.learning._settings import _tell_once

AUTO = dict.fromkeys(LearningSettings.__dataclass_fields__, "auto")


def resolve(rule="lloyd", n_words=10**7, n_cells=400, **given):
    return LearningSettings.resolve(AUTO | given, rule=rule, n_words=n_words, n_cells=n_cells)


def test_the_published_rule_gets_the_published_settings():
    settings = resolve("hebbian")
    assert settings.n_epochs == 15
    assert 2_000 <= settings.batch_size <= 15_000
    assert 1e-4 <= settings.learning_rate <= 5e-4
    assert settings.subsample == settings.shrinkage == 0
    assert settings.truncate_windows is False


def test_a_text_of_ten_million_words_gets_the_settings_that_were_tuned():
    settings = resolve(n_words=10**7)
    assert settings.subsample == pytest.approx(1e-4)
    assert settings.shrinkage == pytest.approx(10_000)
    assert settings.decorrelation == pytest.approx(0.25)
    assert settings.truncate_windows is True


def test_the_least_decorrelation_is_for_short_texts():
    assert resolve(n_words=1000).decorrelation == 0.05
    assert resolve("hebbian").decorrelation is None


def test_given_values_are_kept():
    given = {"n_epochs": 2, "subsample": 0.0, "shrinkage": 7.0, "truncate_windows": False}
    settings = resolve(**given)
    assert {name: getattr(settings, name) for name in given} == given


def test_a_short_text_is_gone_through_more_often():
    assert resolve(n_words=10**6).n_epochs > resolve(n_words=2 * 10**7).n_epochs


@pytest.mark.parametrize("n_words", [1, 100, 10**4, 10**6, 10**9])
def test_settings_are_usable_for_any_length_of_text(n_words):
    settings = resolve(n_words=n_words)
    assert 1 <= settings.batch_size <= 1 << 20
    assert 1e-4 <= settings.subsample <= 1
    assert 0 <= settings.shrinkage <= 10_000


def test_a_short_text_keeps_more_of_its_frequent_words_and_shrinks_less():
    sizes = [10**4, 10**5, 10**6, 10**7]
    resolved = [resolve(n_words=n) for n in sizes]
    subsample = [settings.subsample for settings in resolved]
    shrinkage = [settings.shrinkage for settings in resolved]
    assert subsample == sorted(subsample, reverse=True)
    assert shrinkage == sorted(shrinkage)


@pytest.mark.parametrize(("n_cells", "n_active"), [(1, 1), (400, 4), (1000, 10)])
def test_one_percent_of_the_cells_take_part_in_the_consensus(n_cells, n_active):
    assert resolve(n_cells=n_cells).n_active == n_active


def test_rare_words_are_learned_from_short_texts_only():
    assert [auto_min_count(10**n) for n in range(3, 9)] == sorted(
        auto_min_count(10**n) for n in range(3, 9)
    )
    assert auto_min_count(99_999) == 1
    assert auto_min_count(100_000) == auto_min_count(999_999) == 2
    assert auto_min_count(1_000_000) == 5


def test_a_small_text_is_told_of_once(caplog):
    _tell_once.cache_clear()
    tell_of_small_corpus(10**6)
    assert not caplog.records
    tell_of_small_corpus(1000)
    tell_of_small_corpus(2000)
    assert [record.name for record in caplog.records] == ["skfly"]
    assert "need a million words" in caplog.text


@pytest.mark.parametrize("n_words", [100, 12_345, 10**6])
def test_an_epoch_over_a_short_text_has_twenty_batches(n_words):
    assert resolve(n_words=n_words).batch_size == -(-n_words // 20)


def test_batches_grow_with_the_vocabulary_and_not_with_the_text():
    sizes = [
        LearningSettings.resolve(
            AUTO, rule="lloyd", n_words=n_words, n_cells=400, n_vocabulary=n_vocabulary
        ).batch_size
        for n_words, n_vocabulary in [(10**9, 20_000), (10**10, 20_000), (10**9, 100_000)]
    ]
    assert sizes == [1 << 20, 1 << 20, 5_000_000]
