"""Boresight's own JSON Lines, in the short and the long form."""

from __future__ import annotations

from typing import TYPE_CHECKING

from boresight.trace.readers.source import Found

if TYPE_CHECKING:
    from collections.abc import Iterator

    from boresight.trace.readers.source import Source


def fits(source: Source) -> bool:
    """Whether the first object has a query, and passages or stages."""
    record = source.record
    return "query" in record and any(key in record for key in ("passages", "stages"))


def read(source: Source) -> Iterator[Found]:
    """The JSON value of each line; what it has to hold is checked when the trace is made."""
    for place, value in source.records():
        yield Found(place, value)
