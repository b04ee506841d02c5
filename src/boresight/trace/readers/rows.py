"""Rows of a CSV file as objects, one after the other."""

from __future__ import annotations

import csv
import sys
from typing import TYPE_CHECKING

from boresight.errors import InputError
from boresight.trace.check import listed, repeated
from boresight.trace.readers.source import column_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from boresight.trace.readers.source import Source

_LONGEST_FIELD = min(
    sys.maxsize, 2**31 - 1
)  # the module's own limit of 128 KiB is shorter than real contexts


def rows(source: Source) -> Iterator[tuple[str, dict[str, str]]]:
    """Each row with its place, by column name; blank cells are left out, and so is an unnamed index column.

    Raises:
        InputError: If the file is not UTF-8, has no header, a column twice, or a row longer than the header.
    """
    csv.field_size_limit(_LONGEST_FIELD)
    table = csv.reader(source.texts(), delimiter=source.delimiter)
    names = _header(next(table, []), source)
    try:
        for cells in table:
            if not any(cell.strip() for cell in cells):
                continue
            place = f"line {table.line_num}"
            if len(cells) > len(names):
                raise source.fault(place, f"a row has {len(cells)} cells, the header {len(names)}; quote the "
                                   f"texts that hold {source.delimiter!r}")  # fmt: skip
            yield (
                place,
                {name: cell for name, cell in zip(names, cells, strict=False) if name and cell.strip()},
            )
    except csv.Error as error:
        raise source.fault(f"line {table.line_num}", f"malformed CSV ({error}); quote the texts") from None


def _header(cells: list[str], source: Source) -> list[str]:
    names = ["" if cell.startswith("Unnamed: ") else column_name(cell) for cell in cells]
    twice = repeated(name for name in names if name)
    if twice is not None:
        raise InputError(f"{source.name}, line 1: the column {twice!r} stands twice; rename one")
    if not any(names):
        raise InputError(f"{source.name}, line 1: there is no header; name the columns, got {listed(cells)}")
    return names
