"""
Search a folder of notes
========================

Search by topic, not by word: a note need not contain the words of the query.

``python examples/search_notes.py FOLDER`` searches the ``.txt`` files in your folder (with a fly
trained on the articles; if you have many notes, train one on them). Without a folder, the notes
are the beginnings of sixty articles.
"""

# sphinx_gallery_thumbnail_path = 'figures/thumb_search_notes.png'

import sys
import tempfile
from pathlib import Path

from _texts import articles, fly_of_articles

from skfly import DocumentIndex

if len(sys.argv) > 1:
    folder = Path(sys.argv[1])
else:
    folder = Path(tempfile.mkdtemp())
    for number, article in enumerate(articles()[:60]):
        begin = article.replace("'''", "").replace("''", "").strip()[:1500]
        (folder / f"note{number:02}.txt").write_text(begin, encoding="utf-8")

notes = sorted(folder.glob("*.txt"))
texts = [note.read_text(encoding="utf-8") for note in notes]
print(f"{len(notes)} notes")

# %%
# The index computes the codes of all notes once; a query is compared with them by counting bits.

fly = fly_of_articles()
index = DocumentIndex(fly, keep_texts=True)
index.add(texts, ids=[note.name for note in notes])


def search(query, n_notes=3):
    ids, scores = index.search([query], n_notes)
    known = {word for word in query.lower().replace(",", "").split() if word in fly.wv}
    print(f"{query}:")
    for score, text in zip(scores[0].tolist(), index.texts(ids[0]), strict=True):
        has = sorted(known & set(text.lower().split()))
        common = f"has {', '.join(has)}" if has else "has none of its words"
        print(f"    {score:.2f}  {' '.join(text.split())[:50]:50}  {common}")


search("rockets and space flight")
search("farming, soil and crops")
search("films and actors")
search("chemical elements and metals")

# %%
# The score is the share of cells in common: the lower it is, the less a note has to do with the
# query. Your own search should have a threshold below which it reports no result; these notes say
# little about stars.

search("stars and planets")
