"""Adapters say which version they need and which is installed; the packages need not be there."""

import sys
from importlib import import_module
from importlib.metadata import PackageNotFoundError

import pytest

NEEDED = {
    "bertopic": "bertopic 0.17",
    "chroma": "chromadb 1.1",
    "haystack": "haystack-ai 2.6",
    "keybert": "keybert 0.8",
    "lancedb": "lancedb 0.30",
    "langchain": "langchain-core 0.3",
    "llama_index": "llama-index-core 0.12",
    "mteb": "mteb 2.0",
}


def old(package):
    return "0.1.2"


def missing(package):
    raise PackageNotFoundError(package)


@pytest.mark.parametrize(("version", "found"), [(old, "0.1.2"), (missing, "none")])
@pytest.mark.parametrize(("name", "needed"), NEEDED.items())
def test_an_adapter_names_both_versions(name, needed, version, found, monkeypatch):
    monkeypatch.setattr("skfly._files.version", version)
    monkeypatch.delitem(sys.modules, f"skfly.adapters.{name}", raising=False)

    with pytest.raises(ImportError) as raised:
        import_module(f"skfly.adapters.{name}")

    said = f"skfly.adapters.{name} needs {needed} or newer; {found} is installed: pip install "
    assert str(raised.value).startswith(said)
