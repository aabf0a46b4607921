"""Text that is read by the default rules, compiled.

The kernel takes the UTF-8 bytes of a block of documents and gives the words as numbers, with no
Python object for each. Strings are made of the different words only. What depends on the word
alone (stop words, numbers) is then done once for each of them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from skfly.text import _kernels
from skfly.text._analyzer import TextAnalyzer
from skfly.text._blocks import WordBlock
from skfly.text._tables import character_tables

__all__ = ["TextBlock"]


class TextBlock:
    """A block of texts on its way to words.

    Parameters
    ----------
    texts : list of str
    analyzer : TextAnalyzer
        One that has ``kernel_rules``.

    Examples
    --------
    >>> block = TextBlock(["One fly. One cell.", "A Fly"], TextAnalyzer()).read()
    >>> block.words, block.ids.tolist()
    (['one', 'fly', 'cell'], [0, 1, 0, 2, 1])
    >>> block.sentences.tolist(), block.documents.tolist()
    ([2, 4, 5], [4, 5])
    """

    def __init__(self, texts: list[str], analyzer: TextAnalyzer) -> None:
        assert analyzer.kernel_rules is not None
        self._analyzer = analyzer
        self._tables = character_tables(*analyzer.kernel_rules)
        self._n_documents = len(texts)
        self._data = _joined(texts, self._tables.special)

    def read(self) -> WordBlock:
        """Return the words."""
        n_bytes = len(self._data)
        n_words = n_bytes // 3 + 1  # a word has two characters and one that is of no word
        n_slots = 2 * max(_kernels.FIRST_SLOTS, 1 << (2 * n_words).bit_length())
        # the system gives memory when it is written to: of most of this it never is
        pool = np.empty(2 * n_bytes, dtype=np.uint8)  # lower case may be longer in bytes
        ids = np.empty(n_words, dtype=np.int32)
        sentences = np.empty(n_words, dtype=np.int64)
        documents = np.empty(self._n_documents, dtype=np.int64)
        end_of_pool, n_words, n_sentences = _kernels.read_words(
            self._data,
            *self._tables[:3],
            np.zeros(n_slots, dtype=np.uint64),
            np.empty(n_slots, dtype=np.int32),
            pool,
            np.empty(n_words + 1, dtype=np.int64),
            ids,
            sentences,
            documents,
        )
        words = pool[:end_of_pool].tobytes().decode("utf-8").split("\0")[:-1]
        block = WordBlock(words, ids[:n_words].copy(), sentences[:n_sentences].copy(), documents)
        return _finished(block, self._analyzer) if self._analyzer.finishes_words else block


def _joined(texts: list[str], special: tuple[str, ...]) -> NDArray[np.uint8]:
    """Return texts in UTF-8, each with a zero byte at its end, and none elsewhere."""
    data = _encoded(texts)
    again = False
    for character in special:
        if character.encode() in data:
            texts = [text.lower() if character in text else text for text in texts]
            again = True
    if data.count(b"\0") > len(texts):
        texts = [text.replace("\0", "\1") for text in texts]  # to the rules they are the same
        again = True
    return np.frombuffer(_encoded(texts) if again else data, dtype=np.uint8)


def _encoded(texts: list[str]) -> bytes:
    try:
        encoded = list(map(str.encode, texts))
    except UnicodeEncodeError:
        encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
    encoded.append(b"")
    return b"\0".join(encoded)


def _finished(block: WordBlock, analyzer: TextAnalyzer) -> WordBlock:
    """Fold numbers and leave stop words out."""
    numbers: dict[str, int] = {}
    table = np.array(
        [
            -1 if word is None else numbers.setdefault(word, len(numbers))
            for word in analyzer.finish_words(block.words)
        ],
        dtype=np.int32,
    )
    ids: NDArray[Any] = table[block.ids]
    stays = ids >= 0
    before = np.concatenate([[0], np.cumsum(stays)])
    sentences = before[block.sentences]
    has_words = np.diff(sentences, prepend=0) > 0
    return WordBlock(list(numbers), ids[stays], sentences[has_words], before[block.documents])
