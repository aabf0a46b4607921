"""Check the project's prose for phrases on a list: ``python docs/check_prose.py [FILE ...]``.

Reads the pages, README, CHANGELOG, CONTRIBUTING, docstrings, and the messages and help texts in
the package. ``prose.toml`` has the phrases. Prints each finding as ``file:line: found: better``
and exits with 1 if there are any.
"""

import ast
import re
import sys
import tomllib
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parent
CODE = re.compile(r"``[^`]*``|`[^`]*`|^\s*(?:>>>|\.\.\.) .*$|https?://\S+", re.MULTILINE)
FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)


def blank(text, pattern):
    """Blank out what matches, line breaks kept, so that places stay."""
    return pattern.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)


def prose_of_page(text):
    """Yield the text of a page, without code, and its first line."""
    yield blank(blank(text, FENCE), CODE), 1


def prose_of_module(text):
    """Yield docstrings and the strings with a space in them, each with its first line."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
            yield blank(node.value, CODE), node.lineno


def findings(path, terms):
    """Yield the line, the words and what is better, for each finding in a file."""
    read = prose_of_module if path.suffix == ".py" else prose_of_page
    for prose, first in read(path.read_text(encoding="utf-8")):
        for pattern, better in terms:
            for found in pattern.finditer(prose):
                yield first + prose.count("\n", 0, found.start()), found[0], better


def read_terms(path=HERE / "prose.toml"):
    """Return the patterns and what is better."""
    terms = tomllib.loads(path.read_text(encoding="utf-8"))["terms"]
    return [
        (re.compile(rf"\b(?:{words})\b".replace(" ", r"\s+"), re.IGNORECASE), better)
        for words, better in terms.items()
    ]


def all_files():
    """Return the files with prose."""
    pages = [ROOT / name for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md")]
    return [
        *pages,
        *sorted((ROOT / "docs").glob("*.rst")),
        *sorted((ROOT / "skfly").rglob("*.py")),
        *sorted((ROOT / "examples").rglob("*.py")),
        *sorted((ROOT / "examples").rglob("*.rst")),
        *sorted((ROOT / "examples").rglob("*.md")),
    ]


def main(names):
    terms = read_terms()
    n_found = 0
    for path in map(Path, names) if names else all_files():
        for line, words, better in sorted(findings(path, terms)):
            shown = path.relative_to(ROOT) if path.is_relative_to(ROOT) else path
            print(f"{shown}:{line}: {' '.join(words.split())!r}: {better}")  # noqa: T201
            n_found += 1
    return 1 if n_found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
