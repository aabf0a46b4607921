"""Trained models: one immutable object that turns words, contexts and documents into codes."""

from skfly.model._active import Active, codes_to_csr, spread_rows, stack, top_of_scores
from skfly.model._cells import KenyonCell
from skfly.model._coder import Coder
from skfly.model._documents import DocumentCoder, tfidf
from skfly.model._factors import Factors
from skfly.model._file import (
    ModelFile,
    describe_model,
    plain_value,
    read_model,
    restore_model,
    write_model,
)
from skfly.model._layout import CellLayout
from skfly.model._model import FlyModel, ModelSettings, Provenance
from skfly.model._names import is_stop_word, name_regions
from skfly.model._ordered import PhaseCoder, phase_responses
from skfly.model._spelling import spelled_alike
from skfly.model._synapses import SynapseCoder, evidence, keep_probabilities
from skfly.model._whitened import WhitenedCoder

__all__ = [
    "Active",
    "CellLayout",
    "Coder",
    "DocumentCoder",
    "Factors",
    "FlyModel",
    "KenyonCell",
    "ModelFile",
    "ModelSettings",
    "PhaseCoder",
    "Provenance",
    "SynapseCoder",
    "WhitenedCoder",
    "codes_to_csr",
    "describe_model",
    "evidence",
    "is_stop_word",
    "keep_probabilities",
    "name_regions",
    "phase_responses",
    "plain_value",
    "read_model",
    "restore_model",
    "spelled_alike",
    "spread_rows",
    "stack",
    "tfidf",
    "top_of_scores",
    "write_model",
]
