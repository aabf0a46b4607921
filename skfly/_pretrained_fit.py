"""``fit`` of an estimator that begins with a pretrained model."""

from __future__ import annotations

import os
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Any

from skfly._messages import Progress
from skfly._pretrained import find_model
from skfly.engine import choose_engine
from skfly.fit import Fitted, fit_documents, least_count
from skfly.model import DocumentCoder, FlyModel, ModelSettings
from skfly.rules import adapt_words, spread_weights
from skfly.text import EncodedCorpus, TextAnalyzer, Vocabulary


class PretrainedMixin:
    """What :class:`~skfly.FlyHashVectorizer` does if ``pretrained`` is given."""

    pretrained: str | os.PathLike[str] | None
    adapt: str
    document_cells: str
    max_features: int | None
    min_count: int | str
    _candidates: Any
    backend: str
    n_jobs: int | None
    verbose: int
    _read: Any
    _model_params: Any
    _seed: Any
    _model: FlyModel
    _training: Fitted | None

    def _pretrained_model(self) -> FlyModel:
        assert self.pretrained is not None
        return FlyModel.load(find_model(self.pretrained, hub=True), mmap=True)

    def _use_pretrained(self) -> None:
        """Take the model as it is."""
        base = self._pretrained_model()
        self._take(base, base.vocabulary, base.coder, base.document_coder)

    def _read_to_adapt(self, raw_documents: Any) -> AbstractContextManager[EncodedCorpus]:
        base = self._pretrained_model()
        params = self._model_params(base.settings.text.get("phrases"))
        analyzer = TextAnalyzer(**params["text"])
        known = None if self.adapt == "words" else base.vocabulary
        found: AbstractContextManager[EncodedCorpus] = self._read(raw_documents, known, analyzer)
        return found

    def _adapt_to(self, corpus: EncodedCorpus) -> None:
        """Learn from a text what ``adapt`` says."""
        base = self._pretrained_model()
        progress = Progress(bool(self.verbose))
        vocabulary, coder = base.vocabulary, base.coder
        min_count = least_count(corpus.n_words, self.min_count)
        if self.adapt == "words":
            found, _ = self._candidates(corpus)
            n_before = len(vocabulary)
            vocabulary = vocabulary.extended(found, self.max_features, min_count)
            id_map = vocabulary.encode(corpus.vocabulary.words)
            coder = adapt_words(coder, corpus, id_map, n_before, len(vocabulary))
        else:
            id_map = vocabulary.encode(corpus.vocabulary.words)
        documents = None
        if self.document_cells == "auto":
            shape = (2 * len(vocabulary), base.n_cells)
            engine, _ = choose_engine(self.backend, self.n_jobs, shape)
            seed = self._seed(resumes=False)
            documents = fit_documents(
                corpus,
                id_map,
                len(vocabulary),
                base.n_cells,
                engine=engine,
                seed=seed,
                progress=progress,
            )
        document_coder = None
        if documents is not None:
            having = documents.counts.documents[:-1]
            document_coder = spread_weights(documents.coder, coder, having)
        self._take(base, vocabulary, coder, document_coder)
        self.min_count_ = min_count

    def _take(
        self,
        base: FlyModel,
        vocabulary: Vocabulary,
        coder: Any,
        document_coder: DocumentCoder | None,
    ) -> None:
        """Become fitted, in one step."""
        phrases = base.settings.text.get("phrases")
        params = self._model_params(phrases)
        model = replace(
            base,
            vocabulary=vocabulary,
            coder=coder,
            settings=ModelSettings(**params),
            document_coder=document_coder,
        )
        base._check()  # the file is read as a whole, once
        self.__dict__.update(
            _model=model, _current=(params, model), _training=None, _phrases=phrases
        )

    def _why_not_continued(self) -> str:
        if self.pretrained is not None:
            return (
                f"this model began with pretrained={self.pretrained!r}: partial_fit cannot "
                "continue from it; call fit with all of the text"
            )
        kind = "is compact" if self._model.is_compact else "was saved as a FlyModel"
        return (
            f"this model has no learning state (it {kind}): partial_fit cannot continue from it; "
            "fit learns a new one"
        )
