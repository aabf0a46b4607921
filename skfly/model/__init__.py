"""What was learned: one frozen object that turns words, contexts and documents into codes."""

from skfly.model._cells import KenyonCell
from skfly.model._coder import Active, Coder
from skfly.model._file import ModelFile, plain_value, read_model, write_model
from skfly.model._matrix import codes_to_csr, spread_rows
from skfly.model._model import FlyModel, ModelSettings, Provenance
from skfly.model._synapses import SynapseCoder, evidence, keep_probabilities

__all__ = [
    "Active",
    "Coder",
    "FlyModel",
    "KenyonCell",
    "ModelFile",
    "ModelSettings",
    "Provenance",
    "SynapseCoder",
    "codes_to_csr",
    "evidence",
    "keep_probabilities",
    "plain_value",
    "read_model",
    "spread_rows",
    "write_model",
]
