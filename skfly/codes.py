"""Binary codes: pack them, compare them, and find the nearest."""

from skfly.index import nearest, overlap, pack_codes, similarity, unpack_codes

__all__ = ["nearest", "overlap", "pack_codes", "similarity", "unpack_codes"]
