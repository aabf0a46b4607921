"""What tests of pages in a real browser share: Chromium, driven by Playwright."""

import os
import shutil
import threading
import time
from contextlib import contextmanager

import pytest
import uvicorn

CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
NEEDED = bool(os.environ.get("SKFLY_NEEDS_BROWSER"))
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
SLOW = 60_000  # milliseconds; a loaded machine is no error

MARKS = [
    pytest.mark.slow,
    pytest.mark.skipif(
        CHROMIUM is None and not NEEDED,
        reason="no Chromium: install Debian's chromium, or name one in CHROMIUM",
    ),
    # asyncio's, in the thread of the server and in Playwright's
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


class Address(str):
    """Where the page is served: ``base / "#/cells"``."""

    def __truediv__(self, path):
        return f"{self}{path}"


@contextmanager
def serve(app):
    """Serve an application, and tell where."""
    config = uvicorn.Config(app, port=0, log_level="critical", lifespan="off", ws="none")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        assert thread.is_alive()
        time.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    try:
        yield Address(f"http://127.0.0.1:{port}/")
    finally:
        server.should_exit = True
        thread.join(30)


def wait_for_address(page, part):
    for _ in range(SLOW // 20):
        if part in page.url:
            return
        page.wait_for_timeout(20)
    pytest.fail(f"{part} never came into {page.url}")
