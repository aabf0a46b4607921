"""The speed of a model's page: its first answers, and the frames of its map.

    python examples/benchmarks/page.py en
    python examples/benchmarks/page.py corpus.skfly --documents 100000

Answers are requested from Python, each for the first time. Frames are those that Chromium's
tracing counts while the mouse drags the map, which has up to 20,000 words, in circles nearly as
large as the view. On a busy machine compare CPU time: that of the thread that answers, and of the
browser's threads that draw. Documents are
made of random words of the model.
"""

from __future__ import annotations

import argparse
import json
import shutil
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import uvicorn
from playwright.sync_api import sync_playwright

from skfly import DocumentIndex, FlyHashVectorizer
from skfly.explore import Explorer, RateLimit, create_app

FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync"]
SECONDS = 4.0
WORDS_OF_A_DOCUMENT = 40


def timed(action: Callable[[], Any]) -> tuple[float, float]:
    """Return how many milliseconds an action takes, on the clock and of the processor."""
    began, used = time.perf_counter(), time.thread_time()
    action()
    return 1000 * (time.perf_counter() - began), 1000 * (time.thread_time() - used)


def random_documents(fly: FlyHashVectorizer, n: int) -> DocumentIndex:
    """Return an index of documents, each of words that lie near each other by frequency."""
    random = np.random.RandomState(0)
    words = np.array(fly.model_.vocabulary.words)
    index = DocumentIndex(fly, keep_texts=True)
    starts = random.randint(0, max(len(words) - 500, 1), n)
    offsets = random.randint(0, min(500, len(words)), (n, WORDS_OF_A_DOCUMENT))
    index.add([" ".join(row) for row in words[starts[:, None] + offsets]])
    return index


def answers(explorer: Explorer, n_documents: int) -> dict[str, tuple[float, float]]:
    """Return the milliseconds of first answers."""
    word = explorer.model()["examples"][0]
    text = " ".join(explorer.model()["examples"])
    asked: dict[str, Callable[[], Any]] = {
        "search": lambda: explorer.search(word[:2]),
        "word": lambda: explorer.word(word),
        "sentence": lambda: explorer.sentence(text),
        "compare": lambda: explorer.compare(text, word),
        "context": lambda: explorer.context(text, 0),
        "cells": lambda: explorer.cells("specific"),
        "map": explorer.map,
    }
    if n_documents:
        asked["documents"] = lambda: explorer.documents(text)
        asked["passages"] = lambda: explorer.passages(0)
        asked["duplicates"] = explorer.duplicates
    return {name: timed(action) for name, action in asked.items()}


def frames(fly: FlyHashVectorizer, index: DocumentIndex | None, chromium: str) -> dict[str, float]:
    """Return frames a second, and the time between two, while the map is dragged."""
    app = create_app(fly, index=index, limit=RateLimit(1e9, 1e9))
    config = uvicorn.Config(app, port=0, log_level="critical", lifespan="off", ws="none")
    server = uvicorn.Server(config)
    threading.Thread(target=server.run, daemon=True).start()
    while not server.started:
        time.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        page.goto(f"http://127.0.0.1:{port}/#/map" + ("?docs=1" if index else ""))
        page.wait_for_selector("canvas[data-labels]", timeout=600_000)
        box = page.locator(".map").bounding_box()
        assert box is not None
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        across, down = 0.4 * box["width"], 0.4 * box["height"]
        frame_events = "disabled-by-default-devtools.timeline.frame"
        browser.start_tracing(page=page, categories=["toplevel", frame_events])
        page.mouse.move(x, y)
        page.mouse.down()
        began = time.perf_counter()
        turn = 0.0
        while time.perf_counter() - began < SECONDS:
            turn += 0.05
            page.mouse.move(x + across * np.sin(turn), y + down * np.cos(turn))
        page.mouse.up()
        events = json.loads(browser.stop_tracing())["traceEvents"]
        browser.close()
    server.should_exit = True
    threads = {
        (event["pid"], event["tid"]): event["args"]["name"]
        for event in events
        if event["name"] == "thread_name"
    }

    def used(thread: str) -> float:
        """Return how many milliseconds a thread worked while the map was dragged."""
        return sum(
            event.get("tdur", 0) / 1000
            for event in events
            if event["name"] == "ThreadControllerImpl::RunTask"
            and threads.get((event["pid"], event["tid"])) == thread
        )

    drawn = np.sort([event["ts"] for event in events if event["name"] == "DrawFrame"]) / 1000
    n_frames = len(drawn)
    drawn = drawn[drawn > drawn[-1] - 1000 * (SECONDS - 0.5)]
    between = np.diff(drawn)
    return {
        "frames a second": 1000 / between.mean(),
        "95 of 100 within ms": float(np.percentile(between, 95)),
        "ms of the page's thread, each": used("CrRendererMain") / n_frames,
        "ms of the compositor's, each": used("VizCompositorThread") / n_frames,
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model")
    parser.add_argument("--documents", type=int, default=0)
    parser.add_argument("--chromium", default=shutil.which("chromium"))
    asked = parser.parse_args()
    fly = FlyHashVectorizer.from_pretrained(asked.model)
    index = random_documents(fly, asked.documents) if asked.documents else None
    began = time.perf_counter()
    explorer = Explorer(fly, index=index)
    opened = time.perf_counter() - began
    model = explorer.model()
    print(f"{model['n_words']:,} words, {model['n_cells']:,} cells, {asked.documents:,} documents")
    print(f"opened in {opened:.1f} s")
    print(f"  {'answer':<12}{'ms':>10}{'of processor':>14}")
    for name, (took, used) in answers(explorer, asked.documents).items():
        print(f"  {name:<12}{took:>10.1f}{used:>14.1f}")
    for name, value in frames(fly, index, asked.chromium).items():
        print(f"  {name:<30}{value:>8.1f}")


if __name__ == "__main__":
    main()
