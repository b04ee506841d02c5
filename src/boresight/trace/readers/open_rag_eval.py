"""open-rag-eval: one row a passage, the answer on the first row of a run; CSV or JSON Lines."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any

from boresight.trace.check import located
from boresight.trace.readers.rows import rows
from boresight.trace.readers.source import Found
from boresight.trace.readers.values import is_absent

if TYPE_CHECKING:
    from collections.abc import Iterator

    from boresight.trace.readers.source import Source

_SIGNS = {"query_id", "query", "passage", "generated_answer"}
_FIRST_RUN = {"", "1"}
_Row = tuple[str, dict[str, Any]]


def fits(source: Source) -> bool:
    """Whether the first row has the columns of open-rag-eval."""
    return {*source.record, *source.columns} >= _SIGNS


def read(source: Source) -> Iterator[Found]:
    """One trace for each query and run; the rows of one stand together.

    The first run of a query is named after it, further ones get ``#2`` and on. Passage ids stay as recorded,
    such as ``[1]``, since answers cite them.
    """
    placed: Iterator[_Row] = rows(source) if source.columns else source.objects()
    for name, group in groupby(placed, key=_name):
        held = list(group)
        place = held[0][0]
        with located(f"{source.name}, {place}: "):
            yield Found(place, _trace(name, [row for _, row in held]))


def _name(placed: _Row) -> str:
    _, row = placed
    query, run = (str(row.get(key) or "").strip() for key in ("query_id", "query_run"))
    return query if run in _FIRST_RUN else f"{query}#{run}"


def _trace(name: str, group: list[dict[str, Any]]) -> dict[str, Any]:
    answers = [row["generated_answer"] for row in group if row.get("generated_answer")]
    query = group[0].get("query")
    return {
        "id": name or None,
        **({} if is_absent(query) else {"query": query}),
        "passages": [_passage(row) for row in group if not is_absent(row.get("passage"))],
        "answer": next(iter(answers), None),
    }


def _passage(row: dict[str, Any]) -> dict[str, Any]:
    key = row.get("passage_id")
    return {"text": row["passage"], **({} if is_absent(key) or key == "" else {"id": key})}
