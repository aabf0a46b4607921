"""The name of a model that comes with the package, in place of a file."""

import pytest


@pytest.mark.parametrize(
    ("command", "says"),
    [
        (["info", "en"], "Wikipedia"),
        (["info", "en", "--json"], '"words": 50000'),
        (["neighbors", "en", "loan"], "loans"),
        (["cells", "en", "loan"], "debt"),
        (["verify", "en"], "sound"),
    ],
)
def test_commands_take_its_name(skfly, command, says):
    code, out, _ = skfly(*command)
    assert code == 0
    assert says in out


def test_an_unknown_name_lists_the_known_ones(skfly):
    code, _, err = skfly("neighbors", "klingon", "loan")
    assert code == 2
    assert "there is no model file klingon; the models that come with skfly are: en" in err


def test_neighbours_by_spelling_are_called_so(skfly):
    pytest.importorskip("gensim")
    asked = skfly("neighbors", "en", "Guitar", "guittar")
    assert (
        asked.err
        == "skfly: warning: the model does not know 'guittar': taking words spelled like it\n"
    )
    assert asked.out.count("guitarists") == 2
    assert skfly("neighbors", "en", "guittar", "--unknown-words", "spelling").err == ""
