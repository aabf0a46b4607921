"""Open compressed files, within limits of memory."""

from __future__ import annotations

import bz2
import io
import lzma
import os
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

from skfly._files import import_optional

_CHUNK = 1 << 10  # 4 bytes may stand for 128 kB
_BUFFER = 1 << 18
_MOST = 64  # MiB that decompressing may look back on; "xz -9" looks back on as many
_TOO_MUCH = ("Frame requires too much memory", "Memory usage limit")


def open_file(path: str | os.PathLike[str], mode: str = "rb", **text: Any) -> IO[Any]:
    """Open a file, compressed or not, for reading as bytes (``"rb"``) or text (``"rt"``).

    Reading raises ``OSError`` if a compressed file is damaged or takes too much memory, and
    ``EOFError`` if it is truncated.
    """
    suffix = Path(path).suffix
    if suffix not in (".bz2", ".gz", ".xz", ".zst"):
        return open(path, mode, **text)
    data = io.BufferedReader(_Compressed(path, _decompressor(suffix)), _BUFFER)
    return io.TextIOWrapper(data, **text) if mode == "rt" else data


def _decompressor(suffix: str) -> Callable[[], Any]:
    """Return a function that creates a decompressor of one frame."""
    if suffix == ".bz2":
        return bz2.BZ2Decompressor
    if suffix == ".gz":
        return lambda: zlib.decompressobj(16 + zlib.MAX_WBITS)
    if suffix == ".xz":
        return lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ, (_MOST + 1) << 20)
    zstandard = import_optional("zstandard", "zstd", "reading .zst files")
    return lambda: zstandard.ZstdDecompressor(max_window_size=_MOST << 20).decompressobj()


class _Compressed(io.RawIOBase):
    """Read a compressed file of one or more frames.

    The usual readers have no limit of memory, and that of zstandard does not notice truncated
    files.
    """

    def __init__(self, path: str | os.PathLike[str], begin: Callable[[], Any]) -> None:
        self._file = open(path, "rb")  # noqa: SIM115
        self._begin = begin
        self._frame = begin()
        self._rest = b""  # read and not yet decompressed
        self._ready = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._ready:
            data = self._rest or self._file.read(_CHUNK)
            if not data:
                if self._frame is not None:
                    raise EOFError("the file ended before the end of its compressed data")
                return 0
            self._rest = b""
            if self._frame is None:
                data = data.lstrip(b"\0")  # there may be padding
                if not data:
                    continue
                self._frame = self._begin()
            self._ready = memoryview(self._decompress(data))
            if self._frame.eof:
                self._rest, self._frame = self._frame.unused_data, None
        n = min(len(buffer), len(self._ready))
        buffer[:n] = self._ready[:n]
        self._ready = self._ready[n:]
        return n

    def _decompress(self, data: bytes) -> bytes:
        try:
            decompressed: bytes = self._frame.decompress(data)
        except MemoryError:
            raise
        except Exception as error:  # zstandard, which has its own, may not be installed
            if any(words in str(error) for words in _TOO_MUCH):
                raise OSError(
                    f"decompressing it takes more than {_MOST} MB of memory: if you trust the "
                    "file, decompress it with another program first"
                ) from error
            raise OSError(f"not compressed as its name says, or damaged: {error}") from error
        return decompressed

    def close(self) -> None:
        if not self.closed:
            self._file.close()
        super().close()
