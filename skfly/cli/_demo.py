"""``skfly demo``."""

from __future__ import annotations

import shlex
from dataclasses import asdict
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from skfly.cli._app import Jobs, Json, Quiet, app, examples
from skfly.cli._console import print_json, print_table, size_text
from skfly.cli._files import check_place

if TYPE_CHECKING:
    from skfly.demo import DemoResult, Neighbours


@app.command(
    epilog=examples(
        "skfly demo",
        "skfly demo -o /tmp/demo.skfly --json",
    )
)
def demo(
    output: Annotated[Path, typer.Option("--output", "-o", help="Where the model goes.")] = Path(
        "demo.skfly"
    ),
    jobs: Jobs = None,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Learn from 104 Wikipedia articles and show it.

    The text comes with gensim: nothing is downloaded. It takes some seconds.
    """
    from skfly.demo import run_demo

    check_place(output)
    result = run_demo(output, n_jobs=jobs, verbose=0 if quiet else 1)
    if as_json:
        print_json(asdict(result))
    else:
        _print_demo(result)


def _print_demo(result: DemoResult) -> None:
    print_table(
        "Learned",
        [
            ("text", f"{result.n_articles} Wikipedia articles, {size_text(result.n_characters)}"),
            ("words", f"{result.n_words:,} without stop words"),
            ("known", f"{result.n_different_words:,} different words"),
            ("windows", f"{result.n_windows:,}"),
            ("opening", f"{result.seconds_reading:.1f} s"),
            ("learning", f"{result.seconds_learning:.1f} s"),
            ("code", f"{result.hash_length} of {result.n_kenyon_cells} cells on"),
            ("packed code", f"{result.code_bytes_per_word} bytes a word"),
        ],
    )
    print_table(
        "Nearest words, with the number of cells they share",
        [(near.word, _shared(near)) for near in result.good_neighbours],
        "These were chosen because they come out well. Others do not:",
    )
    print_table("", [(result.bad_neighbours.word, _shared(result.bad_neighbours))])
    print_table(
        "Words in context, and what is near their codes there (the sentence's words left out)",
        [(near.word, near.context, ", ".join(near.words)) for near in result.contexts],
    )
    print_table(
        f"Most active Kenyon cells of: {result.sentence}",
        [(f"cell {cell.number}", ", ".join(cell.words)) for cell in result.cells],
        "The sentences were chosen too, among some that the articles have words for.",
    )
    print_table(
        "Similarity of words against people's judgement (WordSim-353)",
        [
            (
                f"hash length {score.hash_length}",
                f"Spearman {score.spearman:.1f}",
                f"{score.n_pairs} of {score.n_pairs_in_all} pairs known",
            )
            for score in result.similarity
        ],
        "The text is small: half a million words with the stop words. The settings were picked by "
        "these scores. What larger texts give is in the docs.",
    )
    model = shlex.quote(result.model)
    page = f"skfly explore {model}"
    if find_spec("starlette") is None or find_spec("uvicorn") is None:
        page = f'pip install "skfly[explore]" && {page}'
    # no table: these lines are to be copied
    typer.echo(
        f"The model is in {result.model} ({size_text(result.model_bytes)}). Try next\n\n"
        f"  skfly info {model}\n"
        f"  echo 'a voyage to the moon' | skfly hash {model}\n"
        f"  skfly neighbors {model} moon\n"
        f"  {page}\n"
        "  skfly train YOUR_TEXT -o your.skfly"
    )


def _shared(near: Neighbours) -> str:
    pairs = zip(near.words, near.shared_cells, strict=True)
    return ", ".join(f"{word} {count}" for word, count in pairs)
