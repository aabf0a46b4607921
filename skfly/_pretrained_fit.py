"""``fit`` of an estimator that starts from a pretrained model."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from skfly._messages import Progress
from skfly._pretrained import find_model
from skfly.engine import choose_engine
from skfly.fit import fit_documents, least_count
from skfly.model import DocumentCoder, FlyModel, ModelSettings
from skfly.rules import adapt_words, spread_weights
from skfly.text import EncodedCorpus, TextAnalyzer, Vocabulary

if TYPE_CHECKING:
    from skfly.vectorizer import FlyHashVectorizer


def _base_of(fly: FlyHashVectorizer) -> FlyModel:
    assert fly.pretrained is not None
    return FlyModel.load(find_model(fly.pretrained, hub=True), mmap=True)


def use_pretrained(fly: FlyHashVectorizer) -> None:
    """Take the model as it is."""
    base = _base_of(fly)
    _take(fly, base, base.vocabulary, base.coder, base.document_coder)


def read_to_adapt(
    fly: FlyHashVectorizer, raw_documents: Any
) -> AbstractContextManager[EncodedCorpus]:
    base = _base_of(fly)
    params = fly._model_params(base.settings.text.get("phrases"))
    analyzer = TextAnalyzer(**params["text"])
    known = None if fly.adapt == "words" else base.vocabulary
    return fly._read(raw_documents, known, analyzer)


def adapt_to(fly: FlyHashVectorizer, corpus: EncodedCorpus) -> None:
    """Adapt the model to a text, as ``adapt`` says."""
    base = _base_of(fly)
    vocabulary, coder, document_coder = base.vocabulary, base.coder, None
    min_count = least_count(corpus.n_words, fly.min_count)
    if fly.adapt == "words":
        found, _ = fly._candidates(corpus)
        vocabulary = vocabulary.extended(found, fly.max_features, min_count)
    id_map = vocabulary.encode(corpus.vocabulary.words)
    if fly.adapt == "words":
        coder = adapt_words(coder, corpus, id_map, base.n_words, len(vocabulary))
    if fly.document_cells == "auto":
        shape = (2 * len(vocabulary), base.n_cells)
        documents = fit_documents(
            corpus,
            id_map,
            len(vocabulary),
            base.n_cells,
            n_tokens=corpus.n_words,
            engine=choose_engine(fly.backend, fly.n_jobs, shape)[0],
            seed=fly._seed(resumes=False),
            progress=Progress(bool(fly.verbose)),
        )
        if documents is not None:
            having = documents.counts.documents[:-1]
            document_coder = spread_weights(documents.coder, coder, having)
    _take(fly, base, vocabulary, coder, document_coder)
    fly.min_count_ = min_count


def _take(
    fly: FlyHashVectorizer,
    base: FlyModel,
    vocabulary: Vocabulary,
    coder: Any,
    document_coder: DocumentCoder | None,
) -> None:
    """Become fitted, in one step."""
    phrases = base.settings.text.get("phrases")
    params = fly._model_params(phrases)
    model = replace(
        base,
        vocabulary=vocabulary,
        coder=coder,
        settings=ModelSettings(**params),
        document_coder=document_coder,
    )
    base._check()  # the file is read as a whole, once
    fly.__dict__.update(_model=model, _current=(params, model), _training=None, _phrases=phrases)


def why_not_continued(fly: FlyHashVectorizer) -> str:
    if fly.pretrained is not None:
        return (
            f"this model began with pretrained={fly.pretrained!r}: partial_fit cannot "
            "continue from it; call fit with all of the text"
        )
    kind = "is compact" if fly._model.is_compact else "was saved as a FlyModel"
    return (
        f"this model has no learning state (it {kind}): partial_fit cannot continue from it; "
        "fit learns a new one"
    )
