"""The page as plain files, for any web server: ``skfly explore MODEL --static``."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np

from skfly._files import write_file
from skfly.explore._explorer import Explorer
from skfly.explore._guard import POLICY
from skfly.model import is_stop_word

_STATIC = Path(__file__).parent / "static"
_WORDS = 50_000  # with codes; the browser fetches all of them
_CELL_WORDS = 40
_CELLS_OF_EXAMPLE = 12
_MARK = "skfly-data"


def write_page(explorer: Explorer, directory: Path) -> int:
    """Write the page of a model, with its data, as static files.

    Words, cells, the map and the worked examples are shown as by the server. Other sentences
    need the model, and documents are not published.

    Parameters
    ----------
    explorer : Explorer
    directory : Path
        New, empty, or with an earlier page, which is replaced.

    Returns
    -------
    n_bytes : int
        Size of the page.
    """
    _check_is_free(directory)
    directory.mkdir(exist_ok=True)
    write_file(directory / "index.html", _page())  # first: what fails later can be tried again
    data = directory / "data"
    data.mkdir(exist_ok=True)
    words, counts, codes = explorer.word_codes(_WORDS)
    packed = np.packbits(codes.toarray() != 0, axis=1) if words else np.zeros((0, 1), np.uint8)
    model = explorer.model() | {"n_documents": None, "read_only": True}
    _write(data / "model.json", model)
    _write(data / "map.json", _without_documents(explorer.map()))
    _write(data / "words.json", {"words": words, "counts": counts})
    (data / "codes.bin").write_bytes(packed.tobytes())
    _write(data / "cells.json", _cells(explorer) | {"stop_words": [*filter(is_stop_word, words)]})
    _write(data / "examples.json", _examples(explorer))
    shutil.copytree(_STATIC, directory / "static", dirs_exist_ok=True)
    return sum(file.stat().st_size for file in directory.rglob("*") if file.is_file())


def _page() -> str:
    page = (_STATIC / "index.html").read_text(encoding="utf-8")
    # a policy in the page cannot forbid frames, and browsers warn about one that tries
    policy = "; ".join(part for part in POLICY.split("; ") if "frame-ancestors" not in part)
    head = (
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        f'  <meta name="{_MARK}" content="data/">\n'
        '  <meta name="referrer" content="no-referrer">\n  '
    )
    before, charset, after = page.partition('<meta charset="utf-8">')
    return f"{before}{charset}\n  {head.rstrip()}{after}"


def _check_is_free(directory: Path) -> None:
    if directory.is_dir():
        page = directory / "index.html"
        ours = page.is_file() and _MARK in page.read_text(encoding="utf-8", errors="replace")
        if not ours and any(directory.iterdir()):
            raise FileExistsError(
                f"{directory} has files that are not a page of skfly: name a new directory"
            )
    elif directory.exists():
        raise NotADirectoryError(f"{directory} is a file; name a directory")
    elif not directory.parent.is_dir():
        raise FileNotFoundError(f"there is no directory {directory.parent}")


def _without_documents(drawn: dict[str, Any]) -> dict[str, Any]:
    return drawn | {"documents": {"places": [], "x": [], "y": []}}


def _cells(explorer: Explorer) -> dict[str, Any]:
    n_cells = explorer.model()["n_cells"]
    cells = [
        cell | {"words": _short(cell["words"]), "stop": _short(same["words"])}
        for cell, same in zip(
            explorer.every_cell(_CELL_WORDS),
            explorer.every_cell(_CELL_WORDS, stop_words=True),
            strict=True,
        )
    ]
    orders = {
        order: [
            cell["cell"]
            for offset in range(0, n_cells, 48)
            for cell in explorer.cells(order, offset, 48)["cells"]
        ]
        for order in ("used", "specific", "dead")
    }
    return {"cells": cells, "orders": orders}


def _short(words: list[list[Any]]) -> list[list[Any]]:
    return [[word, float(f"{chance:.3g}")] for word, chance in words]


def _examples(explorer: Explorer) -> dict[str, Any]:
    tours = explorer.model()["tours"]
    texts = dict.fromkeys(tour["params"]["text"] for tour in tours if tour["view"] == "sentence")
    pairs = [tour["params"] for tour in tours if tour["view"] == "compare"]
    sentences, contexts = {}, {}
    for text in texts:
        sentences[text] = explorer.sentence(text, _CELLS_OF_EXAMPLE)
        contexts[text] = [
            explorer.context(text, place) for place in range(len(sentences[text]["words"]))
        ]
    compared = [
        {
            "left": pair["a"],
            "right": pair["b"],
            "answer": explorer.compare(pair["a"], pair["b"], _CELLS_OF_EXAMPLE),
        }
        for pair in pairs
    ]
    return {"sentence": sentences, "context": contexts, "compare": compared}


def _write(path: Path, value: Any) -> None:
    path.write_text(json.dumps(value, separators=(",", ":"), ensure_ascii=False), encoding="utf-8")
