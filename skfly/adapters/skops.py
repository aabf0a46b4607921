"""The types that skops and MLflow must trust to load a ``FlyHashVectorizer``.

``skops.io.load(path, trusted=TRUSTED_TYPES)``, and ``mlflow.sklearn.save_model(pipeline, path,
skops_trusted_types=TRUSTED_TYPES)``. The types run nothing when they are loaded, but their arrays
are not checked: open untrusted files with ``FlyHashVectorizer.load``, which checks them.
"""

from __future__ import annotations

__all__ = ["TRUSTED_TYPES"]

TRUSTED_TYPES = [
    "skfly.fit._fit.Fitted",
    "skfly.fit._fit.History",
    "skfly.model._documents.DocumentCoder",
    "skfly.model._factored.FactoredCoder",
    "skfly.model._factors.Factors",
    "skfly.model._factors.PackedRows",
    "skfly.model._layout.CellLayout",
    "skfly.model._model.FlyModel",
    "skfly.model._model.ModelSettings",
    "skfly.model._model.Provenance",
    "skfly.model._ordered.PhaseCoder",
    "skfly.model._synapses.SynapseCoder",
    "skfly.model._whitened.WhitenedCoder",
    "skfly.rules._base.Learned",
    "skfly.rules._documents.DocumentCounts",
    "skfly.rules._documents.LearnedDocuments",
    "skfly.rules._windows.WindowSettings",
    "skfly.rules.whiten.WhitenSettings",
    "skfly.text._vocabulary.Vocabulary",
    "skfly.vectorizer.FlyHashVectorizer",
]
"""All types of skfly in a fitted estimator; skops trusts the others by default."""
