"""The scikit-learn estimator: text in, fruit fly codes out."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from importlib.util import find_spec
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

import skfly
from skfly._callbacks import EpochCallbacks, GensimCallbacks, is_gensim_callback
from skfly._embedding import EmbeddingMixin
from skfly._estimator_files import FilesMixin
from skfly._messages import Progress, warn_of_cut, warn_of_small_text
from skfly._params import CONSTRAINTS, MODEL_PARAMS, RULE_PARAMS
from skfly._pretrained_fit import adapt_to, read_to_adapt, use_pretrained, why_not_continued
from skfly._sklearn_compat import (
    CallbackSupportMixin,
    _fit_context,
    as_output,
    with_callbacks,
)
from skfly.engine import choose_engine
from skfly.fit import (
    Checkpoints,
    Fitted,
    fit,
    fit_documents,
    grow,
    least_count,
)
from skfly.model import (
    FlyModel,
    KenyonCell,
    ModelSettings,
    Provenance,
    name_regions,
    spelled_alike,
)
from skfly.rules import RULES, Growing
from skfly.text import (
    TEXT_PARAMS,
    EncodedCorpus,
    TextAnalyzer,
    Vocabulary,
    check_documents,
    count_documents,
    encode_documents,
    in_so_many,
    joined_as,
    learn_phrases,
    places_of,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from skfly.keyedvectors import FlyKeyedVectors

__all__ = ["FlyHashVectorizer"]

_DEFAULT_WORDS = 20_000  # of max_features


def _learned(path: str) -> Any:
    """Return a property that reads a learned attribute."""
    read = attrgetter(path)

    def get(fly: FlyHashVectorizer) -> Any:
        check_is_fitted(fly)
        try:
            return read(fly)
        except AttributeError:
            rule = fly._model.provenance.rule
            name = path.rpartition(".")[-1]
            raise AttributeError(f"learning={rule!r} has no {name}") from None

    return property(get)


class FlyHashVectorizer(
    FilesMixin,
    CallbackSupportMixin,
    EmbeddingMixin,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
    BaseEstimator,
):
    """Learn sparse binary codes of words, words in context and documents from raw text.

    The network of a fruit fly's mushroom body [1]_: Kenyon cells compete for what they read, and
    the code of an input is the set of the ``hash_length`` cells that respond to it most.

    Parameters
    ----------
    n_kenyon_cells : int, default=400
        Number of cells, the width of the codes.
    hash_length : int, default=32
        Number of ones in a code. Can be changed after ``fit`` without retraining.
    window : int, default=11
        Words in a window, an odd number: the target in the middle and its context.
    max_features : int or None, default=20_000
        Size of the vocabulary: the most frequent words are kept. Ignored if ``vocabulary`` is
        given.
    min_count : int or "auto", default="auto"
        Ignore words that occur less often. ``"auto"``: 1, 2 or 5, depending on the length of the
        text. Ignored if ``vocabulary`` is given.
    grow_vocabulary : bool, default=False
        Whether :meth:`partial_fit` adds words that first appear in a later part, if they occur at
        least ``min_count`` times in that part and the vocabulary has fewer than ``max_features``
        words. The width of the codes does not change. Only for rules that count pairs of words,
        such as ``"whiten"``.
    min_df, max_df : int or float, default=1 and 1.0
        Ignore words that occur in fewer or in more documents than this, as in
        :class:`~sklearn.feature_extraction.text.TfidfVectorizer`: an int is a number of
        documents, a float a share of them. Ignored if ``vocabulary`` is given.
    learning : {"whiten", "lloyd", "hebbian", "comply"}, default="whiten"
        ``"whiten"`` counts which words occur together, in one pass, and lets cells compete for
        words. ``"lloyd"`` lets them compete for windows of text; it was the default in 0.1.
        ``"hebbian"`` is the published rule, which needs billions of words. ``"comply"``, an
        experiment, takes word order into account.
    n_epochs : int or "auto", default="auto"
        Passes over the text for ``"lloyd"`` and ``"hebbian"``; ``"auto"``: 8 below 10 million
        words, 4 above. ``"whiten"`` needs one.
    batch_size : int or "auto", default="auto"
        Words per step of learning.
    learning_rate : float or "auto", default="auto"
        Initial learning rate of ``"hebbian"``; it falls to 0 over the epochs.
    subsample : float or "auto", default="auto"
        Randomly drop words above this frequency, the more often the more frequent they are. 0
        keeps all. ``"auto"``: 0 for ``"whiten"``.
    shrinkage : float or "auto", default="auto"
        Pseudo-count that shrinks rare evidence, in words: synapses are learned as if every cell
        had seen that many more words, drawn from the whole text. With ``"hebbian"``, it is added
        to the word counts before they are inverted.
    truncate_windows : bool or "auto", default="auto"
        Whether windows are cut at the ends of sentences; otherwise only whole windows are used.
        ``"auto"``: cut for ``"lloyd"``, whole for ``"hebbian"``.
    word_codes : {"consensus", "synapses"}, default="consensus"
        How a word gets its code: from the cells most often active in the windows it occurs in or,
        as published, from its synapses as a target. ``"whiten"`` has only one kind of code.
    n_active : int or "auto", default="auto"
        Cells of a window that take part in the consensus. ``"auto"``: 1 % of the cells.
    decorrelation : float, None or "auto", default="auto"
        How much to decorrelate cells that respond to the same words, through connections between
        the cells, before the most active are chosen: 0 keeps all correlation, 1 removes all of it.
        ``None``: no connections. ``"auto"``: 1 for ``"whiten"``; for ``"lloyd"``, 0.05 to 0.25
        depending on the length of the text, and ``None`` without a consensus or with fewer than
        two words per cell; ``None`` for ``"hebbian"``.
    max_pairs : int or "auto", default="auto"
        Maximum number of distinct word pairs whose counts ``"whiten"`` keeps, separately for
        neighbours and for words farther apart. Beyond it, the rarest are dropped, which bounds
        memory for text of any length: about 16 bytes per pair. ``"auto"``: 134 million.
    spelling_weight : float or "auto", default="auto"
        How much ``"whiten"`` lets a rare word lean on common words that are spelled alike, such as
        others with its stem: as much as so many occurrences of the word would tell. 0 if spelling
        says nothing about meaning, as with identifiers; words with a digit never lean on others.
        ``"auto"``: 40 for a million words of text, 270 for 45 million.
    unknown_words : {"ignore", "spelling"}, default="ignore"
        How to encode a word that is not in the vocabulary: not at all, or as a mixture of known
        words with a similar spelling. ``hash_words`` and ``wv`` then have a code for it, and with
        ``"whiten"`` it also contributes to ``hash_in_context`` and ``transform`` (unless documents
        have cells of their own). Can be changed after ``fit``.
    document_codes : {"binary", "graded", "counts"}, default="binary"
        What ``transform`` returns: the ``hash_length`` cells that respond most to the document, as
        ones or (``"graded"``) with their strength, in rows of unit length; or (``"counts"``) the
        sum of the codes of its words. Can be changed after ``fit``.
    document_cells : {"auto", "words"}, default="auto"
        Which cells respond to documents. ``"auto"``: a second group, learned from whole documents,
        if there are at least a hundred with 25 words on average; or a thousand shorter ones, with
        less than a million words in all. ``"words"``: the word cells, so that codes of documents,
        words and contexts can be compared. Can be set to ``"words"`` after ``fit``, too.
    input, encoding, decode_error, strip_accents, lowercase, preprocessor, tokenizer, \
stop_words, token_pattern, vocabulary
        As in :class:`~sklearn.feature_extraction.text.TfidfVectorizer`. The tokenizer is called
        for each sentence. A word that is not in the vocabulary leaves a gap in its window.
    missing : {"error", "empty"}, default="error"
        Whether a missing document (``None``, NaN, ``pandas.NA``) raises an error or counts as an
        empty one.
    sentence_splitter : {"punctuation", "line"}, callable or None, default="punctuation"
        How documents are split into sentences; windows never cross a sentence boundary. A callable
        gets the preprocessed text and returns strings. ``None``: a document is one sentence.
    fold_numbers : bool, default=False
        Whether to replace every word with a digit by ``"<NUM>"``.
    phrases : bool, default=False
        Whether to join words that often occur side by side, such as ``new york`` into
        ``new_york``, and then pairs of these, before training: the rule of gensim's ``Phrases``,
        with its defaults. They are joined in all texts that the model reads. This replaces
        ``ngram_range``, which would add a feature for any two adjacent words.
    dtype : dtype, default=numpy.float32
        Type of the returned matrices.
    sparse_output : bool, default=True
        Whether ``transform`` returns sparse matrices. After ``set_output(transform="pandas")`` or
        ``"polars"`` it always returns data frames.
    feature_names : {"numbers", "words"}, default="numbers"
        Names of the columns: ``flyhashvectorizer17``, or names with the words that the cell stands
        for, as in ``cell_17_river_bank_water`` (:meth:`cell_feature_names`).
    backend : {"auto", "cupy", "numba", "numpy"}, default="auto"
        Compute backend. All give the same codes from the same synapses. ``"auto"``: a GPU
        (``"cupy"``) if CuPy is installed and the model fits on an available GPU; else ``"numba"``,
        or ``"numpy"`` for codes as long as numba is not worth loading.
    n_jobs : int or None, default=None
        Threads. ``None``: as many as numba is set to use. With ``"cupy"``, also the number of
        GPUs; ``None``: the current one. The result does not depend on it.
    random_state : int, RandomState or None, default=None
        Seeds the order of the text, subsampling and the initial cells. An int makes ``fit``
        repeatable, bit for bit, on any number of threads, for one type of processor and one set of
        library versions. Another type of processor may give a slightly different model; a given
        model gives the same codes everywhere.
    checkpoint_dir : path-like or None, default=None
        Directory for checkpoints, written about once a minute. An interrupted fit, called again
        with the same parameters and text, resumes from the last one and ends with the same bits;
        with other parameters or text it raises an error. The last checkpoint stays until
        :meth:`save` has written the model, or until another fit uses the directory. Only one run
        at a time can use a directory.
    verbose : int, default=0
        1 shows progress on standard error.
    pretrained : str, path-like or None, default=None
        A model to start from, as in :meth:`from_pretrained`: ``"en"``, a file or a repository. It
        determines ``n_kenyon_cells``, ``learning`` and ``phrases``; all other parameters are
        yours. ``adapt`` then selects what ``fit`` learns, and ``partial_fit`` cannot continue.
    adapt : {"documents", "words", "nothing"}, default="documents"
        What ``fit`` learns if ``pretrained`` is given: document cells, if there are enough
        documents (see ``document_cells``); also unknown words, from the words around them, and how
        common each is in your texts; or nothing at all.

    Attributes
    ----------
    vocabulary_ : dict
        Id of each word. Without ``vocabulary=``, the most frequent word has id 0.
    word_counts_ : ndarray of int64, (n_words,)
        How often each word was seen.
    synapses_ : ndarray of float32, (2 * n_words, n_kenyon_cells)
        Row ``i`` is word ``i`` as context, row ``n_words + i`` as target. With ``"lloyd"``, the
        logarithm of how much more often the word occurs in the cell's windows than overall, of
        which only positive values count; with ``"hebbian"``, weights, normalised to length 1 per
        cell.
    consensus_ : ndarray of float32, (n_words, n_kenyon_cells), or None
        How often each cell was among the most active in windows with the word.
    cell_counts_ : ndarray of float32, (n_kenyon_cells,), or None
        Sum of ``consensus_`` over words.
    lateral_ : ndarray of float32, (n_kenyon_cells, n_kenyon_cells), or None
        Connections between the cells: row ``j`` is the input from cell ``j`` to each of them.
    lateral_at_ : int
        Number of words seen when ``lateral_`` was learned; ``partial_fit`` learns it again
        whenever the text has grown by a tenth.
    largest_synapse_ : float
        The largest absolute value in ``synapses_``, which sets the integer scale in which
        activations are summed.
    model_ : FlyModel
        The trained model, with the current parameters.
    phrases_ : list of str
        The phrases that are joined; none without ``phrases=True``.
    rule_state_ : dict of ndarray
        What the learning rule needs, besides the synapses, to continue in ``partial_fit``.
    learning_ : str
        The rule that was used.
    word_codes_ : sparse matrix, (n_words, n_kenyon_cells)
        The code of every word.
    n_features_out_ : int
        Width of the codes.
    n_windows_seen_, n_words_seen_ : int
        Windows and words of all text learned from so far.
    n_iter_ : int
        Passes over text so far.
    min_count_, n_epochs_, batch_size_, learning_rate_, subsample_, shrinkage_, \
truncate_windows_, n_active_, decorrelation_, max_pairs_, spelling_weight_
        The values used where the parameters say ``"auto"``.
    energy_ : list of float
        Mean energy of a window in each epoch of the last call.
    cells_used_ : list of float
        Share of cells that won a window in each epoch of the last call.

    See Also
    --------
    sklearn.feature_extraction.text.TfidfVectorizer : One feature per word.
    sklearn.feature_extraction.text.HashingVectorizer : Hashes words without regard to meaning.

    References
    ----------
    .. [1] Y. Liang et al., "Can a Fruit Fly Learn Word Embeddings?", ICLR 2021.

    Examples
    --------
    >>> from skfly import FlyHashVectorizer
    >>> documents = ["the fly eats ripe fruit", "ripe fruit smells sweet to the fly",
    ...              "the bank lends money", "money comes from the bank"] * 25
    >>> fly = FlyHashVectorizer(n_kenyon_cells=4, hash_length=2, random_state=0)
    >>> codes = fly.fit_transform(documents)
    >>> codes.shape, int(codes[0].sum())
    ((100, 4), 2)
    >>> fly.transform(["sweet fruit", "no word of this was seen"]).nnz
    2
    >>> fly.hash_words(["fly", "bank"]).shape
    (2, 4)
    >>> [cell.words[0][0] for cell in fly.kenyon_cells("lends money", n_cells=1)]
    ['lends']
    """

    vocabulary_ = _learned("_model.vocabulary.index")
    word_counts_ = _learned("_model.vocabulary.counts")
    synapses_ = _learned("_model.coder.synapses")
    consensus_ = _learned("_model.coder.consensus")
    cell_counts_ = _learned("_model.coder.cell_counts")
    lateral_ = _learned("_model.coder.lateral")
    largest_synapse_ = _learned("_model.coder.largest")
    n_features_out_ = _learned("_model.n_cells")
    learning_ = _learned("_model.provenance.rule")
    n_words_seen_ = _learned("_model.provenance.n_tokens")
    n_windows_seen_ = _learned("_model.provenance.n_windows")
    rule_state_ = _learned("_training.learned.state")
    n_iter_ = _learned("_training.n_epochs")
    n_epochs_ = _learned("_training.settings.n_epochs")
    batch_size_ = _learned("_training.settings.batch_size")
    learning_rate_ = _learned("_training.settings.learning_rate")
    subsample_ = _learned("_training.settings.subsample")
    shrinkage_ = _learned("_training.settings.shrinkage")
    truncate_windows_ = _learned("_training.settings.truncate_windows")
    n_active_ = _learned("_training.settings.n_active")
    decorrelation_ = _learned("_training.settings.decorrelation")
    max_pairs_ = _learned("_training.settings.max_pairs")
    spelling_weight_ = _learned("_training.settings.spelling_weight")
    min_count_: int
    _model: FlyModel
    _current: tuple[dict[str, Any], FlyModel]
    _phrases: list[str] | None = None
    _parameter_constraints: ClassVar[dict[str, Any]] = CONSTRAINTS

    def __init__(
        self,
        n_kenyon_cells: int = 400,
        hash_length: int = 32,
        *,
        window: int = 11,
        max_features: int | None = _DEFAULT_WORDS,
        min_count: int | str = "auto",
        grow_vocabulary: bool = False,
        min_df: float = 1,
        max_df: float = 1.0,
        learning: str = "whiten",
        n_epochs: int | str = "auto",
        batch_size: int | str = "auto",
        learning_rate: float | str = "auto",
        subsample: float | str = "auto",
        shrinkage: float | str = "auto",
        truncate_windows: bool | str = "auto",
        word_codes: str = "consensus",
        n_active: int | str = "auto",
        decorrelation: float | str | None = "auto",
        max_pairs: int | str = "auto",
        spelling_weight: float | str = "auto",
        unknown_words: str = "ignore",
        document_codes: str = "binary",
        document_cells: str = "auto",
        input: str = "content",
        encoding: str = "utf-8",
        decode_error: str = "strict",
        strip_accents: Any = None,
        lowercase: bool = True,
        preprocessor: Any = None,
        tokenizer: Any = None,
        stop_words: str | list[str] | None = None,
        token_pattern: str | None = r"(?u)\b\w\w+\b",
        vocabulary: Mapping[str, int] | Iterable[str] | None = None,
        missing: str = "error",
        sentence_splitter: Any = "punctuation",
        fold_numbers: bool = False,
        phrases: bool = False,
        dtype: Any = np.float32,
        sparse_output: bool = True,
        feature_names: str = "numbers",
        backend: str = "auto",
        n_jobs: int | None = None,
        random_state: Any = None,
        checkpoint_dir: str | os.PathLike[str] | None = None,
        verbose: int = 0,
        pretrained: str | os.PathLike[str] | None = None,
        adapt: str = "documents",
    ) -> None:
        self.n_kenyon_cells = n_kenyon_cells
        self.hash_length = hash_length
        self.window = window
        self.max_features = max_features
        self.min_count = min_count
        self.grow_vocabulary = grow_vocabulary
        self.min_df = min_df
        self.max_df = max_df
        self.learning = learning
        self.n_epochs = n_epochs
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.subsample = subsample
        self.shrinkage = shrinkage
        self.truncate_windows = truncate_windows
        self.word_codes = word_codes
        self.n_active = n_active
        self.decorrelation = decorrelation
        self.max_pairs = max_pairs
        self.spelling_weight = spelling_weight
        self.unknown_words = unknown_words
        self.document_codes = document_codes
        self.document_cells = document_cells
        self.input = input
        self.encoding = encoding
        self.decode_error = decode_error
        self.strip_accents = strip_accents
        self.lowercase = lowercase
        self.preprocessor = preprocessor
        self.tokenizer = tokenizer
        self.stop_words = stop_words
        self.token_pattern = token_pattern
        self.vocabulary = vocabulary
        self.missing = missing
        self.sentence_splitter = sentence_splitter
        self.fold_numbers = fold_numbers
        self.phrases = phrases
        self.dtype = dtype
        self.sparse_output = sparse_output
        self.feature_names = feature_names
        self.backend = backend
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.checkpoint_dir = checkpoint_dir
        self.verbose = verbose
        self.pretrained = pretrained
        self.adapt = adapt

    # Learning

    def set_callbacks(self, *callbacks: Any) -> Self:
        """Set callbacks for the epochs of :meth:`fit`.

        Parameters
        ----------
        *callbacks : objects
            Callbacks of scikit-learn (1.9 or newer), or of gensim's kind
            (:class:`gensim.models.callbacks.CallbackAny2Vec`). The latter get the estimator in its
            state after the epoch, which also has ``get_latest_training_loss()``, the mean energy
            of a window. A callback that returns true at the end of an epoch ends training.
            ``None`` removes all callbacks.

        Returns
        -------
        self : FlyHashVectorizer
        """
        of_gensim = [callback for callback in callbacks if is_gensim_callback(callback)]
        others = [callback for callback in callbacks if not is_gensim_callback(callback)]
        if others or hasattr(self, "_skl_callbacks"):
            super().set_callbacks(*others)
        if of_gensim:
            self._gensim_callbacks = of_gensim
        else:
            self.__dict__.pop("_gensim_callbacks", None)
        return self

    @with_callbacks
    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, raw_documents: Any, y: Any = None) -> Self:
        """Learn from documents.

        If the call fails or is interrupted, the estimator stays as it was.

        Parameters
        ----------
        raw_documents : iterable or EncodedCorpus
            Documents: str, lists of words, or what ``input`` specifies. The text is read once, so
            a generator will do; text that does not fit in memory is spooled to disk as word ids.
        y : None
            Ignored.

        Returns
        -------
        self : FlyHashVectorizer
        """
        if self.pretrained is not None and self.adapt == "nothing":
            use_pretrained(self)
            return self
        with self._read_to_fit(raw_documents) as corpus:
            self._fit_corpus(corpus, raw_documents)
        return self

    @with_callbacks
    def fit_transform(self, raw_documents: Any, y: Any = None) -> Any:
        """Learn from documents and return their codes, reading the text once.

        Parameters
        ----------
        raw_documents : iterable or EncodedCorpus
        y : None
            Ignored.

        Returns
        -------
        codes : sparse matrix, (n_documents, n_kenyon_cells)
        """
        self._validate_params()
        if self.pretrained is not None and self.adapt == "nothing":
            use_pretrained(self)
            return as_output(self.model_.documents(raw_documents), self)
        with self._read_to_fit(raw_documents) as corpus:
            self._fit_corpus(corpus, raw_documents)
            # not self.transform: with set_output, it would return a data frame without the index
            return as_output(self.model_.documents(corpus), self)

    @_fit_context(prefer_skip_nested_validation=True)
    def partial_fit(self, raw_documents: Any, y: Any = None) -> Self:
        """Learn from one more part of a stream of documents.

        The first call fixes the vocabulary, from its own documents or from ``vocabulary=``; words
        first seen later are unknown, unless ``grow_vocabulary`` adds them. The first call makes
        ``n_epochs`` passes over its documents, later calls one. It also decides whether there are
        document cells; if documents are short, they are dropped once there are a million words. If
        a call fails, the estimator stays as it was.

        Parameters
        ----------
        raw_documents : iterable or EncodedCorpus
        y : None
            Ignored.

        Returns
        -------
        self : FlyHashVectorizer
        """
        if not self.__sklearn_is_fitted__():
            self.fit(raw_documents)
            return self
        self._validate_params()  # they may have changed; scikit-learn validates only once
        self._check_settings()
        self._check_continues()
        vocabulary, previous = self._model.vocabulary, self._training
        known = None if self.grow_vocabulary else vocabulary
        with self._read(raw_documents, known, self.model_.analyzer) as corpus:
            if corpus.n_words:
                if previous is not None and self.grow_vocabulary:
                    vocabulary = self._grown(corpus)
                    previous = grow(previous, len(vocabulary))
                id_map = vocabulary.encode(corpus.vocabulary.words)
                self._learn(corpus, vocabulary, id_map, self.min_count_, previous)
        return self

    def _grown(self, corpus: EncodedCorpus) -> Vocabulary:
        """Return the vocabulary extended with new words of a corpus, as far as there is room."""
        known = self._model.vocabulary
        room = None if self.max_features is None else max(self.max_features - len(known), 0)
        least = max(self.min_count_, least_count(corpus.n_words, self.min_count))
        return known.extended(corpus.vocabulary, room, least)

    def _check_continues(self) -> None:
        """Refuse to continue from a model that does not fit the parameters."""
        if self._training is None:
            raise ValueError(why_not_continued(self))
        if self.n_kenyon_cells != self.n_features_out_:
            raise ValueError(
                f"n_kenyon_cells is {self.n_kenyon_cells}, but the model was fitted with "
                f"{self.n_features_out_}: partial_fit does not change the width of the codes"
            )
        if self.learning != self.learning_:
            raise ValueError(
                f"learning={self.learning!r}, but the model was fitted with "
                f"{self.learning_!r}: one rule cannot continue from another"
            )
        self._model.coder.check_word_codes(self.word_codes)

    def _read_to_fit(self, raw_documents: Any) -> AbstractContextManager[EncodedCorpus]:
        """Check everything that can be checked before the text is read; then read it."""
        self._check_settings()
        if self.checkpoint_dir is not None:
            Checkpoints(self.checkpoint_dir, {})  # raises an error if it cannot be written
        if self.pretrained is not None:
            return read_to_adapt(self, raw_documents)
        analyzer = TextAnalyzer(**self._model_params(None)["text"])
        if self.phrases:
            return self._read_with_phrases(raw_documents, analyzer)
        given = None if self.vocabulary is None else Vocabulary.from_parameter(self.vocabulary)
        return self._read(raw_documents, given, analyzer)

    def _read_with_phrases(
        self, raw_documents: Any, analyzer: TextAnalyzer
    ) -> AbstractContextManager[EncodedCorpus]:
        with self._read(raw_documents, None, analyzer) as corpus:  # phrases need all words
            return learn_phrases(corpus)

    def _read(
        self, raw_documents: Any, vocabulary: Vocabulary | None, analyzer: TextAnalyzer
    ) -> AbstractContextManager[EncodedCorpus]:
        """Return documents as a corpus; an encoded corpus is taken as it is."""
        if isinstance(raw_documents, EncodedCorpus):
            raw_documents.warn_if_read_otherwise(analyzer)
            return joined_as(raw_documents, analyzer)
        documents = check_documents(raw_documents)
        with Progress(bool(self.verbose)).stage("reading", "words") as monitor:
            return encode_documents(
                documents,
                vocabulary=vocabulary,
                analyzer=analyzer,
                on_progress=monitor.advance,
                n_jobs=self.n_jobs,
            )

    def _fit_corpus(self, corpus: EncodedCorpus, raw_documents: Any) -> None:
        if self.pretrained is not None:
            adapt_to(self, corpus)
            return
        min_count = least_count(corpus.n_words, self.min_count)
        if self.vocabulary is None:
            found, ids = self._candidates(corpus)
            vocabulary, order = found.by_frequency(self.max_features, min_count)
            id_map = places_of(ids[order], len(corpus.vocabulary))
            if self.max_features is not None and (found.counts >= min_count).sum() > len(order):
                common = np.sort(found.counts[found.counts >= min_count])[::-1]
                is_default = self.max_features == _DEFAULT_WORDS
                warn_of_cut(common, self.max_features, is_default=is_default)
        else:
            vocabulary = Vocabulary.from_parameter(self.vocabulary)
            id_map = vocabulary.encode(corpus.vocabulary.words)
        if not len(vocabulary) or not corpus.n_words:
            raise ValueError(
                "empty vocabulary; perhaps there are no documents, or they only contain stop "
                f"words or words that occur fewer than min_count={min_count} times"
            )
        warn_of_small_text(corpus.n_words)
        self._learn(corpus, vocabulary, id_map, min_count, None, _name_of(raw_documents))

    def _candidates(self, corpus: EncodedCorpus) -> tuple[Vocabulary, NDArray[np.int64]]:
        """Return the words that ``min_df`` and ``max_df`` allow, and their ids in the corpus."""
        found = corpus.vocabulary
        # 1 is one document, 1.0 all of them
        if (repr(self.min_df), repr(self.max_df)) == ("1", "1.0") or not corpus.n_words:
            return found, np.arange(len(found))
        counts = self._document_counts(corpus)
        return found.where(in_so_many(counts, corpus.n_documents, self.min_df, self.max_df))

    def _document_counts(self, corpus: Any) -> NDArray[np.int64]:
        return count_documents(corpus)

    def _learn(
        self,
        corpus: EncodedCorpus,
        vocabulary: Vocabulary,
        id_map: NDArray[np.int32],
        min_count: int,
        previous: Fitted | None,
        text: str = "",
    ) -> None:
        """Learn; change this estimator only at the very end."""
        counts = np.zeros(len(vocabulary), dtype=np.int64)
        known = id_map >= 0
        counts[id_map[known]] = corpus.vocabulary.counts[known]
        phrases = getattr(corpus, "text_params", {}).get("phrases")
        if previous is not None:
            text, phrases = self._model.provenance.text, self._phrases
        attributes = partial(
            self._attributes,
            vocabulary=vocabulary,
            min_count=min_count,
            text=text,
            phrases=phrases,
            previous=previous,
        )
        listeners: list[Any] = []
        if previous is None and getattr(self, "_skl_callbacks", None):
            listeners.append(EpochCallbacks(self, attributes))
        if previous is None and (of_gensim := getattr(self, "_gensim_callbacks", None)):
            listeners.append(GensimCallbacks(of_gensim, self, attributes))
        progress = Progress(bool(self.verbose))
        seed = self._seed(resumes=previous is None)
        computing = self._compute_with(corpus, len(vocabulary), progress)
        fitted = fit(
            corpus,
            id_map=id_map,
            word_counts=counts,
            rule=self.learning,
            params={name: getattr(self, name) for name in RULE_PARAMS},
            n_cells=self.n_kenyon_cells,
            window=self.window,
            consensus=self.word_codes == "consensus",
            seed=seed,
            progress=progress,
            previous=previous,
            alike=partial(spelled_alike, vocabulary.words),
            on_epoch=lambda *epoch: True in [listener(*epoch) for listener in listeners],
            checkpoint_dir=self.checkpoint_dir if previous is None else None,
            **computing,
        )
        documents = None if previous is None else previous.documents
        if self.document_cells == "auto" and (previous is None or documents is not None):
            documents = fit_documents(
                corpus,
                id_map,
                len(vocabulary),
                self.n_kenyon_cells,
                n_tokens=fitted.n_tokens,
                engine=computing["engine"],
                seed=seed,
                progress=progress,
                previous=documents,
            )
        fitted = replace(fitted, documents=documents)
        self.__dict__.update(attributes(fitted))
        for listener in listeners:
            listener.end()

    def _attributes(
        self,
        fitted: Fitted,
        *,
        vocabulary: Vocabulary,
        min_count: int,
        text: str,
        phrases: list[str] | None,
        previous: Fitted | None,
    ) -> dict[str, Any]:
        """Return the attributes of a fitted estimator."""
        n_before = 0 if previous is None else self._model.provenance.n_windows
        provenance = Provenance(
            rule=fitted.rule,
            text=text,
            n_tokens=fitted.n_tokens,
            n_windows=n_before + fitted.history.n_windows,
            skfly=skfly.__version__,
            created=_today(),
        )
        params = self._model_params(phrases)
        model = FlyModel(
            vocabulary.with_counts(fitted.word_counts),
            fitted.learned.coder,
            ModelSettings(**params),
            provenance,
            None if fitted.documents is None else fitted.documents.coder,
        )
        return {
            "_model": model,
            "_current": (params, model),
            "_training": fitted,
            "_phrases": phrases,
            "min_count_": min_count,
        }

    def _compute_with(self, corpus: Any, n_words: int, progress: Progress) -> dict[str, Any]:
        """Choose the engine and report it."""
        shape = (2 * n_words, self.n_kenyon_cells)
        engine, which = choose_engine(self.backend, self.n_jobs, shape)
        progress.tell("backend", which)
        return {"engine": engine}

    def _seed(self, resumes: bool) -> int:
        """Return the seed of a run; a resumed run keeps its seed."""
        if resumes and self.random_state is None and self.checkpoint_dir is not None:
            run = Checkpoints.run_in(self.checkpoint_dir, finished=False)
            if run is not None and isinstance(run.get("seed"), int):
                return int(run["seed"])
        return int(check_random_state(self.random_state).randint(2**31 - 1))

    def _check_settings(self) -> None:
        """Check what can be checked before any text is read."""
        ModelSettings(**self._model_params(None))  # checks the dtype
        choose_engine(self.backend, self.n_jobs)
        if self.learning not in RULES:
            raise ValueError(f"learning must be one of {sorted(RULES)}; got {self.learning!r}")
        if self.grow_vocabulary and not issubclass(RULES[self.learning], Growing):
            raise ValueError(
                f"learning={self.learning!r} cannot take new words later: choose "
                "grow_vocabulary=False or learning='whiten'"
            )
        if self.window % 2 == 0:
            raise ValueError(
                f"window must be odd, with the target in the middle; got {self.window}: take "
                f"{self.window - 1} or {self.window + 1}"
            )
        if self.pretrained is None and self.hash_length > self.n_kenyon_cells:
            raise ValueError(
                f"hash_length={self.hash_length} is more than n_kenyon_cells="
                f"{self.n_kenyon_cells}: a code cannot have more ones than cells"
            )

    # Codes

    @property
    def model_(self) -> FlyModel:
        """The trained model, with the current parameters."""
        if "_model" not in self.__dict__:
            check_is_fitted(self)
        params, model = self._current
        now = self._model_params(self._phrases)
        if params != now:  # they were set after fit
            self._validate_params()
            model = self._model.with_(**now)
            self._current = (now, model)
        return model

    def _model_params(self, phrases: list[str] | None) -> dict[str, Any]:
        """Return the parameters that determine a model's settings."""
        text = {name: getattr(self, name) for name in TEXT_PARAMS}
        if phrases is not None:
            text["phrases"] = phrases
        return {name: getattr(self, name) for name in MODEL_PARAMS} | {"text": text}

    def transform(self, raw_documents: Any) -> Any:
        """Return the codes of documents.

        Parameters
        ----------
        raw_documents : iterable or EncodedCorpus

        Returns
        -------
        codes : sparse matrix, (n_documents, n_kenyon_cells)
            With ``document_codes="binary"``, exactly ``hash_length`` ones per row; with
            ``"graded"``, the same cells with their strength, in rows of unit length; with
            ``"counts"``, the sum of the words' codes. A document has an empty row if it has no
            known word or no cell responds to its words.
        """
        return as_output(self.model_.documents(raw_documents), self)

    def transform_batches(self, raw_documents: Any, batch_size: int = 10_000) -> Iterator[Any]:
        """Yield the codes of documents part by part.

        Use it if the codes of all documents do not fit in memory: the memory needed does not
        depend on their number. A few million characters of text are read ahead.

        Parameters
        ----------
        raw_documents : iterable or EncodedCorpus
        batch_size : int, default=10_000
            Documents per part; the last part may have fewer.

        Yields
        ------
        codes : sparse matrix, (batch_size, n_kenyon_cells)

        Examples
        --------
        >>> from skfly import FlyHashVectorizer
        >>> texts = ["ripe fruit smells sweet", "the bank lends money"] * 50
        >>> fly = FlyHashVectorizer(n_kenyon_cells=8, hash_length=2, random_state=0).fit(texts)
        >>> stream = (f"sweet fruit number {i}" for i in range(5))
        >>> [codes.shape for codes in fly.transform_batches(stream, batch_size=2)]
        [(2, 8), (2, 8), (1, 8)]
        """
        return (
            as_output(codes, self)
            for codes in self.model_.document_batches(raw_documents, batch_size)
        )

    # What scikit-learn's text vectorizers have

    def build_analyzer(self) -> Callable[[Any], list[str]]:
        """Return the function that splits a document into words.

        Returns
        -------
        analyzer : callable
            From a document to its words, without stop words. After ``fit`` with
            ``phrases=True``, phrases are joined.

        Examples
        --------
        >>> from skfly import FlyHashVectorizer
        >>> FlyHashVectorizer(stop_words="english").build_analyzer()("The fly smells. It eats.")
        ['fly', 'smells', 'eats']
        """
        return self._analyzer().words

    def get_stop_words(self) -> frozenset[str] | None:
        """Return the stop words.

        Returns
        -------
        stop_words : frozenset or None
            ``None`` if there are none.

        Examples
        --------
        >>> from skfly import FlyHashVectorizer
        >>> sorted(FlyHashVectorizer(stop_words=["the", "a"]).get_stop_words())
        ['a', 'the']
        """
        return self._analyzer().stop_words or None

    def _analyzer(self) -> TextAnalyzer:
        fitted = self.__sklearn_is_fitted__()
        return self.model_.analyzer if fitted else TextAnalyzer(**self._model_params(None)["text"])

    def hash_words(self, words: Iterable[str]) -> Any:
        """Return the static codes of words.

        Parameters
        ----------
        words : iterable of str
            A word that is unknown as written is looked up again after preprocessing
            (``lowercase``, ...).

        Returns
        -------
        codes : sparse matrix, (n_words, n_kenyon_cells)
            An unknown word has an empty row, unless ``unknown_words="spelling"`` and it shares
            three consecutive characters with a known word.

        Examples
        --------
        >>> from skfly import FlyHashVectorizer
        >>> texts = ["the old monarchy fell", "a ripe peach fell from the tree"] * 50
        >>> fly = FlyHashVectorizer(n_kenyon_cells=8, hash_length=2, random_state=0).fit(texts)
        >>> fly.hash_words(["monarchical"]).nnz
        0
        >>> fly.set_params(unknown_words="spelling").hash_words(["monarchical"]).nnz
        2
        """
        return as_output(self.model_.words(words))

    def hash_in_context(
        self,
        contexts: Iterable[Any],
        targets: Iterable[str | int],
        *,
        window: int | None = None,
    ) -> Any:
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
        codes : sparse matrix, (n_contexts, n_kenyon_cells)
            Empty rows where neither target nor context is known.

        Examples
        --------
        >>> from skfly import FlyHashVectorizer
        >>> texts = ["the bank of the river is green", "the bank lends us money"] * 50
        >>> fly = FlyHashVectorizer(n_kenyon_cells=16, hash_length=2, random_state=0).fit(texts)
        >>> code = fly.hash_in_context(["the bank lends"], ["bank"])
        >>> code.shape, code.nnz
        ((1, 16), 2)
        """
        return as_output(self.model_.contexts(contexts, targets, window=window))

    def kenyon_cells(
        self, text: Any, n_cells: int = 4, n_words: int = 30, *, temperature: float = 0.1
    ) -> list[KenyonCell]:
        """Return the cells that respond most to a text, and the words that each stands for.

        Parameters
        ----------
        text : str or list of str
        n_cells : int, default=4
            How many cells.
        n_words : int, default=30
            How many words per cell.
        temperature : float, default=0.1
            A word's probability is the softmax of the cell's synapses to words as targets (for
            ``"lloyd"``, times the square root of the word's count), with this temperature in
            units of the strongest: the lower, the more the first words stand out.

        Returns
        -------
        cells : list of KenyonCell
            The most active first; empty if the text has no known word.
        """
        return self.model_.cells(text, n_cells, n_words, temperature=temperature)

    def plot_cells(
        self, text: Any, n_cells: int = 4, n_words: int = 30, *, temperature: float = 0.1
    ) -> Figure:
        """Draw the cells that respond most to a text as word clouds.

        It needs ``pip install "skfly[plot]"``. A notebook shows the figure.

        Parameters
        ----------
        text, n_cells, n_words, temperature
            As in :meth:`kenyon_cells`.

        Returns
        -------
        figure : matplotlib.figure.Figure
        """
        from skfly._plot import plot_cells

        cells = self.kenyon_cells(text, n_cells, n_words, temperature=temperature)
        return plot_cells(cells, text if isinstance(text, str) else " ".join(text))

    def plot_code(self, text: Any, target: str | int | None = None) -> Figure:
        """Draw the code of a text, or of a word in it, as a fingerprint.

        Cells that respond to the same words lie side by side and have the same colour, so similar
        texts have similar pictures. Regions are named after words whose codes lie there. The
        picture shows the word cells, even if documents have cells of their own. It needs ``pip
        install "skfly[plot]"``. A notebook shows the figure.

        Parameters
        ----------
        text : str or list of str
        target : str or int, optional
            A word of the text, or its position: draw its code in this context. See
            :meth:`hash_in_context`.

        Returns
        -------
        figure : matplotlib.figure.Figure
        """
        from skfly._plot import plot_code

        model = self.model_.with_(document_cells="words", document_codes="binary")
        code = model.documents([text]) if target is None else model.contexts([text], [target])
        shown = text if isinstance(text, str) else " ".join(text)
        title = shown if target is None else f"{target!r} in: {shown}"
        layout, vocabulary = model.cell_layout(), model.vocabulary
        names = name_regions(model.word_codes(), layout, vocabulary.words, vocabulary.counts)
        return plot_code(code.indices.tolist(), layout, names, title)

    @property
    def word_codes_(self) -> Any:
        """The code of every word, at the current ``hash_length``."""
        return as_output(self.model_.word_codes())

    @property
    def wv(self) -> FlyKeyedVectors:
        """The codes of the words as gensim ``KeyedVectors``, at the current ``hash_length``."""
        model = self.model_
        if "vectors" not in model.derived:  # two threads may each make them: they are alike
            from skfly.keyedvectors import make_vectors  # gensim is slow to import

            model.derived["vectors"] = make_vectors(model)
        vectors: FlyKeyedVectors = model.derived["vectors"]
        return vectors

    # State

    @property
    def energy_(self) -> list[float]:
        """Mean energy of a window in each epoch of the last call."""
        return list(self._history.energy)

    @property
    def cells_used_(self) -> list[float]:
        """Share of cells that won a window in each epoch of the last call."""
        return list(self._history.cells_used)

    _history = _learned("_training.history")

    @property
    def lateral_at_(self) -> int:
        """Number of words seen when ``lateral_`` was learned."""
        if "lateral_at" not in self.rule_state_:
            raise AttributeError(f"learning={self.learning_!r} learns no lateral connections")
        return int(self.rule_state_["lateral_at"][0])

    @property
    def phrases_(self) -> list[str]:
        """Phrases that were found, as they are joined; none without ``phrases=True``."""
        check_is_fitted(self)
        joiner = self._model.analyzer.phrases
        return [] if joiner is None else joiner.words

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Return the names of the columns of :meth:`transform`.

        Parameters
        ----------
        input_features : None
            Ignored.

        Returns
        -------
        names : ndarray of str objects, (n_kenyon_cells,)
        """
        names: NDArray[Any] = super().get_feature_names_out(input_features)
        return names if self.feature_names == "numbers" else self.cell_feature_names()

    @property
    def _n_features_out(self) -> int:
        return int(self.n_features_out_)

    def __sklearn_is_fitted__(self) -> bool:
        return "_model" in self.__dict__

    def __dir__(self) -> list[str]:
        # scikit-learn's version reads every attribute; ``wv`` takes a while, and raises an error
        # without gensim
        names = object.__dir__(self)
        return [name for name in names if name != "wv" or _has_gensim()]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        return tags


def _has_gensim() -> bool:
    try:
        return find_spec("gensim") is not None
    except (ImportError, ValueError):
        return False


def _name_of(documents: Any) -> str:
    """Return the name of a text, if it has one."""
    path = getattr(documents, "path", None)
    if isinstance(path, str | os.PathLike):
        return Path(path).name
    return repr(documents) if isinstance(documents, EncodedCorpus) else ""


def _today() -> str:
    """Return the date, or that of ``SOURCE_DATE_EPOCH``, which makes files reproducible."""
    given = os.environ.get("SOURCE_DATE_EPOCH")
    now = datetime.now(UTC) if given is None else datetime.fromtimestamp(int(given), UTC)
    return now.date().isoformat()
