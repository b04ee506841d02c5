"""Reads traces from JSON Lines, one line at a time."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from boresight.errors import InputError
from boresight.trace.check import listed
from boresight.trace.decode import decode_line
from boresight.trace.forms import parse_trace
from boresight.trace.ids import FreshIds

if TYPE_CHECKING:
    from collections.abc import Iterator

    from boresight.trace.types import Trace

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_NAMED_TRACES = 5  # a warning that many traces share names the first of them


@dataclass(frozen=True, slots=True)
class Reading:
    """What a file of traces holds.

    Attributes:
        traces: In the order of the file.
        warnings: What was mended or left out; what several traces share is told once and names them.
    """

    traces: tuple[Trace, ...]
    warnings: tuple[str, ...]


def read_traces(path: str | Path, limit: int | None = None) -> Reading:
    """Read a file of traces in either form, one JSON object a line.

    Lines end at a line feed only; blank lines, carriage returns and byte-order marks are passed over.

    Args:
        path: The file, or ``-`` for standard input.
        limit: Stop after so many traces; later lines are not looked at.

    Raises:
        InputError: If the file cannot be read, holds no trace, repeats an id, or a line is no sound trace.
    """
    if limit is not None and limit < 1:
        raise InputError(f"the limit must be at least 1, got {limit}")
    name = "standard input" if str(path) == "-" else str(path)
    reader = _Reader(name)
    with _opened(path, name) as lines:
        traces = tuple(islice(reader.traces(lines), limit))
    if not traces:
        raise InputError(f"{name} holds no traces; write one JSON object a line")
    return Reading(traces, reader.warnings())


class _Reader:
    """Goes through one file and remembers ids and warnings."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._ids = FreshIds()
        self._line_of: dict[str, int] = {}
        self._warned: dict[str, list[str]] = {}

    def traces(self, lines: BinaryIO) -> Iterator[Trace]:
        """The traces, as they come."""
        for number, line in enumerate(lines, start=1):
            content = line.removeprefix(_BYTE_ORDER_MARK)
            if content.strip():
                yield self._trace(content, number)

    def _trace(self, content: bytes, number: int) -> Trace:
        where = f"{self._name}, line {number}"
        parsed = parse_trace(decode_line(content, where), where, self._ids)
        trace = parsed.trace
        if parsed.id_given:
            self._refuse_repeat(trace.id, where)
            self._ids.take(trace.id)
        self._line_of[trace.id] = number
        for sentence in parsed.warnings:
            self._warned.setdefault(sentence, []).append(trace.id)
        return trace

    def _refuse_repeat(self, trace_id: str, where: str) -> None:
        if trace_id in self._line_of:
            before = f"the id {trace_id!r} is that of line {self._line_of[trace_id]} already"
            raise InputError(f"{where}: {before}; give each trace its own id")

    def warnings(self) -> tuple[str, ...]:
        """One sentence a warning, with the traces that it concerns."""
        return tuple(self._sentence(sentence, names) for sentence, names in self._warned.items())

    def _sentence(self, sentence: str, names: list[str]) -> str:
        word = "trace" if len(names) == 1 else f"{len(names):,} traces"
        line = self._line_of[names[0]]
        return f"{self._name}, line {line}: {word} {listed(names, _NAMED_TRACES)}: {sentence}"


@contextmanager
def _opened(path: str | Path, name: str) -> Iterator[BinaryIO]:
    """The file or standard input, read as bytes."""
    if str(path) == "-":
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
