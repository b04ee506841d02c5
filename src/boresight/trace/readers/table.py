"""A CSV file with named columns: one row a question with its passages in a list, or one row a passage."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any

from boresight.errors import InputError
from boresight.trace.check import listed, located
from boresight.trace.readers.documents import as_document
from boresight.trace.readers.rows import rows
from boresight.trace.readers.source import Found
from boresight.trace.readers.values import as_list, first_of, number, rest_of, text_list

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from boresight.trace.readers.source import Source

QUERY = ("query", "question", "user_input", "prompt", "input")
TRACE_ID = ("trace_id", "query_id", "question_id", "qid", "id")
PASSAGES = ("passages", "contexts", "retrieved_contexts", "documents", "docs", "context", "retrieved_context")
PASSAGE = ("passage", "passage_text", "text", "content", "chunk")
PASSAGE_ID = ("passage_id", "pid", "doc_id", "docid", "document_id", "chunk_id")
TITLE = ("title",)
SCORE = ("score", "similarity", "relevance_score")
RELEVANT = ("relevant", "relevance", "label")
ANSWER = ("answer", "response", "generated_answer", "output")
REFERENCES = ("references", "reference", "ground_truth", "ground_truths", "gt_answer", "expected_answer")
_ROW = (QUERY, TRACE_ID, ANSWER, REFERENCES)
_PASSAGE_ROW = (PASSAGE, PASSAGE_ID, TITLE, SCORE, RELEVANT, ("rank",))
_LABELS = {"true": True, "yes": True, "false": False, "no": False}
_Row = tuple[str, dict[str, str]]


def fits(source: Source) -> bool:
    """Whether the first line has a column for the question, or the file name says that it is a table."""
    return bool({*source.columns} & {*QUERY}) or source.suffix in {".csv", ".tsv"}


def read(source: Source) -> Iterator[Found]:
    """One trace a row, or one for each run of rows with the same question.

    Raises:
        InputError: If there is no column for the question or none for passages.
    """
    source.require_utf8()
    names = set(source.columns)
    if not names & set(QUERY):
        raise InputError(
            f"{source.name} has no column for the question; name one of {listed(source.columns)} 'query'"
        )
    if names & set(PASSAGE):
        yield from _by_passage(source)
    elif names & set(PASSAGES):
        for place, row in rows(source):
            with located(f"{source.name}, {place}: "):
                yield Found(place, _trace(row, _held(row), rest_of(row, *_ROW, PASSAGES)))
    else:
        known = f"{listed(PASSAGES[:3])} for lists, {listed(PASSAGE[:3])} for one passage a row"
        raise InputError(f"{source.name} has no column for passages; name one {known}")


def _held(row: Mapping[str, str]) -> list[dict[str, Any]]:
    return [as_document(item) for item in as_list(first_of(row, PASSAGES))]


def _by_passage(source: Source) -> Iterator[Found]:
    for _, group in groupby(rows(source), key=_question):
        held = list(group)
        place, first = held[0]
        with located(f"{source.name}, {place}: "):
            passages = [_passage(row) for _, row in _ranked(held) if first_of(row, (*PASSAGE, *PASSAGE_ID))]
            answered = {
                key: row[key] for _, row in reversed(held) for key in (*ANSWER, *REFERENCES) if key in row
            }
            yield Found(place, _trace({**first, **answered}, passages, {}))


def _question(placed: _Row) -> tuple[object, object]:
    _, row = placed
    return first_of(row, TRACE_ID), first_of(row, QUERY)


def _ranked(held: list[_Row]) -> list[_Row]:
    """The rows by their rank, if every one has one that is a number; else as they stand."""
    ranks = [row.get("rank", "") for _, row in held]
    if not all(rank.strip().isdecimal() for rank in ranks):
        return held
    return [one for _, one in sorted(zip(map(int, ranks), held, strict=True), key=lambda pair: pair[0])]


def _passage(row: Mapping[str, str]) -> dict[str, Any]:
    fields = {
        "id": first_of(row, PASSAGE_ID),
        "text": first_of(row, PASSAGE) or "",  # a blank cell beside an id is an empty passage
        "title": first_of(row, TITLE),
        "score": number(first_of(row, SCORE)),
        "relevant": _label(first_of(row, RELEVANT)),
        "metadata": rest_of(row, *_ROW, *_PASSAGE_ROW),
    }
    return {key: value for key, value in fields.items() if value is not None and value != {}}


def _label(cell: str | None) -> object:
    """A grade, or a word for yes or no."""
    known = _LABELS.get((cell or "").strip().lower())
    return number(cell) if known is None else known


def _trace(row: Mapping[str, str], passages: list[dict[str, Any]], meta: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": first_of(row, TRACE_ID),
        "query": first_of(row, QUERY) or "",
        "passages": passages,
        "answer": first_of(row, ANSWER),
        "references": text_list(first_of(row, REFERENCES)),
        "meta": meta,
    }
