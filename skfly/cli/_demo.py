"""``skfly demo``."""

from __future__ import annotations

import shlex
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any

import typer

from skfly.cli._app import Force, Jobs, Json, Quiet, app, examples
from skfly.cli._console import on_interrupt, print_json, print_table, say, show_logs, size_text
from skfly.cli._files import check_place


@app.command(
    epilog=examples(
        "skfly demo",
        "skfly demo -o /tmp/demo.skfly --json",
    )
)
def demo(
    output: Annotated[
        Path, typer.Option("--output", "-o", help="File to write the model to.")
    ] = Path("demo.skfly"),
    force: Force = False,
    jobs: Jobs = None,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Show the English model, and train one on 104 articles.

    The model comes with skfly and the Wikipedia articles with gensim: nothing is downloaded. It
    takes a few seconds; the first run takes longer while kernels compile.
    """
    check_place(output, force)
    from skfly.demo import run_demo, show_pretrained

    shown = show_pretrained()
    if not as_json:
        _print_pretrained(shown)
    # it says itself that the text is small
    with on_interrupt(lambda: "no model was written"), show_logs(quiet=True):
        result = run_demo(output, n_jobs=jobs, verbose=0 if quiet else 1)
    if as_json:
        print_json({"pretrained": shown, **result})
    else:
        _print_demo(result)


def _print_pretrained(shown: dict[str, Any]) -> None:
    print_table(
        "The English model that comes with skfly: nearest words, with the cells they share",
        [(near["word"], _shared(near)) for near in shown["neighbours"]],
    )
    _print_contexts(shown["contexts"])


def _print_contexts(contexts: list[dict[str, Any]]) -> None:
    print_table(
        "Words in context, with the nearest words outside the sentence",
        [(near["word"], near["context"], ", ".join(near["words"])) for near in contexts],
    )


def _print_demo(result: dict[str, Any]) -> None:
    print_table(
        "Trained just now, on a text that comes with gensim",
        [
            (
                "text",
                f"{result['n_articles']} Wikipedia articles, {size_text(result['n_characters'])}",
            ),
            ("words", f"{result['n_words']:,} without stop words"),
            ("vocabulary", f"{result['n_different_words']:,} words"),
            ("reading", f"{result['seconds_reading']:.1f} s"),
            ("training", f"{result['seconds_learning']:.1f} s"),
            ("code", f"{result['hash_length']} of {result['n_kenyon_cells']} cells active"),
            ("packed code", f"{result['code_bytes_per_word']} bytes per word"),
        ],
    )
    print_table(
        "Nearest words, with the number of cells they share",
        [(near["word"], _shared(near)) for near in result["good_neighbours"]],
        "These were chosen because they work well. Others do not:",
    )
    print_table("", [(result["bad_neighbours"]["word"], _shared(result["bad_neighbours"]))])
    _print_contexts(result["contexts"])
    print_table(
        f"Most active Kenyon cells of: {result['sentence']}",
        [(f"cell {cell['number']}", ", ".join(cell["words"])) for cell in result["cells"]],
        "These sentences were chosen too, from several whose words occur in the articles.",
    )
    print_table(
        "Similarity of words against human judgement (WordSim-353)",
        [
            (
                f"hash length {score['hash_length']}",
                f"Spearman {score['spearman']:.1f}",
                f"{score['n_pairs']} of {score['n_pairs_in_all']} pairs known",
            )
            for score in result["similarity"]
        ],
        "The text is small: half a million words with stop words. Settings were chosen by these "
        "scores. The docs have results for larger texts.",
    )
    model = shlex.quote(result["model"])
    page = f"skfly explore {model}"
    if find_spec("starlette") is None or find_spec("uvicorn") is None:
        page = f'pip install "skfly[explore]" && {page}'
    # no table: these lines are to be copied
    say(
        f"The model is in {result['model']} ({size_text(result['model_bytes'])}). Try next\n\n"
        f"  skfly info {model}\n"
        f"  echo 'a voyage to the moon' | skfly hash {model}\n"
        f"  skfly neighbors {model} moon\n"
        "  skfly neighbors en moon\n"
        f"  {page}\n"
        "  skfly train YOUR_TEXT -o your.skfly"
    )


def _shared(near: dict[str, Any]) -> str:
    pairs = zip(near["words"], near["shared_cells"], strict=True)
    return ", ".join(f"{word} {count}" for word, count in pairs)
