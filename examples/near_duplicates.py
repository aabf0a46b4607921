"""Find paragraphs that say nearly the same, by the cells that their codes share.

    python examples/near_duplicates.py

A tenth of the words of some paragraphs are left out; each copy should find what it is a copy of.
"""

import random

from _texts import fly_of_articles, paragraphs

from skfly.codes import nearest


def main():
    texts, _ = paragraphs(n_articles=20)
    fly = fly_of_articles()
    draw = random.Random(0)
    chosen = draw.sample(range(len(texts)), 50)
    copies = [" ".join(word for word in texts[i].split() if draw.random() > 0.1) for i in chosen]
    rows, shared = nearest(fly.transform(copies), fly.transform(texts), 1)
    found = sum(int(row) == i for (row,), i in zip(rows, chosen, strict=True))
    print(f"{found} of {len(copies)} copies find their original among {len(texts)} paragraphs")
    print(f"cells shared with it: {shared.mean():.1f} of {fly.hash_length} on average")


if __name__ == "__main__":
    main()
