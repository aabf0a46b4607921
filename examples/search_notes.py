"""Search a folder of notes by meaning: the query and a note need not share a word.

    python examples/search_notes.py [FOLDER]

Without a folder, the beginnings of some Wikipedia articles are taken as notes.
"""

import sys
import tempfile
from pathlib import Path

from _texts import articles, fly_of_articles

from skfly.codes import nearest

QUERIES = ["rockets and space flight", "belief in gods", "how plants and animals live"]


def write_notes(folder):
    for number, article in enumerate(articles()[:60]):
        (folder / f"note{number:02}.txt").write_text(article[:1500], encoding="utf-8")


def main():
    with tempfile.TemporaryDirectory() as made:
        folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(made)
        if len(sys.argv) < 2:
            write_notes(folder)
        notes = sorted(folder.glob("*.txt"))
        texts = [note.read_text(encoding="utf-8") for note in notes]
    fly = fly_of_articles()
    rows, shared = nearest(fly.transform(QUERIES), fly.transform(texts), 3)
    for query, near, counts in zip(QUERIES, rows, shared, strict=True):
        print(query)
        for row, count in zip(near.tolist(), counts.tolist(), strict=True):
            print(f"    {count:2} cells  {notes[row].name}  {' '.join(texts[row].split())[:60]}")


if __name__ == "__main__":
    main()
