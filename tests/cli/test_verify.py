"""``skfly verify``: every kind of file, sound and damaged."""

import json
import shutil

import numpy as np
import pytest

from skfly import DocumentIndex, EncodedCorpus, FlyModel
from skfly._pretrained import write_card
from skfly.fit import Checkpoints


def make_checkpoint(path, fly):
    checkpoints = Checkpoints(path.parent / "state", {"seed": 1})
    checkpoints.save({"epoch": 1}, {"counts": np.arange(3.0)})
    next(path.parent.glob("state/*.skfly")).rename(path)


def make_index(path, fly, **params):
    index = DocumentIndex(fly)
    index.add(["ripe fruit", "banks lend money"])
    index.save(path, **params)


def make_numbered_vectors(path, fly):
    from skfly import FlyKeyedVectors

    FlyKeyedVectors.from_codes([3, 7], np.eye(2, 16)).save(path)


KINDS = {
    "model": lambda path, fly: fly.save(path),
    "model without its state": lambda path, fly: fly.model_.save(path),
    "vectors": lambda path, fly: fly.wv.save(path),
    "vectors by number": make_numbered_vectors,
    "index of documents": make_index,
    "index of documents without model": lambda path, fly: make_index(
        path, fly, include_model=False
    ),
    "checkpoint": make_checkpoint,
    "encoded corpus": lambda path, fly: EncodedCorpus.from_documents(["a fly flies"]).save(path),
}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind(skfly, fly, tmp_path, kind):
    if "vectors" in kind:
        pytest.importorskip("gensim")
    path = tmp_path / "file"
    KINDS[kind](path, fly)
    code, out, err = skfly("verify", path)
    assert (code, err) == (0, "")
    name = out.removeprefix(f"{path}: ").removesuffix(", sound\n")
    assert kind.startswith(name)

    file = path / "ids.npy" if path.is_dir() else path
    content = bytearray(file.read_bytes())
    content[-1] ^= 1
    file.write_bytes(content)
    code, out, err = skfly("verify", path)
    assert (code, err) == (1, "")
    assert str(path) in out
    assert "does not match its checksum" in out
    assert out.count("\n") == 1


def test_several_at_once_as_json(skfly, model, tmp_path):
    (tmp_path / "other").write_text("no model")
    code, out, _ = skfly("verify", model, tmp_path / "other", tmp_path / "missing", "--json")
    assert code == 1
    first, second, third = map(json.loads, out.splitlines())
    assert first == {"file": str(model), "sound": True, "kind": "model"}
    assert not second["sound"]
    assert "not a model file" in second["reason"]
    assert third["reason"] == f"{tmp_path / 'missing'}: No such file or directory"


def test_a_directory_of_checkpoints(skfly, tmp_path):
    checkpoints = Checkpoints(tmp_path, {"seed": 1})
    for number in range(2):
        checkpoints.save({"epoch": number}, {"counts": np.arange(3.0)})
    code, out, _ = skfly("verify", tmp_path)
    assert code == 0
    assert out.count("checkpoint, sound") == 2
    newest = max(tmp_path.iterdir())
    newest.write_bytes(newest.read_bytes()[:-1])
    code, out, _ = skfly("verify", tmp_path)
    assert code == 1
    assert "cut short" in out
    assert out.count("sound") == 1


def test_a_directory_of_the_hub(skfly, model, tmp_path):
    hub = tmp_path / "hub"
    hub.mkdir()
    shutil.copy(model, hub / "model.skfly")
    write_card(hub, "someone/model", FlyModel.load(model))
    code, out, _ = skfly("verify", hub)
    assert (code, out) == (0, f"{hub}: model, sound\n")
    path = hub / "config.json"
    path.write_text(path.read_text().replace('"sha256": "', '"sha256": "0'))
    code, out, _ = skfly("verify", hub)
    assert code == 1
    assert "is not the file that" in out


def test_an_empty_directory_holds_no_checkpoint(skfly, tmp_path):
    code, out, _ = skfly("verify", tmp_path)
    assert (code, out) == (1, f"{tmp_path} is empty: it holds no checkpoint\n")
