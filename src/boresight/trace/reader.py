"""Reads traces from JSON Lines, one line at a time, or from objects in memory."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from boresight.errors import InputError
from boresight.trace.check import listed
from boresight.trace.decode import decode_line
from boresight.trace.forms import parse_trace
from boresight.trace.ids import FreshIds
from boresight.trace.types import Trace
from boresight.trace.write import trace_to_dict

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_NAMED_TRACES = 5  # a warning that many traces share names the first of them


@dataclass(frozen=True, slots=True)
class Reading:
    """What a file or another source of traces holds.

    Attributes:
        traces: In the order of the source.
        warnings: What was mended or left out; what several traces share is told once and names them.
    """

    traces: tuple[Trace, ...]
    warnings: tuple[str, ...]

    def __iter__(self) -> Iterator[Trace]:
        return iter(self.traces)

    def __len__(self) -> int:
        return len(self.traces)

    def __getitem__(self, index: int) -> Trace:
        return self.traces[index]


def read_traces(path: str | Path, limit: int | None = None) -> Reading:
    """Read a file of traces in either form, one JSON object a line.

    Lines end at a line feed only; blank lines, carriage returns and byte-order marks are passed over.

    Args:
        path: The file, or ``-`` for standard input.
        limit: Stop after so many traces; later lines are not looked at.

    Raises:
        InputError: If the file cannot be read, holds no trace, repeats an id, or a line is no sound trace.
    """
    name = "standard input" if str(path) == "-" else str(path)
    with _opened(path, name) as lines:
        return _reading(_parsed_lines(lines, name), name, limit)


def read_objects(items: Iterable[Trace | Mapping[str, Any]], limit: int | None = None) -> Reading:
    """Read traces from objects in memory by the rules that hold for a file.

    Args:
        items: Traces, or JSON objects in either form.
        limit: Stop after so many traces.

    Raises:
        InputError: If there is no trace, an id is repeated, or an object is no sound trace.
    """
    objects = (trace_to_dict(item) if isinstance(item, Trace) else item for item in items)
    return _reading(((f"traces[{index}]", item) for index, item in enumerate(objects)), "", limit)


def _reading(placed: Iterable[tuple[str, object]], name: str, limit: int | None) -> Reading:
    """The traces of objects, each with its place within what is called ``name``."""
    if limit is not None and limit < 1:
        raise InputError(f"the limit must be at least 1, got {limit}")
    reader = _Reader(f"{name}, " if name else "")
    traces = tuple(reader.trace(item, place) for place, item in islice(placed, limit))
    if not traces:
        raise InputError(f"{name or 'the input'} holds no traces; at least one is needed")
    return Reading(traces, reader.warnings())


def _parsed_lines(lines: BinaryIO, name: str) -> Iterator[tuple[str, object]]:
    """The JSON value of each line that is not blank, with its place."""
    for number, line in enumerate(lines, start=1):
        content = line.removeprefix(_BYTE_ORDER_MARK)
        if content.strip():
            place = f"line {number}"
            yield place, decode_line(content, f"{name}, {place}")


class _Reader:
    """Goes through one source and remembers ids and warnings."""

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix
        self._ids = FreshIds()
        self._place_of: dict[str, str] = {}
        self._warned: dict[str, list[str]] = {}

    def trace(self, item: object, place: str) -> Trace:
        """The trace of an object."""
        where = f"{self._prefix}{place}"
        parsed = parse_trace(item, where, self._ids)
        name = parsed.trace.id
        if name in self._place_of:
            before = f"the id {name!r} is that of {self._place_of[name]} already"
            raise InputError(f"{where}: {before}; give each trace its own id")
        self._place_of[name] = place
        self._ids.take(name)
        for sentence in parsed.warnings:
            self._warned.setdefault(sentence, []).append(name)
        return parsed.trace

    def warnings(self) -> tuple[str, ...]:
        """One sentence a warning, with the traces that it concerns."""
        return tuple(self._sentence(sentence, names) for sentence, names in self._warned.items())

    def _sentence(self, sentence: str, names: list[str]) -> str:
        word = "trace" if len(names) == 1 else f"{len(names):,} traces"
        where = f"{self._prefix}{self._place_of[names[0]]}"
        return f"{where}: {word} {listed(names, _NAMED_TRACES)}: {sentence}"


@contextmanager
def _opened(path: str | Path, name: str) -> Iterator[BinaryIO]:
    """The file or standard input, read as bytes."""
    if str(path) == "-":
        if sys.stdin is None:
            raise InputError("standard input is closed; name a file of traces")
        yield sys.stdin.buffer
        return
    if Path(path).is_dir():
        raise InputError(f"{name} is a directory; name a file of traces in it")
    try:
        with Path(path).open("rb") as lines:
            yield lines
    except FileNotFoundError:
        raise InputError(f"{name} does not exist; check the path") from None
    except OSError as error:
        raise InputError(f"{name} cannot be read ({error.strerror}); check its permissions") from None
