"""The estimator on a cluster: the same bits, whatever happens to workers."""

import gc
import os
import pickle
import signal
import threading

import joblib
import numpy as np
import pytest
from gensim.models.callbacks import CallbackAny2Vec
from scipy import sparse
from sklearn.base import clone

import emulator
import skfly
from emulator.fake_cupy import FakeCupy
from skfly import EncodedCorpus, FlyHashVectorizer
from skfly.engine import drive_for, get_engine
from skfly.fit import Checkpoints, _checkpoints

distributed = pytest.importorskip("distributed")
bag = pytest.importorskip("dask.bag")

from dask import config, delayed  # noqa: E402

from skfly.dask import DaskFlyHashVectorizer, _rounds  # noqa: E402
from skfly.dask._rounds import ShardStream  # noqa: E402
from skfly.dask._shards import (  # noqa: E402
    Counted,
    Plan,
    Shard,
    count_given,
    count_top,
    count_windows,
    n_positions,
)

pytestmark = pytest.mark.filterwarnings(
    "ignore::DeprecationWarning",
    "ignore::FutureWarning",
    "ignore::ResourceWarning",
    # what Dask says of a busy machine, and when a worker is gone
    "ignore:Creating scratch directories is taking:UserWarning",
    "ignore:Client .* desires key .* but key is unknown:UserWarning",
)
SMALL = {"n_kenyon_cells": 20, "hash_length": 4, "window": 5, "n_epochs": 2, "batch_size": 600}
SMALL |= {"n_jobs": 1, "random_state": 0}


@pytest.fixture(scope="module")
def client():
    with (
        # on a busy machine a worker may take long, and more than one try, to come back
        config.set(
            {
                "distributed.scheduler.allowed-failures": 50,
                "distributed.deploy.lost-worker-timeout": "300s",
            }
        ),
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0"
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client
    gc.collect()  # sockets that Dask forgot are told of here, and not in the tests of another file


@pytest.fixture(scope="module")
def make(client):
    return lambda **params: DaskFlyHashVectorizer(client=client, **(SMALL | params))


@pytest.fixture(scope="module")
def learned(make, documents):
    """A fit on three partitions."""
    return make().fit(bag.from_sequence(documents, npartitions=3))


@pytest.fixture(scope="module")
def learned_lloyd(make, documents):
    """The same, with cells that compete for windows."""
    return make(learning="lloyd").fit(bag.from_sequence(documents, npartitions=3))


def bits(fly, fingerprint):
    return {name: value for name, value in fingerprint(fly).items() if name != "traffic_"}


def test_document_frequencies_are_those_of_all_shards(make, make_fly, documents):
    parts = bag.from_sequence(documents, npartitions=3)
    bounds = {"min_df": 0.35, "max_df": 60, "min_count": 1}
    fly = make(**bounds).fit(parts)
    assert list(fly.vocabulary_) == list(make_fly(**bounds).fit(documents).vocabulary_)


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"learning": "lloyd"},
        {"learning": "hebbian", "word_codes": "synapses"},
        {"vocabulary": ["fly", "no"]},
        {"tokenizer": str.split, "token_pattern": None},
    ],
)
def test_one_shard_gives_the_bits_of_one_machine(make, documents, fingerprint, params):
    local = FlyHashVectorizer(**(SMALL | params)).fit(documents)
    fly = make(**params).fit(bag.from_sequence(documents, npartitions=1))
    assert bits(fly, fingerprint) == fingerprint(local)
    assert fingerprint(fly.to_local()) == fingerprint(local)
    assert type(fly.to_local()) is FlyHashVectorizer


@pytest.mark.parametrize("n_shards", [2, 3])
def test_counts_of_pairs_of_any_shards_give_the_bits_of_one_machine(
    make, documents, fingerprint, n_shards
):
    local = FlyHashVectorizer(**SMALL).fit(documents)
    fly = make().fit(bag.from_sequence(documents, npartitions=n_shards))
    assert fingerprint(fly.to_local()) == fingerprint(local)


@pytest.mark.parametrize("learning", ["whiten", "lloyd"])
def test_several_shards_learn_the_topics_too(learned, learned_lloyd, documents, topics, learning):
    learned = {"whiten": learned, "lloyd": learned_lloyd}[learning]
    local = learned.to_local()
    assert local.n_words_seen_ == FlyHashVectorizer(**SMALL).fit(documents).n_words_seen_
    codes = local.hash_words([*topics["fruit"], *topics["money"]]).toarray()
    same, other = codes[:10] @ codes[:10].T, codes[:10] @ codes[10:].T
    assert same.mean() > 2 * other.mean()
    if learning == "lloyd":
        assert learned.energy_[-1] < learned.energy_[0]


def test_sums_are_the_same_in_trees_of_any_depth(make, documents, fingerprint, monkeypatch):
    texts = bag.from_sequence(documents, npartitions=6)
    assert texts.npartitions == 6
    found, submitted = [], []
    submit = distributed.Client.submit
    monkeypatch.setattr(
        distributed.Client, "submit", lambda *a, **k: submitted.append(a[1]) or submit(*a, **k)
    )
    for branches in (2, 4, 6):
        submitted.clear()
        monkeypatch.setattr(_rounds, "_BRANCHES", branches)
        fly = make(n_epochs=1).fit(texts)
        found.append(bits(fly, fingerprint))
        rounds = fly.traffic_.n_rounds  # of each of which the sums are taken in one tree
        assert submitted.count(_rounds.add_counted) == {2: 6, 4: 3, 6: 1}[branches] * rounds
        assert submitted.count(_rounds.add_word_counts) == {2: 6, 4: 3, 6: 1}[branches]
    assert found[0] == found[1] == found[2]
    local = FlyHashVectorizer(**SMALL).fit(documents)
    assert list(fly.vocabulary_) == list(local.vocabulary_)
    np.testing.assert_array_equal(fly.word_counts_, local.word_counts_)


def test_traffic_is_counted(learned, learned_lloyd):
    n_batches = -(-learned.n_words_seen_ // SMALL["batch_size"])
    assert learned.traffic_.n_rounds == 2 * n_batches  # near pairs and wide ones
    assert learned.traffic_.up > 0
    n_rounds, down, up = learned_lloyd.traffic_
    assert n_rounds == 3 * n_batches + 1  # two epochs, the consensus and the start
    model = learned_lloyd.synapses_.size
    assert down == (2 * n_batches + 1) * 2 * model
    assert 0 < up < n_rounds * 4 * 4 * model


def test_shards_on_disk_and_series(make, learned, documents, fingerprint, tmp_path):
    pd = pytest.importorskip("pandas")
    dd = pytest.importorskip("dask.dataframe")
    parts = [part.compute() for part in bag.from_sequence(documents, npartitions=3).to_delayed()]
    for i, part in enumerate(parts):
        EncodedCorpus.from_documents(part).save(tmp_path / str(i))
    paths = [tmp_path / str(i) for i in range(3)]
    assert bits(make().fit(paths), fingerprint) == bits(learned, fingerprint)
    codes = learned.transform(paths).compute()
    assert (codes != learned.to_local().transform(documents)).nnz == 0
    size = len(parts[0])
    series = dd.from_pandas(pd.Series(documents), npartitions=-(-len(documents) // size))
    assert series.npartitions == 3
    assert bits(make().fit(series), fingerprint) == bits(learned, fingerprint)


def test_empty_partitions_and_some_of_very_different_size(make, documents, fingerprint):
    parts = [[], documents[:1], documents[1:], [], [""]]
    uneven = bag.from_delayed([delayed(part) for part in parts])
    fly = make().fit(uneven)
    assert fly.n_words_seen_ == make().fit(bag.from_sequence(documents, 1)).n_words_seen_
    assert fly.transform(uneven).compute().shape == (len(documents) + 1, 20)
    nothing = bag.from_delayed([delayed([])])
    with pytest.raises(ValueError, match="empty vocabulary"):
        make().fit(nothing)


def test_transform_is_lazy_and_in_blocks(learned, documents):
    texts = bag.from_sequence(documents, npartitions=4)
    codes = learned.transform(texts)
    assert codes.numblocks == (4, 1)
    first = codes.blocks[0].compute()
    whole = learned.to_local().transform(documents)
    assert (first != whole[: first.shape[0]]).nnz == 0
    assert (codes.compute() != whole).nnz == 0


def test_nothing_is_read_before_it_is_asked_for(learned, documents, tmp_path):
    @delayed
    def unread():
        raise LookupError("this part was read")

    codes = learned.transform(bag.from_delayed([delayed(documents[:3]), unread()]))
    assert distributed.futures_of(codes) == []  # nor has it been begun
    assert codes.blocks[0].compute().shape == (3, 20)
    with pytest.raises(LookupError, match="this part was read"):
        codes.compute()
    assert learned.transform([tmp_path / "nowhere"]).numblocks == (1, 1)


def test_joblib_on_the_cluster(client, learned, documents):
    def where_and_codes(fly, texts):
        return os.getpid(), fly.transform(texts)

    fly = learned.to_local()
    whole = fly.transform(documents)
    parts = [documents[:40], documents[40:]]
    for given in ({}, {"client": client}):  # by itself it finds the one that Dask uses
        with joblib.parallel_config("dask", **given):
            work = (joblib.delayed(where_and_codes)(fly, part) for part in parts)
            (here, first), (there, second) = joblib.Parallel()(work)
            same = fly.set_params(n_jobs=None).transform(documents)
        assert {here, there} <= set(client.run(os.getpid).values())
        assert (first != whole[:40]).nnz == (second != whole[40:]).nnz == (same != whole).nnz == 0


class Listener(CallbackAny2Vec):
    def __init__(self):
        self.losses = []

    def on_epoch_end(self, model):
        self.losses.append(model.get_latest_training_loss())
        return len(self.losses) == 2


def test_a_callback_may_stop_a_fit_on_the_cluster(make, documents):
    listener = Listener()
    fly = (
        make(learning="lloyd", n_epochs=5)
        .set_callbacks(listener)
        .fit(bag.from_sequence(documents, npartitions=2))
    )
    assert listener.losses == fly.energy_
    assert fly.n_iter_ == len(fly.energy_) == 2


def test_the_client_is_never_pickled(learned, documents, fingerprint, tmp_path):
    again = pickle.loads(pickle.dumps(learned))
    assert again.client is None
    assert (
        again.to_local().transform(documents) != learned.to_local().transform(documents)
    ).nnz == 0
    assert clone(learned).client is learned.client
    assert clone(learned).get_params() == learned.get_params()
    learned.save(tmp_path / "fly")
    loaded = FlyHashVectorizer.load(tmp_path / "fly")
    assert fingerprint(loaded) == fingerprint(learned.to_local())


@pytest.mark.parametrize(("learning", "n_killed"), [("whiten", 1), ("whiten", 2), ("lloyd", 2)])
def test_workers_that_die_change_nothing(
    client,
    make,
    learned,
    learned_lloyd,
    documents,
    fingerprint,
    monkeypatch,
    learning,
    n_killed,
):
    expected = bits({"whiten": learned, "lloyd": learned_lloyd}[learning], fingerprint)
    total, rounds = ShardStream.total, []
    pids = client.run(os.getpid).values()

    def deadly(self, *args, **kwargs):
        rounds.append(args)
        if len(rounds) == 3:  # while the round is on its way
            for pid in list(pids)[:n_killed]:
                threading.Timer(0.01, os.kill, (pid, signal.SIGKILL)).start()
        return total(self, *args, **kwargs)

    monkeypatch.setattr(ShardStream, "total", deadly)
    fly = make(learning=learning).fit(bag.from_sequence(documents, npartitions=3))
    assert bits(fly, fingerprint) == expected
    client.wait_for_workers(2, timeout=300)
    assert len(set(client.run(os.getpid).values()) - set(pids)) == n_killed


@pytest.mark.parametrize(
    ("learning", "n_saved_rounds"),
    [("whiten", 3 * 2), ("lloyd", 1 + 3)],  # three batches; lloyd's start is a round, too
)
def test_a_fit_that_was_stopped_goes_on(
    make,
    learned,
    learned_lloyd,
    documents,
    fingerprint,
    tmp_path,
    monkeypatch,
    learning,
    n_saved_rounds,
):
    whole = {"whiten": learned, "lloyd": learned_lloyd}[learning]
    monkeypatch.setattr(_checkpoints, "_SECONDS", 0.0)
    texts = bag.from_sequence(documents, npartitions=3)
    save, saved = Checkpoints.save, []

    def stopping(self, *state):
        save(self, *state)
        saved.append(state)
        if len(saved) == 3:
            raise KeyboardInterrupt

    monkeypatch.setattr(Checkpoints, "save", stopping)
    with pytest.raises(KeyboardInterrupt):
        make(learning=learning, checkpoint_dir=tmp_path).fit(texts)
    fly = make(learning=learning, checkpoint_dir=tmp_path).fit(texts)
    assert bits(fly, fingerprint) == bits(whole, fingerprint)
    assert fly.traffic_.n_rounds == whole.traffic_.n_rounds - n_saved_rounds


def test_a_poisoned_shard_names_its_file(make, documents, tmp_path):
    EncodedCorpus.from_documents(documents).save(tmp_path / "good")
    EncodedCorpus.from_documents(documents).save(tmp_path / "short")
    ids = tmp_path / "short" / "ids.npy"
    ids.write_bytes(ids.read_bytes()[:-50])
    with pytest.raises(ValueError, match=f"{tmp_path / 'short'} is damaged"):
        make().fit([tmp_path / "good", tmp_path / "short"])
    (tmp_path / "other").mkdir()
    with pytest.raises(FileNotFoundError, match=f"{tmp_path / 'other'} is not an encoded corpus"):
        make().fit([tmp_path / "good", tmp_path / "other"])


def test_a_bad_document_names_its_partition(make, documents):
    with pytest.raises(ValueError, match=r"partition 1 \(the first is 0\) "):
        make().fit(
            bag.concat([bag.from_sequence(texts, npartitions=1) for texts in (documents, [7])])
        )


def test_documents_that_are_no_bag(make, documents):
    with pytest.raises(TypeError, match=r"dask\.bag\.from_sequence"):
        make().fit(text for text in documents)
    with pytest.raises(TypeError, match="a list with int"):
        make().fit([1, 2])


def test_workers_with_another_version_are_refused(make, documents, monkeypatch):
    monkeypatch.setattr(skfly, "__version__", "99.0")
    with pytest.raises(RuntimeError, match=r"a different version of skfly than this one, 99\.0"):
        make().fit(bag.from_sequence(documents))


def test_a_closed_client_is_told(client, documents):
    other = distributed.Client(client.scheduler.address, set_as_default=False)
    other.close()
    with pytest.raises(RuntimeError, match="client is closed"):
        DaskFlyHashVectorizer(client=other, **SMALL).fit(bag.from_sequence(documents))


def test_sums_of_counts_are_exact_in_any_order():
    random = np.random.default_rng(0)
    dense = [random.poisson(0.3, (6, 5)) * 1000 for _ in range(3)]
    parts = [Counted.of(sparse.csr_array(d), d.sum(axis=1)[:3], d.sum(axis=0)) for d in dense]
    for order in ([0, 1, 2], [2, 0, 1]):
        total = parts[order[0]] + parts[order[1]] + parts[order[2]]
        np.testing.assert_array_equal(total.matrix(5).toarray(), sum(dense))
        np.testing.assert_array_equal(total.cell_sizes, sum(dense).sum(axis=0))
    assert parts[0].cells.dtype == np.uint8


class TestShards:
    """What a worker counts, called without a cluster."""

    N_CELLS = 10
    WINDOW = 5

    @pytest.fixture
    def corpus(self, documents):
        return EncodedCorpus.from_documents(documents[:40])

    @pytest.fixture
    def small_blocks(self, monkeypatch):
        """The stand-in takes a while for threads that have nothing to do."""
        monkeypatch.setattr("skfly.engine._gpu.THREADS", 64)
        monkeypatch.setattr("skfly.engine._gpu.BLOCKS", 4)
        monkeypatch.setattr("skfly.engine._cupy._PARTS", 4)

    def plan(self, corpus, backend, n_threads=1):
        words = corpus.vocabulary
        return Plan(list(words.words), words.counts, 1e-2, 3, 2, 7, backend, n_threads)

    def drives(self, corpus):
        random = np.random.default_rng(0)
        synapses = random.random((2 * len(corpus.vocabulary), self.N_CELLS), dtype=np.float32)
        numba = get_engine("numba", 1)
        drives = numba.new_drives(synapses.shape)
        numba.set_drives(drives, synapses, drive_for(1.0, self.WINDOW, 0.0))
        return drives

    def counted(self, corpus, backend, at, n_threads=1):
        """Return all that is counted in a batch."""
        shard, plan = Shard(0, corpus), self.plan(corpus, backend, n_threads)
        drives = self.drives(corpus)
        winners = np.random.default_rng(1).integers(
            -1, self.N_CELLS, size=n_positions(shard, plan, at), dtype=np.int32
        )
        return [
            count_windows(shard, plan, at, drives, self.WINDOW, True),
            count_windows(shard, plan, at, drives, self.WINDOW, False),
            count_given(shard, plan, at, winners, drives.shape, self.WINDOW),
            count_top(shard, plan, at, drives, self.WINDOW, True, 3),
        ]

    def assert_same(self, found, expected):
        for one, other in zip(found, expected, strict=True):
            assert len(other.cells)
            for name in ("lengths", "cells", "counts", "occurrences", "cell_sizes"):
                np.testing.assert_array_equal(getattr(one, name), getattr(other, name), name)

    def test_batches_that_a_shard_has_not(self, corpus):
        for counted in self.counted(corpus, "numba", at=(0, 3)):
            assert not len(counted.cells)
            assert not counted.cell_sizes.any()

    def test_windows_are_counted_by_hand(self):
        corpus = EncodedCorpus.from_documents([["a", "b", "a"]])
        plan = Plan(["a", "b"], np.array([2, 1]), 0.0, 1, 1, 0, "numpy", 1)
        # cell 0 takes windows around a, cell 1 those around b
        drives = np.array([[0, 0], [0, 0], [9, 0], [0, 9]], dtype=np.int16)
        counted = count_windows(Shard(0, corpus), plan, (0, 0), drives, 3, True)
        assert counted.matrix(2).toarray().tolist() == [[0, 1], [2, 0], [2, 0], [0, 1]]
        assert counted.occurrences.tolist() == counted.cell_sizes.tolist() == [2, 1]

    @pytest.mark.parametrize("epoch", [0, 1])
    def test_numpy_and_numba_count_the_same(self, corpus, epoch):
        for batch in range(3):
            at = (epoch, batch)
            self.assert_same(
                self.counted(corpus, "numpy", at), self.counted(corpus, "numba", at, n_threads=2)
            )

    @pytest.mark.slow
    @pytest.mark.skipif(bool(emulator.missing()), reason=emulator.missing())
    @pytest.mark.usefixtures("small_blocks")
    @pytest.mark.parametrize("n_devices", [1, 2])
    def test_workers_with_gpus_count_the_same(self, corpus, n_devices):
        expected = self.counted(corpus, "numba", at=(0, 1))
        with FakeCupy(n_devices=n_devices).installed() as fake:
            found = self.counted(corpus, "cupy", at=(0, 1), n_threads=n_devices)
        self.assert_same(found, expected)
        kernels = {name for name, _ in fake.launched}
        assert {"find_winners", "tally_winners"} <= kernels
        assert {device for _, device in fake.launched} == set(range(n_devices))

    @pytest.mark.slow
    @pytest.mark.skipif(bool(emulator.missing()), reason=emulator.missing())
    @pytest.mark.usefixtures("small_blocks")
    def test_a_task_may_have_more_threads_than_there_are_gpus(self, corpus):
        expected = self.counted(corpus, "numba", at=(0, 1), n_threads=2)
        with FakeCupy(n_devices=1).installed():
            found = self.counted(corpus, "cupy", at=(0, 1), n_threads=2)
        self.assert_same(found, expected)


def test_cells_of_documents(make):
    random = np.random.default_rng(0)
    texts = [" ".join(f"w{topic}{w}" for w in random.integers(9, size=30)) for topic in "ab" * 60]
    local = FlyHashVectorizer(**SMALL).fit(texts)
    assert local.model_.document_coder is not None
    for n_partitions in (1, 3):
        fly = make().fit(bag.from_sequence(texts, npartitions=n_partitions)).to_local()
        found = fly.model_.document_coder.arrays
        assert found["idf"].tolist() == local.model_.document_coder.idf.tolist()
        if n_partitions == 1:
            expected = local.model_.document_coder.arrays
            assert all(np.array_equal(found[name], expected[name]) for name in expected)


class TestPhrases:
    TEXTS = ("a hot dog and the new york times", "hot dog stands in new york", "old york is new")

    def texts(self):
        """Pairs score above the threshold only among many other words."""
        rare = [" ".join(f"w{i}x{j}" for j in range(10)) for i in range(60)]
        return [f"{self.TEXTS[i % 3]} {words}" for i, words in enumerate(rare)]

    def test_they_are_those_of_one_machine(self, make):
        texts = self.texts()
        params = SMALL | {"min_count": 1, "phrases": True}
        expected = FlyHashVectorizer(**params).fit(texts)
        fly = make(**params).fit(bag.from_sequence(texts, npartitions=3))
        assert "hot_dog" in expected.phrases_
        assert sorted(fly.phrases_) == sorted(expected.phrases_)
        counts = [
            dict(zip(f.vocabulary_, f.model_.vocabulary.counts.tolist(), strict=True))
            for f in (fly, expected)
        ]
        assert counts[0] == counts[1]

    def test_directories_are_joined_too(self, make, tmp_path):
        texts = self.texts()
        for part in range(2):
            EncodedCorpus.from_documents(texts[part::2]).save(tmp_path / str(part))
        paths = [tmp_path / "0", tmp_path / "1"]
        fly = make(min_count=1, phrases=True).fit(paths)
        assert "hot_dog" in fly.phrases_
        n_words = fly.n_features_out_
        assert fly.partial_fit(paths).n_features_out_ == n_words
