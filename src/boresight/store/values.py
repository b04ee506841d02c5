"""The value rows of a run: small batch files while a trace is scored, one part a trace, one part a thousand.

Names tell the state. ``batch-TRACE-BATCH.parquet`` is one scored batch of a trace in progress;
``part-TRACE.parquet`` a finished trace; ``part-FIRST-LAST.parquet`` a finished thousand, one row group a
trace.
Each file is whole or absent, so a killed run repeats the batch it was in and no other.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path  # noqa: TC003 - part of the public constructor's runtime type
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from boresight.errors import BoresightError
from boresight.store.files import make_private_folder, move_into_place, remove_temporaries, temporary_beside
from boresight.store.tables import parquet_writer, write_rows

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

BLOCK = 1000

VALUES_SCHEMA = pa.schema(
    [
        ("trace", pa.string()),
        ("game", pa.string()),
        ("target", pa.string()),
        ("coalition", pa.string()),
        ("order", pa.list_(pa.int32())),
        ("repeat", pa.int32()),
        ("value_kind", pa.string()),
        ("logprobs", pa.list_(pa.float32())),
        ("lower", pa.list_(pa.float32())),
        ("upper", pa.list_(pa.float32())),
        ("batch", pa.int32()),
    ]
)


@dataclass(frozen=True, slots=True)
class ValueRow:
    """One scored prompt and target.

    Attributes:
        trace: Trace id.
        game: ``passages``, ``closed_book``, ``numeric_floor`` (a repeat in a padded batch), or a game beside
            them: ``query``, ``sentences:ID``, ``orders``, ``abstention``, ``contrastive``, ``streams``.
        target: Target id.
        coalition: Character i is ``1`` if context passage i was present; empty for closed book.
        order: Context positions of the present passages, in prompt order.
        logprobs: Nats per target token, float32, shape (T,).
        batch: Index of the batch within the trace's plan.
        repeat: 0 for the value itself, 1 and on for repeats.
        value_kind: What the numbers are.
        lower: Lower bounds or ends of intervals, shape (T,); minus infinity where none is known. None where
            the numbers are exact.
        upper: The same from above.
    """

    trace: str
    game: str
    target: str
    coalition: str
    order: tuple[int, ...]
    logprobs: NDArray[np.float32]
    batch: int
    repeat: int = 0
    value_kind: str = "logprob"
    lower: NDArray[np.float32] | None = None
    upper: NDArray[np.float32] | None = None

    def as_record(self) -> dict[str, Any]:
        """The row as the values table stores it."""
        return {
            "trace": self.trace,
            "game": self.game,
            "target": self.target,
            "coalition": self.coalition,
            "order": list(self.order),
            "repeat": self.repeat,
            "value_kind": self.value_kind,
            "logprobs": self.logprobs.astype(np.float32),
            "lower": _bounds_to_list(self.lower),
            "upper": _bounds_to_list(self.upper),
            "batch": self.batch,
        }


def row_from_record(record: dict[str, Any]) -> ValueRow:
    """The inverse of :meth:`ValueRow.as_record`."""
    return ValueRow(
        trace=record["trace"],
        game=record["game"],
        target=record["target"],
        coalition=record["coalition"],
        order=tuple(record["order"]),
        logprobs=np.asarray(record["logprobs"], np.float32),
        batch=record["batch"],
        repeat=record["repeat"],
        value_kind=record["value_kind"],
        lower=_bounds_from_list(record["lower"], -np.inf),
        upper=_bounds_from_list(record["upper"], np.inf),
    )


def _bounds_to_list(bounds: NDArray[np.float32] | None) -> list[float | None] | None:
    """A bound that is not known is null in the file, which never holds infinity."""
    if bounds is None:
        return None
    return [float(bound) if np.isfinite(bound) else None for bound in bounds]


def _bounds_from_list(stored: list[float | None] | None, unknown: float) -> NDArray[np.float32] | None:
    if stored is None:
        return None
    return np.asarray([unknown if bound is None else bound for bound in stored], np.float32)


class ValueStore:
    """The ``values`` folder of one run; traces are numbered by their place in the run."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        make_private_folder(folder)

    def recover(self) -> None:
        """Remove what a kill left behind: temporary files and files that a larger one already holds."""
        remove_temporaries(self._folder)
        for block in self._folder.glob("part-*-*.parquet"):
            first = int(block.name.split("-")[1])
            self._remove(self._part(index) for index in range(first, first + BLOCK))
        for batch in self._folder.glob("batch-*.parquet"):
            if self.is_finished(int(batch.name.split("-")[1])):
                batch.unlink()
        for part in sorted(self._folder.glob("part-*.parquet")):
            trace = int(part.name.removesuffix(".parquet").split("-")[1])
            if trace % BLOCK == 0 and part.exists():
                self._compact(trace)

    def is_finished(self, trace: int) -> bool:
        """Whether all batches of the trace are stored."""
        return self._part(trace).exists() or self._block(trace).exists()

    def has_batch(self, trace: int, batch: int) -> bool:
        """Whether one batch of an unfinished trace is stored."""
        return self._batch(trace, batch).exists()

    def write_batch(self, trace: int, batch: int, rows: Iterable[ValueRow]) -> None:
        """Store one scored batch."""
        write_rows(self._batch(trace, batch), VALUES_SCHEMA, [row.as_record() for row in rows])

    def finish(self, trace: int, batches: int) -> None:
        """Join the batches of a trace into its part, and a full thousand of parts into one file."""
        files = [self._batch(trace, batch) for batch in range(batches)]
        tables = [pq.read_table(file, schema=VALUES_SCHEMA, partitioning=None) for file in files]
        self._write_groups(self._part(trace), [pa.concat_tables(tables)] if tables else [])
        self._remove(files)
        self._compact(trace)

    def read(self, trace: int) -> list[ValueRow]:
        """The stored rows of a trace, in plan order; those of finished batches if it is unfinished.

        Raises:
            BoresightError: A file is damaged.
        """
        try:
            table = self._table(trace)
        except pa.ArrowInvalid as error:
            raise BoresightError(
                f"{self._folder} is damaged ({error}); --overwrite starts the run anew"
            ) from error
        return [row_from_record(record) for record in table.to_pylist()]

    def _table(self, trace: int) -> pa.Table:
        if self._part(trace).exists():
            return pq.read_table(self._part(trace), partitioning=None)
        if self._block(trace).exists():
            return pq.ParquetFile(self._block(trace)).read_row_group(trace % BLOCK)
        files = sorted(self._folder.glob(f"batch-{trace:08d}-*.parquet"))
        return pa.concat_tables(
            [VALUES_SCHEMA.empty_table(), *(pq.read_table(file, partitioning=None) for file in files)]
        )

    def _compact(self, trace: int) -> None:
        first = trace - trace % BLOCK
        parts = [self._part(index) for index in range(first, first + BLOCK)]
        if trace % BLOCK != BLOCK - 1 and not self._part(first + BLOCK - 1).exists():
            return  # cheap test: the last of the thousand is not there yet
        if all(part.exists() for part in parts):
            self._write_groups(self._block(trace), [pq.read_table(part, partitioning=None) for part in parts])
            self._remove(parts)

    @staticmethod
    def _write_groups(path: Path, tables: list[pa.Table]) -> None:
        temporary = temporary_beside(path)
        with parquet_writer(temporary, VALUES_SCHEMA) as writer:
            for table in tables:
                writer.write_table(table)
        move_into_place(temporary, path)

    @staticmethod
    def _remove(files: Iterable[Path]) -> None:
        for file in files:
            file.unlink(missing_ok=True)

    def _batch(self, trace: int, batch: int) -> Path:
        return self._folder / f"batch-{trace:08d}-{batch:05d}.parquet"

    def _part(self, trace: int) -> Path:
        return self._folder / f"part-{trace:08d}.parquet"

    def _block(self, trace: int) -> Path:
        first = trace - trace % BLOCK
        return self._folder / f"part-{first:08d}-{first + BLOCK - 1:08d}.parquet"
