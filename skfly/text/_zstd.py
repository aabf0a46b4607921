"""Files compressed with Zstandard."""

from __future__ import annotations

import io
import os
from typing import IO, Any

from skfly._files import import_optional

_CHUNK = 1 << 18


def open_zstd(
    path: str | os.PathLike[str],
    mode: str = "rb",
    encoding: str | None = None,
    errors: str | None = None,
) -> IO[Any]:
    """Open a file for reading as bytes (``"rb"``) or text (``"rt"``)."""
    zstandard = import_optional("zstandard", "zstd", f"reading {os.fspath(path)}")
    data = io.BufferedReader(_ZstdFile(open(path, "rb"), zstandard), _CHUNK)  # noqa: SIM115
    return io.TextIOWrapper(data, encoding=encoding, errors=errors) if mode == "rt" else data


class _ZstdFile(io.RawIOBase):
    """Read a compressed file of one or more frames.

    The zstandard package's own reader does not notice truncated files.
    """

    def __init__(self, file: IO[bytes], zstandard: Any) -> None:
        self._file = file
        self._zstd = zstandard
        self._frame: Any = None
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
            if self._frame is None:
                self._frame = self._zstd.ZstdDecompressor().decompressobj()
            try:
                self._ready = memoryview(self._frame.decompress(data))
            except self._zstd.ZstdError as error:
                raise OSError(f"not a Zstandard file, or damaged: {error}") from error
            self._rest = b""
            if self._frame.eof:
                self._rest, self._frame = self._frame.unused_data, None
        n = min(len(buffer), len(self._ready))
        buffer[:n] = self._ready[:n]
        self._ready = self._ready[n:]
        return n

    def close(self) -> None:
        if not self.closed:
            self._file.close()
        super().close()
