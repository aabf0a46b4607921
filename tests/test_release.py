"""What the installed package brings along beside its code."""

import re
from importlib import metadata, resources
from pathlib import Path

import pytest

INSTALLED = metadata.distribution("skfly")
NOTICE = INSTALLED.read_text("licenses/NOTICE")


def test_the_licence_is_installed():
    assert INSTALLED.metadata["License-Expression"] == "BSD-3-Clause"
    assert "Redistributions of source code" in INSTALLED.read_text("licenses/LICENSE")


def test_everything_vendored_is_named():
    vendored = resources.files("skfly") / "explore" / "static" / "vendor"
    files = [f for f in vendored.iterdir() if not f.name.endswith(".LICENSE")]
    assert files
    for file in files:
        assert f"skfly/explore/static/vendor/{file.name}" in NOTICE


@pytest.mark.parametrize("path", re.findall(r"licence: (\S+)", NOTICE))
def test_the_licences_of_what_is_vendored_are_installed(path):
    assert path in INSTALLED.metadata.get_all("License-File")
    text = INSTALLED.read_text(f"licenses/{path}")
    assert "Copyright" in text
    assert "Redistribution" in text or "Permission to use, copy, modify" in text
    beside = resources.files("skfly").joinpath(*Path(path).parts[1:])
    assert beside.read_text(encoding="utf-8") == text


def test_every_part_of_the_notice_names_a_licence():
    names = re.findall(r"(?m)^(\S+) [\d.]+, Copyright .*, (\S+)$", NOTICE)
    assert len(names) == len(re.findall(r"licence: (\S+)", NOTICE)) > 0


def test_types_are_installed():
    assert (resources.files("skfly") / "py.typed").is_file()


RECIPE = Path(__file__).parents[1] / ".ci" / "recipe" / "recipe.yaml"


@pytest.mark.skipif(not RECIPE.exists(), reason="only the repository has the recipe")
def test_the_recipe_for_conda_forge_asks_for_what_the_wheel_asks_for():
    recipe = RECIPE.read_text()
    run = recipe.partition("  run:\n")[2].partition("tests:")[0]
    listed = {line.strip("- ").replace(" ", "") for line in run.split("\n") if line.strip()}
    needed = {
        requirement.partition(";")[0].strip()
        for requirement in INSTALLED.requires
        if "extra ==" not in requirement
    }
    assert listed - {"python>=${{python_min}}"} == needed
    assert f'python_min: "{INSTALLED.metadata["Requires-Python"].removeprefix(">=")}"' in recipe
    assert f'version: "{INSTALLED.version}"' in recipe
