"""Take the pictures of the explorer for ``explore.rst``, in Debian's Chromium (extra ``test``).

    python docs/take_pictures.py en --index articles.idx

The index is of the beginnings of Wikipedia articles, one a line, by ``skfly index --model en
--by line``. Look at each of them before you keep it.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from PIL import Image
from playwright.sync_api import Browser, sync_playwright

HERE = Path(__file__).parent
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync"]


class Picture(NamedTuple):
    """A state of the page, what to wait for, and how it is looked at."""

    state: str
    wait_for: str
    height: int
    width: int = 1280
    theme: str = "light"
    element: str | None = None
    """What of the page is taken; all that is in the window without one."""


LOANS = "text=The+bank+raised+the+interest+rate+of+its+loans"
RIVER = "They+walked+along+the+bank+of+the+river+to+the+old+bridge"
BOAT = "The+boat+sailed+down+the+river+under+the+bridge"
PICTURES = {
    "fingerprints": Picture("#/home", ".hero .on", 900, 1100, element=".hero"),
    "home": Picture("#/home", ".hero .on", 1010),
    "map": Picture("#/map", "canvas[data-labels]", 900),
    "dark": Picture("#/word?w=bank&with=river", ".score", 970, theme="dark"),
    "selection": Picture(
        "#/map?sel=6900,4300,7900,4300,7900,5600,6900,5600&docs=1", "#selection .on", 1500
    ),
    "documents": Picture("#/documents?q=jazz+singer", ".results .on", 800),
    "sentence": Picture(f"#/sentence?{LOANS}", ".cell >> nth=3", 1160),
    "context": Picture(f"#/sentence?text={RIVER}&target=4", "#target .near", 1090),
    "compare": Picture(f"#/compare?a={RIVER}&b={BOAT}", ".cell .cloud text", 1110),
    "word": Picture("#/word?w=bank&with=river", ".score", 970),
    "cells": Picture("#/cells?order=specific", ".list .card", 905),
    "narrow": Picture("#/home", ".hero .on", 812, 375),
    "narrow_dark": Picture(f"#/sentence?{LOANS}", ".cell .cloud text", 812, 375, "dark"),
}


@contextmanager
def explorer(model: str, index: Path | None) -> Iterator[str]:
    """Serve a model, and tell where."""
    command = [sys.executable, "-m", "skfly.cli", "explore", model]
    options = ["--port", "0", "--no-browser", "--json", "--quiet"]
    if index is not None:
        options += ["--index", str(index)]
    with subprocess.Popen([*command, *options], stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            yield json.loads(server.stdout.readline())["url"]
        finally:
            server.terminate()


def take(browser: Browser, url: str, picture: Picture, path: Path) -> None:
    """Take one picture."""
    screen: Any = {"width": picture.width, "height": picture.height}
    page = browser.new_page(
        viewport=screen,
        color_scheme=picture.theme,  # type: ignore[arg-type]
        reduced_motion="reduce",
    )
    page.set_default_timeout(600_000)  # the map takes long on a busy machine
    page.goto(url + picture.state)
    page.wait_for_selector(picture.wait_for)
    if picture.element is None:
        page.screenshot(path=path)
    else:
        page.evaluate("document.querySelectorAll('.saves').forEach(e => e.remove())")
        page.locator(picture.element).screenshot(path=path)
    page.close()
    with Image.open(path) as taken:  # few colours: a half of the size
        taken.convert("RGB").quantize(kmeans=3, dither=Image.Dither.NONE).save(path, optimize=True)


def main() -> None:
    """Take all pictures, or those that are named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model")
    parser.add_argument("--index", type=Path)
    parser.add_argument("--only", nargs="+", choices=PICTURES, default=list(PICTURES))
    parser.add_argument("--output", type=Path, default=HERE / "images")
    parser.add_argument("--chromium", default=shutil.which("chromium"))
    asked = parser.parse_args()
    with explorer(asked.model, asked.index) as url, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=asked.chromium, args=FLAGS)
        for name in asked.only:
            take(browser, url, PICTURES[name], asked.output / f"{name}.png")
        browser.close()


if __name__ == "__main__":
    main()
