"""The model file: safetensors with arrays, and JSON in its metadata. Nothing is executed.

The metadata has one key, ``"skfly"`` (one, because safetensors orders several at random and the
same model should give the same bytes). Its JSON holds ``version``, ``content``, everything that is
not an array, and ``checksums``: the CRC-32 of each array with its type and shape, and under ``""``
that of version and content. A reader rejects foreign, newer, truncated and
damaged files, and checks the size of a header before parsing it.
"""

from __future__ import annotations

import json
import logging
import os
import re
import stat
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skfly._files import replace_file

_LOG = logging.getLogger("skfly")
FORMAT = "skfly"
PLAIN_VERSION = 3
COMPACT_VERSION = 4  # arrays of two numbers a byte, and factors
DEFLATED_VERSION = 6  # what learning continues from in fewer bytes; 5 has fewer types of arrays
FORMAT_VERSION = DEFLATED_VERSION
_CHECKSUMS_SINCE = 3
_ROOM = 99_000_000  # safetensors reads and writes a little more beside the arrays
_WRITE_BUFFER = 1 << 21  # that safetensors writes through, with room to spare
_LONGEST_HEADER = 100_000_000
_LONGEST_LAYOUT = 1 << 17  # bytes of a header that are in no string: some thousand arrays
_MOST_VALUES = 1_000_000  # in the description, beside one for each byte of the arrays
# linear in the length of any text: a string without an end goes to the end of the text
_PICKLE = re.compile(rb"\x80[\x02-\x05]")
_STRING = re.compile(rb'"[^"\\]*+(?:\\.?[^"\\]*+)*+(?:"|\Z)', re.DOTALL)
_BEFORE_VALUES = (b",", b"[", b"{")
_CHECKED_AT_ONCE = 1 << 20  # bytes of an array of a mapped file
_DTYPES = {
    "F32": np.float32,
    "F64": np.float64,
    "I8": np.int8,
    "I16": np.int16,
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


class StoredArrays(dict[str, NDArray[Any]]):
    """The arrays of a file by name.

    Arrays of a mapped file may not have been read yet: :meth:`check` reads them.
    """

    def __init__(
        self, path: Path, arrays: Mapping[str, NDArray[Any]], checksums: Mapping[str, Any]
    ) -> None:
        super().__init__(arrays)
        self._path = path
        self._unchecked = dict(checksums)

    def check(self, largest: float = float("inf"), prefix: str = "") -> None:
        """Compare the arrays of at most ``largest`` bytes with their checksums, each once.

        Only those whose names begin with ``prefix``.
        """
        for name, expected in list(self._unchecked.items()):
            if name.startswith(prefix) and self[name].nbytes <= largest:
                if _checksum(self[name]) != expected:
                    raise ModelFileError(
                        f"{self._path} is damaged: {name!r} does not match its checksum"
                    )
                self._unchecked.pop(name, None)  # another thread may have done it


def write_model_file(
    path: str | os.PathLike[str],
    arrays: Mapping[str, NDArray[Any]],
    content: Mapping[str, Any],
    version: int = PLAIN_VERSION,
) -> None:
    """Write a model file in one step; see :func:`skfly._files.replace_file`.

    ``version`` is the oldest format that has all that it holds, so that older readers read it
    if they can and say so if they cannot.
    """
    from safetensors import SafetensorError
    from safetensors.numpy import save_file

    contiguous = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    text = json.dumps(content)
    if (length := len(json.dumps(text))) > _ROOM:
        raise ValueError(
            f"the words take {length:,} bytes, and a model file has room for {_ROOM:,}: learn "
            "fewer (max_features, min_count) or shorter ones"
        )
    as_read = json.loads(text)
    checksums = {name: _checksum(contiguous[name]) for name in sorted(contiguous)}
    checksums[""] = _content_checksum(version, as_read)
    described = json.dumps({"version": version, "content": as_read, "checksums": checksums})
    # safetensors ends the process if it gets no memory for its copies: try to get as much first
    bytearray(_WRITE_BUFFER + 4 * len(described))
    with replace_file(path) as place:
        try:
            save_file(contiguous, place, metadata={FORMAT: described})
        except SafetensorError as error:
            raise _as_os_error(error, path) from error


def _as_os_error(error: Exception, path: str | os.PathLike[str]) -> OSError:
    """Return what the operating system said when safetensors could not write."""
    code = re.search(r"code: (\d+)|os error (\d+)", str(error))
    if code is None:
        return OSError(f"cannot write {os.fspath(path)}: {error}")
    number = int(code[1] or code[2])
    return OSError(number, os.strerror(number), os.fspath(path))


def read_model_file(
    path: str | os.PathLike[str], *, mmap: bool = False
) -> tuple[StoredArrays, dict[str, Any]]:
    """Return the arrays and the content of a model file.

    Parameters
    ----------
    path : path-like
    mmap : bool
        Whether the arrays are read-only maps of the file instead of copies. Processes that map
        the same file share its memory. Large arrays are then not compared with their checksums
        before ``arrays.check()`` is called.
    """
    path = Path(path)
    while True:
        before = _identity(path)
        try:
            found = _read(path, mmap)
        except ModelFileError:
            if _identity(path) == before:
                raise
        else:
            if _identity(path) == before:
                return found


def _identity(path: Path) -> tuple[int, ...]:
    """Return a file's identity, which shows whether another has replaced it since."""
    status = path.stat()
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


def _read(path: Path, mmap: bool) -> tuple[StoredArrays, dict[str, Any]]:
    from safetensors import SafetensorError, safe_open

    n_bytes = _check_size(path)
    try:
        with safe_open(path, framework="numpy") as file:
            content, checksums = _read_description(path, file.metadata() or {}, n_bytes)
            for name in list(file.keys()):
                if (dtype := file.get_slice(name).get_dtype()) not in _DTYPES:
                    raise ModelFileError(f"{path} holds {name!r} of unknown type {dtype}")
    except SafetensorError as error:
        raise ModelFileError(
            f"{path} is not a model file of skfly, or is cut short ({error})"
        ) from error
    try:
        found = _read_arrays(path, mmap)
    except DAMAGE as error:
        raise ModelFileError(f"{path} is damaged: {error}") from error
    if checksums and checksums.keys() != found.keys():
        raise ModelFileError(f"{path} is damaged: its arrays are not those that it lists")
    arrays = StoredArrays(path, found, checksums)
    arrays.check(_CHECKED_AT_ONCE if mmap else float("inf"))
    return arrays, content


def _check_size(path: Path) -> int:
    """Reject a file that takes too much memory to parse; return the bytes of its arrays.

    A header may take a hundred times its size in memory when it is parsed.
    """
    status = path.stat()
    if stat.S_ISDIR(status.st_mode):
        raise ModelFileError(f"{path} is a directory, not a model file")
    if not stat.S_ISREG(status.st_mode):
        raise ModelFileError(f"{path} is a pipe or a device, not a model file")
    with open(path, "rb") as file:
        start = file.read(8)
        length = int.from_bytes(start, "little")
        header = file.read(length) if length <= _LONGEST_HEADER else b""
    n_bytes = status.st_size - 8 - length
    if n_bytes < 0 or len(header) < length:
        if _PICKLE.match(start):
            raise ModelFileError(
                f"{path} is not a model file of skfly but a pickle: open it with the package that "
                "wrote it; FlyKeyedVectors.from_dense then takes vectors of gensim"
            )
        raise ModelFileError(f"{path} is not a model file of skfly, or is cut short")
    if _layout_length(header) > _LONGEST_LAYOUT:
        raise ModelFileError(f"{path} is not a model file of skfly: it has too many arrays")
    return n_bytes


def _between_strings(text: bytes) -> Iterator[bytes]:
    """Yield the parts of JSON that are not in a string, one by one: together they may be large."""
    end = 0
    for found in _STRING.finditer(text):
        yield text[end : found.start()]
        end = found.end()
    yield text[end:]


def _layout_length(header: bytes) -> int:
    """Return how many bytes are in no string, and one for each string; it stops at the limit."""
    n_bytes = 0
    for part in _between_strings(header):
        n_bytes += len(part) + 1
        if n_bytes > _LONGEST_LAYOUT:
            break
    return n_bytes


def _has_more_values(text: bytes, most: int) -> bool:
    """Return whether JSON has more values than ``most``, without parsing it."""
    if sum(map(text.count, _BEFORE_VALUES)) <= most:  # those in strings too
        return False
    n_values = 0
    for part in _between_strings(text):
        n_values += sum(map(part.count, _BEFORE_VALUES))
        if n_values > most:
            return True
    return False


def _read_description(
    path: Path, metadata: Mapping[str, str], n_bytes: int
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the content and the checksums of the arrays (none in older files)."""
    if FORMAT not in metadata:
        raise ModelFileError(f"{path} is a safetensors file, but not a model of skfly")
    text = metadata[FORMAT]
    if _has_more_values(text.encode("utf-8", "surrogatepass"), _MOST_VALUES + n_bytes):
        raise ModelFileError(f"{path} is damaged: its description is too long for its arrays")
    try:
        described = json.loads(text)
        version, content = described["version"], described["content"]
        checksums = dict(described.get("checksums", {}))
    except (AttributeError, KeyError, RecursionError, TypeError, ValueError) as error:
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
    if version >= _CHECKSUMS_SINCE or checksums:
        if checksums.pop("", None) != _content_checksum(version, content):
            raise ModelFileError(f"{path} is damaged: its description does not match its checksum")
    else:
        _LOG.info(
            "%s is of an older version and has no checksums: save it again to add them", path
        )
    return content, checksums


def _checksum(array: NDArray[Any]) -> int:
    form = zlib.crc32(f"{array.dtype.name} {array.shape}".encode())
    return zlib.crc32(array.reshape(-1).view(np.uint8).data, form)


def _content_checksum(version: int, content: Mapping[str, Any]) -> int:
    return zlib.crc32(json.dumps([version, content], sort_keys=True).encode())


def _read_arrays(path: Path, mmap: bool) -> dict[str, NDArray[Any]]:
    """Map or copy the arrays of a file that safetensors has found to be sound.

    safetensors would copy them too, but panics where there is no memory for one.
    """
    # not as np.memmap, which skops cannot read back
    whole = np.memmap(path, dtype=np.uint8, mode="r").view(np.ndarray)
    length = int(whole[:8].view("<u8")[0])
    header = json.loads(whole[8 : 8 + length].tobytes())
    arrays: dict[str, NDArray[Any]] = {}
    for name, entry in header.items():
        if name == "__metadata__":
            continue
        start, stop = (8 + length + place for place in entry["data_offsets"])
        array = whole[start:stop].view(_DTYPES[entry["dtype"]]).reshape(entry["shape"])
        # kernels take what is aligned, as all is that we write
        arrays[name] = array if mmap and array.flags.aligned else array.copy()
    return arrays


def under(prefix: str, arrays: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """Return the arrays whose names begin with a prefix, without it."""
    return {n.removeprefix(prefix): a for n, a in arrays.items() if n.startswith(prefix)}


def number_type(name: Any, more: str = "") -> np.dtype[Any]:
    """Return the type of numbers that a file names, or one of a kind in ``more``."""
    dtype = np.dtype(name) if isinstance(name, str) else None
    if dtype is None or dtype.kind not in "biuf" + more:
        raise ValueError(f"dtype {name!r:.30} is not numeric")
    return dtype
