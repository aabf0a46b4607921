"""How "auto" becomes a number."""

from dataclasses import asdict

import pytest

from skfly import SmallTextWarning
from skfly._messages import warn_of_small_text
from skfly.fit import least_count
from skfly.rules import RULES, CorpusSize
from skfly.rules._windows import WindowSettings

AUTO = dict.fromkeys(WindowSettings.__dataclass_fields__, "auto")


def resolve(rule="lloyd", n_tokens=10**7, n_words=20_000, n_cells=400, n_shards=1, **given):
    size = CorpusSize(n_tokens, n_words, n_cells, n_shards)
    return RULES[rule].resolve(AUTO | given, size)


def test_the_published_rule_gets_the_published_settings():
    settings = resolve("hebbian")
    assert settings.n_epochs == 15
    assert 2_000 <= settings.batch_size <= 15_000
    assert 1e-4 <= settings.learning_rate <= 5e-4
    assert settings.subsample == settings.shrinkage == 0
    assert settings.truncate_windows is False


def test_a_text_of_ten_million_tokens_gets_the_settings_that_were_tuned():
    settings = resolve(n_tokens=10**7)
    assert settings.subsample == pytest.approx(1e-4)
    assert settings.shrinkage == pytest.approx(10_000)
    assert settings.decorrelation == pytest.approx(0.25)
    assert settings.truncate_windows is True


def test_the_least_decorrelation_is_for_short_texts():
    assert resolve(n_tokens=1000).decorrelation == 0.05
    assert resolve("hebbian").decorrelation is None


def test_given_values_are_kept():
    given = {"n_epochs": 2, "subsample": 0.0, "shrinkage": 7.0, "truncate_windows": False}
    settings = resolve(**given)
    assert {name: getattr(settings, name) for name in given} == given


def test_a_short_text_is_gone_through_more_often():
    assert resolve(n_tokens=10**6).n_epochs > resolve(n_tokens=2 * 10**7).n_epochs


@pytest.mark.parametrize("n_tokens", [1, 100, 10**4, 10**6, 10**9])
def test_settings_are_usable_for_any_length_of_text(n_tokens):
    settings = resolve(n_tokens=n_tokens)
    assert 1 <= settings.batch_size <= 1 << 20
    assert 1e-4 <= settings.subsample <= 1
    assert 0 <= settings.shrinkage <= 10_000


def test_a_short_text_keeps_more_of_its_frequent_words_and_shrinks_less():
    sizes = [10**4, 10**5, 10**6, 10**7]
    resolved = [resolve(n_tokens=n) for n in sizes]
    subsample = [settings.subsample for settings in resolved]
    shrinkage = [settings.shrinkage for settings in resolved]
    assert subsample == sorted(subsample, reverse=True)
    assert shrinkage == sorted(shrinkage)


@pytest.mark.parametrize(("n_cells", "n_active"), [(1, 1), (400, 4), (1000, 10)])
def test_one_percent_of_the_cells_take_part_in_the_consensus(n_cells, n_active):
    assert resolve(n_cells=n_cells).n_active == n_active


def test_rare_words_are_learned_from_short_texts_only():
    least = [least_count(10**n, "auto") for n in range(3, 9)]
    assert least == sorted(least)
    assert least_count(99_999, "auto") == 1
    assert least_count(100_000, "auto") == least_count(999_999, "auto") == 2
    assert least_count(1_000_000, "auto") == 5


@pytest.mark.parametrize("n_tokens", [10, 10**9])
def test_a_least_count_that_is_given_is_kept(n_tokens):
    assert least_count(n_tokens, 3) == 3


@pytest.mark.filterwarnings("error::skfly.SmallTextWarning")
def test_a_small_text_gives_a_warning():
    warn_of_small_text(10**6)
    with pytest.warns(SmallTextWarning, match="fewer than 300,000 words"):
        warn_of_small_text(1000)


@pytest.mark.parametrize("n_tokens", [100, 12_345, 10**6])
def test_an_epoch_over_a_short_text_has_twenty_batches(n_tokens):
    assert resolve(n_tokens=n_tokens).batch_size == -(-n_tokens // 20)


def test_batches_grow_with_the_vocabulary_and_not_with_the_text():
    sizes = [
        resolve(n_tokens=n_tokens, n_words=n_words).batch_size
        for n_tokens, n_words in [(10**9, 20_000), (10**10, 20_000), (10**9, 100_000)]
    ]
    assert sizes == [1 << 20, 1 << 20, 5_000_000]


def test_shards_share_a_larger_batch():
    assert resolve(n_tokens=10**9, n_shards=3).batch_size == 3 << 20


@pytest.mark.parametrize("rule", RULES)
def test_settings_come_back_from_a_file(rule):
    settings = resolve(rule)
    assert RULES[rule].restore_settings(asdict(settings)) == settings


@pytest.mark.parametrize(
    "wrong",
    [
        {"n_epochs": 2.5},
        {"n_epochs": True},
        {"batch_size": -1},
        {"subsample": "0"},
        {"subsample": None},
        {"truncate_windows": 1},
        {"n_active": 2**63},
        {"decorrelation": float("nan")},
    ],
)
def test_settings_that_none_can_be_are_refused(wrong):
    with pytest.raises(ValueError, match=f"{next(iter(wrong))} is"):
        RULES["lloyd"].restore_settings(asdict(resolve()) | wrong)
