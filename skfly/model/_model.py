"""``FlyModel``: a trained model and its codes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from itertools import islice
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import entr
from sklearn.utils import gen_batches

from skfly._threads import single_threaded_blas
from skfly.engine import Engine, engine_for_codes
from skfly.model._active import Active, codes_to_csr, spread_rows, stack
from skfly.model._cells import KenyonCell, likeliest_words, word_probabilities
from skfly.model._coder import Coder
from skfly.model._documents import DocumentCoder
from skfly.model._layout import CellLayout, arrange_cells
from skfly.model._names import content_words, distinctive_words
from skfly.model._spelling import Spelling, UnknownWords
from skfly.text import (
    TextAnalyzer,
    Vocabulary,
    check_documents,
    context_words,
    count_words,
    in_groups,
    word_ids,
)

_STRENGTHS_AT_A_TIME = 2**22  # of words to cells, in 32 MB: some coders unpack all words each time
_ORDERED_TEXTS = 1024  # at a time
_SPELLED_TEXTS = 4096
_SPELLED_WORDS = 512
_WORDS_AT_A_TIME = 4096
_MOST_WORDS = 2**31 - 1
_DOCUMENT_CELLS = ("auto", "words")
_ARRANGED_WORDS = 10_000  # the most frequent words, by which cells are arranged
_ARRANGED_SHARE = 16  # one cell in this many is in the codes for it
_NAMING_WORDS = 12  # words of a cell that are candidates for its name
_MANY_SHARE = 4  # one word in this many is many


@dataclass(frozen=True)
class Provenance:
    """The provenance of a model.

    Attributes
    ----------
    rule : str
        The learning rule.
    text : str
        A description of the training text.
    n_tokens, n_windows : int
        Words of the text, and windows used in training.
    skfly : str
        The version that trained it.
    created : str
        When training ended, in ISO format.
    compact : bool
        Whether :meth:`FlyModel.compact` made the model.
    """

    rule: str = ""
    text: str = ""
    n_tokens: int = 0
    n_windows: int = 0
    skfly: str = ""
    created: str = ""
    compact: bool = False


@dataclass(frozen=True)
class ModelSettings:
    """How a model makes codes; every setting can be changed without retraining.

    Attributes
    ----------
    hash_length : int
    word_codes, unknown_words, document_codes, document_cells : str
        As in :class:`~skfly.FlyHashVectorizer`.
    dtype : dtype
        Of the codes.
    backend : str
    n_jobs : int or None
    text : mapping
        Parameters of :class:`~skfly.text.TextAnalyzer`.
    """

    hash_length: int = 32
    word_codes: str = "consensus"
    unknown_words: str = "ignore"
    document_codes: str = "binary"
    document_cells: str = "auto"
    dtype: Any = np.float32
    backend: str = "auto"
    n_jobs: int | None = None
    text: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        dtype = np.dtype(self.dtype)
        if dtype.kind not in "biuf" or dtype == np.float16:
            raise ValueError(
                f"dtype={dtype.name}, of which scipy has no sparse matrices: choose another type "
                "of numbers, such as float32 or int8"
            )


@dataclass(frozen=True, eq=False, repr=False)
class FlyModel:
    """A trained model: words, cells and their responses, and the codes they give.

    A model is immutable, so many threads may use it at once. ``FlyHashVectorizer.model_`` returns
    one, and model files hold one.

    Parameters
    ----------
    vocabulary : Vocabulary
        The words and their counts. Words that were never seen have no code.
    coder : Coder
        The learned arrays.
    settings : ModelSettings
    provenance : Provenance
    document_coder : DocumentCoder, optional
        Document cells; without them, documents are coded by the word cells.
    layout : CellLayout, optional
        The layout of cells in pictures; without it, :meth:`cell_layout` computes it.

    Attributes
    ----------
    n_words, n_cells, hash_length : int
    arrays : dict of ndarray
        The learned arrays, read-only.

    See Also
    --------
    skfly.FlyHashVectorizer : Train a model.

    Examples
    --------
    >>> from skfly import FlyHashVectorizer
    >>> texts = ["ripe fruit smells sweet", "the bank lends money"] * 50
    >>> fly = FlyHashVectorizer(n_kenyon_cells=8, hash_length=2, random_state=0).fit(texts)
    >>> model = fly.model_
    >>> model
    FlyModel(8 words, 8 cells, hash length 2)
    >>> model.words(["fruit", "bank"]).shape
    (2, 8)
    >>> model.with_(hash_length=4).documents(["sweet fruit"]).nnz
    4
    """

    vocabulary: Vocabulary
    coder: Coder
    settings: ModelSettings = field(default_factory=ModelSettings)
    provenance: Provenance = field(default_factory=Provenance)
    document_coder: DocumentCoder | None = None
    layout: CellLayout | None = None

    def __post_init__(self) -> None:
        length: Any = self.settings.hash_length
        if not isinstance(length, Integral) or not 1 <= int(length) <= self.n_cells:
            raise ValueError(
                f"hash_length={length!r}, but the model has {self.n_cells} Kenyon cells: choose "
                f"1 to {self.n_cells}"
            )
        documents = self.document_coder
        if documents is not None and documents.n_cells != self.n_cells:
            raise ValueError(
                f"there are {documents.n_cells} document cells, but {self.n_cells} word cells"
            )
        if self.layout is not None and len(self.layout.places) != self.n_cells:
            raise ValueError(
                f"the layout is of {len(self.layout.places)} cells, but there are {self.n_cells}"
            )

    def __repr__(self) -> str:
        return (
            f"FlyModel({self.n_words:,} words, {self.n_cells:,} cells, "
            f"hash length {self.hash_length})"
        )

    def __getstate__(self) -> dict[str, Any]:
        self._check()  # readers of the copy cannot check it
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @cached_property
    def n_words(self) -> int:
        return len(self.vocabulary)

    @cached_property
    def n_cells(self) -> int:
        return self.coder.n_cells

    @cached_property
    def hash_length(self) -> int:
        return int(self.settings.hash_length)

    @cached_property
    def _coder(self) -> Coder:
        """The coder for codes of this length."""
        return self._coder_at(self.hash_length)

    def _coder_at(self, n_top: int) -> Coder:
        at_length = getattr(self.coder, "at_length", None)
        return self.coder if at_length is None else at_length(n_top)

    @cached_property
    def derived(self) -> dict[str, Any]:
        """A cache for what others derive from the model; it is not saved."""
        return {}

    @property
    def arrays(self) -> dict[str, NDArray[Any]]:
        views = {name: array.view() for name, array in self.coder.arrays.items()}
        for view in views.values():
            view.setflags(write=False)
        return views

    def with_(self, **settings: Any) -> FlyModel:
        """Return the model with other settings; it shares all arrays.

        Parameters
        ----------
        **settings
            Fields of :class:`ModelSettings`.

        Returns
        -------
        model : FlyModel
        """
        model = replace(self, settings=replace(self.settings, **settings))
        # keep what does not depend on these settings
        kept = {"_check", "_known", "_layout", "_naming_words_of_documents", "_spelling"}
        if "text" not in settings:
            kept.add("analyzer")
        if "word_codes" not in settings and model._coder is self._coder:
            kept.add("_naming_words")
        if not {"backend", "n_jobs"} & settings.keys():
            kept.add("_engine")
        model.__dict__.update({name: self.__dict__[name] for name in kept & self.__dict__.keys()})
        return model

    def compact(self) -> FlyModel:
        """Return a model with nearly the same codes in a fraction of the memory.

        Word vectors take 4 bits per number, and document cells become low-rank factors. The
        model encodes words, contexts and documents and describes cells as before.

        Returns
        -------
        model : FlyModel

        Examples
        --------
        >>> from skfly import FlyHashVectorizer
        >>> model = FlyHashVectorizer.from_pretrained("en").model_.compact()
        >>> model.is_compact, model.words(["fruit"]).nnz
        (True, 64)
        """
        self._check()
        documents = self.document_coder
        with single_threaded_blas():
            return replace(
                self,
                coder=self.coder.compact(),
                document_coder=None if documents is None else documents.compact(),
                provenance=replace(self.provenance, compact=True),
                layout=self.cell_layout(),
            )

    @property
    def is_compact(self) -> bool:
        """Whether :meth:`compact` made it."""
        return self.provenance.compact

    # Codes

    def words(self, words: Iterable[str]) -> sparse.csr_array:
        """Return the static codes of words.

        Parameters
        ----------
        words : iterable of str
            A word that is unknown as written is looked up again after preprocessing.

        Returns
        -------
        codes : sparse array, (n_words, n_cells)
            An unknown word has an empty row, unless ``unknown_words="spelling"`` and it shares
            three consecutive characters with a known one.
        """
        if isinstance(words, str):
            raise ValueError("expected a list of words, got a single str; pass [word]")
        words = list(words)
        ids = self.word_ids(words)
        known, unknown = np.flatnonzero(ids >= 0), np.flatnonzero(ids < 0)
        settings = self.settings
        codes = self._codes_of_words(ids[known])
        if not len(unknown):
            return codes
        codes = spread_rows(codes, known, len(words))
        if settings.unknown_words == "spelling":
            spelled = [self.analyzer.normalize(words[i]) for i in unknown.tolist()]
            weights = self._spelling.weights(spelled)
            active = self._coder.mixtures(
                self._engine, weights, self.hash_length, settings.word_codes
            )
            codes += spread_rows(self._codes(active), unknown, len(words))
        return stack([codes])

    def word_codes(self) -> sparse.csr_array:
        """Return the static codes of all words of the vocabulary, in the order of their ids."""
        return self._codes_of_words(np.arange(self.n_words, dtype=np.int32))

    def contexts(
        self,
        contexts: Iterable[Any],
        targets: Iterable[str | int],
        *,
        window: int | None = None,
    ) -> sparse.csr_array:
        """Return the codes of words in their contexts.

        Parameters
        ----------
        contexts : iterable
            Texts, or lists of words.
        targets : iterable of str or int
            The target of each context: a word, whose first occurrence is used (if it does not
            occur, the whole context is used), or the position of a word in the context, from 0.
        window : int or None, default=None
            Use only this many words (an odd number) around the target; ``None`` uses all.

        Returns
        -------
        codes : sparse array, (n_contexts, n_cells)
            Empty rows where neither target nor context is known.
        """
        if window is not None and (window < 1 or window % 2 == 0):
            raise ValueError(f"window must be an odd number of words; got {window}")
        if isinstance(targets, str):
            raise ValueError("expected a list of targets, got a single str; pass [word]")
        contexts, targets = list(check_documents(contexts)), list(targets)
        if len(contexts) != len(targets):
            raise ValueError(
                f"{len(contexts)} contexts and {len(targets)} targets; each context needs one"
            )
        pairs = [
            context_words(context, target, window, self.analyzer)
            for context, target in zip(contexts, targets, strict=True)
        ]
        target_ids = self.word_ids([target for target, _ in pairs])
        around_ids = [self.word_ids(around) for _, around in pairs]
        coder: Any = self.coder
        if self._spells_texts:
            unknown = UnknownWords(self._known, self.n_words)
            for row, (target, around) in enumerate(pairs):
                words = [self.normalize(word) for word in (target, *around)]
                found = np.fromiter(map(unknown.get, words), np.int32, len(words))
                ids = np.append(target_ids[row], around_ids[row])
                ids = np.where(ids < 0, found, ids).astype(np.int32)
                target_ids[row], around_ids[row] = ids[0], ids[1:]
            coder = self._with_words(list(unknown))
        active = coder.contexts(self._engine, target_ids, around_ids, self.hash_length)
        return self._codes(active)

    def documents(self, documents: Any) -> sparse.csr_array:
        """Return the codes of documents.

        Parameters
        ----------
        documents : iterable or EncodedCorpus

        Returns
        -------
        codes : sparse array, (n_documents, n_cells)
            With ``document_codes="binary"``, ``hash_length`` ones per row; with ``"graded"``,
            the strengths of the same cells, rows of unit length; with ``"counts"``, the sum of
            the words' codes. A document without a word that is known and that some cell responds
            to has an empty row.
        """
        return stack(self._document_parts(documents))

    def document_batches(self, documents: Any, batch_size: int) -> Iterator[sparse.csr_array]:
        """Yield the codes of documents, ``batch_size`` at a time; the last part may be smaller.

        Memory does not depend on how many documents there are. A few million characters of text
        are read ahead.

        Parameters
        ----------
        documents : iterable or EncodedCorpus
        batch_size : int

        Yields
        ------
        codes : sparse array, (batch_size, n_cells)
        """
        if batch_size < 1:
            raise ValueError(f"batch_size must be at least 1; got {batch_size}")
        held: list[sparse.csr_array] = []
        n_missing = batch_size
        for part in self._document_parts(documents):
            while part.shape[0] >= n_missing:
                yield stack([*held, part[:n_missing]])
                held, part, n_missing = [], part[n_missing:], batch_size
            if part.shape[0]:
                held.append(part)
                n_missing -= part.shape[0]
        if held:
            yield stack(held)

    def _document_parts(self, documents: Any) -> Iterator[sparse.csr_array]:
        """Yield the codes of some documents at a time, at least once."""
        encode = _DOCUMENT_CODES.get(self.settings.document_codes)
        if encode is None:
            raise ValueError(
                f"document_codes must be one of {tuple(_DOCUMENT_CODES)}; got "
                f"{self.settings.document_codes!r}"
            )
        dtype = np.dtype(self.settings.dtype)
        if encode is FlyModel._graded_codes and dtype.kind != "f":
            raise ValueError(
                f"document_codes='graded' gives fractions, which dtype={dtype.name} cannot hold: "
                "choose float32"
            )
        has_own_cells = self._cells_of_documents is not None
        if (
            self.settings.document_codes == "binary"
            and hasattr(self.coder, "sequences")
            and not has_own_cells
        ):
            return self._codes_in_order(documents)
        if self._spells_texts and not self._codes_of_documents_have_own_cells:
            return self._spelled_parts(documents, encode)
        parts = count_words(
            documents, self._known, self.n_words, self.analyzer, self.settings.n_jobs
        )
        return (encode(self, counts) for counts in parts)

    def _spelled_parts(
        self, documents: Any, encode: Callable[[FlyModel, sparse.csr_array], sparse.csr_array]
    ) -> Iterator[sparse.csr_array]:
        """Yield the codes of documents whose unknown words count by their spelling."""
        for some in in_groups(documents, _SPELLED_TEXTS):
            unknown = UnknownWords(self._known, self.n_words)
            parts = count_words(some, unknown, _MOST_WORDS, self.analyzer, self.settings.n_jobs)
            for counts in parts:
                used = np.unique(counts.indices[counts.indices >= self.n_words]) - self.n_words
                met = list(unknown)
                words = [met[i] for i in used.tolist()]
                places = np.arange(self.n_words + len(met), dtype=np.int32)
                places[self.n_words + used] = self.n_words + np.arange(len(used))
                counts = sparse.csr_array(
                    (counts.data, places[counts.indices], counts.indptr),
                    shape=(counts.shape[0], self.n_words + len(used)),
                )
                model = replace(self, coder=self._with_words(words))
                model.__dict__["_engine"] = self._engine
                yield encode(model, counts)

    @cached_property
    def _spells_texts(self) -> bool:
        return self.settings.unknown_words == "spelling" and hasattr(self.coder, "with_mixtures")

    def _with_words(self, words: Sequence[str]) -> Any:
        """Return the coder extended with unknown words, by their spelling."""
        coder: Any = self._coder
        if not words:
            return coder
        parts = gen_batches(len(words), _SPELLED_WORDS)
        return coder.with_mixtures(
            self._engine, (self._spelling.weights(words[part]) for part in parts)
        )

    # Words

    def tokens(self, text: Any) -> list[str]:
        """Return the words of a text as the model reads it."""
        return self.analyzer.words(text)

    def normalize(self, word: str) -> str:
        """Return a word after preprocessing."""
        return self.analyzer.normalize(word)

    def word_ids(self, words: Sequence[str]) -> NDArray[np.int32]:
        """Return the ids of words, -1 for unknown ones."""
        return word_ids(words, self._known, self.analyzer)

    def known_words(self) -> Mapping[str, int]:
        """Return the words that were seen in training, and their ids."""
        return self._known

    @cached_property
    def analyzer(self) -> TextAnalyzer:
        """The analyzer that reads text for the model."""
        return TextAnalyzer(**self.settings.text)

    @cached_property
    def _known(self) -> Mapping[str, int]:
        counts = self.vocabulary.counts
        if counts.min(initial=1) > 0:
            return self.vocabulary.index
        return {word: i for word, i in self.vocabulary.index.items() if counts[i] > 0}

    # Cells

    def cells(
        self, text: Any, n_cells: int = 4, n_words: int = 30, *, temperature: float = 0.1
    ) -> list[KenyonCell]:
        """Return the cells that respond most to a text, with the words that each stands for.

        Parameters
        ----------
        text : str or list of str
        n_cells : int, default=4
            How many cells.
        n_words : int, default=30
            How many words per cell.
        temperature : float, default=0.1
            Temperature of the words' probabilities, in units of the strongest: the lower, the more
            the first words stand out.

        Returns
        -------
        cells : list of KenyonCell
            The most active first; empty if the text has no known word.
        """
        if n_cells < 1 or n_words < 1:
            raise ValueError(f"n_cells={n_cells} and n_words={n_words} must be at least 1")
        counts = next(count_words([text], self._known, self.n_words, self.analyzer))
        active = self._coder.bags(self._engine, counts, min(n_cells, self.n_cells))
        present = active.cells[0] >= 0
        return self.describe_cells(
            active.cells[0][present], n_words, temperature, active.activations[0][present]
        )

    def describe_cells(
        self,
        cells: Any,
        n_words: int = 30,
        temperature: float = 0.1,
        activations: Any = None,
    ) -> list[KenyonCell]:
        """Return cells with the words that they stand for.

        Parameters
        ----------
        cells : array-like of int
            Numbers of cells.
        n_words : int, default=30
        temperature : float, default=0.1
        activations : array-like of float, optional
            The activation of each cell; 0 if not given.

        Returns
        -------
        cells : list of KenyonCell
        """
        if not temperature > 0:
            raise ValueError(f"temperature must be positive; got {temperature}")
        numbers = np.asarray(cells, dtype=np.int64)
        active = np.zeros(len(numbers)) if activations is None else np.asarray(activations)
        words = self.vocabulary.words
        return [
            KenyonCell(cell, activation, likeliest_words(probabilities, words, n_words))
            for cell, activation, probabilities in zip(
                numbers.tolist(),
                active.tolist(),
                self._probabilities(numbers, temperature),
                strict=True,
            )
        ]

    def cell_breadths(self, temperature: float = 0.1) -> NDArray[np.float64]:
        """Return the effective number of words of each cell: their perplexity."""
        every_cell = np.arange(self.n_cells)
        return np.array(
            [np.exp(entr(p).sum()) for p in self._probabilities(every_cell, temperature)]
        )

    def cell_layout(self) -> CellLayout:
        """Return the layout of cells in pictures of codes: similar cells lie side by side.

        It is computed when the model is saved, or at the first call. Models with the same cells,
        such as those of :meth:`with_` and :meth:`compact`, have the same layout.

        Returns
        -------
        layout : CellLayout
            ``n_rows``, ``n_columns``, and the ``places`` and ``regions`` of the cells.
        """
        return self._layout

    def cell_names(self, n_words: int = 3, *, of: str = "words") -> list[tuple[str, ...]]:
        """Return a name for each cell: the words that set it apart from other cells.

        Parameters
        ----------
        n_words : int, default=3
            Words per name; stop words are left out.
        of : {"words", "documents"}, default="words"
            Which cells to name: those of words and words in context, or those of documents, which
            may be different cells.

        Returns
        -------
        names : list of tuple of str
            The strongest word first. Two cells may have the same name.

        Examples
        --------
        >>> from skfly import FlyHashVectorizer
        >>> texts = ["ripe fruit smells sweet", "the bank lends money"] * 50
        >>> fly = FlyHashVectorizer(n_kenyon_cells=8, hash_length=2, random_state=0).fit(texts)
        >>> names = fly.model_.cell_names(n_words=2)
        >>> len(names), "the" in {word for name in names for word in name}
        (8, False)
        """
        if n_words < 1:
            raise ValueError(f"n_words must be at least 1; got {n_words}")
        if of not in ("words", "documents"):
            raise ValueError(f"of must be 'words' or 'documents'; got {of!r}")
        own = of == "documents" and self._codes_of_documents_have_own_cells
        return distinctive_words(
            self._naming_words_of_documents if own else self._naming_words, n_words
        )

    @cached_property
    def _layout(self) -> CellLayout:
        """The layout by short and by long codes of the most frequent words."""
        if self.layout is not None:
            return self.layout
        self._check()
        ids = np.sort(np.argsort(-self.vocabulary.counts, kind="stable")[:_ARRANGED_WORDS])
        seen = ids[self.vocabulary.counts[ids] > 0].astype(np.int32)
        length = max(1, self.n_cells // _ARRANGED_SHARE)
        shape = (2 * self.n_words, self.n_cells)
        engine = engine_for_codes("auto", self.settings.n_jobs, shape)  # saving needs no GPU
        coders = dict.fromkeys(self._coder_at(n_top) for n_top in (1, self.n_cells))
        codes = [self._codes(coder.words(engine, seen, length, "synapses")) for coder in coders]
        return arrange_cells(stack(codes))

    @cached_property
    def _naming_words(self) -> list[list[str]]:
        self._check()
        return self._strongest_words(
            lambda cells: self._coder.strengths(cells, self.vocabulary.counts)
        )

    @cached_property
    def _naming_words_of_documents(self) -> list[list[str]]:
        assert self.document_coder is not None
        return self._strongest_words(self.document_coder.strengths)

    def _strongest_words(
        self, strengths_of: Callable[[NDArray[np.int64]], NDArray[np.float64]]
    ) -> list[list[str]]:
        words = self.vocabulary.words
        found = []
        for part in gen_batches(self.n_cells, self._cells_at_a_time):
            for strengths in strengths_of(np.arange(part.start, part.stop)).T:
                order = _largest(strengths, 4 * _NAMING_WORDS)
                found.append([words[i] for i in content_words(words, order, _NAMING_WORDS)])
        return found

    def responses(self, ids: NDArray[np.int32]) -> NDArray[np.float32]:
        """Return the response of every cell to words, (n_ids, n_cells)."""
        return self._coder.responses(self._engine, ids)

    def most_active(self, ids: NDArray[np.int32], n_cells: int) -> Active:
        """Return the most active cells of a bag of words, and how active they are."""
        bag = np.unique(ids)
        counts = sparse.csr_array(
            (np.ones(len(bag), np.float32), bag, [0, len(bag)]), shape=(1, self.n_words)
        )
        cells, activations = self._coder.bags(self._engine, counts, min(n_cells, self.n_cells))
        present = cells[0] >= 0
        return Active(cells[0][present], activations[0][present])

    def _probabilities(
        self, cells: NDArray[np.int64], temperature: float
    ) -> Iterator[NDArray[np.float64]]:
        self._check()
        for start in range(0, len(cells), self._cells_at_a_time):
            part = cells[start : start + self._cells_at_a_time]
            for strengths in self._coder.strengths(part, self.vocabulary.counts).T:
                yield word_probabilities(strengths, temperature)

    @property
    def _cells_at_a_time(self) -> int:
        return max(1, _STRENGTHS_AT_A_TIME // max(1, self.n_words))

    # Files

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to one file, without pickle and without training state.

        Parameters
        ----------
        path : path-like
        """
        from skfly.model._file import write_model

        write_model(path, self)

    @classmethod
    def load(cls, path: str | os.PathLike[str], *, mmap: bool = False) -> FlyModel:
        """Read what :meth:`save`, or ``save`` of a ``FlyHashVectorizer``, wrote.

        Parameters
        ----------
        path : path-like
        mmap : bool, default=False
            Map the file into memory instead of reading it: loading is immediate, and processes
            that use the same file share its memory.

        Returns
        -------
        model : FlyModel

        Raises
        ------
        ModelFileError
            If the file is not a model, is damaged, or comes from a newer skfly.
        """
        from skfly.model._file import read_model

        return read_model(path, mmap=mmap).model

    def _check_at_first_use(self, check: Callable[[], None]) -> None:
        """Postpone ``check``, which reads the whole of a mapped file, to the first codes."""
        self.__dict__["_check"] = check

    def fingerprint(self) -> str:
        """Return a digest of the model: codes of equal fingerprints can be compared."""
        from skfly.model._file import model_fingerprint

        return model_fingerprint(self)

    # Parts

    @cached_property
    def _check(self) -> Callable[[], None]:
        return lambda: None

    @cached_property
    def _spelling(self) -> Spelling:
        return Spelling(self.vocabulary.words)

    @cached_property
    def _engine(self) -> Engine:
        self._check()
        shape = (2 * self.n_words, self.n_cells)
        return engine_for_codes(self.settings.backend, self.settings.n_jobs, shape)

    def _codes(self, active: Active) -> sparse.csr_array:
        active.cells[active.activations[:, 0] == 0] = -1  # no cell responds
        return codes_to_csr(active.cells, self.n_cells, self.settings.dtype)

    def _codes_of_words(self, ids: NDArray[np.int32]) -> sparse.csr_array:
        """Return the static codes of words; once many are needed, those of all words are kept."""
        if "_cells_of_words" in self.__dict__ or _MANY_SHARE * len(ids) >= self.n_words:
            return codes_to_csr(self._cells_of_words[ids], self.n_cells, self.settings.dtype)
        return self._codes(self._active_words(ids, self.hash_length))

    @cached_property
    def _cells_of_words(self) -> NDArray[np.int32]:
        cells = np.empty((self.n_words, self.hash_length), np.int32)
        ids = np.arange(self.n_words, dtype=np.int32)
        for part in gen_batches(self.n_words, _WORDS_AT_A_TIME):
            found = self._active_words(ids[part], self.hash_length)
            found.cells.sort(axis=1)
            found.cells[found.activations[:, 0] == 0] = -1  # no cell responds
            cells[part] = found.cells
        return cells

    def _active_words(self, ids: NDArray[np.int32], n_top: int) -> Active:
        return self._coder.words(self._engine, ids, n_top, self.settings.word_codes)

    @cached_property
    def _cells_of_documents(self) -> DocumentCoder | None:
        """The document coder, if there is one and the settings ask for it."""
        which = self.settings.document_cells
        if which not in _DOCUMENT_CELLS:
            raise ValueError(f"document_cells must be one of {_DOCUMENT_CELLS}; got {which!r}")
        return None if which == "words" else self.document_coder

    @cached_property
    def _bag_coder(self) -> DocumentCoder | Coder:
        """The coder of documents, or that of words."""
        return self._cells_of_documents or self._coder

    @property
    def _codes_of_documents_have_own_cells(self) -> bool:
        has_own_cells = self._cells_of_documents is not None
        return has_own_cells and self.settings.document_codes != "counts"

    def _codes_in_order(self, documents: Any) -> Iterator[sparse.csr_array]:
        coder: Any = self.coder
        remaining = iter(check_documents(documents))
        while True:
            some = [self.word_ids(self.tokens(text)) for text in islice(remaining, _ORDERED_TEXTS)]
            yield self._codes(coder.sequences(self._engine, some, self.hash_length))
            if len(some) < _ORDERED_TEXTS:
                return

    def _codes_of_bags(self, counts: sparse.csr_array) -> sparse.csr_array:
        return self._codes(self._bag_coder.bags(self._engine, counts, self.hash_length))

    def _graded_codes(self, counts: sparse.csr_array) -> sparse.csr_array:
        active = self._bag_coder.bags(self._engine, counts, self.hash_length)
        order = np.argsort(active.cells, axis=1)  # as the columns of a row are sorted
        strengths = np.maximum(np.take_along_axis(active.activations, order, axis=1), 0.0)
        strengths[~strengths.any(axis=1)] = 1.0
        strengths /= np.sqrt((strengths**2).sum(axis=1, keepdims=True))
        codes = self._codes(active)
        present = np.diff(codes.indptr) > 0
        codes.data = strengths[present].astype(self.settings.dtype).ravel()
        codes.eliminate_zeros()
        return codes

    def _sums_of_codes(self, counts: sparse.csr_array) -> sparse.csr_array:
        used, columns = np.unique(counts.indices, return_inverse=True)
        compact = sparse.csr_array(
            (counts.data, columns, counts.indptr), shape=(counts.shape[0], len(used))
        )
        codes = self._codes_of_words(used)
        return (compact @ codes).astype(self.settings.dtype, copy=False)


def _largest(values: NDArray[np.float64], n: int) -> NDArray[np.int64]:
    """Return the positions of the largest values, the largest first."""
    n = min(n, len(values))
    few = np.sort(np.argpartition(-values, n - 1)[:n]) if n else np.zeros(0, np.int64)
    return few[np.argsort(-values[few], kind="stable")]


# To add an encoding of documents, write a function from word counts to codes and name it here.
_DOCUMENT_CODES = {
    "binary": FlyModel._codes_of_bags,
    "graded": FlyModel._graded_codes,
    "counts": FlyModel._sums_of_codes,
}
