"""Lines of TREC files: runs (six columns), judgements (four columns), topics of several shapes."""

from __future__ import annotations

import math
import re
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from boresight.errors import InputError
from boresight.trace.decode import decode_line
from boresight.trace.readers.source import Source
from boresight.trace.readers.values import as_mapping_or_empty

if TYPE_CHECKING:
    from collections.abc import Iterator

Kind = Literal["run", "qrels", "topics"]
RUN_COLUMNS, QRELS_COLUMNS = 6, 4
_TOPIC = re.compile(r"<num>\s*(?:Number:)?\s*(\S+)\s*<title>\s*(?:Topic:)?\s*([^<]+)", re.IGNORECASE)
_TOPIC_ID = ("id", "_id", "qid", "query_id", "topic_id", "number")
_QUERY = ("utterance", "raw_utterance", "query", "text", "title", "question")
_TOPIC_FILE = re.compile("topic|quer", re.IGNORECASE)


class RunLine(NamedTuple):
    """One line of a run: passage, score and recorded rank."""

    passage: str
    score: float
    rank: int


def open_file(path: Path) -> Source:
    """A file of a folder, read whole (runs and topics are small beside a corpus)."""
    lines = path.read_bytes().split(b"\n")
    return Source(str(path), iter([line + b"\n" for line in lines]), suffix=path.suffix.lower())


def kind_of(source: Source) -> Kind | None:
    """What a file is, from its first lines; None for anything else."""
    heads = [line.decode(errors="replace").split() for line in source.head]
    if heads and all(_is_run(cells) for cells in heads):
        return "run"
    if heads and all(_is_qrels(cells) for cells in heads):
        return "qrels"
    record = source.record
    if "utterance" in record or "raw_utterance" in record or isinstance(record.get("turn"), list):
        return "topics"
    if any(b"<top>" in line.lower() for line in source.head):
        return "topics"
    named = bool(_TOPIC_FILE.search(Path(source.name).name))
    pairs = bool(heads) and all(b"\t" in line for line in source.head) and source.suffix != ".csv"
    keyed = any(key in record for key in _TOPIC_ID) and any(key in record for key in _QUERY)
    return "topics" if named and (pairs or keyed) else None


def _is_run(cells: list[str]) -> bool:
    return len(cells) >= RUN_COLUMNS and cells[1].upper() == "Q0" and _number(cells[4]) is not None


def _is_qrels(cells: list[str]) -> bool:
    return len(cells) == QRELS_COLUMNS and cells[3].lstrip("-").isdecimal()


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def read_run(source: Source) -> tuple[str, dict[str, list[RunLine]]]:
    """The tag of a run, and its lines by topic in file order.

    Raises:
        InputError: If a line has fewer than six columns or no number where the score or the rank stands.
    """
    tag, topics = "", dict[str, list[RunLine]]()
    for place, line in source.lines():
        cells = line.decode(errors="replace").split()
        score = _number(cells[4]) if len(cells) >= RUN_COLUMNS else None
        if score is None or not cells[3].lstrip("-").isdecimal():
            raise source.fault(
                place, "a run has six columns: topic Q0 passage rank score tag; correct the line"
            )
        tag = tag or cells[5]
        topics.setdefault(cells[0], []).append(RunLine(cells[2], score, int(cells[3])))
    return tag, topics


def ranked(lines: list[RunLine]) -> tuple[list[RunLine], tuple[str, ...]]:
    """The lines best first by score, as trec_eval does, and remarks; scores that are not finite come last."""
    order = sorted(lines, key=lambda line: (not math.isfinite(line.score), *_key(line)))
    best: dict[str, RunLine] = {}
    for line in order:
        best.setdefault(line.passage, line)
    remarks = ["it holds a passage twice, which keeps its best place"] if len(best) < len(order) else []
    by_rank = sorted(best.values(), key=lambda line: line.rank)
    if any(above.score < below.score for above, below in pairwise(by_rank)):
        remarks.append("its ranks contradict its scores; the scores decide, as in trec_eval")
    return list(best.values()), tuple(remarks)


def _key(line: RunLine) -> tuple[float, int, str]:
    return -line.score if math.isfinite(line.score) else 0.0, line.rank, line.passage


def read_qrels(source: Source, judgements: dict[str, dict[str, float]]) -> None:
    """Add the grades of a file to ``judgements``, by topic and passage.

    Raises:
        InputError: If a line has not four columns, or contradicts an earlier one.
    """
    for place, line in source.lines():
        cells = line.decode(errors="replace").split()
        grade = _number(cells[3]) if len(cells) == QRELS_COLUMNS else None
        if grade is None:
            raise source.fault(place, "judgements have four columns: topic iteration passage grade")
        topic = judgements.setdefault(cells[0], {})
        if topic.setdefault(cells[2], grade) != grade:
            raise source.fault(
                place, f"the grade of {cells[2]!r} for topic {cells[0]!r} contradicts another; keep one"
            )


def read_topics(source: Source) -> Iterator[tuple[str, dict[str, Any]]]:
    """Topics as objects with ``id`` and ``query``, and what else is recorded; of a conversation, one a turn.

    Raises:
        InputError: If a topic has no id or no text.
    """
    if any(b"<top>" in line.lower() for line in source.head):
        text = "".join(source.texts())
        for name, query in _TOPIC.findall(text):
            yield "a topic", {"id": name, "query": " ".join(query.split())}
        return
    if source.record:
        for place, record in source.objects("topics"):
            for turn in _turns(record):
                yield place, _topic(turn, source, place)
        return
    for place, line in source.lines():
        name, _, query = line.decode(errors="replace").strip().partition("\t")
        yield place, {"id": name, "query": query.strip()}


def _turns(record: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The turns of a topic in the track's own files, or the record itself."""
    turns = record.get("turn")
    if not isinstance(turns, list):
        yield record
        return
    for turn in map(as_mapping_or_empty, turns):
        name = f"{record.get('number')}_{turn.get('number')}"
        yield {**turn, "id": name, "topic": record.get("number"), "turn": turn.get("number")}


def _topic(record: dict[str, Any], source: Source, place: str) -> dict[str, Any]:
    name = next((record[key] for key in _TOPIC_ID if record.get(key) is not None), None)
    query = next((record[key] for key in _QUERY if record.get(key) is not None), None)
    if name is None or query is None:
        raise source.fault(place, "a topic needs an id and a query (or an utterance)")
    return {**record, "id": str(name), "query": query}


def decode_object(line: bytes, where: str) -> dict[str, Any]:
    """One JSON object of a line.

    Raises:
        InputError: If it is none.
    """
    value = decode_line(line, where)
    if not isinstance(value, dict):
        raise InputError(f"{where}: expected an object; write one JSON object a line")
    return value
