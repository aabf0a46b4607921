"""The public names and what they take, so that a change to them is a decision.

``tests/public_api.txt`` lists them. If a change is meant, write it there and in ``CHANGELOG.md``::

    python tests/test_public_api.py > tests/public_api.txt
"""

import importlib
import inspect
import pkgutil
from pathlib import Path

import skfly

LISTED = Path(__file__).with_name("public_api.txt")
FOR_CONTRIBUTORS = ("skfly.engine", "skfly.fit", "skfly.model", "skfly.rules", "skfly.vectorizer")
"""Rooms whose names are for those who extend skfly; what users need of them is in ``skfly``."""


def public_modules():
    """Return skfly and the public modules below it that are for users."""
    found = pkgutil.walk_packages(skfly.__path__, "skfly.")
    return [skfly] + [
        importlib.import_module(module.name)
        for module in found
        if not any(part.startswith("_") for part in module.name.split("."))
        and not module.name.startswith((*FOR_CONTRIBUTORS, "skfly.adapters."))  # need packages
    ]


def signature(value):
    """Return the parameters and their defaults, without types; of what has none, nothing."""
    if not inspect.isfunction(value) and not inspect.isclass(value):
        return ""
    if not value.__module__.startswith("skfly"):  # a type of another package
        return ""
    if inspect.isclass(value) and (issubclass(value, Exception) or is_protocol(value)):
        return ""
    plain = [
        parameter.replace(annotation=inspect.Parameter.empty)
        for parameter in inspect.signature(value).parameters.values()
        if parameter.name not in ("self", "cls")
    ]
    return str(inspect.Signature(plain))


def is_protocol(class_):
    return getattr(class_, "_is_protocol", False)


def members(class_, told):
    """Yield what a class offers that is written in skfly and not told of a class before it."""
    # what only stands in for a newer scikit-learn is not told of
    ours = [
        base
        for base in class_.__mro__
        if base.__module__.startswith("skfly") and base.__module__ != "skfly._sklearn_compat"
    ]
    for name in sorted({name for base in ours if base not in told for name in vars(base)}):
        value = inspect.getattr_static(class_, name)
        if name.startswith("_") or type(value).__module__.startswith("sklearn"):
            continue
        value = value.__func__ if isinstance(value, classmethod | staticmethod) else value
        yield name + signature(value)


def describe(module, told):
    """Yield a line for each public name of a module and for what its classes offer."""
    yield f"[{module.__name__}]"
    for name in sorted(getattr(module, "__all__", ())):
        value = getattr(module, name)
        yield name + signature(value)
        if inspect.isclass(value) and value not in told:
            yield from (f"    {member}" for member in members(value, told))
            told.add(value)
    yield ""


def public_api():
    told = set()
    return [line for module in public_modules() for line in describe(module, told)]


def test_every_public_name_exists_and_is_listed():
    assert public_api() == LISTED.read_text(encoding="utf-8").splitlines(), (
        "the public names differ from tests/public_api.txt; the top of this test says what to do"
    )


def test_all_has_no_name_twice_and_none_that_is_private():
    for module in public_modules():
        names = getattr(module, "__all__", [])
        assert len(set(names)) == len(names)
        assert [n for n in names if n.startswith("_") and n != "__version__"] == []


if __name__ == "__main__":
    print("\n".join(public_api()))  # noqa: T201
