"""The scikit-learn estimator: text in, fruit fly codes out."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from numbers import Integral
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from skfly._callbacks import EpochCallbacks, GensimCallbacks, is_gensim_callback
from skfly._jobs import n_threads_for
from skfly._model_file import DAMAGE, ModelFileError, read_model_file, write_model_file
from skfly._params import CONSTRAINTS, SETTINGS, TEXT_PARAMS
from skfly._persistence import restore, take_apart
from skfly._progress import Progress
from skfly._sklearn_compat import (
    CallbackSupportMixin,
    _fit_context,
    as_configured_sparse,
    with_callbacks,
)
from skfly.backends import choose_backend, get_backend
from skfly.codes import (
    LATERAL_STEPS,
    Hasher,
    KenyonCell,
    alike_in_spelling,
    describe_cell,
    learn_lateral,
    spread_rows,
)
from skfly.learning import (
    Checkpoints,
    History,
    Learned,
    LearningSettings,
    Network,
    auto_min_count,
    keep_probabilities,
    learn,
    tell_of_small_corpus,
)
from skfly.text import (
    EncodedCorpus,
    TextAnalyzer,
    Vocabulary,
    check_documents,
    context_words,
    count_words,
    encode_documents,
    word_ids,
)
from skfly.text._vocabulary import places_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from skfly.keyedvectors import FlyKeyedVectors

__all__ = ["FlyHashVectorizer"]

_NO_CONSENSUS = (
    "word_codes='consensus', but the model was learned with 'synapses' and has no consensus: "
    "set word_codes='synapses', or fit again"
)

_GROWTH = 1.1  # of the text, before the cells are connected anew


class FlyHashVectorizer(
    CallbackSupportMixin, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator
):
    """Learn sparse binary codes of words, words in context and documents from raw text.

    The network of a fruit fly's mushroom body [1]_: windows of text are its input, Kenyon cells
    compete for them and learn, and the code of an input is the set of the ``hash_length`` cells
    that respond to it most.

    Parameters
    ----------
    n_kenyon_cells : int, default=400
        Number of cells, the width of the codes.
    hash_length : int, default=32
        Number of ones in a code. It may be changed after ``fit``: nothing is retrained.
    window : int, default=11
        Words in a window, an odd number: the target in the middle and its context.
    max_features : int or None, default=20_000
        Number of words to learn: the most frequent ones. Ignored if ``vocabulary`` is given.
    min_count : int or "auto", default="auto"
        Words that come less often are not learned. ``"auto"``: 1, 2 or 5 by the length of the
        text. Ignored if ``vocabulary`` is given.
    learning : {"lloyd", "hebbian"}, default="lloyd"
        ``"lloyd"`` sets a cell's synapses to what the windows it wins say about words, and
        learns from a million words. ``"hebbian"`` is the published rule, which needs billions.
    n_epochs : int or "auto", default="auto"
        Passes over the text; ``"auto"``: 8 below 10 million words, 4 above.
    batch_size : int or "auto", default="auto"
        Words between two steps of learning.
    learning_rate : float or "auto", default="auto"
        First learning rate of ``"hebbian"``; it falls to 0 over the epochs.
    subsample : float or "auto", default="auto"
        Words of a higher frequency than this are left out at random, the more often the more
        frequent they are. 0 keeps all.
    shrinkage : float or "auto", default="auto"
        How much evidence a cell needs, in words: synapses are learned as if every cell had seen
        that many more words, drawn from the whole text. With ``"hebbian"``, added to the words'
        counts before they are inverted.
    truncate_windows : bool or "auto", default="auto"
        Whether windows are cut at the ends of sentences; otherwise only whole windows are used.
        ``"auto"``: cut for ``"lloyd"``, whole for ``"hebbian"``.
    word_codes : {"consensus", "synapses"}, default="consensus"
        How a word gets its code: from the cells that the windows it comes in agree on, or, as
        published, from the synapses of the word as a target.
    n_active : int or "auto", default="auto"
        Cells of a window that take part in the consensus. ``"auto"``: 1 % of the cells.
    decorrelation : float, None or "auto", default="auto"
        Cells that respond to the same words say the same thing twice. Connections between the
        cells, learned from the consensus, make them differ before the most active are taken: 0
        keeps what they have in common, 1 takes all of it away. ``None``: no connections.
        ``"auto"``: 0.05 to 0.25 by the length of the text, and ``None`` where there is no
        consensus, for ``"hebbian"``, or with fewer than two words a cell.
    unknown_words : {"ignore", "spelling"}, default="ignore"
        What ``hash_words`` gives for a word that is not in the vocabulary: no cell, or the code
        of a mixture of the known words that are spelled like it. It may be changed after ``fit``.
    document_codes : {"binary", "counts"}, default="binary"
        What ``transform`` gives: the code of the text's bag of words, or the sum of its words'
        codes, which keeps how often each cell is named.
    input, encoding, decode_error, strip_accents, lowercase, preprocessor, tokenizer, \
stop_words, token_pattern, vocabulary
        As in :class:`~sklearn.feature_extraction.text.TfidfVectorizer`. The tokenizer is called
        for each sentence. A word that is not in the vocabulary leaves a gap in its window.
    sentence_splitter : {"punctuation", "line"}, callable or None, default="punctuation"
        How documents are cut into sentences; windows never cross one. A callable gets the
        preprocessed text and returns strings. ``None``: a document is one sentence.
    fold_numbers : bool, default=False
        Whether words with a digit become the one word ``"<NUM>"``.
    dtype : dtype, default=numpy.float32
        Of the matrices returned.
    sparse_output : bool, default=True
        Whether ``transform`` returns sparse matrices. ``set_output(transform="pandas")`` needs
        dense ones.
    backend : {"auto", "cupy", "numba", "numpy"}, default="auto"
        What computes. All give the same codes from the same synapses. ``"auto"``: a GPU
        (``"cupy"``) if CuPy is installed, a GPU answers and the model fits; else ``"numba"``.
    n_jobs : int or None, default=None
        Threads. ``None``: as many as numba is set to use. With ``"cupy"``, also the number of
        GPUs; ``None``: the current one. The result does not depend on it.
    random_state : int, RandomState or None, default=None
        Order of the text, subsampling and the cells' start. An int makes ``fit`` repeatable, bit
        by bit.
    checkpoint_dir : path-like or None, default=None
        Where :meth:`fit` keeps its state, about once a minute. A fit that was stopped, in any
        way, goes on from there when it is called again with the same parameters and text, and
        ends with the same bits; with others it is refused. At its end the state is removed. One
        run at a time can use a directory.
    verbose : int, default=0
        1 shows progress on standard error.

    Attributes
    ----------
    vocabulary_ : dict
        Id of each word. Without ``vocabulary=``, the most frequent word has id 0.
    word_counts_ : ndarray of int64, (n_words,)
        How often each was seen.
    synapses_ : ndarray of float32, (2 * n_words, n_kenyon_cells)
        Row ``i`` is word ``i`` as context, row ``n_words + i`` as target. With ``"lloyd"``, how
        much more often the word comes in the cell's windows than in all, as a logarithm, of which
        only what is above 0 counts; with ``"hebbian"``, weights, each cell's of length 1.
    consensus_ : ndarray of float32, (n_words, n_kenyon_cells), or None
        How often each cell was among the most active in windows with the word.
    cell_counts_ : ndarray of float32, (n_kenyon_cells,), or None
        Sums of ``consensus_`` over words.
    lateral_ : ndarray of float32, (n_kenyon_cells, n_kenyon_cells), or None
        Connections between the cells: row ``j`` is what cell ``j`` gives to each of them.
    lateral_at_ : int
        Words that had been seen when they were learned; ``partial_fit`` learns them again each
        time that the text has grown by a tenth.
    rule_state_ : dict of ndarray
        What the learning rule needs, beside the synapses, to go on in ``partial_fit``.
    learning_ : str
        The rule that was used.
    word_codes_ : sparse matrix, (n_words, n_kenyon_cells)
        The code of every word.
    n_features_out_ : int
        Width of the codes.
    n_windows_seen_, n_words_seen_ : int
        Windows learned from so far, and the words of the text they are from.
    n_iter_ : int
        Passes over text so far.
    min_count_, n_epochs_, batch_size_, learning_rate_, subsample_, shrinkage_, \
truncate_windows_, n_active_, decorrelation_
        The values used where the parameters say ``"auto"``.
    energy_ : list of float
        Mean energy of a window in each epoch of the last call.
    cells_used_ : list of float
        Share of cells that won a window in each epoch of the last call.

    See Also
    --------
    sklearn.feature_extraction.text.TfidfVectorizer : One feature a word.
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
    ['bank']
    """

    vocabulary_: dict[str, int]
    word_counts_: NDArray[np.int64]
    synapses_: NDArray[np.float32]
    consensus_: NDArray[np.float32] | None
    cell_counts_: NDArray[np.float32] | None
    lateral_: NDArray[np.float32] | None
    n_features_out_: int
    n_windows_seen_: int
    n_words_seen_: int
    n_iter_: int
    energy_: list[float]
    cells_used_: list[float]
    _parameter_constraints: ClassVar[dict[str, Any]] = CONSTRAINTS

    def __init__(
        self,
        n_kenyon_cells: int = 400,
        hash_length: int = 32,
        *,
        window: int = 11,
        max_features: int | None = 20_000,
        min_count: int | str = "auto",
        learning: str = "lloyd",
        n_epochs: int | str = "auto",
        batch_size: int | str = "auto",
        learning_rate: float | str = "auto",
        subsample: float | str = "auto",
        shrinkage: float | str = "auto",
        truncate_windows: bool | str = "auto",
        word_codes: str = "consensus",
        n_active: int | str = "auto",
        decorrelation: float | str | None = "auto",
        unknown_words: str = "ignore",
        document_codes: str = "binary",
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
        sentence_splitter: Any = "punctuation",
        fold_numbers: bool = False,
        dtype: Any = np.float32,
        sparse_output: bool = True,
        backend: str = "auto",
        n_jobs: int | None = None,
        random_state: Any = None,
        checkpoint_dir: str | os.PathLike[str] | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_kenyon_cells = n_kenyon_cells
        self.hash_length = hash_length
        self.window = window
        self.max_features = max_features
        self.min_count = min_count
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
        self.unknown_words = unknown_words
        self.document_codes = document_codes
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
        self.sentence_splitter = sentence_splitter
        self.fold_numbers = fold_numbers
        self.dtype = dtype
        self.sparse_output = sparse_output
        self.backend = backend
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.checkpoint_dir = checkpoint_dir
        self.verbose = verbose

    # Learning

    def set_callbacks(self, *callbacks: Any) -> Self:
        """Set what is told of the epochs of :meth:`fit`.

        Parameters
        ----------
        *callbacks : objects
            Callbacks of scikit-learn (1.9 or newer), or of gensim's kind
            (:class:`gensim.models.callbacks.CallbackAny2Vec`). The latter get an estimator as it
            is after the epoch, which also has ``get_latest_training_loss()``, the mean energy of
            a window. A callback that returns true at the end of an epoch ends the learning. None
            removes them all.

        Returns
        -------
        self : FlyHashVectorizer
        """
        told = [callback for callback in callbacks if is_gensim_callback(callback)]
        others = [callback for callback in callbacks if not is_gensim_callback(callback)]
        if others or hasattr(self, "_skl_callbacks"):
            super().set_callbacks(*others)
        if told:
            self._gensim_callbacks = told
        else:
            self.__dict__.pop("_gensim_callbacks", None)
        return self

    @with_callbacks
    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, raw_documents: Any, y: Any = None) -> Self:
        """Learn from documents.

        If it does not come to its end, what was learned before stays as it was.

        Parameters
        ----------
        raw_documents : iterable or EncodedCorpus
            Documents: str, lists of words, or what ``input`` says. The text is read once, so a
            generator will do; a text that does not fit in memory is spooled to disk as numbers.
        y : None
            Ignored.

        Returns
        -------
        self : FlyHashVectorizer
        """
        self._check_settings()
        self._check_checkpoint_dir()
        vocabulary = self._given_vocabulary()
        with self._read(raw_documents, vocabulary) as corpus:
            self._learn_anew(corpus, vocabulary)
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
        self._check_settings()
        self._check_checkpoint_dir()
        vocabulary = self._given_vocabulary()
        with self._read(raw_documents, vocabulary) as corpus:
            self._learn_anew(corpus, vocabulary)
            # not transform: its output would be a data frame already, without the index
            return self._document_codes(corpus)

    @_fit_context(prefer_skip_nested_validation=True)
    def partial_fit(self, raw_documents: Any, y: Any = None) -> Self:
        """Learn from one more part of a stream of documents.

        The first call fixes the vocabulary, from its own documents or from ``vocabulary=``; words
        first seen later are unknown. The first call goes over its documents ``n_epochs`` times,
        later ones once. If a call fails, what was learned before it stays as it was.

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
        self._validate_params()  # they may have been set since, and scikit-learn looks only once
        self._check_settings()
        if self.n_kenyon_cells != self.n_features_out_:
            raise ValueError(
                f"n_kenyon_cells is {self.n_kenyon_cells}, but the model was learned with "
                f"{self.n_features_out_}: partial_fit does not change the width of the codes"
            )
        if self.learning != self.learning_:
            raise ValueError(
                f"learning={self.learning!r}, but the model was learned with "
                f"{self.learning_!r}: one rule cannot go on from another"
            )
        if self.word_codes == "consensus" and self.consensus_ is None:
            raise ValueError(_NO_CONSENSUS)
        vocabulary = Vocabulary(self.vocabulary_, self.word_counts_)
        with self._read(raw_documents, vocabulary) as corpus:
            if corpus.n_words:
                id_map = vocabulary.encode(corpus.vocabulary.words)
                self._learn(corpus, vocabulary, id_map, self._network(), self.min_count_)
        return self

    def _learn_anew(self, corpus: EncodedCorpus, vocabulary: Vocabulary | None) -> None:
        min_count = (
            auto_min_count(corpus.n_words) if self.min_count == "auto" else int(self.min_count)
        )
        if vocabulary is None:
            vocabulary, ids = corpus.vocabulary.by_frequency(self.max_features, min_count)
            id_map = places_of(ids, len(corpus.vocabulary))
        else:
            id_map = vocabulary.encode(corpus.vocabulary.words)
        if not len(vocabulary) or not corpus.n_words:
            raise ValueError(
                "empty vocabulary; perhaps there are no documents, or they only contain stop "
                f"words or words that come less than min_count={min_count} times"
            )
        tell_of_small_corpus(corpus.n_words)
        self._learn(corpus, vocabulary, id_map, None, min_count)

    def _learn(
        self,
        corpus: EncodedCorpus,
        vocabulary: Vocabulary,
        id_map: NDArray[np.int32],
        previous: Network | None,
        min_count: int,
    ) -> None:
        """Learn, and only when all is done, change this estimator."""
        counts = np.zeros(len(vocabulary), dtype=np.int64)
        known = id_map >= 0
        counts[id_map[known]] = corpus.vocabulary.counts[known]
        progress = Progress(bool(self.verbose))
        given = {"vocabulary_": vocabulary.index, "min_count_": min_count}
        listeners = [] if previous is not None else self._listeners(given)
        network = learn(
            corpus,
            id_map=id_map,
            word_counts=counts,
            rule=self.learning,
            params={name: getattr(self, name) for name in SETTINGS},
            n_cells=self.n_kenyon_cells,
            window=self.window,
            consensus=self.word_codes == "consensus",
            **self._means(corpus, len(vocabulary), progress),
            seed=self._seed() if previous is None else self._new_seed(),
            stages=progress,
            previous=previous,
            on_epoch=lambda *epoch: True in [listener(*epoch) for listener in listeners],
            checkpoint_dir=self.checkpoint_dir if previous is None else None,
        )
        goes_on = previous is not None
        self.__dict__.update(given | self._attributes(network, progress, goes_on))
        for listener in listeners:
            listener.end()

    def _listeners(self, given: dict[str, Any]) -> list[Any]:
        """Return what is told of each epoch."""

        def attributes(network: Network) -> dict[str, Any]:
            return given | self._attributes(network, Progress(False))

        listeners: list[Any] = []
        if getattr(self, "_skl_callbacks", None):
            listeners.append(EpochCallbacks(self, attributes))
        if told := getattr(self, "_gensim_callbacks", None):
            listeners.append(GensimCallbacks(told, self, attributes))
        return listeners

    def _connect_cells(self, network: Network, stages: Progress, goes_on: bool) -> tuple[Any, int]:
        """Return the lateral connections, and at how many words they were learned."""
        strength = network.settings.decorrelation
        if network.consensus is None or strength is None:
            return None, network.n_words
        if goes_on and network.n_words < _GROWTH * self.lateral_at_:
            return self.lateral_, self.lateral_at_
        with stages.stage("connecting", "words", LATERAL_STEPS) as monitor:
            lateral = learn_lateral(
                network.consensus, strength, monitor.advance, n_threads_for(self.n_jobs)
            )
        return lateral, network.n_words

    def _read(
        self, raw_documents: Any, vocabulary: Vocabulary | None
    ) -> AbstractContextManager[EncodedCorpus]:
        """Return documents as a corpus; what was one already is not read again."""
        if isinstance(raw_documents, EncodedCorpus):
            raw_documents.warn_if_read_otherwise(self._analyzer())
            return nullcontext(raw_documents)  # the caller's own: it stays open
        documents = check_documents(raw_documents)
        with Progress(bool(self.verbose)).stage("reading", "words") as monitor:
            return encode_documents(
                documents,
                vocabulary=vocabulary,
                analyzer=self._analyzer(),
                on_progress=monitor.advance,
                n_jobs=self.n_jobs,
            )

    # Codes

    def transform(self, raw_documents: Any) -> Any:
        """Return the codes of documents.

        Parameters
        ----------
        raw_documents : iterable or EncodedCorpus

        Returns
        -------
        codes : sparse matrix, (n_documents, n_kenyon_cells)
            With ``document_codes="binary"``, exactly ``hash_length`` ones in a row; with
            ``"counts"``, the sum of the words' codes. A document without a known word, or with
            none that any cell responds to, has an empty row.
        """
        check_is_fitted(self)
        return self._document_codes(raw_documents)

    def _document_codes(self, raw_documents: Any) -> Any:
        hasher = self._hasher()
        parts = [
            hasher.sums(counts)
            if self.document_codes == "counts"
            else hasher.bags(counts.indices, counts.indptr)
            for counts in self._count_words(raw_documents)
        ]
        codes = sparse.vstack(parts, format="csr")
        return as_configured_sparse(codes) if self.sparse_output else codes.toarray()

    def hash_words(self, words: Iterable[str]) -> Any:
        """Return the static codes of words.

        Parameters
        ----------
        words : iterable of str
            A word that is not known as it is written is looked up as the preprocessing
            (``lowercase``, ...) leaves it.

        Returns
        -------
        codes : sparse matrix, (n_words, n_kenyon_cells)
            An unknown word has an empty row, unless ``unknown_words="spelling"`` and it has
            three characters in a row in common with a known one.

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
        check_is_fitted(self)
        if isinstance(words, str):
            raise ValueError("expected a list of words, got a single str; pass [word]")
        words, known, analyzer = list(words), self._known_ids(), self._analyzer()
        ids = word_ids(words, known, analyzer)
        hasher = self._hasher()
        codes = hasher.words(ids)
        unknown = np.flatnonzero(ids < 0)
        if self.unknown_words == "spelling" and len(unknown):
            spelled = [analyzer.normalize(words[i]) for i in unknown.tolist()]
            weights = alike_in_spelling(spelled, tuple(self.vocabulary_))
            codes += spread_rows(hasher.mixtures(weights), unknown, len(words))
        return as_configured_sparse(codes)

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
            For each context its target: a word, of which the first occurrence is meant (if the
            context does not have it, the context is taken whole), or the place of one among the
            context's words, from 0.
        window : int or None, default=None
            Take only this many words (an odd number) around the target; ``None`` takes all.

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
        check_is_fitted(self)
        hasher = self._hasher()
        if window is not None and (window < 1 or window % 2 == 0):
            raise ValueError(f"window must be an odd number of words; got {window}")
        contexts, targets = list(check_documents(contexts)), list(targets)
        if len(contexts) != len(targets):
            raise ValueError(
                f"{len(contexts)} contexts and {len(targets)} targets; each context needs one"
            )
        analyzer, known = self._analyzer(), self._known_ids()
        pairs = [
            context_words(context, target, window, analyzer)
            for context, target in zip(contexts, targets, strict=True)
        ]
        return as_configured_sparse(
            hasher.in_context(
                word_ids([target for target, _ in pairs], known, analyzer),
                [word_ids(around, known, analyzer) for _, around in pairs],
            )
        )

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
            How many words of each cell.
        temperature : float, default=0.1
            A word's probability is the softmax of the cell's synapses to words as targets (for
            ``"lloyd"``, times the square root of the word's count), with this temperature in
            units of the strongest: the lower, the more the first words stand out.

        Returns
        -------
        cells : list of KenyonCell
            The most active first; empty if the text has no known word.
        """
        check_is_fitted(self)
        if not temperature > 0:
            raise ValueError(f"temperature must be positive; got {temperature}")
        if n_cells < 1 or n_words < 1:
            raise ValueError(f"n_cells={n_cells} and n_words={n_words} must be at least 1")
        hasher = self._hasher()
        bag = next(self._count_words([text])).indices
        cells, activations = hasher.most_active(bag, min(n_cells, self.n_features_out_))
        known = cells >= 0  # else the text has no known word
        return self._describe_cells(
            hasher, cells[known], activations[known].tolist(), n_words, temperature
        )

    def _describe_cells(
        self, hasher: Hasher, cells: Any, activations: Any, n_words: int, temperature: float
    ) -> list[KenyonCell]:
        """Return cells with the words that they stand for."""
        words = list(self.vocabulary_)
        # logarithms of ratios are large for words seen a few times
        evidence = np.sqrt(self.word_counts_) if self.learning_ == "lloyd" else 1.0
        return [
            describe_cell(cell, activation, responses * evidence, words, n_words, temperature)
            for cell, activation, responses in zip(
                cells.tolist(), activations, hasher.responses_to_targets(cells).T, strict=True
            )
        ]

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

    @property
    def word_codes_(self) -> Any:
        """The code of every word, at the present ``hash_length``."""
        check_is_fitted(self)
        every_word = np.arange(len(self.vocabulary_), dtype=np.int32)
        return as_configured_sparse(self._hasher().words(every_word))

    @property
    def wv(self) -> FlyKeyedVectors:
        """The codes of the words as gensim ``KeyedVectors``, at the present ``hash_length``."""
        from skfly.keyedvectors import vectors_of  # gensim is slow to import

        check_is_fitted(self)
        return vectors_of(self)

    def _hasher(self) -> Hasher:
        consensus = self.consensus_ if self.word_codes == "consensus" else None
        if self.word_codes == "consensus" and consensus is None:
            raise ValueError(_NO_CONSENSUS)
        length: Any = self.hash_length  # it may have been set after fit, unchecked
        if not isinstance(length, Integral) or not 1 <= int(length) <= self.n_features_out_:
            raise ValueError(
                f"hash_length={self.hash_length}, but the model has {self.n_features_out_} "
                "Kenyon cells: set it to a number from 1 to that"
            )
        return Hasher(
            get_backend(self.backend, self.n_jobs, self.synapses_.shape),
            self.synapses_,
            consensus,
            int(length),
            self.dtype,
            largest=self.largest_synapse_,
            floor=-np.inf if self.learning_ == "hebbian" else 0.0,
            lateral=self.lateral_,
            weights=keep_probabilities(self.word_counts_, self.subsample_)
            if self.subsample_ > 0
            else None,
            cell_counts=self.cell_counts_,
        )

    # Words

    def _count_words(self, raw_documents: Any) -> Iterator[sparse.csr_array]:
        return count_words(
            raw_documents,
            self._known_ids(),
            len(self.vocabulary_),
            self._analyzer(),
            self.n_jobs,
        )

    def _known_ids(self) -> dict[str, int]:
        """Return the ids of the words that were seen in training."""
        if self.word_counts_.min(initial=1) > 0:
            return self.vocabulary_
        return {w: i for w, i in self.vocabulary_.items() if self.word_counts_[i] > 0}

    def _analyzer(self) -> TextAnalyzer:
        return TextAnalyzer(**{name: getattr(self, name) for name in TEXT_PARAMS})

    def _given_vocabulary(self) -> Vocabulary | None:
        if self.vocabulary is None:
            return None
        return Vocabulary.from_parameter(self.vocabulary)

    # Checks and state

    def _check_checkpoint_dir(self) -> None:
        """Say that checkpoints cannot be kept before the text is read, which may take long."""
        if self.checkpoint_dir is not None:
            Checkpoints(self.checkpoint_dir, {})

    def _new_seed(self) -> int:
        return int(check_random_state(self.random_state).randint(2**31 - 1))

    def _seed(self) -> int:
        """Return the seed of a fit; a run that goes on keeps the one that was drawn for it."""
        if self.random_state is None and self.checkpoint_dir is not None:
            run = Checkpoints.run_in(self.checkpoint_dir)
            if run is not None and isinstance(run.get("seed"), int):
                return int(run["seed"])
        return self._new_seed()

    def _means(self, corpus: Any, n_words: int, progress: Progress) -> dict[str, Any]:
        """Return what ``learn`` computes with, and say so."""
        shape = (2 * n_words, self.n_kenyon_cells)
        backend, which = choose_backend(self.backend, self.n_jobs, shape)
        progress.tell("backend", which)
        return {"backend": backend}

    def _check_settings(self) -> None:
        """Check what can be checked before any text is read."""
        get_backend(self.backend, self.n_jobs)
        if self.window % 2 == 0:
            raise ValueError(
                f"window must be odd, with the target in the middle; got {self.window}: take "
                f"{self.window - 1} or {self.window + 1}"
            )
        if self.hash_length > self.n_kenyon_cells:
            raise ValueError(
                f"hash_length={self.hash_length} is more than n_kenyon_cells="
                f"{self.n_kenyon_cells}: a code cannot have more ones than cells"
            )

    def _network(self) -> Network:
        return Network(
            learned=Learned(self.synapses_, self.largest_synapse_, 0.0, self.rule_state_),
            consensus=self.consensus_,
            word_counts=self.word_counts_,
            n_words=self.n_words_seen_,
            n_epochs=self.n_iter_,
            settings=LearningSettings(**{n: getattr(self, f"{n}_") for n in SETTINGS}),
            history=History(0, self.energy_, self.cells_used_),
        )

    def _attributes(
        self, network: Network, stages: Progress, goes_on: bool = False
    ) -> dict[str, Any]:
        """Return the fitted attributes that a network gives."""
        lateral, lateral_at = self._connect_cells(network, stages, goes_on)
        seen = int(self.n_windows_seen_) if goes_on else 0
        found = {
            "synapses": network.learned.synapses,
            "largest_synapse": network.learned.largest,
            "rule_state": network.learned.state,
            "learning": self.learning,
            "consensus": network.consensus,
            "cell_counts": None if network.consensus is None else network.consensus.sum(axis=0),
            "lateral": lateral,
            "lateral_at": lateral_at,
            "word_counts": network.word_counts,
            "n_words_seen": network.n_words,
            "n_windows_seen": seen + network.history.n_windows,
            "n_iter": network.n_epochs,
            "energy": network.history.energy,
            "cells_used": network.history.cells_used,
            "n_features_out": network.learned.synapses.shape[1],
            **{name: getattr(network.settings, name) for name in SETTINGS},
        }
        return {f"{name}_": value for name, value in found.items()}

    @property
    def _n_features_out(self) -> int:
        return int(self.n_features_out_)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "synapses_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        return tags

    # Files

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the fitted estimator to one file, without pickle.

        The file is written beside its place and renamed into it, so an older one stays whole if
        anything goes wrong.

        Parameters
        ----------
        path : path-like

        See Also
        --------
        FlyHashVectorizer.load : Read it back.
        """
        check_is_fitted(self)
        self._validate_params()
        write_model_file(path, *take_apart(self))

    @classmethod
    def load(cls, path: str | os.PathLike[str], *, mmap: bool = False) -> Self:
        """Read an estimator that :meth:`save` wrote.

        Parameters
        ----------
        path : path-like
        mmap : bool, default=False
            Map the file into memory instead of reading it: loading is immediate, and processes
            that use the same file share its memory.

        Returns
        -------
        fly : FlyHashVectorizer

        Raises
        ------
        ModelFileError
            If the file is not a model, is damaged, or comes from a newer skfly.
        """
        arrays, content = read_model_file(path, mmap=mmap)
        if "params" not in content and "keys" in content:
            raise ModelFileError(
                f"{path} holds words and their codes, not a model: open it with "
                "FlyKeyedVectors.load"
            )
        fly = cls()
        try:
            restore(fly, arrays, content)
        except DAMAGE as error:
            raise ModelFileError(f"{path} is damaged: {error}") from error
        return fly
