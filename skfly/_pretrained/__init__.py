"""Find models: in the package, in files, or on the Hugging Face Hub."""

from __future__ import annotations

import hashlib
import json
import os
import re
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit
from urllib.request import url2pathname

from skfly._files import import_optional

__all__ = ["MODEL_NAME", "PRETRAINED", "find_model", "push_directory", "write_card"]

PRETRAINED = ("en",)
"""Their names. ``docs/pretrained.rst`` says what each was trained on."""

MODEL_NAME = "model.skfly"
_CONFIG_NAME = "config.json"
_LONGEST_CONFIG = 1 << 16
_REPOSITORY = re.compile(r"[A-Za-z0-9][\w.-]{0,95}/[A-Za-z0-9][\w.-]{0,95}")


def find_model(
    name_or_path: str | os.PathLike[str], *, hub: bool = False, revision: str | None = None
) -> Path:
    """Return the file of a model: an existing file, or a model that comes with the package.

    Parameters
    ----------
    name_or_path : str or path-like
        A file, a directory with ``model.skfly``, ``file:`` and either, or a name.
    hub : bool
        Whether ``"user/name"`` is looked up on the Hugging Face Hub.
    revision : str, optional
        Of the repository there.

    Examples
    --------
    >>> find_model("en").name
    'en.skfly'
    >>> find_model("klingon")
    Traceback (most recent call last):
    ...
    FileNotFoundError: there is no model file klingon; the models that come with skfly are: en
    """
    path = _as_path(name_or_path)
    if path.is_dir():
        return _in_directory(path)
    if path.exists():
        return path
    name = str(name_or_path)
    if name in PRETRAINED:
        return Path(__file__).parent / f"{name}.skfly"
    # a path is never looked up: a mistyped one should not be sent anywhere
    if (
        hub
        and isinstance(name_or_path, str)
        and _REPOSITORY.fullmatch(name)
        and not name.endswith(".skfly")
    ):
        return _download(name, revision)
    raise FileNotFoundError(
        f"there is no model file {path}; the models that come with skfly are: "
        f"{', '.join(PRETRAINED)}"
    )


def _as_path(name: str | os.PathLike[str]) -> Path:
    if not isinstance(name, str) or not name.startswith("file:"):
        return Path(name)
    parts = urlsplit(name)
    if parts.netloc not in ("", "localhost"):
        raise ValueError(f"{name} is on another machine: file: is for files of this one")
    return Path(url2pathname(parts.path) if parts.path.startswith("/") else unquote(parts.path))


def _in_directory(directory: Path) -> Path:
    """Return the model file of a directory, after comparing it with its card."""
    path = directory / MODEL_NAME
    if not path.is_file():
        raise FileNotFoundError(f"the directory {directory} has no {MODEL_NAME}")
    config = directory / _CONFIG_NAME
    if config.is_file():
        _check_digest(path, config)
    return path


def _check_digest(path: Path, config: Path) -> None:
    """Compare a model with the digest in its card."""
    try:
        if config.stat().st_size > _LONGEST_CONFIG:
            raise ValueError("it is too long")
        content = json.loads(config.read_text(encoding="utf-8"))
        expected = content["skfly"]["sha256"]
        if not isinstance(expected, str):
            raise TypeError("its digest is not text")
    except (AttributeError, KeyError, RecursionError, TypeError, ValueError) as error:
        raise ValueError(
            f"{config} is not the card of a model of skfly: {error!r:.100}"
        ) from error
    if (found := _digest(path)) != expected:
        raise ValueError(
            f"{path} is not the file that {config} describes: its sha256 is {found}, not "
            f"{expected!r:.70}. One of them was changed; do not use it unless you know why"
        )


def _digest(path: Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _download(repo: str, revision: str | None) -> Path:
    """Return a model of the Hub, from the cache if it is there; only data is read from it."""
    hub = import_optional("huggingface_hub", "hub", f"{repo!r} is no file here; opening it")
    constants = import_optional("huggingface_hub.constants", "hub", "the Hub")
    errors = import_optional("huggingface_hub.errors", "hub", "the Hub")
    names = (_CONFIG_NAME, MODEL_NAME)
    try:
        config, path = (Path(hub.hf_hub_download(repo, name, revision=revision)) for name in names)
    except errors.HfHubHTTPError as error:
        answer = str(error).partition("\n")[0]
        raise FileNotFoundError(
            f"{repo!r} was looked for as a file and as a repository at {constants.ENDPOINT}, "
            f"where there is no model of skfly of that name that you may read ({answer:.200}); "
            f"the models that come with skfly are: {', '.join(PRETRAINED)}"
        ) from error
    except (OSError, errors.LocalEntryNotFoundError) as error:
        raise FileNotFoundError(
            f"{repo!r} was looked for as a file, in the cache {constants.HF_HUB_CACHE} and at "
            f"{constants.ENDPOINT}, which cannot be reached; the models that come with skfly "
            f"need no network: {', '.join(PRETRAINED)}"
        ) from error
    _check_digest(path, config)
    return path


def write_card(directory: Path, repo: str, model: Any) -> None:
    """Write the card of ``model.skfly`` and its digest beside it."""
    path = directory / MODEL_NAME
    about = {"sha256": _digest(path), "file": MODEL_NAME, "bytes": path.stat().st_size}
    config = {"library_name": "skfly", "skfly": about}
    (directory / _CONFIG_NAME).write_text(json.dumps(config, indent=2) + "\n", encoding="utf-8")
    text = " ".join(model.provenance.text.split()) or "not named"
    (directory / "README.md").write_text(
        f"""---
library_name: skfly
tags: [skfly, word-embeddings, sentence-similarity, binary-codes]
---
# {repo}

Sparse binary fruit fly codes of words, words in context and texts:
{model.n_words:,} words, {model.n_cells:,} Kenyon cells, hash length {model.hash_length}.

- text: {text}, {model.provenance.n_tokens:,} words
- rule: {model.provenance.rule}, skfly {model.provenance.skfly}

```python
from skfly import FlyHashVectorizer  # pip install "skfly[hub]"

fly = FlyHashVectorizer.from_pretrained("{repo}")
```
""",
        encoding="utf-8",
    )


def push_directory(directory: str, repo: str, private: bool | None) -> str:
    """Upload a directory to a repository of the Hub, and return the address of the commit."""
    if not _REPOSITORY.fullmatch(repo):
        raise ValueError(f"a repository is named user/name; got {repo!r}")
    hub = import_optional("huggingface_hub", "hub", "uploading to the Hugging Face Hub")
    api = hub.HfApi()
    api.create_repo(repo, private=private, exist_ok=True)
    return str(
        api.upload_folder(
            repo_id=repo, folder_path=directory, commit_message="Upload a model of skfly"
        ).commit_url
    )
