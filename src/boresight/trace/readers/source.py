"""One file or folder of traces before its format is known: its lines, and a look at its beginning."""

from __future__ import annotations

import csv
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, NamedTuple

from boresight.errors import InputError
from boresight.trace.check import describe
from boresight.trace.decode import decode_line

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_LOOKED_AT = 5
_DELIMITERS = ",\t;"
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")


class Found(NamedTuple):
    """One trace of a source.

    Attributes:
        place: Where it stands, for messages: ``line 3``.
        item: The object of a trace in the short or the long form.
        remarks: What a person should know about its reading.
    """

    place: str
    item: object
    remarks: tuple[str, ...] = ()


@dataclass(eq=False)
class Source:
    """Bytes with a name; lines that were looked at are given out again.

    Attributes:
        name: For messages.
        stream: Lines as bytes; of a folder, none.
        folder: The folder, if it is one.
        suffix: End of the file's name, in lower case, such as ``.csv``.
        notes: What a person should know about the source as a whole; readers add to it.
    """

    name: str
    stream: Iterator[bytes]
    folder: Path | None = None
    suffix: str = ""
    notes: list[str] = field(default_factory=list)
    _seen: list[bytes] = field(default_factory=list)

    def note(self, sentence: str) -> None:
        """Remember what a person should know about the source as a whole."""
        self.notes.append(f"{self.name}: {sentence}")

    def lines(self) -> Iterator[tuple[str, bytes]]:
        """Every line that is not blank, with its place; byte-order marks are taken off."""
        for number, line in enumerate(chain(self._seen, self.stream), start=1):
            content = line.removeprefix(BYTE_ORDER_MARK)
            if content.strip():
                yield f"line {number}", content

    def texts(self) -> Iterator[str]:
        """Every line as text, blank ones too, for readers that join lines by themselves.

        Raises:
            InputError: If a line is not UTF-8.
        """
        for number, line in enumerate(chain(self._seen, self.stream), start=1):
            try:
                yield line.removeprefix(BYTE_ORDER_MARK if number == 1 else b"").decode()
            except UnicodeDecodeError:
                raise InputError(f"{self.name}, line {number} is no UTF-8; save the file as UTF-8") from None

    def require_utf8(self) -> None:
        """Refuse what spreadsheets call Unicode text, whose columns cannot be told.

        Raises:
            InputError: If the file begins as UTF-16 does.
        """
        if self.head and self.head[0].startswith(_UTF_16):
            raise InputError(f"{self.name} is UTF-16; save the file as UTF-8")

    @cached_property
    def head(self) -> list[bytes]:
        """The first few lines that are not blank."""
        while sum(bool(line.strip()) for line in self._seen) < _LOOKED_AT:
            more = list(islice(self.stream, _LOOKED_AT))
            self._seen += more
            if not more:
                break
        lines = (line.removeprefix(BYTE_ORDER_MARK) for line in self._seen)
        return [line for line in lines if line.strip()][:_LOOKED_AT]

    @cached_property
    def document(self) -> Any:
        """The JSON value of the whole file if it is one value over several lines or a list, else None."""
        if not self.head or not _goes_on(self.head[0].strip()):
            return None
        self._seen += self.stream
        whole = _decoded(b"".join(self._seen).removeprefix(BYTE_ORDER_MARK))
        held = whole[0] if isinstance(whole, list) and whole else whole
        return whole if isinstance(held, dict) else None

    @cached_property
    def record(self) -> dict[str, Any]:
        """The first JSON object: of the first line, or of the whole file; empty if there is none."""
        if isinstance(self.document, list):
            first = self.document[0]
        else:
            first = self.document or (_decoded(self.head[0]) if self.head else None)
        return first if isinstance(first, dict) else {}

    def first(self, *keys: str) -> dict[str, Any]:
        """The first record, or the first of the list that it holds under one of the keys."""
        held = _held(self.record, keys)
        first = held[0] if isinstance(held, list) and held else self.record
        return first if isinstance(first, dict) else {}

    @cached_property
    def delimiter(self) -> str:
        """What parts the columns of a table: the sign that gives most of them in the first line."""
        return max(_DELIMITERS, key=lambda sign: len(self._header(sign)))

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """Names in the first line, read as the header of a table; empty if it is none."""
        names = tuple(column_name(cell) for cell in self._header(self.delimiter))
        return names if self.suffix in {".csv", ".tsv"} or len(names) > 1 else ()

    def _header(self, sign: str) -> list[str]:
        if not self.head or self.head[0].lstrip()[:1] in {b"{", b"["}:
            return []
        text = self.head[0].decode(errors="replace")
        return next(csv.reader([text.rstrip("\r\n")], delimiter=sign), [])

    def records(self, *keys: str) -> Iterator[tuple[str, Any]]:
        """Every JSON value with its place: one a line, or the items of one list.

        Args:
            keys: Fields of a file that is one object, the first of which that is there holds the list.

        Raises:
            InputError: If a line is no JSON.
        """
        if self.document is not None:
            yield from _items(self.document, keys)
            return
        for place, line in self.lines():
            value = decode_line(line, f"{self.name}, {place}")
            held = _held(value, keys)
            yield from ([(place, value)] if held is None else _items(held, ()))

    def objects(self, *keys: str) -> Iterator[tuple[str, dict[str, Any]]]:
        """As :meth:`records`, for formats in which every record is an object.

        Raises:
            InputError: If a record is anything else.
        """
        for place, value in self.records(*keys):
            if not isinstance(value, dict):
                raise self.fault(
                    place, f"must be an object, got {describe(value)}; write one JSON object a line"
                )
            yield place, value

    def fault(self, place: str, sentence: str) -> InputError:
        """The error of one place."""
        return InputError(f"{self.name}, {place}: {sentence}")


def column_name(cell: str) -> str:
    """The name of a column as readers know it: lower case, words joined by underscores."""
    return "_".join(cell.strip().lower().replace("-", " ").replace("_", " ").split())


def _decoded(line: bytes) -> Any:
    """The JSON value, None where there is none; the reader that is chosen says what is wrong."""
    try:
        return decode_line(line, "")
    except InputError:
        return None


def _goes_on(line: bytes) -> bool:
    """Whether a first line is a list, or begins an object that later lines end."""
    return line.startswith(b"[") or (line.startswith(b"{") and line.endswith((b"{", b"[", b",")))


def _held(value: object, keys: tuple[str, ...]) -> object:
    if not isinstance(value, dict):
        return None
    return next((value[key] for key in keys if isinstance(value.get(key), list)), None)


def _items(value: object, keys: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
    held = _held(value, keys)
    items = value if held is None else held
    for number, item in enumerate(items if isinstance(items, list) else [items], start=1):
        yield f"item {number}", item
