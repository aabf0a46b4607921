"""The numba kernel that splits text into words: a pure function on arrays, without the GIL.

It does not check bounds: ``_fast.py`` makes sure that the arrays are long enough.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from skfly._caching import OPTIONS
from skfly._intrinsics import load_eight, multiply_high, store_eight, trailing_zeros

# The kinds of characters that matter to words and sentence ends. `_fast.py` assigns them.
OTHER, WORD, END, STOP, CLOSING, SPACE, LINE, CUT, DOCUMENT, SPECIAL = range(10)

FIRST_SLOTS = 1 << 14
_BYTE = np.uint64(8)
_WORD_BITS = np.uint64(64)
_EVERY = np.uint64(0x0101010101010101)
_HIGH = _EVERY << np.uint64(7)
_CASE = np.uint64(0x20)  # the bit by which ASCII letters differ from their lowercase
_TO_CASE = np.uint64(2)
_TO_BYTES = np.uint64(3)
_LONG = np.uint64(1 << 63)  # set if the key is a hash, not the word itself
_HALF = np.uint64(32)
# Long words are hashed as polynomials modulo this prime.
_PRIME_BITS = np.uint64(61)
_PRIME = np.uint64((1 << 61) - 1)
_BYTES = 7  # per coefficient, so that it is less than the prime
_ABOVE = np.uint64(3)  # bits of a uint64 above those of the prime
_ONE = np.uint64(1)


@njit(**OPTIONS)
def _slot(key, secrets, shift):
    """Return the slot of a key. Two keys collide with probability at most 2 / number of slots.

    The probability is over the secrets: multiplication by a random odd number is a universal
    hash (Dietzfelbinger et al. 1997), and the steps before it are one to one.
    """
    mixed = key * secrets[0]
    mixed ^= mixed >> _HALF
    return (mixed * secrets[1]) >> shift


@njit(**OPTIONS)
def _hash_long(pool, start, stop, point):
    """Evaluate the polynomial whose coefficients are a word's bytes at a secret point.

    Two words of n bytes collide with probability n / 7 / 2^61. Eight bytes are read at a time,
    so ``pool`` must extend that far beyond the word.
    """
    total = np.uint64(0)
    for first in range(start, stop, _BYTES):
        n_bytes = np.uint64(min(stop - first, _BYTES))
        coefficient = load_eight(pool, first) & ((_ONE << (_BYTE * n_bytes)) - _ONE)
        total += coefficient
        low, high = total * point, multiply_high(total, point)
        total = (low & _PRIME) + (high << _ABOVE | low >> _PRIME_BITS)
        total = (total & _PRIME) + (total >> _PRIME_BITS)
    return total - _PRIME if total >= _PRIME else total


@njit(**OPTIONS)
def _key(pool, start, stop, secrets):
    """Return the key of a word: its bytes if they fit, otherwise their hash."""
    if stop - start > 8:
        return _hash_long(pool, start, stop, secrets[2]) | _LONG
    return _first_bytes(load_eight(pool, start), stop - start)


@njit(**OPTIONS)
def _first_bytes(eight, n_bytes):
    """Return the first one to eight of eight bytes; the others become 0."""
    unused = _WORD_BITS - (np.uint64(n_bytes) << _TO_BYTES)
    return eight << unused >> unused


@njit(**OPTIONS)
def _between(bytes_, first, last):
    """Return the high bit of every byte from ``first`` to ``last``; all must be below 128.

    Adding a number to all bytes at once sets the high bit of those that are large enough.
    """
    from_first = bytes_ + _EVERY * np.uint64(0x80 - first)
    after_last = bytes_ + _EVERY * np.uint64(0x7F - last)
    return (from_first ^ after_last) & _HIGH


@njit(**OPTIONS)
def _grow(keys, numbers, base, secrets, shift):
    """Copy the hash table at ``base`` into one of twice the size that follows it."""
    for i in range(base, 2 * base):
        if keys[i]:
            place = 2 * base + np.int64(_slot(keys[i], secrets, shift))
            while keys[place]:
                place = 2 * base + (place + 1) % (2 * base)
            keys[place] = keys[i]
            numbers[place] = numbers[i]


@njit(**OPTIONS)
def _shift(n_slots):
    shift = np.uint64(64)
    while np.uint64(1) << (np.uint64(64) - shift) < n_slots:
        shift -= np.uint64(1)
    return shift


@njit(**OPTIONS)
def _find(keys, numbers, base, place, key, pool, starts, text, start):
    """Return the slot of a word, or the free slot for it, beginning at ``place``.

    The word starts at ``start`` in ``text``; like those in ``pool`` it is terminated by a zero
    byte, so that no word is a prefix of another.
    """
    mask = base - np.uint64(1)
    while keys[place]:
        if keys[place] == key:
            if key < _LONG:
                break
            old, new = starts[numbers[place]], start
            while pool[old] == text[new] and text[new]:
                old += 1
                new += 1
            if pool[old] == text[new]:
                break
        place = base | ((place + np.uint64(1)) & mask)
    return place


@njit(**OPTIONS)
def renumber(
    given,
    table,
    given_pool,
    given_starts,
    secrets,
    keys,
    numbers,
    pool,
    starts,
    counts,
    ids,
    state,
):
    """Replace the numbers of words by those in another table, and count the words.

    Parameters
    ----------
    given : int32
        Numbers of words in ``given_pool``.
    table : int32
        The number of each of them in ``pool``; negative if it was not looked up yet.
    given_pool, given_starts : uint8, int64
        Distinct words, as :func:`read_words` writes them.
    secrets, keys, numbers, pool, starts : uint64, uint64, int32, uint8, int64
        The other table; see :func:`read_words`.
    counts : int64
        How often each word of it occurs.
    ids : int32
        Filled with the new numbers.
    state : int64, (2,)
        Number of distinct words, and size of their hash table.
    """
    n_types, base = state[0], np.uint64(state[1])
    shift = _shift(base)
    for t in range(given.shape[0]):
        number = np.int64(table[given[t]])
        if number < 0:
            start, stop = given_starts[given[t]], given_starts[given[t] + 1] - 1
            key = _key(given_pool, start, stop, secrets)
            place = base + _slot(key, secrets, shift)
            place = _find(keys, numbers, base, place, key, pool, starts, given_pool, start)
            number = np.int64(numbers[place])
            if not keys[place]:
                number = n_types
                keys[place] = key
                numbers[place] = number
                end = starts[number]
                for i in range(start, stop + 1):
                    pool[end + i - start] = given_pool[i]
                n_types += 1
                starts[n_types] = end + stop + 1 - start
                if np.uint64(2 * n_types) >= base:
                    shift -= np.uint64(1)
                    _grow(keys, numbers, np.int64(base), secrets, shift)
                    base += base
            table[given[t]] = number
        counts[number] += 1
        ids[t] = number
    state[0] = n_types
    state[1] = base


@njit(**OPTIONS)
def read_words(
    data,
    i,
    ascii_words,
    kinds,
    lower,
    secrets,
    keys,
    numbers,
    pool,
    starts,
    ids,
    sentences,
    documents,
    state,
):
    """Find the words of UTF-8 text and number them in order of first occurrence.

    Parameters
    ----------
    data : uint8
        Documents, the last one terminated too. Invalid UTF-8 counts as a special character.
    i : int
        Where to begin, at the start of a document.
    ascii_words : uint8, (256,)
        The lowercase of each byte that can be part of a word, 0 for other bytes.
    kinds : uint8, (0x110000,)
        The kind of each character.
    lower : int32, (0x110000,)
        The lowercase of each character.
    secrets : uint64, (3,)
        Two odd numbers and one below 2^61, drawn at random, the same in all calls. Without them
        nobody can construct words that collide. They do not affect the result.
    keys, numbers : uint64, int32
        Space for hash tables; ``keys`` must be zero at first.
    pool : uint8
        Filled with the distinct words, each followed by a zero byte.
    starts : int64
        Filled with where each of them starts in ``pool``, and the end of the last. It has room
        for a quarter as many as ``keys`` is long.
    ids : int32
        Filled with the number of each word of the text.
    sentences, documents : int64
        Filled with where each non-empty sentence and each document ends, in words.
    state : int64, (6,)
        Number of distinct words, size of their hash table, and number of entries used in
        ``ids``, ``sentences`` and ``documents``. It persists between calls. The last is set to 1
        if there was no room for another distinct word.

    Returns
    -------
    place : int
        Where the first document begins that has a special character or more distinct words than
        there is room for, and whose words are not in ``ids``; or the end of the data.
    """
    # A hash table of 2^n slots begins at index 2^n, so one of twice the size fits behind it, and
    # so on. (Allocating arrays here would be slower.)
    n_types, n_words, n_sentences, n_documents = state[0], state[2], state[3], state[4]
    base = np.uint64(state[1])
    mask = base - np.uint64(1)
    shift = _shift(base)
    end = starts[n_types]  # of the words in the pool
    first, first_word, first_sentence = i, n_words, n_sentences  # of the document
    last_end = n_words  # words before the end of the last sentence
    may_end = False  # after a full stop or similar, with only closing quotes since
    after_line = False  # after the end of a line, with only spaces since
    last_eight = data.shape[0] - 8
    case = _EVERY * _CASE if ascii_words[0x41] != 0x41 else np.uint64(0)
    while i < data.shape[0]:
        # A run of word characters is written to the end of the pool, lowercased, and stays there
        # if the word is new.
        p = end
        key, with_key = np.uint64(0), end
        n_continued = 0  # bytes that do not begin a character
        while True:
            n_found = np.int64(8)
            while n_found == 8 and i <= last_eight:
                eight = load_eight(data, i)
                below = eight & ~_HIGH
                found = _between(below | _EVERY * _CASE, 0x61, 0x7A)  # letters
                found |= _between(below, 0x30, 0x39) | _between(below, 0x5F, 0x5F)
                other = ~found & _HIGH | eight & _HIGH
                upper = _between(below, 0x41, 0x5A) & ~eight
                eight |= upper >> _TO_CASE & case
                store_eight(pool, p, eight)
                n_found = np.int64(trailing_zeros(other) >> _TO_BYTES) if other else np.int64(8)
                if p == end and n_found:
                    # reading the bytes again would wait until they are written
                    key, with_key = _first_bytes(eight, n_found), p + n_found
                p += n_found
                i += n_found
            low = ascii_words[data[i]]
            while low:
                pool[p] = low
                p += 1
                i += 1
                low = ascii_words[data[i]]
            character = np.int64(data[i])
            size = 1
            if character >= 0x80:
                least = 0x80 if character >= 0xC0 else kinds.shape[0]
                size = 2
                if character >= 0xE0:
                    least = 0x800 if character < 0xF0 else 0x10000
                    size = 3 if character < 0xF0 else 4
                character &= 0x1F if size == 2 else 0x0F
                for j in range(i + 1, i + size):
                    if data[j] & 0xC0 != 0x80:
                        character = np.int64(-1)
                        break
                    character = character << 6 | (data[j] & 0x3F)
                if character < least or character >= kinds.shape[0]:
                    kind = np.uint8(SPECIAL)  # not UTF-8
                    break
            kind = kinds[character]
            if kind != WORD:
                break
            character = np.int64(lower[character])
            i += size
            rest = int(character >= 0x80) + int(character >= 0x800) + int(character >= 0x10000)
            lead = (0xF0 << (3 - rest)) & 0xFF if rest else 0
            for j in range(rest, -1, -1):
                low = np.uint8(lead | character >> 6 * j)
                character &= (1 << 6 * j) - 1
                lead = 0x80
                pool[p] = low
                p += 1
            n_continued += rest
        n_characters = p - end - n_continued

        if n_characters > 1:
            if p != with_key:
                key = _key(pool, end, p, secrets)
            pool[p] = 0
            place = base + _slot(key, secrets, shift)
            number = np.int64(-1)
            while keys[place]:
                if keys[place] == key:
                    number = np.int64(numbers[place])
                    if key < _LONG:
                        break
                    # terminated by a zero byte, so that no word is a prefix of another
                    old, new = starts[number], end
                    while new <= p and pool[old] == pool[new]:
                        old += 1
                        new += 1
                    if new > p:
                        break
                    number = np.int64(-1)
                place = base | ((place + np.uint64(1)) & mask)
            if number < 0:
                if n_types + 1 == starts.shape[0]:
                    state[5] = 1
                    break
                number = n_types
                keys[place] = key
                numbers[place] = number
                n_types += 1
                end = p + 1
                starts[n_types] = end
                if np.uint64(2 * n_types) > mask:
                    shift -= np.uint64(1)
                    _grow(keys, numbers, np.int64(base), secrets, shift)
                    base += base
                    mask = base - np.uint64(1)
            ids[n_words] = number
            n_words += 1

        # The character after the run, or another one between two runs.
        i += size
        if n_characters > 0:
            may_end = False
            after_line = False
        cut = False
        if kind == SPACE:
            cut = may_end
        elif kind == LINE:
            cut = may_end or after_line
            after_line = True
        elif kind == CLOSING:
            after_line = False
        else:
            # a full stop after a single letter is an initial
            may_end = kind == END or (kind == STOP and n_characters != 1)
            after_line = False
            cut = kind in (CUT, DOCUMENT)
        if cut and n_words > last_end:
            last_end = n_words
            sentences[n_sentences] = n_words
            n_sentences += 1
        if kind == DOCUMENT:
            documents[n_documents] = n_words
            n_documents += 1
            first, first_word, first_sentence = i, n_words, n_sentences
        elif kind == SPECIAL:
            break
    state[0] = n_types
    state[1] = base
    state[2] = first_word
    state[3] = first_sentence
    state[4] = n_documents
    return first
