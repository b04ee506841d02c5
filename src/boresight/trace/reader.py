"""Reads traces from a file or folder of any known format, or from objects in memory."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from boresight.errors import InputError
from boresight.trace.check import listed, quoted
from boresight.trace.forms import parse_trace
from boresight.trace.ids import FreshIds
from boresight.trace.readers import Found, Source, detect, format_named, found_in
from boresight.trace.readers.objects import plain_object
from boresight.trace.types import Trace
from boresight.trace.write import trace_to_dict

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

_NAMED_TRACES = 5  # a warning that many traces share names the first of them


@dataclass(frozen=True, slots=True)
class Reading:
    """What a file or another source of traces holds.

    Attributes:
        traces: In the order of the source.
        warnings: What was mended, left out or not recorded; what traces share is told once and names them.
        form: Name of the format that the source was read as.
    """

    traces: tuple[Trace, ...]
    warnings: tuple[str, ...]
    form: str = "boresight"

    def __iter__(self) -> Iterator[Trace]:
        return iter(self.traces)

    def __len__(self) -> int:
        return len(self.traces)

    def __getitem__(self, index: int) -> Trace:
        return self.traces[index]


def read_traces(path: str | Path, limit: int | None = None, form: str | None = None) -> Reading:
    """Read a file of traces in either form, one JSON object a line, or of any format of ``readers/``.

    The format is told by content. Lines end at a line feed only; blank lines, carriage returns and byte-order
    marks are passed over.

    Args:
        path: The file, a folder of a format that has several files, or ``-`` for standard input.
        limit: Stop after so many traces; later lines are not looked at where the format allows it.
        form: Name of a format (see ``readers/registry.py``); told by content if None.

    Raises:
        InputError: If the file cannot be read, holds no trace, repeats an id, or a line is no sound trace.
        SpecError: If there is no format of that name.
    """
    name = "standard input" if str(path) == "-" else str(path)
    with _opened(path, name) as source:
        chosen = detect(source) if form is None else format_named(form)
        reading = _reading(found_in(source, chosen), name, limit)
        return Reading(reading.traces, (*reading.warnings, *source.notes), chosen.name)


def read_objects(items: Iterable[Trace | Mapping[str, Any]], limit: int | None = None) -> Reading:
    """Read traces from objects in memory by the rules that hold for a file.

    Args:
        items: Traces, JSON objects in either form, or what a LangChain retrieval chain returned.
        limit: Stop after so many traces.

    Raises:
        InputError: If there is no trace, an id is repeated, or an object is no sound trace.
    """
    objects = (trace_to_dict(item) if isinstance(item, Trace) else plain_object(item) for item in items)
    return _reading((Found(f"traces[{index}]", item) for index, item in enumerate(objects)), "", limit)


def _reading(placed: Iterable[Found], name: str, limit: int | None) -> Reading:
    """The traces of objects, each with its place within what is called ``name``."""
    if limit is not None and limit < 1:
        raise InputError(f"the limit must be at least 1, got {limit}")
    reader = _Reader(f"{name}, " if name else "")
    traces = tuple(reader.trace(found) for found in islice(placed, limit))
    if not traces:
        raise InputError(f"{name or 'the input'} holds no traces; at least one is needed")
    return Reading(traces, reader.warnings())


class _Reader:
    """Goes through one source and remembers ids and warnings."""

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix
        self._ids = FreshIds()
        self._place_of: dict[str, str] = {}
        self._warned: dict[str, list[str]] = {}

    def trace(self, found: Found) -> Trace:
        """The trace of an object."""
        place = found.place
        where = f"{self._prefix}{place}"
        parsed = parse_trace(found.item, where, self._ids)
        name = parsed.trace.id
        if name in self._place_of:
            before = f"the id {quoted(name)} is that of {self._place_of[name]} already"
            raise InputError(f"{where}: {before}; give each trace its own id")
        self._place_of[name] = place
        self._ids.take(name)
        for sentence in (*found.remarks, *parsed.warnings):
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
def _opened(path: str | Path, name: str) -> Iterator[Source]:
    """The file or standard input as lines of bytes, or the folder."""
    if str(path) == "-":
        if sys.stdin is None:
            raise InputError("standard input is closed; name a file of traces")
        yield Source(name, iter(sys.stdin.buffer))
        return
    if Path(path).is_dir():
        yield Source(name, iter(()), folder=Path(path))
        return
    try:
        with Path(path).open("rb") as lines:
            yield Source(name, iter(lines), suffix=Path(path).suffix.lower())
    except FileNotFoundError:
        raise InputError(f"{name} does not exist; check the path") from None
    except OSError as error:
        raise InputError(f"{name} cannot be read ({error.strerror}); check its permissions") from None
