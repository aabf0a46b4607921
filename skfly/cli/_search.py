"""``skfly search``."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from skfly.cli._app import Encoding, Json, LayoutOption, app, examples
from skfly.cli._console import Rows, print_json, print_table, show_warning
from skfly.cli._files import batches, given_lines

if TYPE_CHECKING:
    from skfly.index import DocumentIndex

_PASSAGE_END = re.compile(r"(?<=[.!?])\s+|\n\s*\n")
_MOST_PASSAGES = 2_000
_WIDTH = 160  # characters of a passage that are shown


@app.command(
    epilog=examples(
        'skfly search notes.idx "how flies find ripe fruit"',
        "skfly search notes.idx - -n 3 --json < questions.txt",
    )
)
def search(
    index: Annotated[
        Path,
        typer.Argument(
            metavar="INDEX", help='An index that "skfly index" wrote.', show_default=False
        ),
    ],
    queries: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="QUERY", help="Texts. Without any, or with -: standard input, one per line."
        ),
    ] = None,
    n: Annotated[int, typer.Option("-n", min=1, help="How many documents to list.")] = 10,
    encoding: Encoding = "utf-8",
    layout: LayoutOption = None,
    as_json: Json = False,
) -> None:
    """Print the documents of an index nearest to a text.

    For each query and document: the share of cells in common, the name of the document and, if
    the index keeps texts, its passage most similar to the query.
    """
    from skfly import DocumentIndex

    if not index.exists():
        raise FileNotFoundError(f"there is no index {index}")
    if index.is_dir():
        raise IsADirectoryError(f"{index} is a directory: index it with 'skfly index' first")
    opened = DocumentIndex.load(index)
    passage = ["passage"] if opened.keeps_texts else []
    table = Rows(layout, "query", "score", "document", *passage)
    for lines in batches(given_lines(queries, encoding)):
        for query in lines:
            found = _find(opened, query, n)
            if as_json:
                print_json({"query": query, "results": found})
            elif found:
                rows = [
                    [f"{hit['score']:.2f}", *map(str, list(hit.values())[1:])] for hit in found
                ]
                table.print(query, rows, partial(print_table, query, rows))


def _find(index: DocumentIndex, query: str, n: int) -> list[dict[str, Any]]:
    """Return the score, name and passage of each result."""
    code = index.model.documents([query])
    if not code.nnz or not len(index):
        reason = "the index has no documents" if code.nnz else "it has no known word"
        show_warning(f"nothing found for {query!r}: {reason}")
        return []
    if (index.model.word_ids(index.model.tokens(query)) < 0).all():
        show_warning(f"the model does not know {query!r}: taking words spelled like it")
    ids, scores = index.search([query], n)
    names = ids[0].tolist()
    found = [
        {"score": round(score, 4), "document": name}
        for name, score in zip(names, scores[0].tolist(), strict=True)
    ]
    if index.keeps_texts:
        for hit, text in zip(found, index.texts(names), strict=True):
            hit["passage"] = _passage(index, code, text)
    return found


def _passage(index: DocumentIndex, code: Any, text: str) -> str:
    """Return the sentence or paragraph of a text that is most like a code."""
    passages = [p for p in _PASSAGE_END.split(text)[:_MOST_PASSAGES] if p.strip()]
    shared = (index.model.documents(passages) @ code.T).toarray().ravel()
    best = " ".join(passages[int(shared.argmax())].split())
    return best if len(best) <= _WIDTH else best[: _WIDTH - 3] + "..."
