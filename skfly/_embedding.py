"""Codes of texts in the forms that other tools expect."""

from __future__ import annotations

import re
from abc import ABCMeta
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from skfly._files import import_at_least
from skfly.index import pack_codes
from skfly.model import FlyModel

_OLDEST_TRANSFORMERS = "5.0"
_NEEDED_PARAMS = {"lowercase": True, "token_pattern": r"(?u)\b\w\w+\b", "fold_numbers": False}
_WORD_PATTERN = r"(?<!\w)\w\w+(?!\w)"  # the same one for the tokenizers of Hugging Face


class MentionsGensim(ABCMeta):
    """Type of classes that BERTopic and KeyBERT refuse instead of using another model.

    They look for the names of packages in ``str(type(model))``, and load a model of their own if
    they find none. A ``"gensim"`` without word vectors makes them raise an error.
    """

    def __repr__(cls) -> str:
        return f"<class '{cls.__module__}.{cls.__qualname__}' (not a gensim model)>"


class EmbeddingMixin(metaclass=MentionsGensim):
    """Methods that embedding tools call, and codes in the forms of vector stores.

    For a class with a ``model_`` that has a :class:`~skfly.FlyModel`.
    """

    model_: Any

    def embed_documents(self, texts: Iterable[str]) -> list[list[float]]:
        """Return the codes of documents as lists of floats, in the form that LangChain expects.

        Parameters
        ----------
        texts : iterable of str

        Returns
        -------
        vectors : list of list of float
            Documents without known words are all zeros.

        Examples
        --------
        >>> from skfly import FlyHashVectorizer
        >>> texts = ["ripe fruit smells sweet", "the bank lends money"] * 50
        >>> fly = FlyHashVectorizer(n_kenyon_cells=8, hash_length=2, random_state=0).fit(texts)
        >>> [sum(vector) for vector in fly.embed_documents(["sweet fruit", "unknown"])]
        [2.0, 0.0]
        """
        vectors: list[list[float]] = self.as_dense(texts).astype(float).tolist()
        return vectors

    def embed_query(self, text: str) -> list[float]:
        """Return the code of one text as a list of floats.

        Parameters
        ----------
        text : str

        Returns
        -------
        vector : list of float
            The same as for a document with this text.
        """
        return self.embed_documents([text])[0]

    def encode(
        self,
        sentences: Any,
        batch_size: int = 32,  # noqa: ARG002
        *,
        convert_to_tensor: bool = False,
        normalize_embeddings: bool = False,
        **kwargs: Any,  # noqa: ARG002
    ) -> Any:
        """Return the codes of texts as a dense array, as sentence-transformers does.

        Parameters
        ----------
        sentences : str, iterable of str, or iterable of dict
            One text or several; or batches as MTEB passes them, each a dict with a list of texts
            as ``"text"``.
        batch_size : int, default=32
            Ignored: memory is bounded without it.
        convert_to_tensor : bool, default=False
            Whether to return a torch tensor.
        normalize_embeddings : bool, default=False
            Whether rows get unit length; empty ones stay zeros.
        **kwargs
            Ignored: other options of sentence-transformers (``show_progress_bar``, ``device``,
            ...) and MTEB (``task_metadata``, ...).

        Returns
        -------
        vectors : ndarray, (n_texts, n_cells), or (n_cells,) for one text

        Examples
        --------
        >>> from skfly import FlyHashVectorizer
        >>> texts = ["ripe fruit smells sweet", "the bank lends money"] * 50
        >>> fly = FlyHashVectorizer(n_kenyon_cells=8, hash_length=2, random_state=0).fit(texts)
        >>> fly.encode(["sweet fruit", "money"]).shape, fly.encode("money").shape
        ((2, 8), (8,))
        """
        is_single = isinstance(sentences, str)
        vectors = self.as_dense([sentences] if is_single else _texts_of(sentences))
        if normalize_embeddings:
            lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
            vectors = vectors / np.maximum(lengths, np.finfo(vectors.dtype).tiny)
        found = vectors[0] if is_single else vectors
        if not convert_to_tensor:
            return found
        import torch  # type: ignore[import-not-found, unused-ignore]  # whoever asks has it

        return torch.from_numpy(found)

    def to_sentence_transformer(self) -> Any:
        """Return a sentence-transformers model with the codes of the words.

        It holds a ``StaticEmbedding``: the vector of a text is the mean of the codes of its words,
        unknown ones included as zeros, and points where ``document_codes="counts"`` does. It is
        saved, loaded and shared by their library and needs no skfly. It splits text by the default
        ``token_pattern`` only; words with combining marks may be split at other places.

        Returns
        -------
        model : sentence_transformers.SentenceTransformer
            Of dense float32, (n_words + 1, n_cells): 200 MB for 50,000 words and 1,000 cells.
        """
        return _sentence_transformer(self.model_)

    def as_dense(self, raw_documents: Any) -> NDArray[Any]:
        """Return the codes of documents as a dense array.

        Parameters
        ----------
        raw_documents : iterable or EncodedCorpus

        Returns
        -------
        codes : ndarray, (n_documents, n_cells)
            Of float32, unless ``dtype`` is another type of floats. Column ``m`` is cell ``m``.
        """
        codes: NDArray[Any] = self.as_sparse(raw_documents).toarray()
        return codes if codes.dtype.kind == "f" else codes.astype(np.float32)

    def as_sparse(self, raw_documents: Any) -> sparse.csr_array:
        """Return the codes of documents as a sparse array, regardless of ``sparse_output``.

        Parameters
        ----------
        raw_documents : iterable or EncodedCorpus

        Returns
        -------
        codes : sparse array in CSR format, (n_documents, n_cells)
            Column ``m`` is cell ``m``; the columns of each row are in order.
        """
        model: FlyModel = self.model_
        return model.documents(raw_documents)

    def as_packed(self, raw_documents: Any, *, bit_order: str = "little") -> NDArray[np.uint8]:
        """Return the binary codes of documents as packed bits, 8 cells per byte.

        Parameters
        ----------
        raw_documents : iterable or EncodedCorpus
        bit_order : {"little", "big"}, default="little"
            ``"little"``: cell ``m`` is bit ``m % 8`` of byte ``m // 8``, counted from the least
            significant one, as everywhere in skfly, in faiss and in usearch. ``"big"``: counted
            from the most significant one, as PostgreSQL's and DuckDB's strings of bits are
            written. Overlaps and Hamming distances are the same in both.

        Returns
        -------
        packed : ndarray of uint8, (n_documents, ceil(n_cells / 8))
            Bits beyond the last cell are 0. An empty document has zeros only.

        Examples
        --------
        >>> from skfly import FlyHashVectorizer
        >>> texts = ["ripe fruit smells sweet", "the bank lends money"] * 50
        >>> fly = FlyHashVectorizer(n_kenyon_cells=12, hash_length=2, random_state=0).fit(texts)
        >>> fly.as_packed(["sweet fruit", "unknown"]).shape
        (2, 2)
        """
        if bit_order not in ("little", "big"):
            raise ValueError(f"bit_order must be 'little' or 'big'; got {bit_order!r}")
        model: FlyModel = self.model_
        if model.settings.document_codes != "binary":
            model = model.with_(document_codes="binary")
        packed = pack_codes(model.documents(raw_documents))
        if bit_order == "little":
            return packed
        bits = np.unpackbits(packed, axis=1, bitorder="little")
        return np.packbits(bits, axis=1, bitorder="big")

    def cell_feature_names(self, n_words: int = 3) -> NDArray[Any]:
        """Return names of the columns of ``transform`` that say what each cell stands for.

        ``feature_names="words"`` makes them those of :meth:`get_feature_names_out`.

        Parameters
        ----------
        n_words : int, default=3

        Returns
        -------
        names : ndarray of str objects, (n_cells,)
            The number of the cell and its words, as in ``"cell_17_river_bank_water"``. Of letters,
            digits and underscores only, as some tools ask for.

        Examples
        --------
        >>> from skfly import FlyHashVectorizer
        >>> texts = ["ripe fruit smells sweet", "the bank lends money"] * 50
        >>> fly = FlyHashVectorizer(n_kenyon_cells=8, hash_length=2, random_state=0).fit(texts)
        >>> names = fly.cell_feature_names(n_words=1)
        >>> len(set(names)), all(name.startswith("cell_") for name in names)
        (8, True)
        """
        names = self.model_.cell_names(n_words, of="documents")
        found = [
            re.sub(r"\W+", "_", "_".join(["cell", str(i), *words]))
            for i, words in enumerate(names)
        ]
        return np.array(found, dtype=object)


def _texts_of(sentences: Any) -> Any:
    """Return texts, unpacked from the batches that MTEB passes."""
    if isinstance(sentences, dict):
        sentences = [sentences]
    elif not isinstance(sentences, list):
        sentences = list(sentences)
    if not sentences or not isinstance(sentences[0], dict):
        return sentences
    return [text for batch in sentences for text in batch["text"]]


def _sentence_transformer(model: FlyModel) -> Any:
    """Return a ``SentenceTransformer`` with one ``StaticEmbedding``."""
    static = _import_transformers("sentence_transformers.models")
    tokenizers = import_at_least("tokenizers", "tokenizers", "0.20", "to_sentence_transformer")
    text = model.settings.text
    needed = _NEEDED_PARAMS | dict.fromkeys(
        ("preprocessor", "tokenizer", "strip_accents", "phrases")
    )
    for name, value in needed.items():
        if str(text.get(name, value)) != str(value):
            raise ValueError(
                f"to_sentence_transformer needs {name}={value!r}; got {text[name]!r}: the "
                "tokenizers of sentence-transformers cannot do this"
            )
    ids = {word: i for i, word in enumerate(model.vocabulary.words)}
    unknown = "[UNK]"  # no word of ours has brackets, which the pattern leaves out
    words = tokenizers.models.WordLevel(ids | {unknown: len(ids)}, unk_token=unknown)
    tokenizer = tokenizers.Tokenizer(words)
    tokenizer.normalizer = tokenizers.normalizers.Lowercase()
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Split(
        tokenizers.Regex(_WORD_PATTERN), behavior="removed", invert=True
    )
    codes = model.word_codes().toarray().astype(np.float32)
    weights = np.vstack([codes, np.zeros((1, model.n_cells), np.float32)])
    embedding = static.StaticEmbedding(tokenizer, embedding_weights=weights)
    return _import_transformers("sentence_transformers").SentenceTransformer(
        modules=[embedding], device="cpu"
    )


def _import_transformers(module: str) -> Any:
    return import_at_least(
        module, "sentence-transformers", _OLDEST_TRANSFORMERS, "to_sentence_transformer"
    )
