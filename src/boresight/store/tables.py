"""Parquet tables whose bytes depend on their rows alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import pyarrow as pa
import pyarrow.parquet as pq

from boresight.store.files import move_into_place, temporary_beside

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path
    from types import TracebackType

    Row = Mapping[str, Any]

ROWS_PER_GROUP = 50_000


def parquet_writer(path: Path, schema: pa.Schema) -> pq.ParquetWriter:
    """A writer with fixed settings: same rows, same bytes."""
    return pq.ParquetWriter(path, schema, compression="zstd", version="2.6")


class TableWriter:
    """Writes rows to a Parquet file in bounded memory; the file appears when the block ends without error."""

    def __init__(self, path: Path, schema: pa.Schema) -> None:
        self._path = path
        self._schema = schema
        self._temporary = temporary_beside(path)
        self._writer = parquet_writer(self._temporary, schema)
        self._rows: list[Row] = []

    def add(self, rows: Iterable[Row]) -> None:
        """Add rows; a missing key is null, an unknown one is an error."""
        for row in rows:
            unknown = row.keys() - set(self._schema.names)
            if unknown:
                raise KeyError(f"{self._path.name} has no column {sorted(unknown)}")
            self._rows.append(row)
        if len(self._rows) >= ROWS_PER_GROUP:
            self._flush()

    def _flush(self) -> None:
        columns = [[row.get(name) for row in self._rows] for name in self._schema.names]
        arrays = [pa.array(column, field.type) for column, field in zip(columns, self._schema, strict=True)]
        self._writer.write_table(pa.Table.from_arrays(arrays, schema=self._schema))
        self._rows = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self._flush()
        self._writer.close()
        if kind is None:
            move_into_place(self._temporary, self._path)
        else:
            self._temporary.unlink()


def write_rows(path: Path, schema: pa.Schema, rows: Iterable[Row]) -> None:
    """Replace a Parquet file whole."""
    with TableWriter(path, schema) as writer:
        writer.add(rows)
