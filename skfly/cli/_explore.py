"""``skfly explore``."""

from __future__ import annotations

import tempfile
from contextlib import ExitStack
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from skfly.cli._app import HashLength, Json, Model, Quiet, app, examples
from skfly.cli._console import print_json, say, size_text
from skfly.cli._files import load_to_hash
from skfly.cli._index import open_documents

if TYPE_CHECKING:
    from skfly.vectorizer import FlyHashVectorizer


@app.command(
    epilog=examples(
        "skfly explore corpus.skfly",
        "skfly explore corpus.skfly --port 0 --no-browser",
        "skfly explore corpus.skfly --host 0.0.0.0",
        "skfly explore corpus.skfly --index notes.idx",
        "skfly explore corpus.skfly --index notes/",
        "skfly explore corpus.skfly --static page/",
    )
)
def explore(
    model: Model,
    host: Annotated[
        str,
        typer.Option(
            help="Address to listen on. The page requires a token if others can reach it."
        ),
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(min=0, max=65_535, help="Port to listen on; 0 takes any free one.")
    ] = 8765,
    index: Annotated[
        Path | None,
        typer.Option(
            help='Documents to search on the page: an index of this model (see "skfly index"), or '
            "a directory of text files, which are hashed first."
        ),
    ] = None,
    static: Annotated[
        Path | None,
        typer.Option(
            metavar="DIRECTORY",
            help="Write the page as plain files for any web server instead of serving it: "
            "read-only, without documents.",
        ),
    ] = None,
    hash_length: HashLength = None,
    browser: Annotated[bool, typer.Option(help="Open the page in the browser.")] = True,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Explore a model in the browser.

    Prints the address of the page and serves it until Ctrl-C.
    """
    from skfly.explore import Server

    if static is not None and index is not None:
        raise ValueError("--static publishes no documents: leave out --index")
    fly = load_to_hash(model, hash_length)
    if static is not None:
        _write_page(fly, model.name, static, quiet, as_json)
        return
    documents = None if index is None else open_documents(index, fly, quiet)
    server = Server(host, port)
    if not quiet:
        say(f"skfly: opening {model}: ranking the words of its cells ...", err=True)

    def ready() -> None:
        if as_json:
            print_json({"url": server.url, "token": server.token})
        else:
            typer.echo(server.url)
        if not quiet:
            if server.everywhere:
                typer.echo(
                    "skfly: others put this machine's name in place of its number", err=True
                )
            typer.echo("skfly: Ctrl-C ends it", err=True)
        if browser:
            _open_page(server.url, stack)

    with ExitStack() as stack:
        server.run(fly, model.name, ready, documents)


def _write_page(
    fly: FlyHashVectorizer, name: str, directory: Path, quiet: bool, as_json: bool
) -> None:
    from skfly.explore import Explorer, write_page

    n_bytes = write_page(Explorer(fly, name), directory)
    if as_json:
        print_json({"page": str(directory), "bytes": n_bytes})
    elif not quiet:
        say(f"{directory}: the page of {name}, {size_text(n_bytes)}, for any web server")


def _open_page(url: str, stack: ExitStack) -> None:
    """Open the page through a file, so that its token is not an argument of a program.

    Anyone on the machine can see the arguments of programs; only the owner can read the file.
    """
    import webbrowser

    if "#" in url:
        directory = stack.enter_context(tempfile.TemporaryDirectory(prefix="skfly-"))
        page = Path(directory) / "page.html"
        page.write_text(
            f'<!DOCTYPE html><meta http-equiv="refresh" content="0; url={escape(url)}">'
        )
        url = page.as_uri()
    webbrowser.open(url)
