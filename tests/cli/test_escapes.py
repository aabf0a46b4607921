"""Words of a model cannot command the terminal."""

import json

import pytest

from skfly import DocumentIndex, FlyHashVectorizer

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


@pytest.mark.parametrize(
    "command",
    [
        ("train", "TEXT", "-o", "OUT\x1b]0;x\x07.skfly", "--cells", "8", "--hash-length", "2"),
        ("export", "MODEL", "OUT\x1b]0;x\x07.txt"),
        ("export", "MODEL", "OUT\x1b]0;x\x07.skfly", "--format", "compact"),
        ("hash", "MODEL", "TEXT", "-o", "OUT\x1b]0;x\x07.npz"),
        ("index", "TEXT", "-o", "OUT\x1b]0;x\x07.idx", "--model", "MODEL"),
        ("search", "INDEX", "ripe fruit\x1b]0;x\x07"),
        ("verify", "MODEL", "OUT\x1b]0;x\x07"),
        ("evaluate", "words", "MODEL", "--wordsim", "PAIRS"),
    ],
    ids=" ".join,
)
def test_names_of_files_and_queries_are_escaped(skfly, evil, tmp_path, command):
    fly = FlyHashVectorizer.load(evil)
    index = DocumentIndex(fly, keep_texts=True)
    index.add(["ripe fruit peach\x1b[2J", "bank money"], [EVIL, "b"])
    index.save(tmp_path / "index")
    text, pairs = tmp_path / "text\x1b]0;x\x07.txt", tmp_path / "pairs\x1b]0;x\x07.txt"
    text.write_text("ripe peach fruit\nbank money lent\n" * 9)
    pairs.write_text("ripe peach 7\nbank money 6\nripe bank 1\n")
    names = {"TEXT": text, "PAIRS": pairs, "INDEX": tmp_path / "index", "MODEL": evil}
    words = [
        tmp_path / word if word.startswith("OUT") else names.get(word, word) for word in command
    ]
    _, out, err = skfly(*words)
    assert not {"\x1b", "\x07", "\x9b", "\u202e"} & {*out, *err}
    assert not any(line.startswith("forged") for line in out.splitlines())
    assert "\\x1b" in out + err


def test_json_has_them_whole(skfly, evil):
    found = json.loads(skfly("neighbors", evil, "ripe", "--json").out)
    assert EVIL in dict(found["neighbors"])
