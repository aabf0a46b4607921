"""Model files: what is saved comes back, and what is broken is refused."""

import copy
import errno
import json
import os
import pickle
import stat

import numpy as np
import pytest
import safetensors.numpy
from hypothesis import given
from hypothesis import strategies as st
from safetensors import safe_open
from sklearn.base import clone

from skfly import FlyHashVectorizer, FlyModel, ModelFileError
from skfly._model_file import read_model_file, write_model_file
from skfly._params import CALLER_PARAMS, CONSTRAINTS, FILE_PARAMS
from skfly.model._deflate import deflate
from skfly.text import FilePattern, PackedWords


def same(left, right):
    return left.shape == right.shape and left.dtype == right.dtype and (left != right).nnz == 0


@pytest.fixture
def saved(fitted, tmp_path):
    path = tmp_path / "fly.skfly"
    fitted.save(path)
    return path


@pytest.fixture
def saved_lloyd(fitted_lloyd, tmp_path):
    path = tmp_path / "lloyd.skfly"
    fitted_lloyd.save(path)
    return path


def is_mapped(array):
    """Whether an array is a view of a mapped file."""
    while array is not None and not isinstance(array, np.memmap):
        array = getattr(array, "base", None)
    return array is not None


@pytest.mark.parametrize("mmap", [False, True])
@pytest.mark.parametrize(
    "params",
    [
        {},
        {"learning": "lloyd"},
        {"learning": "lloyd", "n_kenyon_cells": 12},  # few enough to be connected
        {"learning": "hebbian", "word_codes": "synapses", "document_codes": "counts"},
        {"stop_words": ["the", "of"], "fold_numbers": True, "dtype": np.float64},
        {"stop_words": "english", "subsample": 0.05, "sparse_output": True, "min_count": 2},
        {"vocabulary": ["ripe", "fruit", "moth", "bank"], "backend": "numpy"},
    ],
)
def test_a_loaded_model_gives_the_same_bits(
    make_fly, documents, fingerprint, tmp_path, params, mmap
):
    fly = make_fly(**params).fit(documents[:60])
    fly.save(tmp_path / "fly.skfly")
    loaded = FlyHashVectorizer.load(tmp_path / "fly.skfly", mmap=mmap)
    assert loaded.get_params() == fly.get_params()
    assert {is_mapped(array) for array in loaded.model_.coder.arrays.values()} == {mmap}
    for _ in range(2):
        assert fingerprint(loaded) == fingerprint(fly)
        assert same(loaded.transform(documents), fly.transform(documents))
        assert same(loaded.hash_words(["ripe", "moth"]), fly.hash_words(["ripe", "moth"]))
        assert same(loaded.word_codes_, fly.word_codes_)
        assert same(
            loaded.hash_in_context(["ripe fruit"], ["fruit"]),
            fly.hash_in_context(["ripe fruit"], ["fruit"]),
        )
        assert loaded.kenyon_cells("ripe fruit") == fly.kenyon_cells("ripe fruit")
        # learning goes on in the same way
        loaded.partial_fit(documents[60:])
        fly.partial_fit(documents[60:])


@given(texts=st.lists(st.text(min_size=1), min_size=1, max_size=5), seed=st.integers(0, 99))
def test_any_words_come_back(make_fly, tmp_path_factory, texts, seed):
    fly = make_fly(token_pattern=r"(?s).+", sentence_splitter=None, random_state=seed).fit(texts)
    path = tmp_path_factory.getbasetemp() / "any.skfly"
    fly.save(path)
    loaded = FlyHashVectorizer.load(path)
    assert loaded.vocabulary_ == fly.vocabulary_
    assert same(loaded.transform(texts), fly.transform(texts))
    assert same(loaded.word_codes_, fly.word_codes_)


def test_hash_length_set_after_fit_is_saved(fitted, tmp_path, documents):
    fly = copy.deepcopy(fitted).set_params(hash_length=7)
    fly.save(tmp_path / "fly.skfly")
    assert set(FlyHashVectorizer.load(tmp_path / "fly.skfly").transform(documents).getnnz(1)) == {
        7
    }


def test_a_vocabulary_given_as_a_dict_keeps_its_ids(make_fly, documents, tmp_path):
    fly = make_fly(vocabulary={"fruit": 1, "ripe": 0}).fit(documents)
    fly.save(tmp_path / "fly.skfly")
    loaded = FlyHashVectorizer.load(tmp_path / "fly.skfly")
    assert loaded.vocabulary_ == {"ripe": 0, "fruit": 1}
    assert loaded.fit(documents).vocabulary_ == {"ripe": 0, "fruit": 1}


def test_parameters_may_be_numpy_numbers(make_fly, documents, tmp_path):
    """As ``GridSearchCV`` over ``np.arange`` gives them."""
    params = {
        "n_kenyon_cells": np.int64(20),
        "hash_length": np.int32(4),
        "n_epochs": np.int64(2),
        "min_count": np.int64(2),
        "learning": "lloyd",
        "n_active": np.int64(3),
        "shrinkage": np.float32(1.5),
        "truncate_windows": np.True_,
    }
    fly = make_fly(**params).fit(documents)
    fly.save(tmp_path / "fly.skfly")
    loaded = FlyHashVectorizer.load(tmp_path / "fly.skfly")
    assert {name: loaded.get_params()[name] for name in params} == params
    assert same(loaded.transform(documents), fly.transform(documents))


def test_a_model_file_is_readable_as_other_files_are(saved, tmp_path):
    (tmp_path / "other").touch()
    assert stat.S_IMODE(saved.stat().st_mode) == stat.S_IMODE((tmp_path / "other").stat().st_mode)


def test_a_model_is_one_file_of_arrays_and_json(saved):
    assert [path.name for path in saved.parent.iterdir()] == ["fly.skfly"]
    with safe_open(saved, framework="numpy") as file:
        assert set(file.keys()) == {
            "coder.cells",
            "coder.vectors",
            "coder.weights",
            "counts",
            "layout.places",
            "layout.regions",
            "state.near.counts",
            "state.near.ends",
            "state.near.large",
            "state.near.words",
            "state.wide.counts",
            "state.wide.ends",
            "state.wide.large",
            "state.wide.words",
            "words.data",
            "words.ends",
        }
        described = json.loads(file.metadata()["skfly"])
    assert described["content"]["estimator"]["params"]["n_kenyon_cells"] == 20


def test_the_same_model_gives_the_same_bytes(saved, fitted, tmp_path):
    fitted.save(tmp_path / "again.skfly")
    assert (tmp_path / "again.skfly").read_bytes() == saved.read_bytes()


# Callables are code


def shout(text):
    return text.upper().split()


@pytest.mark.filterwarnings("ignore:The parameter 'token_pattern' will not be used")
def test_a_tokenizer_is_refused_with_the_way_out(make_fly, documents, tmp_path):
    fly = make_fly(tokenizer=shout).fit(documents)
    path = tmp_path / "fly.skfly"
    with pytest.raises(ValueError, match=r"tokenizer=.*shout.*set_params\(tokenizer=None\)"):
        fly.save(path)
    assert list(tmp_path.iterdir()) == []
    codes = fly.transform(documents)
    fly.set_params(tokenizer=None).save(path)
    loaded = FlyHashVectorizer.load(path).set_params(tokenizer=shout)
    assert same(loaded.transform(documents), codes)


@pytest.mark.parametrize(
    "params",
    [
        {"preprocessor": str.lower},
        {"sentence_splitter": str.splitlines},
        {"strip_accents": str.casefold},
        {"random_state": np.random.RandomState(0)},
    ],
)
def test_what_json_cannot_hold_is_refused(make_fly, documents, tmp_path, params):
    fly = make_fly(**params).fit(documents[:5])
    (name,) = params
    with pytest.raises(ValueError, match=rf"{name}=.*set_params\({name}=None\) before save"):
        fly.save(tmp_path / "fly.skfly")
    assert list(tmp_path.iterdir()) == []


# When saving fails


def half_written(arrays, path, metadata):
    path.write_bytes(b"half a model")
    raise OSError(errno.ENOSPC, "No space left on device")


def no_space(*args):
    raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize("step", ["writing", "flushing", "renaming"])
def test_a_full_disk_leaves_the_old_file(
    saved, make_fly, documents, fitted, monkeypatch, step, fingerprint
):
    other = make_fly(window=9).fit(documents)
    if step == "writing":
        monkeypatch.setattr(safetensors.numpy, "save_file", half_written)
    elif step == "flushing":
        monkeypatch.setattr(os, "fsync", no_space)
    else:
        monkeypatch.setattr(os, "replace", no_space)
        monkeypatch.setattr(type(saved), "replace", no_space)
    with pytest.raises(OSError, match="No space left"):
        other.save(saved)
    monkeypatch.undo()
    assert [path.name for path in saved.parent.iterdir()] == ["fly.skfly"]
    assert fingerprint(FlyHashVectorizer.load(saved)) == fingerprint(fitted)
    other.save(saved)
    assert fingerprint(FlyHashVectorizer.load(saved)) == fingerprint(other)


def test_a_model_that_is_mapped_may_be_saved_over(saved, make_fly, documents, fitted):
    mapped = FlyHashVectorizer.load(saved, mmap=True)
    make_fly(window=9).fit(documents).save(saved)
    assert same(mapped.transform(documents), fitted.transform(documents))


def test_a_mapped_model_may_be_saved_over_itself(saved, fitted, fingerprint):
    FlyHashVectorizer.load(saved, mmap=True).save(saved)
    assert fingerprint(FlyHashVectorizer.load(saved)) == fingerprint(fitted)


def test_a_directory_that_is_not_there_is_named(fitted, tmp_path):
    with pytest.raises(FileNotFoundError, match="missing"):
        fitted.save(tmp_path / "missing" / "fly.skfly")


# Files that are no model


@pytest.mark.parametrize("mmap", [False, True])
@pytest.mark.parametrize("kept", [0, 1, 7, 8, 100, 0.5, -1])
def test_a_file_that_is_cut_short_is_refused(saved, kept, mmap):
    whole = saved.read_bytes()
    size = int(len(whole) * kept) if isinstance(kept, float) else kept
    saved.write_bytes(whole[:size])
    with pytest.raises(ModelFileError, match="not a model file of skfly, or is cut short"):
        FlyHashVectorizer.load(saved, mmap=mmap)


def rewrite(path, change):
    """Write a model file again with its description changed, as one without checksums."""
    with safe_open(path, framework="numpy") as file:
        metadata = file.metadata()
        arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    described = json.loads(metadata["skfly"]) | {"version": 2, "checksums": {}}
    change(described)
    safetensors.numpy.save_file(arrays, path, metadata={"skfly": json.dumps(described)})


@pytest.mark.parametrize("mmap", [False, True])
def test_a_model_of_a_newer_version_is_refused(saved, mmap):
    rewrite(saved, lambda described: described.update(version=7))
    with pytest.raises(ModelFileError, match=r"model format 7, written by a newer skfly.*upgrade"):
        FlyHashVectorizer.load(saved, mmap=mmap)


@pytest.mark.parametrize("mmap", [False, True])
def test_arrays_of_someone_else_are_refused(tmp_path, mmap):
    path = tmp_path / "other.safetensors"
    safetensors.numpy.save_file({"synapses_": np.zeros(3)}, path, metadata={"format": "pt"})
    with pytest.raises(ModelFileError, match="a safetensors file, but not a model of skfly"):
        FlyHashVectorizer.load(path, mmap=mmap)


def change_form(content):
    content["form"] = "feathers"


def change_length(content):
    content["settings"]["hash_length"] = 99


def change_params(content):
    content["estimator"]["params"]["n_kenyon_cells"] = -1


def add_param(content):
    content["estimator"]["params"]["n_wings"] = 2


def drop_value(content):
    del content["estimator"]["n_epochs"]


def change_setting(content):
    content["estimator"]["settings"]["subsample"] = "none"


def change_provenance(content):
    content["provenance"]["n_tokens"] = "many"


def change_threads(content):
    content["settings"]["n_jobs"] = {"a": 1}


def change_unknown_words(content):
    content["settings"]["unknown_words"] = None


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (change_form, "feathers"),
        (change_threads, r"n_jobs must be int \| None"),
        (change_unknown_words, "unknown_words must be str"),
        (change_length, "hash_length=99, but the model has 20"),
        (change_setting, "subsample is 'none'"),
        (change_provenance, "n_tokens must be int"),
        (change_params, "'n_kenyon_cells' parameter .* Got -1"),
        (add_param, "n_wings"),
        (drop_value, "n_epochs"),
        (dict.clear, "params"),
    ],
)
@pytest.mark.parametrize("learning", ["whiten", "lloyd"])
def test_content_that_does_not_fit_is_refused(saved, saved_lloyd, damage, message, learning):
    path = saved if learning == "whiten" else saved_lloyd
    rewrite(path, lambda described: damage(described["content"]))
    with pytest.raises(ModelFileError, match=f"is damaged: .*{message}"):
        FlyHashVectorizer.load(path)


class TestParametersThatAFileMaySet:
    def put(self, saved, **params):
        def change(described):
            described["content"]["estimator"]["params"] |= params
            text = described["content"]["settings"]["text"]
            text |= {name: value for name, value in params.items() if name in text}

        rewrite(saved, change)

    def test_it_makes_transform_open_no_files(self, saved, tmp_path, fitted):
        self.put(saved, input="filename")
        secret = tmp_path / "secret"
        secret.write_text("ripe fruit")
        fly = FlyHashVectorizer.load(saved)
        assert fly.input == "content"
        for model in (fly.model_, FlyModel.load(saved)):
            assert same(model.documents([str(secret)]), fitted.model_.documents([str(secret)]))

    def test_it_makes_fit_write_nowhere(self, saved, tmp_path):
        self.put(saved, checkpoint_dir=str(tmp_path / "elsewhere"))
        assert FlyHashVectorizer.load(saved).checkpoint_dir is None

    @pytest.mark.parametrize("name", ["tokenizer", "preprocessor"])
    def test_it_names_no_code(self, saved, name):
        self.put(saved, **{name: "os.system"})
        assert getattr(FlyHashVectorizer.load(saved), name) is None

    def test_a_long_pattern_is_refused(self, saved):
        self.put(saved, token_pattern="a" * 1001)
        with pytest.raises(ModelFileError, match="its token_pattern has 1001 characters"):
            FlyHashVectorizer.load(saved)

    @pytest.mark.parametrize(
        "pattern", ["x{4000000000}", "((a{99}){99}){99}", "a{,9999}" * 99, "a{0}b{999999}"]
    )
    def test_a_pattern_that_takes_much_memory_is_refused(self, saved, pattern):
        self.put(saved, token_pattern=pattern)
        with pytest.raises(ModelFileError, match="repeats something too often"):
            FlyHashVectorizer.load(saved)

    def test_a_count_cannot_hide(self, saved):
        self.put(saved, token_pattern="(?ix)x{4 0 0 0 0 0 0 0 0 0}")
        with pytest.raises(ModelFileError, match="is verbose and has counts"):
            FlyHashVectorizer.load(saved)

    def test_small_counts_are_read(self, saved):
        self.put(saved, token_pattern=r"\w{2,50}(?:-\w{1,50})?")
        assert FlyHashVectorizer.load(saved).transform(["ripe fruit"]).nnz > 0

    def test_no_parameter_that_it_may_set_takes_a_path_or_the_name_of_one(self):
        for name in FILE_PARAMS:
            allowed = CONSTRAINTS[name]
            assert "PathLike" not in str(allowed), name
            assert "filename" not in str(allowed), name
        assert "input" not in FILE_PARAMS

    def test_every_parameter_is_of_files_or_of_the_caller(self):
        assert sorted([*FILE_PARAMS, *CALLER_PARAMS]) == sorted(CONSTRAINTS)

    @pytest.mark.parametrize("name", ["checkpoint_dir", "vocabulary", "ngram_range", "analyzer"])
    def test_among_the_rules_for_text_no_other_is_accepted(self, saved, name):
        rewrite(saved, lambda found: found["content"]["settings"]["text"].update({name: "x"}))
        for load in (FlyHashVectorizer.load, FlyModel.load):
            with pytest.raises(ModelFileError, match=f"rule for text '{name}'"):
                load(saved)

    def test_a_pattern_that_takes_for_ever_is_ended(self, saved, monkeypatch):
        monkeypatch.setattr("skfly.text._analyzer.PATTERN_SECONDS", 0.05)
        self.put(saved, token_pattern=r"(?:a|a)+b|\w+")
        fly = FlyHashVectorizer.load(saved)
        copied = clone(fly).fit(["ripe fruit"] * 20)
        changed = FlyHashVectorizer.load(saved).set_params(hash_length=1)
        for user in (fly.transform, changed.transform, copied.transform, fly.model_.documents):
            assert user(["ripe fruit"]).nnz > 0
            with pytest.raises(ValueError, match="token_pattern takes too long"):
                user(["a" * 2_000])

    def test_the_limit_of_a_pattern_outlives_a_pickle(self, saved):
        self.put(saved, token_pattern=r"\w+(?:-\w+)*")
        pattern = FlyHashVectorizer.load(saved).token_pattern
        assert not pickle.loads(pickle.dumps(pattern)).is_plain

    @pytest.mark.parametrize("pattern", [r"(?u)\b\w\w+\b", r"\S+", "[a-z]+", r"(?u)\b\w+\b"])
    def test_plain_patterns_need_no_limit(self, pattern):
        assert FilePattern(pattern).is_plain

    @pytest.mark.parametrize(
        "pattern", ["(a+)+b", r"\w*\w*x", "a?a?aa", r"(.)\1+", "a{9}b{9}", "[^#]+#", "[^#]*[#]"]
    )
    def test_others_have_one(self, pattern):
        assert not FilePattern(pattern).is_plain


@pytest.mark.parametrize(
    "content", [b"some text, and not a model at all", b"\x00" * 64, b"\xff" * 64, b"PK\x03\x04zip"]
)
def test_another_file_is_refused(tmp_path, content):
    path = tmp_path / "other"
    path.write_bytes(content)
    with pytest.raises(ModelFileError, match="not a model file of skfly"):
        FlyHashVectorizer.load(path)


def test_a_directory_is_refused(tmp_path):
    with pytest.raises(ModelFileError, match="is a directory, not a model file"):
        FlyHashVectorizer.load(tmp_path)


def test_a_file_of_words_and_codes_is_refused_with_the_way_out(fitted, tmp_path):
    pytest.importorskip("gensim")
    fitted.wv.save(tmp_path / "words")
    with pytest.raises(ModelFileError, match=r"not a model: open it with FlyKeyedVectors\.load"):
        FlyHashVectorizer.load(tmp_path / "words")


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"missing\.skfly"):
        FlyHashVectorizer.load(tmp_path / "missing.skfly")


def repeat_word(arrays):
    words = list(PackedWords.from_arrays(arrays))
    packed = PackedWords.pack([words[1], *words[1:]])
    return {"words.data": packed.data, "words.ends": packed.ends}


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda arrays: {"counts": arrays["counts"][1:]}, "one count per word"),
        (lambda arrays: {"counts": -arrays["counts"]}, "counts of the words are not valid counts"),
        (lambda arrays: {"words.ends": arrays["words.ends"][::-1].copy()}, "do not match"),
        (lambda arrays: {"coder.vectors": arrays["coder.vectors"][1:]}, "must have shape"),
        (lambda arrays: {"coder.weights": np.zeros((3, 3))}, "must be an array of float32"),
        (lambda arrays: {"coder.cells": arrays["coder.cells"][1:]}, "must have shape"),
        (lambda arrays: {"state.near.ends": arrays["state.near.ends"][1:]}, "packed numbers"),
        (
            lambda arrays: {"state.near.ends": deflate(np.arange(1, len(arrays["counts"]) + 2))},
            "near pairs do not",
        ),
        (lambda arrays: {"state.wings": np.zeros(3)}, "the state must be"),
        (repeat_word, "more than once"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(saved, damage, message):
    arrays, content = read_model_file(saved)
    write_model_file(saved, arrays | damage(arrays), content)
    with pytest.raises(ModelFileError, match=f"is damaged: .*{message}"):
        FlyHashVectorizer.load(saved)


@pytest.mark.parametrize("mmap", [False, True])
@pytest.mark.parametrize(
    ("name", "damage", "message"),
    [
        ("places", lambda places: places[1:], r"places of cells must have shape \(20\)"),
        ("places", lambda places: places[None], r"places of cells must have shape \(20\)"),
        ("places", lambda places: places.astype(np.float32), "places .* array of uint16"),
        ("places", lambda places: places.view(np.int16), "places .* array of uint16"),
        ("places", lambda places: places // np.uint16(2), "two cells have the same place"),
        ("places", lambda places: places + np.uint16(1), "a cell has place 20 of 20"),
        ("regions", lambda regions: regions[1:], r"regions of cells must have shape \(20\)"),
        ("regions", lambda regions: regions.view(np.int8), "regions .* array of uint8"),
        ("regions", lambda regions: regions + np.uint8(1), "a cell is in region 10 of 10"),
        ("wings", lambda _: np.zeros(3), "the layout must be places and regions"),
    ],
)
def test_layouts_that_do_not_fit_are_refused(saved, name, damage, message, mmap):
    arrays, content = read_model_file(saved)
    name = f"layout.{name}"
    write_model_file(saved, arrays | {name: damage(arrays.get(name))}, content)
    with pytest.raises(ModelFileError, match=f"is damaged: .*{message}"):
        FlyHashVectorizer.load(saved, mmap=mmap)


@pytest.mark.parametrize("kept", ["places", "regions"])
def test_half_a_layout_is_refused(saved, kept):
    arrays, content = read_model_file(saved)
    half = {n: a for n, a in arrays.items() if not n.startswith("layout.") or n.endswith(kept)}
    write_model_file(saved, half, content)
    with pytest.raises(ModelFileError, match="is damaged: the layout must be places and regions"):
        FlyHashVectorizer.load(saved)


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda arrays: {"coder.synapses": arrays["coder.synapses"][1:]}, "must have shape"),
        (lambda arrays: {"coder.consensus": np.zeros((3, 3))}, "must be an array of float32"),
        (lambda arrays: {"state.cells": np.zeros((3, 3))}, "must have shape"),
        (lambda arrays: {"state.wings": np.zeros(3)}, "the state must be"),
    ],
)
def test_synapses_that_do_not_fit_are_refused(saved_lloyd, damage, message):
    arrays, content = read_model_file(saved_lloyd)
    write_model_file(saved_lloyd, arrays | damage(arrays), content)
    with pytest.raises(ModelFileError, match=f"is damaged: .*{message}"):
        FlyHashVectorizer.load(saved_lloyd)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize(
    "name", ["coder.weights", "coder.synapses", "coder.consensus", "state.cells"]
)
class TestNumbersWithoutAValue:
    @pytest.fixture
    def saved(self, saved, saved_lloyd, name):
        return saved if name == "coder.weights" else saved_lloyd

    def spoil(self, saved, name, value):
        arrays, content = read_model_file(saved)
        spoiled = arrays[name].copy()
        spoiled.reshape(-1)[-1] = value
        write_model_file(saved, arrays | {name: spoiled}, content)

    def test_they_are_refused(self, saved, name, value):
        self.spoil(saved, name, value)
        with pytest.raises(ModelFileError, match=f"damaged: '{name}' contains nan or inf"):
            FlyHashVectorizer.load(saved)

    @pytest.mark.parametrize(
        "use",
        [
            lambda fly: fly.transform(["the fly"]),
            lambda fly: fly.set_params(hash_length=2).hash_words(["fly"]),
            lambda fly: fly.kenyon_cells("the fly"),
            lambda fly: fly.model_.describe_cells([0]),
            lambda fly: pytest.importorskip("gensim") and fly.wv,
            pickle.dumps,
        ],
        ids=range(6),
    )
    def test_in_a_mapped_file_at_its_first_use(self, saved, name, value, use):
        self.spoil(saved, name, value)
        fly = FlyHashVectorizer.load(saved, mmap=True)
        with pytest.raises(ModelFileError, match="contains nan or infinity"):
            use(fly)


@pytest.mark.parametrize(("learning", "name"), [("whiten", "cells"), ("lloyd", "synapses")])
def test_a_mapped_file_that_was_damaged_is_refused_at_its_first_use(
    tmp_path, monkeypatch, learning, name
):
    monkeypatch.setattr("skfly._model_file._CHECKED_AT_ONCE", 1000)
    params = {"learning": learning, "n_epochs": 1, "random_state": 0}
    fly = FlyHashVectorizer(n_kenyon_cells=3000, hash_length=2, **params)
    fly.fit([" ".join(f"w{i}" for i in range(60))] * 4).save(tmp_path / "fly")
    row = fly.model_.coder.arrays[name][-1].tobytes()
    place = (tmp_path / "fly").read_bytes().index(row)
    with open(tmp_path / "fly", "rb+") as file:
        file.seek(place)
        file.write(b"\x01\x02")
    loaded = FlyHashVectorizer.load(tmp_path / "fly", mmap=True)
    with pytest.raises(ModelFileError, match=rf"'coder\.{name}' does not match its checksum"):
        loaded.transform(["w1 w2"])


class TestTheStateOfLearning:
    """Counts in few bytes, read when they are needed."""

    def test_it_takes_fewer_bytes_in_a_file_than_in_memory(self, fitted, saved):
        arrays, content = read_model_file(saved)
        for name, (dtype, shape) in content["deflated"].items():
            assert arrays[f"state.{name}"].nbytes < fitted.rule_state_[name].nbytes
            assert (dtype, tuple(shape)) == (
                fitted.rule_state_[name].dtype.name,
                fitted.rule_state_[name].shape,
            )
        assert {"near.words", "wide.words"} <= content["deflated"].keys()

    @pytest.mark.parametrize("mmap", [False, True])
    def test_files_with_plain_arrays_continue_with_the_same_bits(
        self, fitted, saved, documents, fingerprint, mmap
    ):
        arrays, content = read_model_file(saved)
        del content["deflated"]
        state = {f"state.{name}": array for name, array in fitted.rule_state_.items()}
        write_model_file(saved, arrays | state, content)
        old = FlyHashVectorizer.load(saved, mmap=mmap)
        whole = copy.deepcopy(fitted).partial_fit(documents)
        assert fingerprint(old.partial_fit(documents)) == fingerprint(whole)

    @pytest.mark.parametrize("mmap", [False, True])
    def test_files_of_format_5_continue_with_the_same_bits(
        self, make_fly, tmp_path, documents, fingerprint, mmap
    ):
        # it had plain arrays of int64 and float64
        texts = [
            " ".join(documents[i : i + 5]) for i in range(len(documents))
        ]  # for cells of them
        fitted = make_fly().fit(texts)
        fitted.save(tmp_path / "new.skfly")
        arrays, content = read_model_file(tmp_path / "new.skfly")
        forms, plain = content["deflated"], {}
        state = fitted._training.learned.state | {
            f"documents.{name}": array
            for name, array in fitted._training.documents.counts.arrays.items()
        }
        for name in [name for name in forms if forms[name][0] in ("int64", "float64")]:
            del forms[name]
            plain[f"state.{name}"] = state[name]
        assert "state.documents.products" in plain
        write_model_file(tmp_path / "old.skfly", arrays | plain, content, 5)
        old = FlyHashVectorizer.load(tmp_path / "old.skfly", mmap=mmap)
        old.save(tmp_path / "again.skfly")
        assert (tmp_path / "again.skfly").read_bytes() == (tmp_path / "new.skfly").read_bytes()
        whole = copy.deepcopy(fitted).partial_fit(texts)
        assert fingerprint(old.partial_fit(texts)) == fingerprint(whole)

    def test_of_a_mapped_file_it_is_read_when_it_is_needed(self, saved, documents, monkeypatch):
        monkeypatch.setattr("skfly.model._file.inflate", lambda *_: pytest.fail("it was read"))
        loaded = FlyHashVectorizer.load(saved, mmap=True)
        loaded.transform(documents)
        loaded.kenyon_cells("ripe fruit")
        with pytest.raises(pytest.fail.Exception, match="it was read"):
            loaded.partial_fit(documents)

    def test_a_mapped_file_can_be_saved_copied_and_pickled(self, saved, tmp_path):
        loaded = FlyHashVectorizer.load(saved, mmap=True)
        again = pickle.loads(pickle.dumps(loaded))
        copy.copy(FlyHashVectorizer.load(saved, mmap=True)).save(tmp_path / "copy")
        again.save(tmp_path / "again")
        loaded.save(tmp_path / "saved")
        for name in ("copy", "again", "saved"):
            assert (tmp_path / name).read_bytes() == saved.read_bytes()

    @pytest.mark.parametrize(
        "damage",
        [
            lambda arrays, forms: {"state.near.words": arrays["state.near.words"][:-1]},
            lambda arrays, forms: {"state.near.words": arrays["state.wide.words"]},
            lambda arrays, forms: {"state.wide.words": np.zeros(9, np.uint8)},
            lambda arrays, forms: {"state.wide.words": np.zeros((3, 3))},
            lambda arrays, forms: forms["near.words"].reverse(),
            lambda arrays, forms: forms.update({"near.words": ["uint16"]}),
            lambda arrays, forms: forms.update({"near.words": ["uint16", [2**62]]}),
            lambda arrays, forms: forms.update({"near.words": {}}),
            lambda arrays, forms: forms.clear(),
        ],
        ids=range(9),
    )
    @pytest.mark.parametrize("mmap", [False, True])
    def test_damage_is_refused(self, saved, documents, damage, mmap):
        arrays, content = read_model_file(saved)
        write_model_file(saved, arrays | (damage(arrays, content["deflated"]) or {}), content)
        with pytest.raises(ModelFileError, match=r"fly\.skfly is damaged: "):
            FlyHashVectorizer.load(saved, mmap=mmap).partial_fit(documents)

    @pytest.mark.parametrize("forms", [[], [[]], "near.words", 3, None])
    def test_a_table_of_them_that_is_none_is_refused(self, saved, forms):
        arrays, content = read_model_file(saved)
        write_model_file(saved, arrays, content | {"deflated": forms})
        with pytest.raises(ModelFileError, match="is damaged: "):
            FlyHashVectorizer.load(saved)


def test_a_model_without_its_learning_state_gives_codes_and_cannot_continue(
    fitted, documents, tmp_path
):
    fitted.model_.save(tmp_path / "model.skfly")
    loaded = FlyHashVectorizer.load(tmp_path / "model.skfly")
    assert loaded.n_kenyon_cells == 20
    assert same(loaded.transform(documents), fitted.transform(documents))
    with pytest.raises(ValueError, match="no learning state"):
        loaded.partial_fit(documents)
    assert same(loaded.transform(documents), fitted.transform(documents))
    assert FlyModel.load(tmp_path / "model.skfly").provenance == fitted.model_.provenance
