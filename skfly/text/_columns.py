"""Read documents from a column of a table on disk."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from skfly._files import import_optional
from skfly.text._sources import files_in

TABLE_SUFFIXES = (".parquet", ".arrow", ".feather")
_ROWS_AT_A_TIME = 4096


class TextColumn:
    """Iterate over a text column of Parquet or Arrow files, a few rows in memory at a time.

    Needs pyarrow: ``pip install "skfly[arrow]"``.

    Parameters
    ----------
    path : path-like
        A file that ends in ``.parquet``, ``.arrow`` or ``.feather``, or a directory, whose files
        of these types are read in order of their names.
    column : str or None, default=None
        Name of the column. May be ``None`` if only one column holds text.

    Examples
    --------
    ::

        FlyHashVectorizer().fit(TextColumn("reviews.parquet", "body"))
    """

    def __init__(self, path: str | os.PathLike[str], column: str | None = None) -> None:
        self.path = os.fspath(path)
        self.column = column

    @property
    def files(self) -> list[str]:
        """The files, in the order they are read."""
        return files_in(self.path, TABLE_SUFFIXES)

    def __iter__(self) -> Iterator[str]:
        arrow = import_optional("pyarrow", "arrow", "reading Parquet and Arrow files")
        for file in self.files:
            try:
                for values in self._values(arrow, file):
                    values.validate(full=True)  # never trust the offsets in a file
                    yield from ("" if text is None else text for text in values.to_pylist())
            except (arrow.ArrowException, OSError) as error:
                if isinstance(error, MemoryError) or getattr(error, "errno", None) is not None:
                    raise
                raise ValueError(f"{file} is damaged or not a table: {error}") from error

    def _values(self, arrow: Any, file: str) -> Iterator[Any]:
        """Yield the column in batches of rows."""
        if Path(file).suffix == ".parquet":
            from pyarrow import parquet

            with parquet.ParquetFile(file) as table:
                name = self._choose(arrow, table.schema_arrow, file)
                for batch in table.iter_batches(_ROWS_AT_A_TIME, columns=[name]):
                    yield batch.column(0)
            return
        with arrow.memory_map(file) as source:
            if source.read(6) == b"ARROW1":
                source.seek(0)
                table = arrow.ipc.open_file(source)
                batches = map(table.get_batch, range(table.num_record_batches))
            else:
                source.seek(0)
                table = batches = arrow.ipc.open_stream(source)
            name = self._choose(arrow, table.schema, file)
            for batch in batches:
                for start in range(0, len(batch), _ROWS_AT_A_TIME):
                    yield batch.column(name).slice(start, _ROWS_AT_A_TIME)

    def _choose(self, arrow: Any, schema: Any, file: str) -> str:
        with_text = [field.name for field in schema if _is_text(arrow, field.type)]
        if self.column is None:
            if len(with_text) == 1:
                return str(with_text[0])
            raise ValueError(
                f"{file} has {len(with_text)} text columns ({', '.join(with_text)}); choose one "
                "with column= (or --column)"
            )
        if self.column not in schema.names:
            raise ValueError(
                f"{file} has no column {self.column!r}; it has {', '.join(schema.names)}"
            )
        if self.column not in with_text:
            kind = schema.field(self.column).type
            raise ValueError(f"column {self.column!r} of {file} holds {kind}, not text")
        return self.column

    def __repr__(self) -> str:
        return f"TextColumn({self.path!r}, {self.column!r})"


def _is_text(arrow: Any, kind: Any) -> bool:
    if arrow.types.is_dictionary(kind):
        kind = kind.value_type
    is_view = getattr(arrow.types, "is_string_view", lambda _: False)
    return bool(arrow.types.is_string(kind) or arrow.types.is_large_string(kind) or is_view(kind))
