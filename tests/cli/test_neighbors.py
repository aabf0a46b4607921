"""``skfly neighbors``: words near words."""

import json

from skfly.index import nearest_words


def test_a_line_for_each_word(skfly, fly, model):
    code, out, err = skfly("neighbors", model, "Fruit", "money", "-n", 3)
    assert (code, err) == (0, "")
    expected = []
    for given, word in (("Fruit", "fruit"), ("money", "money")):
        near = nearest_words(fly.model_, fly.hash_words([word]), 3, [{word}])[0]
        expected.append("\t".join([given, *(f"{w} {n}" for w, n in near)]) + "\n")
    assert out == "".join(expected)
    assert skfly("neighbors", model, "-", "-n", 3, stdin=b"Fruit\nmoney\n").out == out
    assert skfly("neighbors", model, "-n", 3, stdin=b"Fruit\nmoney\n").out == out


def test_as_json_lines(skfly, model):
    out = skfly("neighbors", model, "fruit", "--json", "--words", 2, "--hash-length", 1).out
    answer = json.loads(out)
    assert answer["word"] == "fruit"
    assert answer["known"] is True
    assert len(answer["neighbors"]) == 2
    assert all(count <= 1 for _, count in answer["neighbors"])


def test_an_unknown_word_has_a_warning(skfly, model):
    code, out, err = skfly("neighbors", model, "zzz", "--json")
    assert code == 0
    assert json.loads(out) == {"word": "zzz", "known": False, "neighbors": []}
    assert err == "skfly: warning: the model does not know 'zzz'\n"
    spelled = skfly("neighbors", model, "fruity", "--unknown-words", "spelling", "--json")
    assert spelled.err == ""
    assert json.loads(spelled.out)["neighbors"]
