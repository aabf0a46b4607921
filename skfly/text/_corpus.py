"""Encoded text: word ids with sentence and document boundaries.

Text is encoded in one pass; the result can be saved and used again. On disk it is a directory:

``ids.npy``
    int32, the ids of consecutive words; -1 is a word that is not in the vocabulary.
``sentences.npy``, ``documents.npy``
    int64, where each sentence and document begins, and where the last one ends.
``words.npy``, ``word_ends.npy``, ``counts.npy``
    The words of the vocabulary as concatenated UTF-8 (uint8), where each ends, and how often
    each occurs (int64).
``corpus.json``
    Format version, text parameters and checksums: the CRC-32 of each of the other files and,
    under ``""``, of the version and parameters. ``load`` verifies them.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import re
import warnings
import weakref
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skfly._files import TemporaryDirectory, open_regular, replace_directory
from skfly.text._analyzer import TextAnalyzer
from skfly.text._vocabulary import PackedWords, Vocabulary

_LOG = logging.getLogger("skfly")
FORMAT = "skfly-corpus"
FORMAT_VERSION = 2
_CHECKSUMS_SINCE = 2
_PART = 1 << 18
_READ_SIZE = 1 << 20
_LONGEST_DESCRIPTION = 1 << 26  # bytes; a million stop words take a quarter of it
_ARRAYS: dict[str, type[Any]] = {
    "ids.npy": np.int32,
    "sentences.npy": np.int64,
    "documents.npy": np.int64,
    "counts.npy": np.int64,
    "words.npy": np.uint8,
    "word_ends.npy": np.int64,
}
# the header that numpy writes
_HEADER = re.compile(
    rb"\x93NUMPY\x01\x00..\{'descr': '([<>|][iu][1-8])', 'fortran_order': False, "
    rb"'shape': \((\d{1,18}),\), \} *\n",
    re.DOTALL,
)
_LONGEST_HEADER = 256
_HOW_TO_READ = {"input", "encoding", "decode_error", "missing", "sentence_splitter"}


class EncodedCorpus(AbstractContextManager["EncodedCorpus"]):
    """Sentences of word ids, in memory or memory-mapped from a directory.

    Create one with :func:`encode_documents`, :meth:`from_documents` or :meth:`load`. Iterating
    yields the sentences as lists of words, any number of times, so gensim can train on it too.

    Attributes
    ----------
    ids : ndarray of int32
        Word ids; -1 for words that are not in the vocabulary.
    sentences : ndarray of int64
        Sentence ``s`` is ``ids[sentences[s]:sentences[s + 1]]``. No sentence is empty.
    documents : ndarray of int64
        Document ``d`` is ``ids[documents[d]:documents[d + 1]]``. A document may be empty.
    vocabulary : Vocabulary
        The words with their counts in this corpus.
    text_params : dict
        The text parameters used for encoding.

    Examples
    --------
    >>> from skfly.text import EncodedCorpus
    >>> corpus = EncodedCorpus.from_documents(["A fly flies. A fly lands.", "It sleeps."])
    >>> corpus
    EncodedCorpus(6 words, 3 sentences, 2 documents, 5 different words)
    >>> list(corpus)
    [['fly', 'flies'], ['fly', 'lands'], ['it', 'sleeps']]
    """

    def __init__(
        self,
        ids: NDArray[np.int32],
        sentences: NDArray[np.int64],
        documents: NDArray[np.int64],
        vocabulary: Vocabulary,
        text_params: Mapping[str, Any] | None = None,
        *,
        temporary: TemporaryDirectory | None = None,
    ) -> None:
        self.ids = ids
        self.sentences = sentences
        self.documents = documents
        self.vocabulary = vocabulary
        self.text_params = dict(text_params or {})
        self._temporary = temporary
        self._ids, self._sentences = _Slices(ids), _Slices(sentences)
        self._check()

    @classmethod
    def from_documents(cls, documents: Any, **params: Any) -> EncodedCorpus:
        """Encode documents; see :func:`skfly.text.encode_documents`."""
        from skfly.text._encode import encode_documents

        return encode_documents(documents, **params)

    @property
    def n_words(self) -> int:
        """Number of word occurrences, known and unknown."""
        return len(self.ids)

    @property
    def n_sentences(self) -> int:
        return len(self.sentences) - 1

    @property
    def n_documents(self) -> int:
        return len(self.documents) - 1

    @property
    def longest_sentence(self) -> int:
        """Number of words in the longest sentence."""
        return int(np.diff(self.sentences).max(initial=0))

    def fingerprint(self) -> str:
        """Return a hash that identifies the text."""
        digest = hashlib.blake2b(digest_size=16)
        digest.update(repr((self.n_words, self.n_sentences, self.n_documents)).encode())
        digest.update(np.asarray(self.vocabulary.counts, dtype=np.int64).tobytes())
        for word in self.vocabulary.words:
            digest.update(word.encode("utf-8", "surrogatepass") + b"\0")
        for array in (self._ids, self._sentences):
            for _, part in array.parts():
                digest.update(part.data)
        return digest.hexdigest()

    def __len__(self) -> int:
        return self.n_sentences

    def __iter__(self) -> Iterator[list[str]]:
        words = list(self.vocabulary.words)
        for start, stop in pairwise(self.sentences.tolist()):
            yield [words[i] for i in self.ids[start:stop].tolist() if i >= 0]

    def __repr__(self) -> str:
        return (
            f"EncodedCorpus({self.n_words} words, {self.n_sentences} sentences, "
            f"{self.n_documents} documents, {len(self.vocabulary)} different words)"
        )

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Remove the temporary files of a spooled corpus; do nothing for others."""
        if self._temporary is not None:
            empty = np.zeros(1, dtype=np.int64)
            self.ids, self.sentences, self.documents = empty[:0].astype(np.int32), empty, empty
            self._temporary.cleanup()
            self._temporary = None

    def block(self, first: int, last: int) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Return the ids and lengths of the sentences from ``first`` up to ``last``."""
        offsets = self._sentences.part(first, last + 1)
        return self._ids.part(int(offsets[0]), int(offsets[-1])), np.diff(offsets)

    def block_lengths(self, size: int) -> NDArray[np.int64]:
        """Return the number of words in each block of ``size`` sentences."""
        starts = [part[-start % size :: size] for start, part in self._sentences.parts()]
        ends = np.concatenate([*starts, [self.n_words]])
        return np.diff(ends[: -(-self.n_sentences // size)], append=self.n_words)

    def warn_if_read_otherwise(self, analyzer: TextAnalyzer) -> None:
        """Warn if the corpus was encoded with other text parameters than those of ``analyzer``."""
        warn_if_read_otherwise(self.text_params, analyzer)

    def save(self, directory: str | os.PathLike[str]) -> None:
        """Write the corpus to a new directory.

        The corpus is written to a temporary directory that is then renamed, so readers never see
        a partial one.
        """
        with replace_directory(directory) as beside:
            np.save(beside / "ids.npy", self.ids)
            np.save(beside / "sentences.npy", self.sentences)
            np.save(beside / "documents.npy", self.documents)
            write_words(beside, self.vocabulary, self.text_params)

    @classmethod
    def load(cls, directory: str | os.PathLike[str], *, mmap: bool = True) -> EncodedCorpus:
        """Open a corpus directory, memory-mapped unless ``mmap`` is false."""
        path = Path(directory)
        try:
            with open_regular(path / "corpus.json") as file:
                text = file.read(_LONGEST_DESCRIPTION + 1)
            if len(text) > _LONGEST_DESCRIPTION:
                raise ValueError("it is too long")
            description = json.loads(text)
        except FileNotFoundError:
            raise FileNotFoundError(
                f"{path} is not an encoded corpus: it has no corpus.json"
            ) from None
        except (RecursionError, ValueError) as error:
            raise ValueError(f"{path / 'corpus.json'} is damaged: {error}") from None
        if not isinstance(description, dict) or description.get("format") != FORMAT:
            raise ValueError(f"{path} is not a corpus encoded by skfly")
        version = description.get("version")
        if version not in range(1, FORMAT_VERSION + 1):
            raise ValueError(
                f"{path} has corpus format {version!r:.30}; this version of skfly reads up to "
                f"{FORMAT_VERSION}: upgrade skfly, or encode the text again"
            )
        try:
            _compare_checksums(path, description)
            ids, sentences, documents, counts, words, ends = (
                _read_array(path / name, dtype, mmap) for name, dtype in _ARRAYS.items()
            )
            if counts.min(initial=0) < 0:
                raise ValueError("a count is negative")
            vocabulary = Vocabulary(PackedWords(words, ends), counts)
            return cls(ids, sentences, documents, vocabulary, description["text_params"])
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"{path} is damaged: {error}; encode the text again") from error

    def _check(self) -> None:
        """Check what the kernels rely on, as they do not check bounds."""
        for name, array, dtype in (
            ("ids", self.ids, np.int32),
            ("sentences", self.sentences, np.int64),
            ("documents", self.documents, np.int64),
        ):
            if array.dtype != dtype or array.ndim != 1:
                raise ValueError(
                    f"{name} must be one-dimensional {np.dtype(dtype).name}; got "
                    f"{array.ndim}-dimensional {array.dtype}"
                )
        for name, offsets in (("sentences", self.sentences), ("documents", self.documents)):
            if len(offsets) == 0 or offsets[0] != 0 or offsets[-1] != len(self.ids):
                raise ValueError(
                    f"{name} do not match the ids: they must run from 0 to {len(self.ids)}"
                )
            wrong = np.less_equal if name == "sentences" else np.less  # a document may be empty
            if any(wrong(part[1:], part[:-1]).any() for _, part in _Slices(offsets).parts(1)):
                raise ValueError(
                    f"{name} do not match the ids: they decrease, or a sentence is empty"
                )
        for _, part in self._ids.parts():
            if part.min() < -1 or part.max() >= len(self.vocabulary):
                raise ValueError("ids contain a number that is not in the vocabulary")


def warn_if_read_otherwise(text_params: Mapping[str, Any], analyzer: TextAnalyzer) -> None:
    """Warn if text was encoded with other text parameters than those of ``analyzer``."""
    different = [
        f"{name}={text_params[name]!r} there, {value!r} here"
        for name, value in analyzer.params.items()
        if name not in _HOW_TO_READ and text_params.get(name, value) != value
    ]
    if different:
        warnings.warn(
            "the corpus was encoded with other text parameters than new text: "
            + "; ".join(different),
            stacklevel=3,
        )


def write_array(
    path: Path, dtype: Any, length: int, blocks: Iterable[NDArray[Any]]
) -> NDArray[Any]:
    """Write a one-dimensional array in blocks and return it memory-mapped.

    Writing through a memory map would crash the process if the disk is full.
    """
    header = {"descr": np.dtype(dtype).str, "fortran_order": False, "shape": (length,)}
    with open(path, "wb") as file:
        np.lib.format.write_array_header_1_0(file, header)
        for block in blocks:
            file.write(np.ascontiguousarray(block, dtype=dtype).data)
    mapped: NDArray[Any] = np.load(path, mmap_mode="r")
    return mapped


def _read_array(path: Path, dtype: Any, mmap: bool) -> NDArray[Any]:
    """Read or memory-map what :func:`write_array` or ``np.save`` wrote.

    ``np.load`` would accept any type and allocate any size that the file claims.
    """
    with open_regular(path) as file:
        header = _HEADER.match(file.read(_LONGEST_HEADER))
        size = os.fstat(file.fileno()).st_size
        if header is None or np.dtype(header[1].decode()) != dtype:
            raise ValueError(f"{path.stem} must be one-dimensional {np.dtype(dtype).name}")
        length, offset = int(header[2]), header.end()
        if size != offset + length * np.dtype(dtype).itemsize:
            raise ValueError(f"{path.name} has {size} bytes, which is wrong for {length} numbers")
        if mmap and length:
            return np.memmap(path, dtype=dtype, mode="r", offset=offset, shape=(length,))
        file.seek(offset)
        return np.fromfile(file, dtype=dtype, count=length)


def write_words(directory: Path, vocabulary: Vocabulary, text_params: Mapping[str, Any]) -> None:
    """Write the vocabulary and the description of a corpus."""
    packed = PackedWords.pack(vocabulary.words)
    np.save(directory / "words.npy", packed.data)
    np.save(directory / "word_ends.npy", packed.ends)
    np.save(directory / "counts.npy", vocabulary.counts)
    description = {
        "format": FORMAT,
        "version": FORMAT_VERSION,
        "text_params": dict(text_params),
    }
    checksums = {name: _checksum(directory / name) for name in _ARRAYS}
    checksums[""] = _description_checksum(json.loads(json.dumps(description)))
    text = json.dumps(description | {"checksums": checksums})
    (directory / "corpus.json").write_text(text, encoding="ascii")


def _compare_checksums(path: Path, description: Mapping[str, Any]) -> None:
    """Reject a corpus whose files changed. Older formats have no checksums."""
    checksums = description.get("checksums")
    if checksums is None and description["version"] < _CHECKSUMS_SINCE:
        _LOG.info("%s has an older format with no checksums", path)
        return
    if not isinstance(checksums, dict) or checksums.get("") != _description_checksum(description):
        raise ValueError("corpus.json does not match its checksum")
    for name in _ARRAYS:
        if checksums.get(name) != _checksum(path / name):
            raise ValueError(f"{name} does not match its checksum")


def _description_checksum(description: Mapping[str, Any]) -> int:
    content = [description["version"], description["text_params"]]
    return zlib.crc32(json.dumps(content, sort_keys=True).encode())


def _checksum(path: Path) -> int:
    checksum = 0
    with open_regular(path) as file:
        while data := file.read(_READ_SIZE):
            checksum = zlib.crc32(data, checksum)
    return checksum


class _Slices:
    """Copy slices of an array.

    Slices of a memory-mapped array are read from its file rather than through the map, whose
    pages would count as memory of this process.
    """

    def __init__(self, array: NDArray[Any]) -> None:
        self._array = array
        self._file: int | None = None
        if isinstance(array, np.memmap) and array.filename is not None:
            self._file = os.open(array.filename, os.O_RDONLY)
            weakref.finalize(self, os.close, self._file)

    def part(self, start: int, stop: int) -> NDArray[Any]:
        array = self._array
        if self._file is None or not isinstance(array, np.memmap):
            return np.array(array[start:stop])
        size = array.dtype.itemsize
        data = os.pread(self._file, (stop - start) * size, array.offset + start * size)
        return np.frombuffer(data, dtype=array.dtype)

    def parts(self, overlap: int = 0) -> Iterator[tuple[int, NDArray[Any]]]:
        """Yield the array in parts with their offsets, each overlapping the next."""
        for start in range(0, len(self._array), _PART):
            yield start, self.part(start, min(start + _PART + overlap, len(self._array)))
