"""Binary codes: as sparse matrices, packed bits, and how similar they are."""

from skfly.codes._cells import KenyonCell, describe_cell
from skfly.codes._hashing import Hasher, consensus_scores
from skfly.codes._lateral import LATERAL_STEPS, evidence, learn_lateral
from skfly.codes._matrix import codes_to_csr, pack_codes, spread_rows, unpack_codes
from skfly.codes._similarity import nearest, overlap, similarity
from skfly.codes._spelling import alike_in_spelling

__all__ = [
    "LATERAL_STEPS",
    "Hasher",
    "KenyonCell",
    "alike_in_spelling",
    "codes_to_csr",
    "consensus_scores",
    "describe_cell",
    "evidence",
    "learn_lateral",
    "nearest",
    "overlap",
    "pack_codes",
    "similarity",
    "spread_rows",
    "unpack_codes",
]
