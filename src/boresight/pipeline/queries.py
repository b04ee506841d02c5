"""Queries and judgements: BEIR files, and the TREC files that the trace readers know."""

from __future__ import annotations

from typing import TYPE_CHECKING

from boresight.errors import InputError
from boresight.trace.readers.trec_files import open_file, read_qrels, read_topics

if TYPE_CHECKING:
    from pathlib import Path

    from boresight.trace.readers.source import Source

FILE = "queries.jsonl"
_HEADER = "query-id"
_COLUMNS = 3


def read_queries(path: Path) -> dict[str, str]:
    """Queries by id, in the order of the file.

    Args:
        path: ``queries.jsonl`` of BEIR, its folder, TREC topics, or lines of id, tab, query.

    Raises:
        InputError: A line has no id or no text, or an id stands there twice.
    """
    file = open_file(_inside(path))
    queries: dict[str, str] = {}
    for place, topic in read_topics(file):
        if topic["id"] in queries:
            raise file.fault(place, f"the query id {topic['id']!r} stands there twice; give each its own")
        if not isinstance(topic["query"], str):
            raise file.fault(place, f"the query {topic['id']!r} must have a text")
        queries[topic["id"]] = topic["query"]
    if not queries:
        raise InputError(f"{path} holds no query; write one JSON object a line with _id and text")
    return queries


def _inside(path: Path) -> Path:
    chosen = path / FILE if path.is_dir() else path
    if not chosen.is_file():
        raise InputError(f"{chosen} does not exist; name a file of queries")
    return chosen


def read_judgements(path: Path) -> dict[str, dict[str, int]]:
    """Grades by query and passage.

    Args:
        path: Judgements of BEIR (three columns parted by tabs, with a header) or of TREC (four columns).

    Raises:
        InputError: A line is malformed, a grade is no whole number, or two contradict each other.
    """
    if not path.is_file():
        raise InputError(f"{path} does not exist; name a file of judgements")
    file = open_file(path)
    head = file.head[0].decode(errors="replace") if file.head else ""
    grades: dict[str, dict[str, float]] = {}
    if head.startswith(_HEADER):
        _read_beir(file, grades)
    else:
        read_qrels(file, grades)
    if not grades:
        raise InputError(f"{path} holds no judgement")
    return {
        query: {key: _whole(path, key, grade) for key, grade in of.items()} for query, of in grades.items()
    }


def _read_beir(file: Source, grades: dict[str, dict[str, float]]) -> None:
    for number, (place, line) in enumerate(file.lines()):
        if number == 0:
            continue
        cells = line.decode(errors="replace").rstrip("\r\n").split("\t")
        try:
            query, passage, grade = cells[0], cells[1], float(cells[_COLUMNS - 1])
        except (IndexError, ValueError):
            raise file.fault(place, "judgements have three columns: query-id corpus-id score") from None
        if grades.setdefault(query, {}).setdefault(passage, grade) != grade:
            raise file.fault(place, f"the grade of {passage!r} for {query!r} contradicts another; keep one")


def _whole(path: Path, passage: str, grade: float) -> int:
    if not grade.is_integer():
        raise InputError(f"{path}: the grade of {passage!r} is {grade}; grades must be whole numbers")
    return int(grade)
