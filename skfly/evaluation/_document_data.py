"""Readers for datasets of labelled documents, in their usual formats."""

from __future__ import annotations

import os
import tarfile
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from sklearn.model_selection import train_test_split

from skfly._compressed import open_file
from skfly._sklearn_compat import strip_newsgroup
from skfly.text import TextLines

_NEWS_PARTS = ("20news-bydate-train", "20news-bydate-test")
_SST2_PARTS = ("stsa.binary.train", "stsa.binary.test")
_TREC_PARTS = ("train_5500.label", "TREC_10.label")
_LARGEST_MESSAGE = 1 << 24  # bytes; an archive may claim any size
Labelled = tuple[tuple[str, ...], tuple[str, ...]]


@dataclass(frozen=True)
class LabelledTexts:
    """A dataset for document classification.

    Attributes
    ----------
    name : str
    train_texts, train_labels, test_texts, test_labels : tuple of str
        Documents, and the class of each.
    several_topics : bool
        Whether a document may have several topics: then its label names them, separated by
        commas.

    Examples
    --------
    >>> from skfly.evaluation import LabelledTexts
    >>> LabelledTexts("fruit", ("ripe plum", "a loan"), ("fruit", "money"), ("plums",), ("fruit",))
    LabelledTexts('fruit', 2 for training, 1 to test, 2 classes)
    """

    name: str
    train_texts: tuple[str, ...]
    train_labels: tuple[str, ...]
    test_texts: tuple[str, ...]
    test_labels: tuple[str, ...]
    several_topics: bool = False

    def __post_init__(self) -> None:
        for part in ("train", "test"):
            texts, labels = getattr(self, f"{part}_texts"), getattr(self, f"{part}_labels")
            if len(texts) != len(labels):
                raise ValueError(
                    f"{self.name}: {len(texts)} {part}_texts, but {len(labels)} {part}_labels"
                )
            if not texts:
                raise ValueError(f"{self.name} has no {part}_texts")

    @property
    def classes(self) -> list[str]:
        """The classes, or the topics, in alphabetical order."""
        return sorted({topic for label in self.train_labels for topic in self.topics(label)})

    def topics(self, label: str) -> list[str]:
        """Return the topics that a label names: itself, where a document has only one."""
        return label.split(",") if self.several_topics else [label]

    def __repr__(self) -> str:
        return (
            f"LabelledTexts({self.name!r}, {len(self.train_texts)} for training, "
            f"{len(self.test_texts)} to test, {len(self.classes)} classes)"
        )


def read_20newsgroups(
    path: str | os.PathLike[str],
    *,
    headers: bool = True,
    footers: bool = True,
    quotes: bool = True,
) -> LabelledTexts:
    """Read 20 Newsgroups, split by date.

    Parameters
    ----------
    path : path-like
        The directory with ``20news-bydate-train`` and ``20news-bydate-test``, each with a
        directory for every group and a file for every message; or a tar archive of both.
    headers : bool, default=True
        Whether to keep the headers of the messages (what is above the first empty line), which
        make the task easier: they name the group's regular authors and organisations.
    footers, quotes : bool, default=True
        Whether to keep signatures, and lines quoted from other messages. They are removed as by
        ``remove`` of :func:`sklearn.datasets.fetch_20newsgroups`.

    Returns
    -------
    data : LabelledTexts
    """
    path = Path(path)
    if not path.exists():
        raise FileNotFoundError(f"there is no directory or archive {path}")
    read = _news_files if path.is_dir() else _news_members
    found: dict[str, list[tuple[str, str]]] = {part: [] for part in _NEWS_PARTS}
    for (part, group), content in read(path):
        text = content.decode("latin-1")
        text = text if headers else _body(text)
        if not (footers and quotes):
            text = strip_newsgroup(text, footers=not footers, quotes=not quotes)
        found[part].append((text, group))
    for part, messages in found.items():
        if not messages:
            raise FileNotFoundError(f"{path} has no messages in {part}/GROUP/")
    train, test = (_unzip(found[part]) for part in _NEWS_PARTS)
    kept = {"headers": headers, "footers": footers, "quotes": quotes}
    without = [name for name, is_kept in kept.items() if not is_kept]
    name = "20 Newsgroups" + (f", no {', '.join(without)}" if without else "")
    return LabelledTexts(name, *train, *test)


def _news_files(path: Path) -> Iterator[tuple[tuple[str, str], bytes]]:
    for part in _NEWS_PARTS:
        for file in sorted((path / part).glob("*/*")):
            if file.is_file():
                yield (part, file.parent.name), file.read_bytes()


def _news_members(path: Path) -> Iterator[tuple[tuple[str, str], bytes]]:
    try:
        with (
            open_file(path) as file,
            tarfile.open(fileobj=file, mode="r|*", tarinfo=_Member) as archive,
        ):
            for member in archive:
                place = Path(member.name).parts
                if not member.isfile() or len(place) < 3 or place[-3] not in _NEWS_PARTS:
                    continue
                _check_size(member)  # again: an extended header may have changed it
                content = archive.extractfile(member)
                assert content is not None
                yield (place[-3], place[-2]), content.read()
    except (EOFError, OverflowError, ValueError, tarfile.TarError, zlib.error) as error:
        raise ValueError(f"{path} is not a whole tar archive: {error}") from error


class _Member(tarfile.TarInfo):
    """A member of an archive; refuse a claimed size that would exhaust memory."""

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: Any, errors: str) -> Self:
        member = super().frombuf(buf, encoding, errors)
        _check_size(member)
        return member


def _check_size(member: tarfile.TarInfo) -> None:
    if not 0 <= member.size <= _LARGEST_MESSAGE:
        raise ValueError(f"{member.name!r:.60} would have {member.size:,} bytes")


def _body(message: str) -> str:
    r"""Return a message without its headers.

    Examples
    --------
    >>> _body("From: a fly\nSubject: fruit\n\nIt is ripe.\n\nSweet.")
    'It is ripe.\n\nSweet.'
    """
    return message.partition("\n\n")[2]


def read_sst2(path: str | os.PathLike[str]) -> LabelledTexts:
    """Read the Stanford Sentiment Treebank with two classes (SST-2).

    Parameters
    ----------
    path : path-like
        The directory with ``stsa.binary.train`` and ``stsa.binary.test``: lines of a label, 0 or
        1, a space, and a sentence. The sentences of ``stsa.binary.dev`` are not used.

    Returns
    -------
    data : LabelledTexts
    """
    train, test = (
        _read_labels_first(_file_in(path, name), ("0", "1"), encoding="utf-8")
        for name in _SST2_PARTS
    )
    return LabelledTexts("SST-2", *train, *test)


def read_trec(path: str | os.PathLike[str]) -> LabelledTexts:
    """Read the questions of TREC with their six coarse classes (TREC-6).

    Parameters
    ----------
    path : path-like
        The directory with ``train_5500.label`` and ``TREC_10.label``: lines of ``COARSE:fine``, a
        space, and a question, in latin-1.

    Returns
    -------
    data : LabelledTexts
    """
    train, test = (
        _read_labels_first(_file_in(path, name), None, encoding="latin-1") for name in _TREC_PARTS
    )
    return LabelledTexts("TREC-6", *train, *test)


def _read_labels_first(
    path: Path, expected: Sequence[str] | None, *, encoding: str
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Read lines of a label and a text; of a label ``COARSE:fine`` the first half counts."""
    found = []
    for number, line in enumerate(TextLines(path, encoding=encoding), start=1):
        label, _, text = line.strip().partition(" ")
        if not label:
            continue
        coarse, colon, _ = label.partition(":")
        if not text or (not colon if expected is None else label not in expected):
            wanted = "COARSE:fine" if expected is None else " or ".join(expected)
            raise ValueError(
                f"line {number} of {path} is not '{wanted}', a space and a text: {line!r:.60}"
            )
        found.append((text, coarse))
    return _unzip(found)


def read_wos(
    path: str | os.PathLike[str], *, test_share: float = 0.2, random_state: int = 0
) -> LabelledTexts:
    """Read Web of Science abstracts, such as WOS-11967.

    Parameters
    ----------
    path : path-like
        The directory with ``X.txt``, an abstract a line, and ``Y.txt``, the class of each.
    test_share : float, default=0.2
        The share of abstracts to test on, the same for every class: the dataset has no split of
        its own.
    random_state : int, default=0
        Splits the abstracts.

    Returns
    -------
    data : LabelledTexts
        Named after the number of abstracts.
    """
    texts = [line.strip() for line in TextLines(_file_in(path, "X.txt"), errors="replace")]
    labels = [line.strip() for line in TextLines(_file_in(path, "Y.txt")) if line.strip()]
    while texts and not texts[-1]:
        texts.pop()
    if len(texts) != len(labels):
        raise ValueError(
            f"{path}: X.txt has {len(texts)} lines, but Y.txt has {len(labels)}: each needs one"
        )
    train_x, test_x, train_y, test_y = train_test_split(
        texts, labels, test_size=test_share, stratify=labels, random_state=random_state
    )
    return LabelledTexts(
        f"WOS-{len(texts)}", tuple(train_x), tuple(train_y), tuple(test_x), tuple(test_y)
    )


def read_reuters(path: str | os.PathLike[str]) -> LabelledTexts:
    """Read Reuters-21578.

    Parameters
    ----------
    path : path-like
        Lines of three columns, separated by tabs: ``train`` or ``test`` (the ModApte split), the
        topics, separated by commas, and the text. Lines without a topic are left out.

    Returns
    -------
    data : LabelledTexts
        With ``several_topics``.
    """
    found: dict[str, list[tuple[str, str]]] = {"train": [], "test": []}
    for number, line in enumerate(TextLines(path), start=1):
        columns = line.rstrip("\n").split("\t")
        if len(columns) != 3 or columns[0] not in found:
            raise ValueError(
                f"line {number} of {path} is not 'train' or 'test', topics and a text, separated "
                f"by tabs: {line!r:.60}"
            )
        part, topics, text = columns
        if topics:
            found[part].append((text, topics))
    train, test = _unzip(found["train"]), _unzip(found["test"])
    return LabelledTexts("Reuters-21578", *train, *test, several_topics=True)


def load_labelled_texts(
    path: str | os.PathLike[str], *, footers: bool = True, quotes: bool = True
) -> LabelledTexts:
    """Read a dataset of labelled documents in any of the known formats.

    Parameters
    ----------
    path : path-like
        A directory of 20 Newsgroups, SST-2, TREC-6 or Web of Science, a tar archive of 20
        Newsgroups, or a table of Reuters-21578 (``.tsv``, may be compressed).
    footers, quotes : bool, default=True
        Whether to keep those of 20 Newsgroups, as in :func:`read_20newsgroups`.

    Returns
    -------
    data : LabelledTexts
        20 Newsgroups without headers.

    See Also
    --------
    read_20newsgroups, read_reuters, read_sst2, read_trec, read_wos : Read one of them.
    """
    path = Path(path)
    if not path.exists():
        raise FileNotFoundError(f"there is no file or directory {path}")
    if path.is_file() and ".tsv" in path.suffixes:
        return read_reuters(path)
    if path.is_file() or (path / _NEWS_PARTS[0]).is_dir():
        return read_20newsgroups(path, headers=False, footers=footers, quotes=quotes)
    for name, read in (
        (_SST2_PARTS[0], read_sst2),
        (_TREC_PARTS[0], read_trec),
        ("X.txt", read_wos),
    ):
        if (path / name).is_file():
            return read(path)
    raise ValueError(
        f"{path} has none of {_NEWS_PARTS[0]}/ (20 Newsgroups), {_SST2_PARTS[0]} (SST-2), "
        f"{_TREC_PARTS[0]} (TREC-6) and X.txt (Web of Science)"
    )


def _file_in(path: str | os.PathLike[str], name: str) -> Path:
    file = Path(path) / name
    if not file.is_file():
        raise FileNotFoundError(f"there is no file {file}")
    return file


def _unzip(pairs: Sequence[tuple[str, str]]) -> Labelled:
    return tuple(text for text, _ in pairs), tuple(label for _, label in pairs)
