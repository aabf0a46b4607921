"""Binary codes: as sparse matrices, packed bits, and how similar they are."""

from skfly.codes._cells import KenyonCell, describe_cell
from skfly.codes._gpu_index import GpuIndex
from skfly.codes._hashing import Hasher, consensus_scores
from skfly.codes._inverted import InvertedIndex
from skfly.codes._lateral import LATERAL_STEPS, evidence, learn_lateral
from skfly.codes._matrix import codes_to_csr, pack_codes, spread_rows, unpack_codes
from skfly.codes._packed import (
    CodeStore,
    ListedCodes,
    PackedCodes,
    as_packed,
    count_bits,
    pack_rows,
    smallest,
    unpack_rows,
)
from skfly.codes._search import CodeSearch
from skfly.codes._similarity import MEASURES, check_measure, nearest, overlap, score, similarity
from skfly.codes._spelling import alike_in_spelling

__all__ = [
    "LATERAL_STEPS",
    "MEASURES",
    "CodeSearch",
    "CodeStore",
    "GpuIndex",
    "Hasher",
    "InvertedIndex",
    "KenyonCell",
    "ListedCodes",
    "PackedCodes",
    "alike_in_spelling",
    "as_packed",
    "check_measure",
    "codes_to_csr",
    "consensus_scores",
    "count_bits",
    "describe_cell",
    "evidence",
    "learn_lateral",
    "nearest",
    "overlap",
    "pack_codes",
    "pack_rows",
    "score",
    "similarity",
    "smallest",
    "spread_rows",
    "unpack_codes",
    "unpack_rows",
]
