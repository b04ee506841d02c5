"""A generator whose log-probabilities are written down in a table: ``fake:FILE.json``.

``{trace or "*": {"answer": text, "closed_book": [..], "values": {"": [..], "p1,p2": [..]},
"orders": {"p2,p1": [..]}, "window": int}}``. Keys of ``values`` are passage ids joined by commas after
sorting, keys of ``orders`` are ids as ordered and win where they exist. A trace takes what its entry lacks
from ``*``. One token is one number; words are the tokens of a prompt, so that windows mean something.
"""

from __future__ import annotations

import hashlib
import json
import re
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from boresight.errors import ModelError, ScoringError
from boresight.models.seam import Capabilities, Generation, Scored, Segment

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from boresight.models.prompts import PromptStyle
    from boresight.models.seam import PromptParts, Request, Target
    from boresight.trace import Trace

ANY_TRACE = "*"
LARGEST = 3.4e38  # values are stored as float32
FIELDS = ("answer", "closed_book", "values", "orders", "window")

Spans = tuple[tuple[int, int], ...]


class FakeGenerator:
    """A generator that looks every value up.

    Only the answer (or a run of its tokens) can be scored, under coalitions and closed book. There is no
    end-of-turn. Log-probabilities are in nats.

    Args:
        tables: Entry per trace id, or ``*`` for every trace.
        name: Name for the record and for error messages.

    Raises:
        ModelError: If an entry is malformed; the message names the key.
    """

    def __init__(self, tables: Mapping[str, Mapping[str, Any]], *, name: str = "fake") -> None:
        self._name = name
        self._words: dict[int, str] = {}
        if not isinstance(tables, dict) or not tables:
            raise ModelError(f"{name}: a table is an object with one entry per trace id, or * for all traces")
        for trace, entry in tables.items():
            _check_fields(entry, f"{name}: {trace}")
        shared = tables.get(ANY_TRACE, {})
        self._tables = {trace: {**shared, **entry} for trace, entry in tables.items()}
        self._lengths = {
            trace: _row_length(entry, f"{name}: {trace}") for trace, entry in self._tables.items()
        }
        text = json.dumps({trace: dict(entry) for trace, entry in tables.items()}, sort_keys=True)
        self._sha256 = hashlib.sha256(text.encode()).hexdigest()[:16]

    @classmethod
    def from_file(cls, path: str | Path) -> FakeGenerator:
        """Read a table.

        Raises:
            ModelError: If the file is missing, no JSON, or malformed.
        """
        try:
            tables = json.loads(Path(path).read_text(encoding="utf-8"))
        except OSError as error:
            raise ModelError(f"{path}: cannot be read ({error.strerror}); fake: needs a JSON file") from error
        except (ValueError, RecursionError) as error:
            raise ModelError(f"{path}: is no JSON ({error})") from error
        return cls(tables, name=str(path))

    def capabilities(self) -> Capabilities:
        """A table has no rounding noise, so its floors are 0."""
        return Capabilities(has_floor=False, any_target=False)

    def describe(self) -> dict[str, Any]:
        """Identity for the record."""
        return {
            "kind": "fake",
            "name": f"fake:{Path(self._name).name}",
            "sha256": self._sha256,
            "engine": "table",
        }

    def prepare(self, trace: Trace, style: PromptStyle, thoughts: str | None = None) -> PromptParts:
        """The pieces of a trace's prompts; a token is a word.

        Raises:
            ScoringError: If the table has no entry for the trace.
        """
        window = self._entry(trace.id).get("window")
        return _FakeParts(self, trace, style, thoughts, window)

    def encode_target(self, trace_id: str, text: str, *, end: bool = False) -> tuple[tuple[int, ...], Spans]:  # noqa: ARG002 - a table has no end-of-turn
        """Split a text into as many tokens as the table has numbers.

        Args:
            trace_id: Trace whose table counts.
            text: The text; its outer whitespace does not count.
            end: Ignored; a table has no end-of-turn.
        """
        text = text.strip()
        self._entry(trace_id)
        spans = _split(text, self._length(trace_id))
        return self.encode(text[start:stop] for start, stop in spans), spans

    def generate(self, request: Request, max_new_tokens: int) -> Generation:  # noqa: ARG002 - a table has one answer
        """The answer in the table, the same for every prompt.

        Raises:
            ScoringError: If the table has none.
        """
        answer = self._entry(request.trace).get("answer")
        if answer is None:
            raise ScoringError(
                f"{self._name} has no answer for trace {request.trace!r}; add one, or record one in the trace"
            )
        ids, spans = self.encode_target(request.trace, answer)
        return Generation(answer.strip(), ids, finished=True, offsets=spans)

    def score(self, requests: Sequence[Request]) -> list[Scored]:
        """Look the rows up.

        Raises:
            ScoringError: If the table lacks a row, or a target is not the answer.
        """
        return [
            Scored(request, {target.id: self._lookup(request, target) for target in request.targets})
            for request in requests
        ]

    def score_together(self, requests: Sequence[Request]) -> list[Scored]:
        """The same as :meth:`score`: a table has no padding."""
        return self.score(requests)

    def decode(self, ids: Sequence[int]) -> str:
        """The words that the ids stand for, joined by blanks."""
        return " ".join(self._words.get(token, "?").strip() for token in ids)

    def encode(self, words: Iterator[str]) -> tuple[int, ...]:
        """A stable id per word, the same in every process."""
        ids = []
        for word in words:
            token = zlib.crc32(word.encode("utf-8", "replace")) & 0x7FFFFFFF
            self._words[token] = word
            ids.append(token)
        return tuple(ids)

    def _entry(self, trace: str) -> Mapping[str, Any]:
        entry = self._tables.get(trace, self._tables.get(ANY_TRACE))
        if entry is None:
            raise ScoringError(f"{self._name} has no entry for trace {trace!r}, and none for *")
        return entry

    def _length(self, trace: str) -> int:
        return self._lengths[trace if trace in self._lengths else ANY_TRACE]

    def _lookup(self, request: Request, target: Target) -> NDArray[np.float32]:
        import numpy as np

        row = np.asarray(self._row(request), dtype=np.float32)
        if target.id == "answer" and len(target.token_ids) == len(row):
            return row
        start = self._place(request.trace, target)
        return row[start : start + len(target.token_ids)]

    def _row(self, request: Request) -> Any:
        entry = self._entry(request.trace)
        where = f"{self._name} has no row for trace {request.trace!r}"
        if request.game == "closed_book":
            if "closed_book" not in entry:
                raise ScoringError(f"{where}, closed_book")
            return entry["closed_book"]
        players = [segment.player for segment in request.segments if segment.player is not None]
        ordered, key = ",".join(players), ",".join(sorted(players))
        if request.game != "passages":
            raise ScoringError(f"{where}, game {request.game!r}: a fake plays passages and closed_book only")
        if ordered in entry.get("orders", {}):
            return entry["orders"][ordered]
        if key not in entry.get("values", {}):
            raise ScoringError(f"{where}, values {key!r}")
        return entry["values"][key]

    def _place(self, trace: str, target: Target) -> int:
        """Where a target's tokens stand in the answer."""
        answer, _ = self.encode_target(trace, self._entry(trace).get("answer") or "")
        size = len(target.token_ids)
        if target.kind in ("generated", "recorded"):
            for start in range(len(answer) - size + 1):
                if answer[start : start + size] == target.token_ids:
                    return start
        raise ScoringError(
            f"{self._name}: trace {trace!r}: a fake scores the answer and spans of it, not {target.id!r}"
        )


class _FakeParts:
    """Prompt pieces whose tokens are whitespace words."""

    def __init__(
        self,
        generator: FakeGenerator,
        trace: Trace,
        style: PromptStyle,
        thoughts: str | None,
        window: int | None,
    ) -> None:
        history = "\n".join(turn.content for turn in trace.history)
        question = style.question_line(trace.query) + f"\n{thoughts or ''}"
        self._generator, self._trace, self._style = generator, trace, style
        self.window = window
        self.warnings: tuple[str, ...] = ()
        self.header = self._segment("header", f"{style.instruction}\n{history}")
        self.tail = self._segment("tail", question)
        self.closed_book = self._segment("closed_book", f"{style.closed_instruction}\n{history}\n{question}")

    def block(self, passage_id: str, label: int) -> Segment:
        """The segment of one passage under the given label."""
        line = self._style.passage_line(self._trace.passage(passage_id), label)
        return self._segment(f"passage:{passage_id}:{label}", line, passage_id)

    def _segment(self, key: str, text: str, player: str | None = None) -> Segment:
        return Segment(key, self._generator.encode(iter(text.split())), player)


def _check_fields(entry: object, where: str) -> None:
    """An entry has known fields of the right types."""
    if not isinstance(entry, dict):
        raise ModelError(f"{where}: must be an object with {', '.join(FIELDS)}")
    unknown = [name for name in entry if name not in FIELDS]
    if unknown:
        raise ModelError(f"{where}: unknown field {unknown[0]!r}; the fields are {', '.join(FIELDS)}")
    if not isinstance(entry.get("answer", ""), str):
        raise ModelError(f"{where}: answer must be a text")
    window = entry.get("window", 1)
    if isinstance(window, bool) or not isinstance(window, int) or window < 1:
        raise ModelError(f"{where}: window must be a whole number of at least 1")
    for name in ("values", "orders"):
        if not isinstance(entry.get(name, {}), dict):
            raise ModelError(f"{where}: {name} must map passage ids, joined by commas, to lists of numbers")
    for key, row in _rows(entry):
        _check_row(row, f"{where}: {key}")
    if entry.get("answer", "").strip() and any(not row for _, row in _rows(entry)):
        raise ModelError(f"{where}: an answer needs at least one number in each list")


def _rows(entry: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Every list of an entry, with a name for it."""
    if "closed_book" in entry:
        yield "closed_book", entry["closed_book"]
    for name in ("values", "orders"):
        for key, row in entry.get(name, {}).items():
            yield f"{name} {key!r}", row


def _check_row(row: object, where: str) -> None:
    """A row is a list of log-probabilities."""
    if not isinstance(row, list | tuple):
        raise ModelError(f"{where}: must be a list of log-probabilities, one per token")
    for value in row:
        if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= LARGEST:
            raise ModelError(f"{where}: {repr(value)[:40]} is no finite number that float32 holds")
        if value > 0:
            raise ModelError(f"{where}: {value!r} is positive, and a log-probability is at most 0")


def _row_length(entry: Mapping[str, Any], where: str) -> int:
    """The number of tokens, on which all lists of an entry must agree."""
    rows = list(_rows(entry))
    for key, row in rows[1:]:
        if len(row) != len(rows[0][1]):
            raise ModelError(
                f"{where}: {key} has {len(row)} numbers, but {rows[0][0]} has {len(rows[0][1])}; "
                "all lists of a trace have one number per answer token"
            )
    return len(rows[0][1]) if rows else 0


def _split(text: str, count: int) -> Spans:
    """Spans of ``count`` tokens that rebuild the text: its words if they are as many, else equal parts."""
    starts = [match.start() for match in re.finditer(r"\S+", text)]
    if len(starts) != count:
        starts = [round(index * len(text) / count) for index in range(count)]
    return tuple(zip(starts, [*starts[1:], len(text)], strict=True)) if starts else ()
