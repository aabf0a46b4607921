"""``skfly context``: words as they are used."""

import json


def test_a_line_for_each_sentence(skfly, fly, model):
    sentences = ["the fly eats ripe fruit", "Fly to the banks, they lend money"]
    code, out, err = skfly("context", model, "fly", *sentences, "-n", 4)
    assert (code, err) == (0, "")
    lines = [line.split("\t") for line in out.splitlines()]
    assert len(lines) == 2
    for line, sentence in zip(lines, sentences, strict=True):
        words = [entry.rsplit(" ", 1)[0] for entry in line]
        own = set(sentence.lower().replace(",", "").split())
        assert len(words) == 4
        assert not own & set(words)
    given = "\n".join(sentences).encode()
    assert skfly("context", model, "fly", "-", "-n", 4, stdin=given).out == out


def test_as_json(skfly, fly, model):
    sentence = "the fly eats ripe fruit"
    answer = json.loads(skfly("context", model, "fly", sentence, "--json", "--window", 3).out)
    code = fly.hash_in_context([sentence], ["fly"], window=3)
    assert answer["cells"] == sorted(code.indices.tolist())
    assert answer["static_cells"] == sorted(fly.hash_words(["fly"]).indices.tolist())
    assert answer["word"] == "fly"
    assert answer["sentence"] == sentence
    assert answer["neighbors"]
    assert answer["static_neighbors"]


def test_what_is_odd_is_told(skfly, model):
    code, _, err = skfly("context", model, "fly", "ripe fruit")
    assert code == 0
    assert err == "skfly: warning: 'fly' is not in the sentence: ripe fruit\n"
    code, out, err = skfly("context", model, "zzz", "ripe zzz fruit")
    assert code == 0
    assert out
    assert err == (
        "skfly: warning: the model does not know 'zzz': only the words around it count\n"
    )
    code, _, err = skfly("context", model, "fly", "the fly", "--window", 4)
    assert code == 2
    assert "4 is even" in err
