"""Check the project's prose for phrases on a list: ``python docs/check_prose.py [FILE ...]``.

Reads the pages, the Markdown files at the top, docstrings, and the messages and help texts in the
package, by the rules and terms in ``styles``, which vale reads too. Prints each finding as
``file:line: what is better`` and exits with 1 if there are any. Unlike vale, it reads strings in
code, and a phrase may go over the end of a line.
"""

import ast
import re
import sys
from pathlib import Path

import yaml

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


def findings(path, rules):
    """Yield the line, the words and what is better, for each finding in a file."""
    read = prose_of_module if path.suffix == ".py" else prose_of_page
    for prose, first in read(path.read_text(encoding="utf-8")):
        for pattern, message, better in rules:
            for found in pattern.finditer(prose):
                words = " ".join(found[0].split())
                if words != better:
                    told = message % ((words,) if better is None else (better, words))
                    yield first + prose.count("\n", 0, found.start()), words, told


def read_rules(directory=HERE / "styles"):
    """Return a pattern, a message and what is better (or ``None``) for each rule and term."""
    rules = []
    for path in sorted(directory.glob("skfly/*.yml")):
        rule = yaml.safe_load(path.read_text(encoding="utf-8"))
        swap = rule.get("swap") or dict.fromkeys(rule["tokens"])
        for words, better in swap.items():
            pattern = rf"\b(?:{words})\b".replace(" ", r"\s+")
            rules.append((re.compile(pattern, re.IGNORECASE), rule["message"], better))
    for path in directory.glob("config/vocabularies/skfly/accept.txt"):
        for term in path.read_text(encoding="utf-8").split():
            pattern = re.compile(rf"(?<![\w./-]){re.escape(term)}(?![\w/=-])", re.IGNORECASE)
            rules.append((pattern, "'%s' is better than '%s'", term))
    return rules


def all_files():
    """Return the files with prose."""
    pages = [
        ROOT / name for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")
    ]
    return [
        *pages,
        *sorted((ROOT / "docs").glob("*.rst")),
        *sorted((ROOT / "skfly").rglob("*.py")),
        *sorted((ROOT / "examples").rglob("*.py")),
        *sorted((ROOT / "examples").rglob("*.rst")),
        *sorted((ROOT / "examples").rglob("*.md")),
    ]


def main(names):
    rules = read_rules()
    n_found = 0
    for path in map(Path, names) if names else all_files():
        for line, _, told in sorted(findings(path, rules)):
            shown = path.relative_to(ROOT) if path.is_relative_to(ROOT) else path
            print(f"{shown}:{line}: {told}")  # noqa: T201
            n_found += 1
    return 1 if n_found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
