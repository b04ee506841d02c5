"""A BEIR folder: ``corpus.jsonl``, ``queries.jsonl``, judgements, and TREC runs if there are any.

Only texts that a judgement or a ranking names are kept, so that a corpus of millions is read once and not
held.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from boresight.errors import InputError
from boresight.trace.check import listed
from boresight.trace.readers import trec
from boresight.trace.readers.gaps import FIELD
from boresight.trace.readers.source import Found, Source
from boresight.trace.readers.trec_files import decode_object, kind_of, open_file

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_CORPUS, _QUERIES = "corpus.jsonl", "queries.jsonl"
_SPLITS = ("test", "dev", "train")
_COLUMNS = 3


def fits(source: Source) -> bool:
    """Whether it is a folder with a corpus and queries."""
    folder = source.folder
    return folder is not None and (folder / _CORPUS).is_file() and (folder / _QUERIES).is_file()


def read(source: Source) -> Iterator[Found]:
    """One trace for each query that is judged or ranked, with the texts of those passages.

    No generator used them, so the context is empty. Of several judgement files, ``test`` is read, else
    ``dev``, else ``train``.

    Raises:
        InputError: If a file is malformed, or a passage id has two texts.
    """
    folder = source.folder
    if folder is None or not fits(source):
        raise InputError(f"{source.name} is no folder with {_CORPUS} and {_QUERIES}; name one")
    runs = [path for path in trec.files_of(folder) if path.name not in {_CORPUS, _QUERIES}]
    collection = trec.collected([file for file in map(open_file, runs) if kind_of(file) == "run"])
    collection.judgements = _judgements(folder, source)
    wanted = {key for grades in collection.judgements.values() for key in grades} | {
        line.passage for run in collection.runs.values() for lines in run.values() for line in lines
    }
    texts = _texts(folder / _CORPUS, wanted)
    left_out = 0
    for place, query in _objects(folder / _QUERIES):
        found = _found(place, query, collection, texts)
        if found is None:
            left_out += 1
        else:
            yield found
    if left_out:
        queries = (
            "1 query without judgement and ranking was"
            if left_out == 1
            else (f"{left_out:,} queries without judgement and ranking were")
        )
        source.note(f"{queries} left out")


def _judgements(folder: Path, source: Source) -> dict[str, dict[str, float]]:
    files = [*sorted(folder.glob("qrels*.tsv")), *sorted((folder / "qrels").glob("*.tsv"))]
    if not files:
        return {}
    chosen = next((path for split in _SPLITS for path in files if path.stem == split), files[0])
    if len(files) > 1:
        others = listed(path.name for path in files if path != chosen)
        source.note(f"judgements were read from {chosen.name}, not from {others}")
    grades: dict[str, dict[str, float]] = {}
    file = open_file(chosen)
    for number, (place, line) in enumerate(file.lines()):
        cells = line.decode(errors="replace").rstrip("\r\n").split("\t")
        if number == 0 and cells[:1] == ["query-id"]:
            continue
        try:
            query, passage, grade = cells[0], cells[1], float(cells[_COLUMNS - 1])
        except (IndexError, ValueError):
            raise file.fault(place, "judgements have three columns: query-id corpus-id score") from None
        grades.setdefault(query, {})[passage] = grade
    return grades


def _objects(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    with path.open("rb") as lines:
        for place, line in Source(str(path), iter(lines)).lines():
            yield f"{path.name}, {place}", decode_object(line, f"{path}, {place}")


def _texts(corpus: Path, wanted: set[str]) -> dict[str, dict[str, Any]]:
    """The passages of those ids."""
    texts: dict[str, dict[str, Any]] = {}
    for place, item in _objects(corpus):
        key = str(item.get("_id"))
        if key not in wanted:
            continue
        passage = {"id": key, "text": item.get("text") or "", "title": item.get("title") or None}
        if item.get("metadata"):
            passage["metadata"] = item["metadata"]
        before = texts.setdefault(key, passage)
        if before != passage:
            raise InputError(f"{corpus.parent}, {place}: the id {key!r} stands for another text already; "
                             "give each passage its own id")  # fmt: skip
    return texts


def _found(
    place: str, query: dict[str, Any], collection: trec.Collection, texts: dict[str, dict[str, Any]]
) -> Found | None:
    name = str(query.get("_id"))
    stages, remarks = trec.stages_of(name, collection)
    grades = collection.judgements.get(name, {})
    if not grades and not stages:
        return None
    named = dict.fromkeys((*(one["id"] for stage in stages for one in stage["ranking"]), *grades))
    meta = query.get("metadata") or {}
    item = {
        "id": name,
        "query": query.get("text") or "",
        "passages": [texts[key] for key in named if key in texts],
        "stages": stages,
        "context": [],
        "references": query.get("answers") or [],
        "relevance": grades,
        "meta": {**meta, FIELD: ["prompt"]},
    }
    return Found(place, item, tuple(remarks))
