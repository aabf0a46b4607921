import json
import os
import pickle
import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skfly import DocumentIndex, FlyHashVectorizer, FlyModel, ModelFileError, _model_file
from skfly._files import LockedError, write_lock
from skfly.codes import pack_codes

TOPICS = {
    "fruit": "ripe fruit smells sweet banana peach apple tree juice",
    "money": "bank lends money loan interest credit rate debt cash",
    "night": "moth sleeps dark lamp night moon light star sky",
}


def sentences(n, seed=0):
    """Return texts of six words of one topic each."""
    random = np.random.default_rng(seed)
    words = [topic.split() for topic in TOPICS.values()]
    return [" ".join(random.choice(words[i % 3], 6)) for i in range(n)]


@pytest.fixture(scope="module")
def fly():
    params = {"n_kenyon_cells": 60, "hash_length": 8, "window": 5, "n_epochs": 2, "n_jobs": 1}
    return FlyHashVectorizer(**params, min_count=1, random_state=0).fit(sentences(300))


@pytest.fixture(scope="module")
def other(fly):
    params = fly.get_params() | {"random_state": 1}
    return FlyHashVectorizer(**params).fit(sentences(300, seed=1))


TEXTS = [*sentences(40, seed=2), "", "qwerty uiop", *sentences(5, seed=3)]


@pytest.fixture
def index(fly):
    index = DocumentIndex(fly)
    index.add(TEXTS)
    return index


def brute_force(fly, texts, query):
    """Return the order of texts by cells in common with the query, and the shares."""
    codes = fly.set_params(document_codes="binary").transform([query, *texts]).toarray() > 0
    shares = (codes[1:] & codes[0]).sum(axis=1) / fly.hash_length
    found = [i for i in np.argsort(-shares, kind="stable") if codes[1 + i].any()]
    return found, shares[found]


class TestSearch:
    def test_finds_what_comparing_with_all_finds(self, fly, index):
        queries = sentences(6, seed=4)

        ids, scores = index.search(queries, n=len(TEXTS))

        for query, found, score in zip(queries, ids, scores, strict=True):
            expected, shares = brute_force(fly, TEXTS, query)
            assert found.tolist() == expected
            np.testing.assert_allclose(score, shares)

    def test_documents_without_a_known_word_are_never_found(self, index):
        ids, _ = index.search(TEXTS[:3], n=len(TEXTS))

        assert ids.shape == (3, len(TEXTS) - 2)
        assert not {40, 41} & set(ids.ravel().tolist())
        assert index.n_empty == 2
        assert len(index) == len(TEXTS)

    def test_a_query_without_a_known_word_has_an_empty_answer(self, index):
        with pytest.warns(UserWarning, match="1 of 1 queries .* number 0"):
            ids, scores = index.search(["qwerty"])

        assert ids.shape == scores.shape == (1, 0)

    def test_beside_other_queries_its_answer_is_filled_up(self, index):
        with pytest.warns(UserWarning, match="number 1"):
            ids, scores = index.search(["ripe fruit", "qwerty"], n=2)

        assert (ids[0] >= 0).all()
        assert ids[1].tolist() == [-1, -1]
        assert np.isnan(scores[1]).all()

    def test_an_empty_index_says_so(self, fly):
        with pytest.warns(UserWarning, match="the index has no documents"):
            ids, scores = DocumentIndex(fly).search(["ripe fruit", "money"])

        assert ids.shape == scores.shape == (2, 0)

    @pytest.mark.parametrize("n", [0, -1])
    def test_a_number_that_is_none(self, index, n):
        with pytest.raises(ValueError, match="n must be at least 1"):
            index.search(["fruit"], n=n)

    def test_one_text_is_not_a_list_of_texts(self, index):
        with pytest.raises(ValueError, match="got a single str"):
            index.search("ripe fruit")

    def test_a_model_and_an_estimator_find_the_same(self, fly, index):
        same = DocumentIndex(fly.model_)
        same.add(TEXTS)

        for found, expected in zip(same.search(TEXTS[:4]), index.search(TEXTS[:4]), strict=True):
            np.testing.assert_array_equal(found, expected)

    @pytest.mark.parametrize("document_codes", ["counts", "binary"])
    def test_settings_of_the_estimator_do_not_matter(self, fly, index, document_codes):
        set_otherwise = DocumentIndex(fly.model_.with_(document_codes=document_codes))
        set_otherwise.add(iter(TEXTS))

        assert set_otherwise.search(TEXTS[:2])[0].tolist() == index.search(TEXTS[:2])[0].tolist()

    def test_only_a_fitted_model_will_do(self):
        with pytest.raises(TypeError, match="FlyHashVectorizer or a FlyModel; got list"):
            DocumentIndex([1])
        with pytest.raises(ValueError, match="not fitted"):
            DocumentIndex(FlyHashVectorizer())


class TestChange:
    @settings(max_examples=20, deadline=None)
    @given(st.data())
    def test_any_order_of_adding_and_removing(self, fly, data):
        index, there = DocumentIndex(fly), {}
        for _ in range(data.draw(st.integers(1, 6))):
            n = data.draw(st.integers(0, 5))
            added = [TEXTS[i] for i in data.draw(st.lists(st.integers(38, 46), max_size=n))]
            first = index._next_id
            index.add(added)
            there |= {first + i: text for i, text in enumerate(added)}
            removed = (
                data.draw(st.lists(st.sampled_from(sorted(there)), unique=True)) if there else []
            )
            index.remove(removed)
            there = {id_: text for id_, text in there.items() if id_ not in removed}
            if data.draw(st.booleans()):
                index.compact()

        assert len(index) == len(there)
        assert index.ids.tolist() == list(there)
        if there:
            ids, _ = index.search(["sweet ripe fruit"], n=99)
            order, _ = brute_force(fly, there.values(), "sweet ripe fruit")
            assert ids[0].tolist() == [list(there)[i] for i in order]

    def test_ids_are_not_given_twice(self, index):
        last = len(TEXTS) - 1
        index.remove([last])
        index.compact()
        index.add(["ripe fruit"])

        assert index.ids[-1] == last + 1

    @pytest.mark.parametrize("ids", [[7, -3, 10**12], ["b", "a", "ä"], np.array([5, 3, 1])])
    def test_ids_of_users(self, fly, ids):
        index = DocumentIndex(fly)
        index.add(TEXTS[:3], ids)

        found, _ = index.search(TEXTS[:3], n=1)

        assert found[:, 0].tolist() == list(ids)
        assert ids[0] in index
        assert "nothing" not in index
        index.remove([ids[1]])
        assert list(index.ids) == [ids[0], ids[2]]

    def test_an_id_twice_is_refused_and_nothing_is_added(self, fly):
        index = DocumentIndex(fly)
        index.add(["ripe fruit"], ["a"])

        with pytest.raises(ValueError, match="there is a document with the id 'a' already"):
            index.add(["money", "moth"], ["b", "a"])
        with pytest.raises(ValueError, match="the id 'c' is given twice"):
            index.add(["money", "moth"], ["c", "c"])
        assert index.ids == ["a"]

    @pytest.mark.parametrize(
        ("ids", "error", "message"),
        [
            (["x"], ValueError, "2 texts and 1 ids"),
            ([1, "x"], TypeError, "all int or all str; got str: 'x'"),
            ([1.5, 2], TypeError, "got float"),
            ([True, False], TypeError, "got bool"),
            ("ab", TypeError, "got a single str"),
            ([2**70, 1], ValueError, "does not fit in 64 bits"),
        ],
    )
    def test_wrong_ids(self, fly, ids, error, message):
        with pytest.raises(error, match=message):
            DocumentIndex(fly).add(["ripe", "money"], ids)

    def test_ids_of_one_kind_only(self, fly):
        index = DocumentIndex(fly)
        index.add(["ripe fruit"], ["a"])

        with pytest.raises(TypeError, match="ids of type str; got int"):
            index.add(["money"], [3])
        with pytest.raises(ValueError, match="ids of type str: give ids"):
            index.add(["money"])

    def test_unknown_ids_are_not_removed_and_neither_is_anything_else(self, index):
        with pytest.raises(ValueError, match="there is no document with the id 1000, -4"):
            index.remove([0, 1000, -4])

        assert len(index) == len(TEXTS)

    @pytest.mark.parametrize("wrong", [None, float("nan")])
    def test_what_is_no_text_is_named_by_its_place(self, index, wrong):
        with pytest.raises(TypeError) as raised:
            index.add(["ripe", wrong])

        assert "in document number 1 (the first is 0)" in raised.value.__notes__
        assert len(index) == len(TEXTS)

    @pytest.mark.parametrize("keep_texts", [False, True])
    def test_bytes_are_decoded(self, fly, keep_texts):
        index = DocumentIndex(fly, keep_texts=keep_texts)
        index.add([b"ripe fruit", "money \u00e4".encode()])

        assert index.search(["ripe fruit"], n=1)[0].tolist() == [[0]]
        if keep_texts:
            assert index.texts([1]) == ["money \u00e4"]

    def test_a_large_document(self, fly):
        index = DocumentIndex(fly)
        index.add([(TOPICS["money"] + " ") * 200_000, TOPICS["fruit"]])

        assert index.search(["bank loan"], n=1)[0].tolist() == [[0]]


class TestTexts:
    def test_are_given_back(self, fly):
        index = DocumentIndex(fly, keep_texts=True)
        index.add(iter(TEXTS))
        index.remove([0])

        assert index.texts([45, 1]) == [TEXTS[45], TEXTS[1]]
        with pytest.raises(ValueError, match="no document with the id 0"):
            index.texts([0])

    def test_only_if_they_were_kept(self, index):
        with pytest.raises(ValueError, match="keep_texts=True"):
            index.texts([0])

    def test_words_are_no_text(self, fly):
        with pytest.raises(TypeError, match="only texts"):
            DocumentIndex(fly, keep_texts=True).add([["ripe", "fruit"]])

    def test_files_are_not_kept(self, fly):
        model = fly.model_
        reads_files = model.with_(text=dict(model.settings.text) | {"input": "filename"})

        with pytest.raises(ValueError, match="set input='content'"):
            DocumentIndex(reads_files, keep_texts=True)


class TestNamesOfScikitLearn:
    def test_kneighbors(self, index):
        distances, places = index.kneighbors(TEXTS[:4], n_neighbors=3)
        ids, scores = index.search(TEXTS[:4], n=3)

        assert places.tolist() == ids.tolist()
        np.testing.assert_allclose(distances, 1 - scores)
        assert index.kneighbors(TEXTS[:4], 3, return_distance=False).tolist() == ids.tolist()

    def test_documents_are_not_their_own_neighbors(self, index):
        distances, places = index.kneighbors(n_neighbors=5)

        assert places.shape == (len(TEXTS), 5)
        assert not (places == np.arange(len(TEXTS))[:, None]).any()
        assert (places[[40, 41]] == -1).all()
        assert np.isinf(distances[[40, 41]]).all()
        assert (np.diff(distances[:40]) >= 0).all()

    def test_places_are_among_those_that_are_left(self, index):
        index.remove([0, 3])

        places = index.kneighbors([TEXTS[4]], 1, return_distance=False)

        assert index.ids[places[0, 0]] == index.search([TEXTS[4]], n=1)[0][0, 0]

    def test_more_than_there_are(self, index):
        with pytest.raises(ValueError, match="n_neighbors is 99, but only 47 documents"):
            index.kneighbors(["fruit"], 99)

    def test_radius_neighbors(self, index):
        distances, places = index.radius_neighbors(TEXTS[:3], radius=0.5)

        ids, scores = index.search(TEXTS[:3], n=len(TEXTS))
        for i in range(3):
            near = 1 - scores[i] <= 0.5
            assert places[i].tolist() == ids[i, near].tolist()
            np.testing.assert_allclose(distances[i], 1 - scores[i, near])
        others = index.radius_neighbors(radius=1.0, return_distance=False)
        assert len(others[0]) == len(TEXTS) - 3
        assert len(others[40]) == 0

    def test_fit_replaces_all(self, index):
        assert index.fit(TEXTS[:3]) is index
        assert index.ids.tolist() == [0, 1, 2]


class TestDuplicates:
    def test_are_all_pairs_above_the_threshold(self, fly, index):
        codes = fly.transform(TEXTS).toarray()
        shares = codes @ codes.T / fly.hash_length
        expected = {(i, j) for i in range(47) for j in range(i + 1, 47) if shares[i, j] >= 0.75}

        pairs, scores = index.duplicates(0.75)

        assert set(map(tuple, pairs.tolist())) == expected
        assert len(pairs) == len(expected)
        assert (np.diff(scores) <= 0).all()
        np.testing.assert_allclose(scores, shares[pairs[:, 0], pairs[:, 1]])

    def test_across_parts_and_without_what_was_removed(self, fly):
        index = DocumentIndex(fly)
        for i, text in enumerate(["ripe sweet fruit", "money", "ripe sweet fruit"]):
            index.add([text], [f"t{i}"])
        index.add(["ripe sweet fruit"], ["gone"])
        index.remove(["gone"])

        assert index.duplicates(1.0)[0].tolist() == [["t0", "t2"]]

    def test_of_nothing(self, fly):
        pairs, scores = DocumentIndex(fly).duplicates()

        assert pairs.shape == (0, 2)
        assert scores.shape == (0,)

    @pytest.mark.parametrize("threshold", [0, 1.1, float("nan")])
    def test_a_threshold_that_is_none(self, index, threshold):
        with pytest.raises(ValueError, match="threshold must be above 0"):
            index.duplicates(threshold)


class TestFiles:
    @pytest.mark.parametrize("mmap", [False, True])
    @pytest.mark.parametrize("ids", [None, [f"text {i} ä" for i in range(len(TEXTS))]])
    @pytest.mark.parametrize("keep_texts", [False, True])
    def test_saved_and_loaded(self, fly, tmp_path, mmap, ids, keep_texts):
        index = DocumentIndex(fly, keep_texts=keep_texts)
        index.add(TEXTS, ids)
        index.remove(list(index.ids[:2]))
        index.save(tmp_path / "a.idx")

        loaded = DocumentIndex.load(tmp_path / "a.idx", mmap=mmap)

        assert list(loaded.ids) == list(index.ids)
        for found, expected in zip(loaded.search(TEXTS[:5]), index.search(TEXTS[:5]), strict=True):
            np.testing.assert_array_equal(found, expected)
        if keep_texts:
            assert loaded.texts(loaded.ids) == TEXTS[2:]
        loaded.remove(list(loaded.ids[:3]))
        loaded.add(["ripe sweet fruit"], None if ids is None else ["new"])
        assert len(loaded) == len(TEXTS) - 4
        loaded.save(tmp_path / "a.idx")
        assert len(DocumentIndex.load(tmp_path / "a.idx")) == len(TEXTS) - 4

    def test_one_writer_at_a_time(self, index, tmp_path):
        index.save(tmp_path / "a.idx")
        before = (tmp_path / "a.idx").read_bytes()
        with (
            write_lock(tmp_path / "a.idx"),
            pytest.raises(LockedError, match=f"a.idx is in use by process {os.getpid()} "),
        ):
            index.save(tmp_path / "a.idx")
        assert (tmp_path / "a.idx").read_bytes() == before
        index.save(tmp_path / "a.idx")
        assert [path.name for path in tmp_path.iterdir()] == ["a.idx"]

    def test_an_empty_index(self, fly, tmp_path):
        DocumentIndex(fly, keep_texts=True).save(tmp_path / "a.idx")

        loaded = DocumentIndex.load(tmp_path / "a.idx")

        assert len(loaded) == 0
        loaded.add(TEXTS, [str(i) for i in range(len(TEXTS))])
        assert loaded.texts(["3"]) == [TEXTS[3]]

    def test_another_model_is_refused(self, fly, other, index, tmp_path):
        index.save(tmp_path / "a.idx")

        with pytest.raises(ValueError, match="made with another model"):
            DocumentIndex.load(tmp_path / "a.idx", fly=other)
        with pytest.raises(ValueError, match="made with another model"):
            DocumentIndex.load(tmp_path / "a.idx", fly=fly.model_.with_(hash_length=4))
        assert DocumentIndex.load(tmp_path / "a.idx", fly=fly).model.coder is fly.model_.coder

    def test_without_its_model(self, fly, index, tmp_path):
        index.save(tmp_path / "a.idx", include_model=False)
        fly.save(tmp_path / "a.skfly")

        with pytest.raises(ValueError, match=r"load\(path, fly=...\)"):
            DocumentIndex.load(tmp_path / "a.idx")
        loaded = DocumentIndex.load(tmp_path / "a.idx", fly=tmp_path / "a.skfly")
        assert loaded.search(TEXTS[:1])[0].tolist() == index.search(TEXTS[:1])[0].tolist()

    def test_what_is_no_index(self, fly, index, tmp_path):
        fly.save(tmp_path / "a.skfly")
        index.save(tmp_path / "a.idx")

        with pytest.raises(ModelFileError, match="not an index of documents"):
            DocumentIndex.load(tmp_path / "a.skfly")
        with pytest.raises(ModelFileError, match=r"open it with DocumentIndex\.load"):
            FlyModel.load(tmp_path / "a.idx")

    @pytest.mark.parametrize("mmap", [False, True])
    @pytest.mark.parametrize("part", ["codes", "ids", "model.coder.vectors"])
    def test_a_bit_that_changed(self, index, tmp_path, monkeypatch, part, mmap):
        monkeypatch.setattr(_model_file, "_CHECKED_AT_ONCE", 0)  # as of large arrays
        index.save(tmp_path / "a.idx")
        data = bytearray((tmp_path / "a.idx").read_bytes())
        length = int.from_bytes(data[:8], "little")
        entry = json.loads(data[8 : 8 + length])[part]
        data[8 + length + entry["data_offsets"][0] + 1] ^= 1
        (tmp_path / "a.idx").write_bytes(data)

        with pytest.raises(ModelFileError, match="does not match its checksum"):
            DocumentIndex.load(tmp_path / "a.idx", mmap=mmap).search(TEXTS[:1])

    def test_pickled(self, index):
        same = pickle.loads(pickle.dumps(index))

        same.add(["ripe fruit"])
        assert same.search(TEXTS[:1])[0].tolist() == index.search(TEXTS[:1])[0].tolist()


class TestMerge:
    def test_finds_what_one_index_finds(self, fly, index, tmp_path):
        parts = []
        for number, start in enumerate(range(0, len(TEXTS), 20)):
            part = DocumentIndex(fly)
            part.add(
                TEXTS[start : start + 20], range(start, start + len(TEXTS[start : start + 20]))
            )
            part.save(tmp_path / f"{number}.idx")
            parts.append(DocumentIndex.load(tmp_path / f"{number}.idx"))

        merged = DocumentIndex.merge(parts)

        assert len(merged) == len(TEXTS)
        for found, expected in zip(merged.search(TEXTS[:5]), index.search(TEXTS[:5]), strict=True):
            np.testing.assert_array_equal(found, expected)

    def test_texts_and_what_was_removed(self, fly):
        parts = []
        for name in "ab":
            part = DocumentIndex(fly, keep_texts=True)
            part.add(["ripe fruit", "money"], [f"{name}0", f"{name}1"])
            parts.append(part)
        parts[0].remove(["a0"])

        merged = DocumentIndex.merge([*parts, DocumentIndex(fly, keep_texts=True)])

        assert merged.ids == ["a1", "b0", "b1"]
        assert merged.texts(["b0"]) == ["ripe fruit"]
        merged.add(["moth"], ["c"])
        assert parts[1].ids == ["b0", "b1"]

    def test_of_different_models(self, index, other):
        with pytest.raises(ValueError, match="of different models"):
            DocumentIndex.merge([index, DocumentIndex(other)])

    def test_with_an_id_twice(self, index):
        with pytest.raises(ValueError, match="two documents have the same id"):
            DocumentIndex.merge([index, index])

    def test_with_other_ids(self, fly, index):
        second = index.with_ids([f"{i}" for i in range(47)]).with_ids(range(47, 94))
        index.remove([3])

        merged = DocumentIndex.merge([index, second])

        assert merged.ids.tolist() == [i for i in range(94) if i != 3]
        assert merged.search(TEXTS[3:4], n=1)[0].tolist() == [[50]]

    @pytest.mark.parametrize("ids", [[0, 1], [0] * 47])
    def test_other_ids_that_do_not_fit(self, index, ids):
        with pytest.raises(ValueError, match="47 documents need as many ids, all different"):
            index.with_ids(ids)

    def test_of_nothing(self):
        with pytest.raises(ValueError, match="no indexes to merge"):
            DocumentIndex.merge([])

    def test_of_different_ids(self, fly, index):
        named = DocumentIndex(fly)
        named.add(["ripe"], ["a"])
        with pytest.raises(TypeError, match="some of type str"):
            DocumentIndex.merge([index, named])


class TestExports:
    def test_faiss_finds_the_same(self, fly, index):
        pytest.importorskip("faiss")
        index.remove([1])
        found = index.to_faiss()
        _, scores = index.search(TEXTS[2:5], n=4)

        distances, keys = found.search(pack_codes(fly.transform(TEXTS[2:5])), 4)

        assert found.ntotal == len(TEXTS) - 3  # without the two that have no code
        np.testing.assert_allclose(1 - distances / (2 * fly.hash_length), scores)
        assert not {1, 40, 41} & set(keys.ravel().tolist())

    def test_faiss_has_places_where_ids_are_words(self, fly):
        faiss = pytest.importorskip("faiss")
        index = DocumentIndex(fly)
        index.add(["", "ripe fruit", "money"], ["x", "y", "z"])

        found = index.to_faiss()

        assert faiss.vector_to_array(found.id_map).tolist() == [1, 2]

    def test_usearch_recalls_most(self, fly):
        pytest.importorskip("usearch")
        index = DocumentIndex(fly)
        index.add([*sentences(500, seed=5), ""])
        found = index.to_usearch()
        queries = sentences(30, seed=6)
        _, scores = index.search(queries, n=10)

        matches = found.search(pack_codes(fly.transform(queries)), 10)

        assert len(found) == 500
        share = 2 * (1 - matches.distances) / (2 - matches.distances)  # from Tanimoto's distance
        recall = np.mean(share > scores[:, -1:] - 1e-6)
        assert recall > 0.9

    def test_of_an_empty_index(self, fly):
        pytest.importorskip("faiss")
        assert DocumentIndex(fly).to_faiss().ntotal == 0

    def test_keys_of_usearch_are_not_negative(self, fly):
        pytest.importorskip("usearch")
        index = DocumentIndex(fly)
        index.add(["ripe fruit"], [-1])
        with pytest.raises(ValueError, match="negative ids"):
            index.to_usearch()


def test_threads_search_while_another_changes_the_index(fly):
    index = DocumentIndex(fly)
    index.add(TEXTS[:40])
    expected, _ = index.search(TEXTS[:10], n=1)
    wrong, done = [], threading.Event()

    def search():
        while not done.is_set():
            ids, _ = index.search(TEXTS[:10], n=1)
            if ids.tolist() != expected.tolist():
                wrong.append(ids)

    threads = [threading.Thread(target=search) for _ in range(3)]
    for thread in threads:
        thread.start()
    for _ in range(30):
        index.add(TEXTS[:40])
        index.remove(index.ids[40:])
    done.set()
    for thread in threads:
        thread.join()

    assert wrong == []


def test_what_is_told_of_an_index(index):
    assert (
        repr(index) == "DocumentIndex(47 documents, FlyModel(27 words, 60 cells, hash length 8))"
    )
    assert index.nbytes >= 47 * 8


def test_a_model_by_its_name():
    index = DocumentIndex("en")
    index.add(["the bank lends money", "a river in the mountains"], ids=["bank", "river"])
    assert index.search(["loans"], n=1)[0].tolist() == [["bank"]]
    with pytest.raises(FileNotFoundError, match="there is no model file klingon"):
        DocumentIndex("klingon")
