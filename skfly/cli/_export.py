"""``skfly export``."""

from __future__ import annotations

import json
from collections.abc import Callable
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from skfly._files import import_optional, replace_file
from skfly.cli._app import Force, HashLength, Json, Model, Quiet, app, examples
from skfly.cli._console import print_json, say, size_text
from skfly.cli._files import check_place, load_model, load_to_hash

if TYPE_CHECKING:
    from skfly.keyedvectors import FlyKeyedVectors


class Format(StrEnum):
    """What to write."""

    WORD2VEC = "word2vec"
    WORD2VEC_BINARY = "word2vec-binary"
    NUMPY = "numpy"
    FAISS = "faiss"
    PROJECTOR = "projector"
    COMPACT = "compact"


_SUFFIXES = {
    ".txt": Format.WORD2VEC,
    ".vec": Format.WORD2VEC,
    ".bin": Format.WORD2VEC_BINARY,
    ".npz": Format.NUMPY,
    ".faiss": Format.FAISS,
    ".skfly": Format.COMPACT,
}


@app.command(
    epilog=examples(
        "skfly export corpus.skfly vectors.txt",
        "skfly export corpus.skfly vectors.bin --hash-length 16",
        "skfly export corpus.skfly codes.npz",
        "skfly export corpus.skfly codes.faiss",
        "skfly export corpus.skfly small.skfly",
        "skfly export corpus.skfly projector/ --format projector --top 10000",
    )
)
def export(
    model: Model,
    output: Annotated[
        Path,
        typer.Argument(
            metavar="OUTPUT",
            help="File to write, or directory for projector.",
            show_default=False,
        ),
    ],
    kind: Annotated[
        Format | None,
        typer.Option("--format", help="What to write. Default: by the suffix of OUTPUT."),
    ] = None,
    top: Annotated[
        int | None, typer.Option(min=1, help="Write only this many of the most frequent words.")
    ] = None,
    hash_length: HashLength = None,
    force: Force = False,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Export word codes to other formats, or shrink a model.

    word2vec and word2vec-binary (.txt or .vec, .bin): ones and zeros, for gensim and others.
    numpy (.npz): arrays words, counts, codes (packed, least significant bit first), n_cells and
    hash_length.
    faiss (.faiss): an IndexBinaryFlat, with the words beside it in a .json file.
    projector: a directory with vectors.tsv, metadata.tsv and projector_config.pbtxt, for
    TensorBoard's embedding projector.
    compact (.skfly): the whole model in a much smaller file, which cannot learn further.
    """
    kind = kind or _by_suffix(output)
    if kind is Format.PROJECTOR:
        if output.exists() and not output.is_dir():
            raise NotADirectoryError(f"{output} is a file, but projector writes a directory")
        check_place(output / "vectors.tsv" if output.is_dir() else output, force)
    else:
        check_place(output, force)
    if kind is Format.FAISS:
        check_place(_words_beside(output), force)
    if kind is Format.COMPACT:
        if top is not None:
            raise typer.BadParameter("a compact model keeps all its words", param_hint="'--top'")
        fly = load_model(model)
        if hash_length is not None:
            fly.set_params(hash_length=hash_length)
        fly.save(output, compact=True)
        files, n_words, n_cells = [output], len(fly.vocabulary_), fly.n_features_out_
    else:
        vectors = load_to_hash(model, hash_length).wv
        if top is not None:
            vectors = _most_frequent(vectors, top)
        n_words, n_cells = len(vectors), vectors.vector_size
        if not quiet:
            typer.echo(f"skfly: writing {n_words:,} codes", err=True)
        files = _WRITERS[kind](vectors, output)
    if as_json:
        about = {"format": kind.value, "files": list(map(str, files))}
        print_json(about | {"words": n_words, "cells": n_cells})
        return
    for file in files:
        say(f"{file}: {size_text(file.stat().st_size)}")


def _by_suffix(output: Path) -> Format:
    kind = _SUFFIXES.get(output.suffix.lower())
    if kind is None:
        raise typer.BadParameter(
            f"{output} does not end in {', '.join(_SUFFIXES)}: choose the format",
            param_hint="'--format'",
        )
    return kind


def _most_frequent(vectors: FlyKeyedVectors, n_words: int) -> FlyKeyedVectors:
    rows = (-vectors.expandos["count"]).argsort(kind="stable")[:n_words]
    words = [vectors.index_to_key[i] for i in rows.tolist()]
    return vectors.vectors_for_all(words, copy_vecattrs=True)


def _write_word2vec(vectors: FlyKeyedVectors, output: Path, binary: bool = False) -> list[Path]:
    with replace_file(output) as place:
        vectors.save_word2vec_format(str(place), binary=binary)
    return [output]


def _write_numpy(vectors: FlyKeyedVectors, output: Path) -> list[Path]:
    import numpy as np

    packed = np.ascontiguousarray(vectors.codes.astype("<u8", copy=False)).view(np.uint8)
    with replace_file(output) as place, open(place, "wb") as file:
        np.savez_compressed(
            file,
            words=np.array(vectors.index_to_key, dtype=np.str_),
            counts=vectors.expandos["count"],
            codes=packed[:, : -(-vectors.vector_size // 8)],
            n_cells=vectors.vector_size,
            hash_length=vectors.hash_length or 0,
        )
    return [output]


def _words_beside(output: Path) -> Path:
    return output.with_name(output.name + ".json")


def _write_faiss(vectors: FlyKeyedVectors, output: Path) -> list[Path]:
    faiss = import_optional("faiss", "faiss", "writing a faiss index")
    words = _words_beside(output)
    with replace_file(output) as place, replace_file(words) as words_place:
        faiss.write_index_binary(vectors.to_faiss(), str(place))
        words_place.write_text(json.dumps(vectors.index_to_key), encoding="utf-8")
    return [output, words]


_CONFIG = """\
embeddings {
  tensor_path: "vectors.tsv"
  metadata_path: "metadata.tsv"
}
"""


def _write_projector(vectors: FlyKeyedVectors, output: Path) -> list[Path]:
    import numpy as np

    output.mkdir(exist_ok=True)
    places = [output / name for name in ("vectors.tsv", "metadata.tsv", "projector_config.pbtxt")]
    with replace_file(places[0]) as place, open(place, "w", encoding="ascii") as file:
        for word in vectors.index_to_key:
            file.write("\t".join(map(str, vectors[word].astype(np.int8))) + "\n")
    with replace_file(places[1]) as place, open(place, "w", encoding="utf-8") as file:
        file.write("word\tcount\n")
        for word, count in zip(vectors.index_to_key, vectors.expandos["count"], strict=True):
            file.write(f"{' '.join(str(word).split())}\t{count}\n")
    with replace_file(places[2]) as place:
        place.write_text(_CONFIG, encoding="ascii")
    return places


_WRITERS: dict[Format, Callable[[Any, Path], list[Path]]] = {
    Format.WORD2VEC: _write_word2vec,
    Format.WORD2VEC_BINARY: partial(_write_word2vec, binary=True),
    Format.NUMPY: _write_numpy,
    Format.FAISS: _write_faiss,
    Format.PROJECTOR: _write_projector,
}
