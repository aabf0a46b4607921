"""The model file: safetensors with arrays, and JSON in its metadata. Nothing is executed.

The metadata has one key, ``"skfly"`` (one, because safetensors orders several at random and the
same model should give the same bytes). Its JSON holds ``version`` and ``content``, everything that
is not an array. A reader refuses what is not ours, newer than itself, or cut short.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skfly._files import replace_file

__all__ = ["DAMAGE", "ModelFileError", "number_type", "read_model_file", "write_model_file"]

FORMAT = "skfly"
FORMAT_VERSION = 2
_ROOM = 99_000_000  # safetensors reads and writes a little more beside the arrays
_DTYPES = {
    "F32": np.float32,
    "F64": np.float64,
    "I32": np.int32,
    "I64": np.int64,
    "U8": np.uint8,
    "U16": np.uint16,
    "U32": np.uint32,
    "U64": np.uint64,
}


DAMAGE = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, re.error)
"""What content that does not fit may raise where it is taken for what it should be."""


class ModelFileError(ValueError):
    """A file is not a model that this version of skfly can read."""


def write_model_file(
    path: str | os.PathLike[str],
    arrays: Mapping[str, NDArray[Any]],
    content: Mapping[str, Any],
) -> None:
    """Write a model file in one step; see :func:`skfly._files.replace_file`."""
    from safetensors.numpy import save_file

    described = json.dumps({"version": FORMAT_VERSION, "content": content})
    if (length := len(json.dumps(described))) > _ROOM:
        raise ValueError(
            f"the words take {length:,} bytes, and a model file has room for {_ROOM:,}: learn "
            "fewer (max_features, min_count) or shorter ones"
        )
    contiguous = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    with replace_file(path) as place:
        save_file(contiguous, place, metadata={FORMAT: described})


def read_model_file(
    path: str | os.PathLike[str], *, mmap: bool = False
) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """Return the arrays and the content of a model file.

    Parameters
    ----------
    path : path-like
    mmap : bool
        Whether the arrays are read-only maps of the file instead of copies. Processes that map
        the same file share its memory.
    """
    from safetensors import SafetensorError, safe_open

    path = Path(path)
    if path.is_dir():
        raise ModelFileError(f"{path} is a directory, not a model file")
    try:
        with safe_open(path, framework="numpy") as file:
            content = _read_content(path, file.metadata() or {})
            names = list(file.keys())
            for name in names:
                if (dtype := file.get_slice(name).get_dtype()) not in _DTYPES:
                    raise ModelFileError(f"{path} holds {name!r} of unknown type {dtype}")
            arrays = {} if mmap else {name: file.get_tensor(name) for name in names}
    except SafetensorError as error:
        raise ModelFileError(
            f"{path} is not a model file of skfly, or is cut short ({error})"
        ) from error
    if mmap:
        try:
            arrays = _map_arrays(path)
        except DAMAGE as error:
            raise ModelFileError(f"{path} is damaged: {error}") from error
    return arrays, content


def _read_content(path: Path, metadata: Mapping[str, str]) -> dict[str, Any]:
    if FORMAT not in metadata:
        raise ModelFileError(f"{path} is a safetensors file, but not a model of skfly")
    try:
        described = json.loads(metadata[FORMAT])
        version, content = described["version"], described["content"]
    except (KeyError, RecursionError, TypeError, ValueError) as error:
        raise ModelFileError(f"{path} is damaged: its description cannot be read") from error
    if not isinstance(version, int) or version < 1:
        raise ModelFileError(f"{path} is damaged: its version is {version!r:.30}")
    if version > FORMAT_VERSION:
        raise ModelFileError(
            f"{path} has model format {version!r:.30}, written by a newer skfly; this one reads "
            f"up to {FORMAT_VERSION}: upgrade with 'pip install -U skfly'"
        )
    if not isinstance(content, dict):
        raise ModelFileError(f"{path} is damaged: its content is not a table")
    return content


def _map_arrays(path: Path) -> dict[str, NDArray[Any]]:
    """Map the arrays of a file that safetensors has found to be sound."""
    whole = np.memmap(path, dtype=np.uint8, mode="r")
    length = int(whole[:8].view("<u8")[0])
    header = json.loads(whole[8 : 8 + length].tobytes())
    arrays: dict[str, NDArray[Any]] = {}
    for name, entry in header.items():
        if name == "__metadata__":
            continue
        start, stop = (8 + length + place for place in entry["data_offsets"])
        array = whole[start:stop].view(_DTYPES[entry["dtype"]]).reshape(entry["shape"])
        # kernels take what is aligned, as all is that we write
        arrays[name] = array if array.flags.aligned else array.copy()
    return arrays


def number_type(name: Any, more: str = "") -> np.dtype[Any]:
    """Return the type of numbers that a file names, or one of a kind in ``more``."""
    dtype = np.dtype(name) if isinstance(name, str) else None
    if dtype is None or dtype.kind not in "biuf" + more:
        raise ValueError(f"dtype {name!r:.30} is no type of numbers")
    return dtype
