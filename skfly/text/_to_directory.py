"""Encode documents to a corpus on disk, in parts, so that an interrupted run can be resumed.

Text is encoded some million characters at a time. Each part is a small corpus with its own
vocabulary, next to the target directory. Once all parts exist, their word counts are summed and
the parts are concatenated with the final ids. Ties in frequency are broken alphabetically, so the
result does not depend on how the text was split.
"""

from __future__ import annotations

import errno
import json
import logging
import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skfly._files import open_regular, replace_directory, write_file, write_lock
from skfly.text._analyzer import TextAnalyzer
from skfly.text._blocks import check_documents
from skfly.text._corpus import EncodedCorpus, write_array, write_words
from skfly.text._encode import encode_documents
from skfly.text._vocabulary import Vocabulary

_LOG = logging.getLogger("skfly")
PART = 1 << 26
"""Approximate number of characters in a part."""
_WORDS_AT_A_TIME = 1 << 20
# An id takes four bytes, an English word about six. Parts and the whole both need space.
_DISK_PER_BYTE = 1.4
_COMPRESSION = 3  # assumed ratio for compressed files
_PLAIN = ("", ".txt", ".text")
_DESCRIPTION = "made_from.json"


def encode_to_directory(
    documents: Iterable[Any],
    directory: str | os.PathLike[str],
    *,
    analyzer: TextAnalyzer | None = None,
    max_words: int | None = None,
    min_count: int = 1,
    max_types: int = 10_000_000,
    on_progress: Callable[[int], None] | None = None,
    n_jobs: int | None = None,
    **text_params: Any,
) -> EncodedCorpus:
    """Encode documents of any size into a new directory.

    Memory holds one part of the text and the distinct words. Finished parts are kept in
    ``.NAME-parts`` next to the directory until all are done: if the documents are files
    (:class:`TextLines`, :class:`TextColumn`), calling again resumes from there. The corpus
    itself appears once it is complete. Only one process may write it; a second one gets an
    ``OSError`` that names the first.

    Parameters
    ----------
    documents : iterable
    directory : path-like
        Must not exist.
    analyzer, max_words, min_count, max_types, on_progress, n_jobs, **text_params
        As in :func:`encode_documents`.

    Returns
    -------
    corpus : EncodedCorpus
        Memory-mapped.

    Raises
    ------
    OSError
        If the disk is clearly too small (:func:`disk_needed`), before anything is written.

    Examples
    --------
    >>> import tempfile
    >>> place = Path(tempfile.mkdtemp()) / "corpus"
    >>> encode_to_directory(["A fly flies. A fly lands.", "It sleeps."], place)
    EncodedCorpus(6 words, 3 sentences, 2 documents, 5 different words)
    """
    target = Path(directory)
    if target.exists():
        raise FileExistsError(f"{target} exists; remove it or choose another name")
    analyzer = TextAnalyzer(**text_params) if analyzer is None else analyzer
    documents = check_documents(documents)
    target.parent.mkdir(parents=True, exist_ok=True)
    with write_lock(target):
        parts = _Parts(target.parent / f".{target.name}-parts")
        parts.begin(_made_from(documents, analyzer))
        _check_disk(documents, target, parts.n_bytes())
        for texts in _in_parts(documents, parts.n_documents()):
            with encode_documents(
                texts, analyzer=analyzer, on_progress=on_progress, n_jobs=n_jobs
            ) as part:
                parts.add(part)
        vocabulary = _common_words(parts, max_types).most_frequent(max_words, min_count)
        with replace_directory(target, inside=parts.directory) as beside:
            _join(parts, vocabulary, beside)
            write_words(beside, vocabulary, analyzer.params)
        parts.remove()
    return EncodedCorpus.load(target)


def disk_needed(documents: Any) -> int | None:
    """Estimate the bytes of disk needed to encode files; ``None`` if unknown.

    The finished corpus takes half of that. The estimate is based on file sizes and assumes that
    compressed files expand to three times their size.
    """
    files = getattr(documents, "files", None)
    if files is None:
        return None
    sizes = [
        Path(file).stat().st_size * (1 if Path(file).suffix in _PLAIN else _COMPRESSION)
        for file in files
    ]
    return int(_DISK_PER_BYTE * sum(sizes))


def _check_disk(documents: Any, target: Path, n_done: int) -> None:
    needed = disk_needed(documents)
    if needed is None:
        return
    needed, free = max(needed - n_done, 0), shutil.disk_usage(target.parent).free
    message = (
        f"encoding needs about {_megabytes(needed)} of disk in {target.parent}, but "
        f"{_megabytes(free)} are free"
    )
    if free < needed:
        raise OSError(errno.ENOSPC, f"{message}: choose another directory or free some space")
    _LOG.info(message)


def _megabytes(n_bytes: int) -> str:
    return f"{n_bytes / 1e6:,.0f} MB"


def _made_from(documents: Any, analyzer: TextAnalyzer) -> dict[str, Any] | None:
    """Return what must be equal for a later call to resume; ``None`` if unknown."""
    files = getattr(documents, "files", None)
    if files is None:
        return None
    stats = [(file, Path(file).stat()) for file in files]
    return {
        "documents": repr(documents),
        "files": [[file, stat.st_size, stat.st_mtime_ns] for file, stat in stats],
        "text_params": analyzer.params,
        "part": PART,
    }


class _Parts:
    """The finished parts."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory

    def begin(self, made_from: dict[str, Any] | None) -> None:
        """Keep finished parts of the same documents, otherwise start over."""
        description = self.directory / _DESCRIPTION
        if made_from is not None and description.exists():
            before = _read_description(description)
            differ = [name for name in made_from if before.get(name) != _as_json(made_from)[name]]
            if differ:
                raise ValueError(
                    f"{self.directory} has parts of a corpus with different {', '.join(differ)}: "
                    "remove it to start over"
                )
            for half in self.directory.glob(".*"):  # left by a killed run
                shutil.rmtree(half)
            _LOG.info("resuming after %d parts in %s", len(self.paths()), self.directory)
            return
        shutil.rmtree(self.directory, ignore_errors=True)
        self.directory.mkdir()
        if made_from is not None:
            write_file(description, json.dumps(made_from))

    def paths(self) -> list[Path]:
        return sorted(self.directory.glob("part-*"))

    def __iter__(self) -> Iterator[EncodedCorpus]:
        return map(EncodedCorpus.load, self.paths())

    def n_documents(self) -> int:
        return sum(part.n_documents for part in self)

    def n_bytes(self) -> int:
        return sum(file.stat().st_size for file in self.directory.glob("part-*/*"))

    def add(self, part: EncodedCorpus) -> None:
        part.save(self.directory / f"part-{len(self.paths()):06d}")

    def remove(self) -> None:
        shutil.rmtree(self.directory, ignore_errors=True)


def _read_description(path: Path) -> dict[str, Any]:
    try:
        with open_regular(path) as file:
            content = json.load(file)
    except (RecursionError, ValueError):  # not JSON, or not UTF-8
        content = None
    if not isinstance(content, dict):
        raise ValueError(f"{path} is damaged: remove {path.parent} to start over")
    return content


def _as_json(content: dict[str, Any]) -> dict[str, Any]:
    """Return ``content`` as it reads back from JSON, which has no tuples."""
    again: dict[str, Any] = json.loads(json.dumps(content))
    return again


def _in_parts(documents: Iterable[Any], n_done: int) -> Iterator[list[Any]]:
    """Yield documents in parts, skipping the first ``n_done`` documents."""
    texts: list[Any] = []
    size = 0
    for document in islice(documents, n_done, None):
        texts.append(document)
        size += len(document) if isinstance(document, str) else 8 * len(list(document))
        if size >= PART:
            yield texts
            texts, size = [], 0
    if texts:
        yield texts


def _common_words(parts: _Parts, max_types: int) -> Vocabulary:
    """Return the words of all parts with their counts, the rarest dropped past ``max_types``."""
    counts: dict[str, int] = {}
    forget = 1
    for part in parts:
        words = part.vocabulary
        for word, count in zip(words.words, words.counts.tolist(), strict=True):
            counts[word] = counts.get(word, 0) + count
        while len(counts) > max_types:
            counts = {word: count for word, count in counts.items() if count > forget}
            forget += 1
    return Vocabulary(counts, list(counts.values()))


def _join(parts: _Parts, vocabulary: Vocabulary, directory: Path) -> None:
    """Concatenate the ids, sentences and documents of all parts."""
    sizes = [(part.n_words, part.n_sentences, part.n_documents) for part in parts]
    n_words, n_sentences, n_documents = (
        np.array(sizes, dtype=np.int64).reshape(-1, 3).sum(axis=0).tolist()
    )
    write_array(directory / "ids.npy", np.int32, n_words, _new_ids(parts, vocabulary))
    for name, length in (("sentences", n_sentences), ("documents", n_documents)):
        write_array(directory / f"{name}.npy", np.int64, 1 + length, _offsets(parts, name))


def _new_ids(parts: _Parts, vocabulary: Vocabulary) -> Iterator[NDArray[np.int32]]:
    for part in parts:
        id_map = np.append(vocabulary.encode(part.vocabulary.words), np.int32(-1))
        for start in range(0, part.n_words, _WORDS_AT_A_TIME):
            yield id_map[part.ids[start : start + _WORDS_AT_A_TIME]]


def _offsets(parts: _Parts, name: str) -> Iterator[NDArray[np.int64]]:
    before = 0
    yield np.zeros(1, dtype=np.int64)
    for part in parts:
        yield getattr(part, name)[1:] + before
        before += part.n_words
