"""Words of a model cannot command the terminal."""

import json

import pytest

from skfly import FlyHashVectorizer

EVIL = "fruit\x1b]0;owned\x07\x9b2J\nforged 9\t\u202e"


@pytest.fixture(scope="module")
def evil(tmp_path_factory):
    path = tmp_path_factory.mktemp("model") / "evil\x1b[31m.skfly"
    texts = [[EVIL, "ripe", "peach"], ["bank", "money"]] * 30
    FlyHashVectorizer(n_kenyon_cells=8, hash_length=2, random_state=0).fit(texts).save(path)
    return path


@pytest.mark.parametrize(
    "command",
    [
        ("info",),
        ("neighbors", "ripe"),
        ("neighbors", EVIL),
        ("neighbors", "unknown\x1b[2J"),
        ("cells", "ripe peach"),
        ("cells", "unknown\x1b[2J"),
        ("context", "peach", "ripe peach"),
        ("hash", "/no/such\x1b[2J"),
    ],
)
def test_they_are_shown_escaped(skfly, evil, command):
    name, *rest = command
    _, out, err = skfly(name, evil, *rest)
    assert not {"\x1b", "\x07", "\x9b", "\u202e"} & {*out, *err}
    assert not any(line.startswith("forged") for line in out.splitlines())
    assert "\\x1b" in out + err


def test_json_has_them_whole(skfly, evil):
    found = json.loads(skfly("neighbors", evil, "ripe", "--json").out)
    assert EVIL in dict(found["neighbors"])
