"""Search the words of a model."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from scipy import sparse

from skfly.index._packed import PackedIndex
from skfly.model import FlyModel


def nearest_words(
    model: FlyModel,
    codes: sparse.csr_array,
    n_words: int = 10,
    without: Sequence[Collection[str]] = (),
) -> list[list[tuple[str, int]]]:
    """Return the words whose codes share the most cells with each code, and how many.

    Parameters
    ----------
    model : FlyModel
    codes : sparse array in CSR format, (n_codes, n_cells)
        Codes that the model made.
    n_words : int, default=10
        How many words for each code.
    without : list of sets of str, optional
        For each code, words to leave out.

    Returns
    -------
    words : list of lists of (str, int)
        Ties come in the order of the vocabulary. A code without ones has no neighbours.

    Examples
    --------
    >>> from skfly import FlyHashVectorizer
    >>> texts = ["ripe fruit smells sweet", "the bank lends money"] * 50
    >>> fly = FlyHashVectorizer(n_kenyon_cells=8, hash_length=2, random_state=0).fit(texts)
    >>> near = nearest_words(fly.model_, fly.hash_words(["bank", "unknown"]), 3, [{"bank"}, set()])
    >>> sorted(word for word, _ in near[0]), near[1]
    (['lends', 'money', 'the'], [])
    """
    if "words" not in model.derived:  # two threads may each make it: they are alike
        known = model.known_words()
        index = PackedIndex(model.word_codes()[list(known.values())])
        model.derived["words"] = list(known), index
    words, index = model.derived["words"]
    most = n_words + max(map(len, without), default=0)
    ids, shared = index.search(codes, most, measure="overlap", skip_empty=True)
    found = []
    for row, left_out in enumerate(without or [()] * len(ids)):
        pairs = zip(ids[row].tolist(), shared[row].astype(int).tolist(), strict=True)
        near = [(words[i], n_shared) for i, n_shared in pairs if words[i] not in left_out]
        found.append(near[:n_words] if codes.indptr[row] < codes.indptr[row + 1] else [])
    return found
