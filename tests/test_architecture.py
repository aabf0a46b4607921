"""Rules of the house that an import checker cannot see."""

import ast
from pathlib import Path

import pytest

import skfly

PACKAGE = Path(skfly.__file__).parent
USERS = ["adapters", "cli", "demo.py", "evaluation", "explore"]
PUBLIC_DESPITE_THE_UNDERSCORE = {"_asdict", "_replace", "_fields"}  # of named tuples


def sources(*folders):
    for folder in folders:
        path = PACKAGE / folder
        yield from [path] if path.suffix else sorted(path.rglob("*.py"))


def owner(node):
    """Return the name that an attribute is read from, as far as it is one."""
    return node.value.id if isinstance(node.value, ast.Name) else None


def private_attributes(path):
    """Yield private attributes of other objects that a module reads."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    own = {"self", "cls"} | {n.name for n in ast.walk(tree) if isinstance(n, ast.ClassDef)}
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Attribute)
            and node.attr.startswith("_")
            and not node.attr.startswith("__")
            and node.attr not in PUBLIC_DESPITE_THE_UNDERSCORE
            and owner(node) not in own
        ):
            yield f"{path.relative_to(PACKAGE)}:{node.lineno} {ast.unparse(node)}"


def test_users_of_the_core_read_no_private_attribute_of_it():
    found = [line for path in sources(*USERS) for line in private_attributes(path)]
    assert found == []


def test_such_an_attribute_would_be_found(tmp_path, monkeypatch):
    monkeypatch.setattr(f"{__name__}.PACKAGE", tmp_path)
    module = tmp_path / "module.py"
    module.write_text("class A:\n    def f(self, fly):\n        return self._x, fly._model\n")
    assert list(private_attributes(module)) == ["module.py:3 fly._model"]


@pytest.mark.parametrize("path", list(sources(".")), ids=lambda p: str(p.relative_to(PACKAGE)))
def test_no_module_compares_with_the_name_of_a_rule(path):
    rules = {file.stem for file in (PACKAGE / "rules").glob("[a-z]*.py")}
    tree = ast.parse(path.read_text(encoding="utf-8"))
    compared = [
        ast.unparse(node)
        for node in ast.walk(tree)
        if isinstance(node, ast.Compare)
        for side in [node.left, *node.comparators]
        for value in ast.walk(side)
        if isinstance(value, ast.Constant) and value.value in rules
    ]
    assert compared == []
