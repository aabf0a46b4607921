"""Split documents into sentences and sentences into words.

The text parameters are passed to scikit-learn's ``CountVectorizer`` and behave the same. In
addition, documents are split into sentences, words with a digit can be replaced by one
placeholder, and documents may already be tokenized.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from sklearn.feature_extraction.text import CountVectorizer

from skfly._files import import_optional

if TYPE_CHECKING:
    from skfly.text._phrases import PhraseJoiner

NUMBER = "<NUM>"
"""Replaces every word with a digit if ``fold_numbers`` is set."""

# A full stop after a single letter is an initial, not the end of a sentence.
_SENTENCE_END = re.compile(r"""(?:(?<!\b\w)\.|[!?…])["'”’)\]]*\s+|[。！？]+|\n\s*\n""")
_MANY_STOP_WORDS = 10_000
_DIGIT = re.compile(r"\d")
PATTERN_SECONDS = 1.0  # that the pattern of a model file may take for a sentence
# one repeat at the end, no group: what was matched is hardly ever given back
_PLAIN_PATTERN = re.compile(r"(?:\(\?u\))?[^()*+?{]*(?:[*+](?:\\b)?)?")


SPLITTERS: Mapping[str, Callable[[str], list[str]]] = {
    "punctuation": _SENTENCE_END.split,
    "line": str.splitlines,
}


SKLEARN_PARAMS = (
    "input",
    "encoding",
    "decode_error",
    "strip_accents",
    "lowercase",
    "preprocessor",
    "tokenizer",
    "stop_words",
    "token_pattern",
)
"""Parameters that scikit-learn defines."""

TEXT_PARAMS = (*SKLEARN_PARAMS, "missing", "sentence_splitter", "fold_numbers")
"""All parameters of :class:`TextAnalyzer`."""


class TextAnalyzer:
    """Turn documents into sentences, and sentences into words.

    Parameters
    ----------
    sentence_splitter : {"punctuation", "line"}, callable or None
        How to split a document into sentences. A callable takes the preprocessed text and returns
        a list of strings. ``None`` treats a document as one sentence.
    fold_numbers : bool
        Whether to replace every word with a digit by ``"<NUM>"``.
    missing : {"error", "empty"}, default="error"
        Whether a missing document (``None``, NaN, ``pandas.NA``) raises an error or is empty.
    phrases : list of str, optional
        Pairs of words to join, in the format that models store: two words separated by a tab, and
        an empty string between two passes over a sentence.
    **text_params
        ``input``, ``encoding``, ``decode_error``, ``strip_accents``, ``lowercase``,
        ``preprocessor``, ``tokenizer``, ``stop_words`` and ``token_pattern`` of
        :class:`sklearn.feature_extraction.text.CountVectorizer`.

    Examples
    --------
    >>> analyzer = TextAnalyzer(stop_words=["the"], fold_numbers=True)
    >>> list(analyzer.sentences("The fly has 2000 cells. They compete!"))
    [['fly', 'has', '<NUM>', 'cells'], ['they', 'compete']]
    >>> list(analyzer.sentences(["already", "Tokenized"]))
    [['already', 'Tokenized']]

    Attributes
    ----------
    given : dict
        The parameters as passed.
    params : dict
        The parameters in a form that JSON can hold; callables are replaced by their names.
    reads_text : bool
        Whether documents are the text itself rather than files.
    kernel_rules : tuple or None
        Splitter and lowercase, if the compiled reader can split this text: nothing else but
        stop words and ``fold_numbers`` affects its words.
    finishes_words : bool
        Whether stop words are removed or numbers replaced.
    stop_words : frozenset of str
        The words that are removed.
    phrases : PhraseJoiner or None
        Joins phrases, if any.
    """

    def __init__(
        self,
        *,
        sentence_splitter: str | Callable[[str], list[str]] | None = "punctuation",
        fold_numbers: bool = False,
        missing: str = "error",
        phrases: list[str] | None = None,
        **text_params: Any,
    ) -> None:
        is_name = isinstance(sentence_splitter, str) and sentence_splitter in SPLITTERS
        if not (sentence_splitter is None or callable(sentence_splitter) or is_name):
            raise ValueError(
                f"sentence_splitter must be one of {tuple(SPLITTERS)}, a callable or None; got "
                f"{sentence_splitter!r}"
            )
        if missing not in ("error", "empty"):
            raise ValueError(f"missing must be 'error' or 'empty'; got {missing!r}")
        self._missing_is_empty = missing == "empty"
        rules = CountVectorizer(**text_params)
        self.stop_words: frozenset[str] = rules.get_stop_words() or frozenset()
        has_many = len(self.stop_words) > _MANY_STOP_WORDS  # scikit-learn takes long to check them
        checked = CountVectorizer(**text_params | {"stop_words": None}) if has_many else rules
        checked.build_analyzer()  # warns of parameters that have no effect
        self._decode = rules.decode
        self._preprocess = rules.build_preprocessor()
        self._tokenize: Callable[[str], list[str]] = rules.build_tokenizer()
        pattern = rules.token_pattern
        if rules.tokenizer is None and isinstance(pattern, FilePattern) and not pattern.is_plain:
            self._tokenize = BoundedTokens(pattern)
        self._takes_any_object = rules.preprocessor is not None
        self.reads_text = rules.input == "content"
        self.kernel_rules = _kernel_rules(rules, sentence_splitter)
        self._split = (
            SPLITTERS[sentence_splitter]
            if isinstance(sentence_splitter, str)
            else sentence_splitter
        )
        self._fold_numbers = fold_numbers
        self.finishes_words = fold_numbers or bool(self.stop_words)
        given = {name: getattr(rules, name) for name in SKLEARN_PARAMS} | {
            "sentence_splitter": sentence_splitter,
            "fold_numbers": fold_numbers,
            "missing": missing,
        }
        self.given = given
        self.params = {name: _plain(value) for name, value in given.items()}
        self.phrases: PhraseJoiner | None = None
        if phrases is not None:
            from skfly.text._phrases import PhraseJoiner  # imports this module

            self.phrases = PhraseJoiner.from_list(phrases)
            self.params["phrases"] = phrases

    def sentences(self, document: Any) -> Iterator[list[str]]:
        """Yield the sentences of a document, each a list of words.

        A list of words is one sentence, a list of lists of words several. Only stop words and
        ``fold_numbers`` apply to them.
        """
        if isinstance(document, list | tuple) and not self._takes_any_object:
            nested = bool(document) and isinstance(document[0], list | tuple)
            for sentence in document if nested else [document]:
                _check_words(sentence)
                yield self._finish(list(sentence))
            return
        yield from self.sentences_of_text(self._text(document))

    def sentences_of_text(self, text: Any) -> Iterator[list[str]]:
        """Yield the sentences of a decoded document."""
        text = self._preprocess(text)
        split = self._split if isinstance(text, str) else None
        for sentence in [text] if split is None else split(text):
            yield self._finish(list(self._tokenize(sentence)))

    def plain_text(self, document: Any) -> str | None:
        """Return the text of a document if ``kernel_rules`` applies to it, else None."""
        if self.kernel_rules is None or isinstance(document, list | tuple):
            return None
        text = self._text(document)
        if not isinstance(text, str) or type(text).lower is not str.lower:
            return None  # a subclass may lowercase differently
        return text

    def finish_words(self, words: list[str]) -> list[str | None]:
        """Replace numbers, and stop words by None."""
        folded = map(self._fold, words) if self._fold_numbers else words
        return [None if word in self.stop_words else word for word in folded]

    def words(self, document: Any) -> list[str]:
        """Return the words of a document as one list."""
        return [word for sentence in self.sentences(document) for word in sentence]

    def normalize(self, word: str) -> str:
        """Preprocess a single word."""
        try:
            text = self._preprocess(word)
        except (AttributeError, LookupError, TypeError, ValueError):
            if not self._takes_any_object:
                raise
            text = word  # the preprocessor takes objects other than text
        return self._fold(text if isinstance(text, str) else word)

    def _text(self, document: Any) -> Any:
        """Return the input of the preprocessor, usually text."""
        if self._missing_is_empty and _is_missing(document):
            return ""
        if (
            self.reads_text
            and not self._takes_any_object
            and not isinstance(document, str | bytes)
        ):
            advice = "; missing='empty' reads it as empty" if _is_missing(document) else ""
            raise TypeError(
                "a document must be a str, bytes, or a list of words (str); got "
                f"{type(document).__name__}: {_shortened(document)}{advice}"
            )
        return self._decode(document)

    def _fold(self, word: str) -> str:
        return NUMBER if self._fold_numbers and _DIGIT.search(word) else word

    def _finish(self, words: list[str]) -> list[str]:
        if self._fold_numbers:
            words = [self._fold(word) for word in words]
        if self.stop_words:
            words = [word for word in words if word not in self.stop_words]
        return words if self.phrases is None else self.phrases.join(words)


def _kernel_rules(rules: Any, splitter: Any) -> tuple[str | None, bool] | None:
    default = CountVectorizer()
    names = ("strip_accents", "preprocessor", "tokenizer", "token_pattern")
    if all(getattr(rules, name) == getattr(default, name) for name in names) and (
        splitter is None or isinstance(splitter, str)
    ):
        return splitter, bool(rules.lowercase)
    return None


def _check_words(words: Any) -> None:
    if not isinstance(words, list | tuple):
        raise TypeError(
            "a document of several sentences must be a list of lists of words (str); it contains "
            f"a {type(words).__name__}: {_shortened(words)}"
        )
    for word in words:
        if not isinstance(word, str):
            raise TypeError(
                "a tokenized document must be a list of words (str); it contains a "
                f"{type(word).__name__}: {_shortened(word)}"
            )


def _is_missing(document: Any) -> bool:
    is_nan = isinstance(document, float) and document != document
    # of pandas, and of numpy's masked arrays
    is_marked = type(document).__name__ in ("NAType", "NaTType", "MaskedConstant")
    return document is None or is_nan or is_marked


def _shortened(value: object) -> str:
    shown = repr(value)
    return shown if len(shown) <= 60 else shown[:57] + "..."


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, list | tuple | set | frozenset):
        return sorted(str(item) for item in value)
    return getattr(value, "__qualname__", type(value).__name__)


class FilePattern(str):
    r"""A ``token_pattern`` that was read from a file; otherwise it is a string like any other.

    Examples
    --------
    >>> FilePattern(r"\w+").is_plain, FilePattern(r"(?:a|a)+b").is_plain
    (True, False)
    """

    __slots__ = ()

    @property
    def is_plain(self) -> bool:
        """Whether the pattern always ends soon, so that it needs no time limit."""
        return _PLAIN_PATTERN.fullmatch(self) is not None


class BoundedTokens:
    r"""Find words by a pattern, for at most a second for each sentence.

    Parameters
    ----------
    pattern : str

    Examples
    --------
    >>> BoundedTokens(r"\w+(?:-\w+)*")("a well-kept fly")
    ['a', 'well-kept', 'fly']
    """

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern

    def __call__(self, text: str) -> list[str]:
        # only a model with such a pattern needs the package, and only where it reads text
        regex = import_optional("regex", "explore", "the token_pattern of this model file")
        try:
            found: list[str] = regex.findall(self.pattern, text, timeout=PATTERN_SECONDS)
        except TimeoutError:
            raise ValueError(
                "the model's token_pattern takes too long on this text; if you trust its author, "
                "lift the limit with set_params(token_pattern=str(fly.token_pattern))"
            ) from None
        return found
