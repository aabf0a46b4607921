"""Every reader, with sound files to damage, and what is done with what was read."""

from __future__ import annotations

import asyncio
import bz2
import gzip
import io
import json
import lzma
import os
import pickle
import signal
import tarfile
import tempfile
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
from gensim.models import KeyedVectors

from fuzz import _mutate as m
from skfly import DocumentIndex, FlyHashVectorizer, FlyKeyedVectors
from skfly._model_file import ModelFileError
from skfly.evaluation import (
    load_vectors,
    read_20newsgroups,
    read_reuters,
    read_scws,
    read_sst2,
    read_sts,
    read_trec,
    read_wic,
    read_word_pairs,
    read_wos,
    word_analogies,
)
from skfly.fit import _checkpoints
from skfly.text import EncodedCorpus, TextColumn, TextLines, _blocks, encode_documents

TEXTS = [
    "The fly eats ripe fruit with the moth. Ripe fruit smells sweet to the fly.",
    "The bank lends money at high interest. Money from the bank pays the loan.",
    "A naïve fly lands on the 蝇 bank.",
] * 4
QUERIES = ["ripe fruit for the fly", "money and the bank", ""]


@dataclass(frozen=True)
class Reader:
    """How one kind of file is read.

    ``seeds`` are sound files (one, or those of a directory), ``read`` reads and returns what is
    ``use``d then. ``errors`` are what reading may raise; use may raise ``ValueError`` only.
    """

    seeds: Callable[[], list[m.Files]]
    read: Callable[[Path, int], Any]
    use: Callable[[Any, int], Any] = lambda found, number: None
    errors: tuple[type[Exception], ...] = (ValueError, OSError)
    ways: dict[str, list[m.Way]] = field(default_factory=dict)


def _written(write: Callable[[Path], Any]) -> m.Files:
    """Return what ``write`` writes into a directory."""
    with tempfile.TemporaryDirectory() as name:
        write(Path(name))
        files = [path for path in sorted(Path(name).rglob("*")) if path.is_file()]
        return {os.fspath(path.relative_to(name)): path.read_bytes() for path in files}


def _fly(**params: Any) -> FlyHashVectorizer:
    small = {"n_kenyon_cells": 20, "hash_length": 4, "window": 5, "n_epochs": 2, "min_count": 1}
    return FlyHashVectorizer(**(small | {"n_jobs": 1, "random_state": 0} | params))


@cache
def _fitted(**params: Any) -> FlyHashVectorizer:
    return _fly(**params).fit(TEXTS)


def _only(path: Path) -> Path:
    """Return the file of a directory that has one; it may have been damaged away."""
    return next(path.iterdir(), path / "missing")


# Models


def _model_seeds() -> list[m.Files]:
    kinds: list[dict[str, Any]] = [
        {},
        {"learning": "hebbian"},
        {"learning": "lloyd", "word_codes": "synapses"},
        {"phrases": True, "unknown_words": "spelling"},
    ]
    whole = [_written(lambda path, k=k: _fitted(**k).save(path / "a.skfly")) for k in kinds]
    return [*whole, _written(lambda path: _fitted().save(path / "a.skfly", compact=True))]


def _use_model(fly: FlyHashVectorizer, number: int) -> None:
    if fly.input == "content":
        fly.transform(QUERIES)
        fly.kenyon_cells(QUERIES[0], 2, 5)
        fly.hash_in_context(QUERIES[:1], ["fruit"])
    fly.hash_words(["fly", "bank", "nothing"])
    wv = fly.wv
    if len(wv):
        wv.most_similar(wv.index_to_key[0], topn=3)
    if number % 16 < 2 and fly.input == "content" and not fly.model_.is_compact:
        fly.set_params(verbose=0).partial_fit(TEXTS)


def _keyed_seeds() -> list[m.Files]:
    packed = _fitted().wv
    random = np.random.default_rng(0)
    listed = FlyKeyedVectors.from_codes(
        [f"w{i}" for i in range(40)], np.eye(40, 500)[random.permutation(40)]
    )
    numbered = FlyKeyedVectors.from_codes([1, 2, "x"], np.eye(3, 70))
    return [
        *(_written(lambda path, w=wv: w.save(path / "a")) for wv in (packed, listed, numbered)),
        _model_seeds()[0],
    ]


def _use_keyed(wv: FlyKeyedVectors, number: int) -> None:
    keys = list(wv.index_to_key)
    wv.hash_length, wv.nbytes  # noqa: B018
    if len(wv) * wv.vector_size < 1 << 20:  # else it may take more memory than it should here
        wv.codes, wv.vectors  # noqa: B018
        if number % 2:
            wv.build_index(1)
        if len(wv):
            wv.most_similar(np.arange(wv.vector_size) % 2, topn=2)
    for key in keys[:2]:
        if key is not None and key in wv:
            wv.most_similar(key, topn=3)
            wv.similarity(key, key)


def _index_seeds() -> list[m.Files]:
    seeds = []
    for ids, keep_texts in ((None, False), ([f"text {i}" for i in range(len(TEXTS))], True)):

        def write(path: Path, ids: Any = ids, keep_texts: bool = keep_texts) -> None:
            index = DocumentIndex(_fitted(), keep_texts=keep_texts)
            index.add(TEXTS, ids)
            index.save(path / "a.idx")

        seeds.append(_written(write))
    return seeds


def _read_index(path: Path, number: int) -> DocumentIndex:
    fly = _fitted() if number % 2 else None
    return DocumentIndex.load(_only(path), mmap=bool(number % 3), fly=fly)


def _use_index(index: DocumentIndex, number: int) -> None:
    if not index.model.analyzer.reads_text:
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ids, _ = index.search(QUERIES, n=3)
    index.duplicates(0.9)
    found = [id_ for id_ in ids[0].tolist() if id_ not in (-1, None)]
    if index.keeps_texts:
        index.texts(found)
    index.remove(found[:1])
    index.add(["ripe fruit"], ["new"] if isinstance(index.ids, list) else None)
    index.search(QUERIES[:1])


# Corpora and checkpoints


def _corpus_seeds() -> list[m.Files]:
    files = _written(lambda path: encode_documents(TEXTS).save(path / "c"))
    description = json.loads(files["c/corpus.json"])
    del description["checksums"]  # so that damage of arrays is not found by these
    older = {"c/corpus.json": json.dumps(description | {"version": 1}).encode()}
    return [files, files | older, files | older]


def _use_corpus(corpus: EncodedCorpus, number: int) -> None:
    list(corpus)
    corpus.fingerprint()
    corpus.block(0, len(corpus))
    _fitted().transform(corpus)
    if number % 16 == 0:
        _fly(n_epochs=1).fit(corpus)


def _checkpoint_seeds() -> list[m.Files]:
    seeds = []
    for stop in (1, 3):  # while it learns, and while it counts

        def write(path: Path, stop: int = stop) -> None:
            saved = 0
            save = _checkpoints.Checkpoints.save

            def save_and_stop(self: Any, *state: Any) -> None:
                nonlocal saved
                save(self, *state)
                saved += 1
                if saved == stop:
                    raise KeyboardInterrupt

            _checkpoints.Checkpoints.save, seconds = save_and_stop, _checkpoints._SECONDS
            _checkpoints._SECONDS = 0.0
            try:
                _fly(checkpoint_dir=path).fit(TEXTS)
            except KeyboardInterrupt:
                pass
            finally:
                _checkpoints.Checkpoints.save, _checkpoints._SECONDS = save, seconds
            for older in sorted(path.iterdir())[:-1]:
                older.unlink()

        seeds.append(_written(write))
    return seeds


# Word vectors


def _word2vec_seeds(binary: bool) -> list[m.Files]:
    def write(path: Path) -> None:
        _fitted().wv.save_word2vec_format(path / "a", path / "counts", binary=binary)

    return [_written(write)]


def _read_word2vec(path: Path, binary: bool) -> FlyKeyedVectors:
    counts = path / "counts"
    return FlyKeyedVectors.load_word2vec_format(
        path / "a", counts if counts.exists() else None, binary=binary
    )


def _dense_seeds() -> list[m.Files]:
    vectors = KeyedVectors(8)
    vectors.add_vectors(
        [f"w{i}" for i in range(12)], np.random.default_rng(0).normal(size=(12, 8))
    )
    seeds = []
    for name in ("a.txt", "a.bin", "a.txt.gz", "a.txt.xz"):

        def write(path: Path, name: str = name) -> None:
            vectors.save_word2vec_format(os.fspath(path / name), binary=".bin" in name)

        seeds.append(_written(write))
    seeds.append({"a.vec": seeds[0]["a.txt"].partition(b"\n")[2]})
    return seeds


# Datasets


def _text(name: str, lines: list[str]) -> m.Files:
    return {name: "".join(line + "\n" for line in lines).encode()}


def _pairs_seeds() -> list[m.Files]:
    return [
        _text("a.txt", ["fly moth 7.5", "bank money 8", "fly bank 0.5", "ripe sweet 3"]),
        _text("a.csv", ["word 1,word 2,score", '"hot dog",food,7', "fly,moth,7.5", "a,b,1"]),
        _text("a.tsv", ["fly\tN\tmoth\t3.0\t1", "bank\tN\tmoney\t4.0\t2", "# note"]),
    ]


def _analogy_seeds() -> list[m.Files]:
    return [_text("a", [": one", "fly fruit bank money", "ripe fruit high interest", ": two"])]


def _wic_seeds() -> list[m.Files]:
    line = "bank\tN\t1-0\tThe bank lends .\tbank of the river"
    return [{**_text("t.data.txt", [line] * 3), **_text("t.gold.txt", ["T", "F", "T"])}]


def _scws_line(number: int) -> str:
    context = "the <b> bank </b> lends money"
    return "\t".join(
        [str(number), "bank", "n", "bank", "n", context, context, "7.5", *"1234567890"]
    )


def _scws_seeds() -> list[m.Files]:
    plain = _text("a.txt", [_scws_line(i) for i in range(4)])
    return [plain, {"a.txt.gz": gzip.compress(plain["a.txt"], mtime=0)}]


def _sts_seeds() -> list[m.Files]:
    return [_text("sts.csv", ["a\tb\tc\t1\t4.5\tripe fruit\tsweet fruit"] * 3)]


def _classes_seeds() -> list[m.Files]:
    sst2 = ["0 a dull film", "1 a good film", "1 fine"]
    trec = ["DESC:def What is a fly ?", "NUM:date When was it ?"]
    return [
        {**_text("stsa.binary.train", sst2), **_text("stsa.binary.test", sst2)},
        {**_text("train_5500.label", trec), **_text("TREC_10.label", trec)},
        {**_text("X.txt", [f"text {i}" for i in range(10)]), **_text("Y.txt", [*"0101010101"])},
        _text("reuters.tsv", ["train\tcocoa\tShowers", "test\tearn,acq\tProfit rose"]),
    ]


def _read_classes(path: Path, number: int) -> Any:
    names = {file.name for file in path.iterdir()}
    if names & {"X.txt", "Y.txt"}:
        return read_wos(path, test_share=0.4)
    if "reuters.tsv" in names:
        return read_reuters(path / "reuters.tsv")
    return read_trec(path) if any("label" in name for name in names) else read_sst2(path)


def _news_seeds() -> list[m.Files]:
    files = {
        f"20news-bydate-{part}/{group}/{i}": f"From: {i}\n\ntext about {group}\n".encode()
        for part in ("train", "test")
        for group in ("sci.fly", "rec.fruit")
        for i in range(2)
    }
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w") as tar:
        for name, content in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            tar.addfile(entry, io.BytesIO(content))
    plain = archive.getvalue()
    gz, xz = gzip.compress(plain, mtime=0), lzma.compress(plain)
    return [{"a.tar": plain}, {"a.tar.gz": gz}, {"a.tar.xz": xz}]


# Text


def _lines_seeds() -> list[m.Files]:
    text = "\n".join([*TEXTS, "İstanbul ΑΣ", "a\rb\r\nc"]).encode()
    found = {"a.txt": text, "a.gz": gzip.compress(text, mtime=0)}
    found |= {"a.bz2": bz2.compress(text), "a.xz": lzma.compress(text)}
    try:
        import zstandard

        found["a.zst"] = zstandard.ZstdCompressor().compress(text)
    except ImportError:
        pass
    return [{name: content} for name, content in found.items()]


def _read_lines(path: Path, number: int) -> Any:
    errors = ("strict", "replace", "ignore")[number % 3]
    # short text is not worth compiling for, so every other time it is said to be
    worth = 0 if number % 2 else _blocks.WORTH_COMPILING
    with mock.patch.object(_blocks, "WORTH_COMPILING", worth):
        return encode_documents(TextLines(_only(path), errors=errors))


def _table_seeds() -> list[m.Files]:
    from pyarrow import feather, parquet, table

    rows = table({"text": TEXTS, "n": list(range(len(TEXTS)))})
    return [
        _written(lambda path: parquet.write_table(rows, path / "a.parquet", compression="none")),
        _written(lambda path: feather.write_feather(rows, path / "a.arrow", "uncompressed")),
    ]


# The explorer


def _request_seeds() -> list[m.Files]:
    bodies: dict[str, Any] = {
        "model": {},
        "search": {"query": "f", "n_words": 5},
        "sentence": {"text": QUERIES[0], "n_cells": 2, "n_words": 5, "temperature": 0.1},
        "compare": {"left": QUERIES[0], "right": QUERIES[1], "n_cells": 2},
        "context": {"text": QUERIES[0], "place": 1, "n_neighbours": 3},
        "word": {"word": "fly", "other": "bank", "n_neighbours": 3},
        "cells": {"order": "used", "offset": 0, "n_cells": 5},
        "cell": {"cell": 3, "n_words": 5, "temperature": 0.5},
    }
    return [
        {
            "body.json": json.dumps(body).encode(),
            "path": f"/api/{name}".encode(),
            "query": b"",
            "type": b"application/json",
        }
        for name, body in bodies.items()
    ]


@cache
def _app() -> tuple[Any, asyncio.AbstractEventLoop]:
    from skfly.explore import RateLimit, create_app

    unlimited = RateLimit(per_second=1e9, burst=1e9)
    return create_app(_fitted(), limit=unlimited), asyncio.new_event_loop()


def _ask(path: Path, number: int) -> int:
    """Send a request to the application; an error of the server is an error here."""
    parts = {name: _bytes(path / name) for name in ("body.json", "path", "query", "type")}
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "POST",
        "scheme": "http",
        "path": parts["path"].decode("utf-8", "surrogateescape"),
        "raw_path": parts["path"],
        "query_string": parts["query"],
        "headers": [(b"host", b"localhost"), (b"content-type", parts["type"])],
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 80),
        "root_path": "",
    }
    messages = [{"type": "http.request", "body": parts["body.json"], "more_body": False}]
    status: list[int] = []

    async def receive() -> Any:
        return messages.pop(0) if messages else {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        if message["type"] == "http.response.start":
            status.append(message["status"])

    app, loop = _app()
    loop.run_until_complete(app(scope, receive, send))
    if status[0] == 200:
        return status[0]
    if 300 <= status[0] < 500:  # a path with a slash too many leads elsewhere
        raise _RefusedError(f"status {status[0]}")
    raise RuntimeError(f"status {status[0]}")


class _RefusedError(Exception):
    """The application refused a request."""


def _bytes(path: Path) -> bytes:
    return path.read_bytes() if path.exists() else b""


_SAFETENSORS: dict[str, list[m.Way]] = {"": [m.change_safetensors]}
_LINES: dict[str, list[m.Way]] = {"": [m.change_lines]}

READERS = {
    "model": Reader(
        _model_seeds,
        lambda path, n: FlyHashVectorizer.load(_only(path), mmap=bool(n % 2)),
        _use_model,
        (ModelFileError,),
        _SAFETENSORS,
    ),
    "keyed vectors": Reader(
        _keyed_seeds,
        lambda path, n: FlyKeyedVectors.load(_only(path), mmap="r" if n % 2 else None),
        _use_keyed,
        (ModelFileError,),
        _SAFETENSORS,
    ),
    "encoded corpus": Reader(
        _corpus_seeds,
        lambda path, n: EncodedCorpus.load(path / "c", mmap=bool(n % 2)),
        _use_corpus,
        (ValueError, FileNotFoundError),
        {".npy": [m.change_npy], ".json": [m.change_json]},
    ),
    "checkpoint": Reader(
        _checkpoint_seeds,
        lambda path, n: _fly(checkpoint_dir=path).fit(TEXTS),
        _use_model,
        (ValueError,),
        _SAFETENSORS,
    ),
    "word2vec text": Reader(
        lambda: _word2vec_seeds(False),
        lambda path, n: _read_word2vec(path, False),
        _use_keyed,
        (ValueError, EOFError, FileNotFoundError),
        _LINES,
    ),
    "word2vec binary": Reader(
        lambda: _word2vec_seeds(True),
        lambda path, n: _read_word2vec(path, True),
        _use_keyed,
        (ValueError, EOFError, FileNotFoundError),
        {"counts": [m.change_lines]},
    ),
    "dense vectors": Reader(
        _dense_seeds,
        lambda path, n: load_vectors(_only(path)),
        lambda vectors, n: vectors.most_similar(vectors.index_to_key[0]) if len(vectors) else None,
        ways={".txt": [m.change_lines], ".vec": [m.change_lines]},
    ),
    "index of documents": Reader(
        _index_seeds, _read_index, _use_index, (ValueError, OSError), _SAFETENSORS
    ),
    "word pairs": Reader(_pairs_seeds, lambda path, n: read_word_pairs(_only(path)), ways=_LINES),
    "analogies": Reader(
        _analogy_seeds,
        lambda path, n: word_analogies(_fitted(), _only(path), [4]),
        ways=_LINES,
    ),
    "STS": Reader(_sts_seeds, lambda path, n: read_sts(_only(path)), ways=_LINES),
    "WiC": Reader(_wic_seeds, lambda path, n: read_wic(path), ways=_LINES),
    "SCWS": Reader(
        _scws_seeds,
        lambda path, n: read_scws(_only(path)),
        errors=(ValueError, OSError, EOFError),
        ways={".txt": [m.change_lines]},
    ),
    "labelled texts": Reader(_classes_seeds, _read_classes, ways=_LINES),
    "20 Newsgroups": Reader(
        _news_seeds, lambda path, n: read_20newsgroups(_only(path)), ways={".tar": [m.change_tar]}
    ),
    "text": Reader(
        _lines_seeds,
        _read_lines,
        errors=(ValueError, OSError, EOFError),
        ways={".txt": [m.change_lines]},
    ),
    "tables": Reader(_table_seeds, lambda path, n: list(TextColumn(_only(path), "text"))),
    "explorer": Reader(
        _request_seeds, _ask, errors=(_RefusedError,), ways={".json": [m.change_json]}
    ),
}


def _spin(path: Path, number: int) -> None:
    while True:
        pass


def _bad(read: Callable[[Path, int], Any]) -> Reader:
    return Reader(lambda: [{"a": b""}], read)


# readers that fail as none should, so that it is known that this would be found
BAD_READERS = {
    "bad: crash": _bad(lambda path, n: os.kill(os.getpid(), signal.SIGSEGV)),
    "bad: memory": _bad(lambda path, n: np.ones(30_000_000)),
    "bad: hang": _bad(_spin),
    "bad: pickle": _bad(lambda path, n: pickle.loads(pickle.dumps(os.getcwd))),
    "bad: write": _bad(lambda path, n: (path / "b").write_bytes(b"")),
    "bad: other error": _bad(lambda path, n: {}["a"]),
}
