"""TREC topics, runs and judgements: a folder of them, or one file.

Runs hold no texts and no generator used them, so a trace has rankings and grades and an empty context. Runs
are alternatives: each is a stage of its own that need not follow the one before. Conversational topics (CAsT)
get their earlier turns as history, with the canonical passage as the assistant's turn where the track
published one.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from boresight.errors import InputError
from boresight.trace.check import listed
from boresight.trace.ids import FreshIds
from boresight.trace.readers.gaps import FIELD
from boresight.trace.readers.source import Found, Source
from boresight.trace.readers.trec_files import (
    RunLine,
    kind_of,
    open_file,
    ranked,
    read_qrels,
    read_run,
    read_topics,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_NOTE = "one of several runs over the same topics; it need not follow the stage before"
_SUBFOLDERS = ("qrels", "runs", "topics")


@dataclass
class Collection:
    """What the files of a folder say about each topic.

    Attributes:
        topics: By id, in the order of the files; those without a text have an empty query.
        runs: Run lines by stage name and topic.
        judgements: Grades by topic and passage.
        skipped: Names of files that are none of these.
    """

    topics: dict[str, dict[str, Any]] = field(default_factory=dict)
    runs: dict[str, dict[str, list[RunLine]]] = field(default_factory=dict)
    judgements: dict[str, dict[str, float]] = field(default_factory=dict)
    skipped: list[str] = field(default_factory=list)

    def names(self) -> Iterable[str]:
        """Every topic that a file names."""
        runs = (name for run in self.runs.values() for name in run)
        return dict.fromkeys((*self.topics, *runs, *self.judgements))


def fits(source: Source) -> bool:
    """Whether a file is a run, judgements or topics, or a folder has a run or judgements."""
    if source.folder is None:
        return kind_of(source) is not None
    return any(kind_of(open_file(path)) in {"run", "qrels"} for path in files_of(source.folder))


def files_of(folder: Path) -> list[Path]:
    """The files of a folder and of its usual subfolders, by name."""
    places = (folder, *(folder / name for name in _SUBFOLDERS))
    files = [path for place in places if place.is_dir() for path in sorted(place.iterdir())]
    return [path for path in files if path.is_file() and path.suffix.lower() not in {".md", ".gz", ".zip"}]


def read(source: Source) -> Iterator[Found]:
    """One trace a topic.

    Raises:
        InputError: If a line is malformed, or grades contradict each other.
    """
    files = [source] if source.folder is None else [open_file(path) for path in files_of(source.folder)]
    collection = collected(files)
    if not any(True for _ in collection.names()):
        raise InputError(f"{source.name} holds neither topics, runs nor judgements")
    if collection.skipped:
        source.note(
            f"passed over, since they are no topics, runs or judgements: {listed(collection.skipped)}"
        )
    history = histories(collection.topics)
    for name in collection.names():
        yield found(name, collection, history.get(name, []))


def collected(files: Iterable[Source]) -> Collection:
    """What files of all kinds say, together."""
    collection = Collection()
    runs: list[tuple[str, str, dict[str, list[RunLine]]]] = []
    for file in files:
        kind = kind_of(file)
        if kind == "run":
            runs.append((Path(file.name).name, *read_run(file)))
        elif kind == "qrels":
            read_qrels(file, collection.judgements)
        elif kind == "topics":
            collection.topics.update((topic["id"], topic) for _, topic in read_topics(file))
        else:
            collection.skipped.append(Path(file.name).name)
    collection.runs = dict(_named(runs))
    return collection


def _named(
    runs: list[tuple[str, str, dict[str, list[RunLine]]]],
) -> Iterator[tuple[str, dict[str, list[RunLine]]]]:
    """Runs by tag, or by file name where two share a tag."""
    tags = [tag for _, tag, _ in runs]
    fresh = FreshIds()
    for file, tag, topics in runs:
        yield fresh.fresh(tag if tags.count(tag) == 1 else file), topics


def histories(topics: dict[str, dict[str, Any]]) -> dict[str, list[dict[str, str]]]:
    """Earlier turns by topic id, for topics that are turns of a conversation."""
    conversations: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for topic in topics.values():
        if isinstance(topic.get("turn"), int) and topic.get("topic") is not None:
            conversations[str((topic.get("year"), topic["topic"]))].append(topic)
    earlier: dict[str, list[dict[str, str]]] = {}
    for turns in conversations.values():
        said: list[dict[str, str]] = []
        for topic in sorted(turns, key=lambda topic: topic["turn"]):
            earlier[topic["id"]] = list(said)
            said.append({"role": "user", "content": topic["query"]})
            passage = topic.get("canonical_passage") or topic.get("passage")
            if passage:
                said.append({"role": "assistant", "content": passage})
    return earlier


def stages_of(name: str, collection: Collection) -> tuple[list[dict[str, Any]], list[str]]:
    """The stages of a topic, one a run that holds it, and remarks."""
    stages, remarks = [], []
    notes = {"notes": [_NOTE]} if len(collection.runs) > 1 else {}
    for stage, topics in collection.runs.items():
        if name in topics:
            lines, said = ranked(topics[name])
            places = [{"id": line.passage, "score": line.score} for line in lines]
            stages.append({"name": stage, "kind": "retrieve", "ranking": places, **notes})
            remarks += [f"stage {stage!r}: {sentence}" for sentence in said]
    return stages, remarks


def found(name: str, collection: Collection, history: list[dict[str, str]]) -> Found:
    """The trace of one topic."""
    topic = collection.topics.get(name, {})
    stages, remarks = stages_of(name, collection)
    item = {
        "id": name,
        "query": topic.get("query", ""),
        "history": history,
        "passages": [],
        "stages": stages,
        "context": [],
        "relevance": collection.judgements.get(name, {}),
        "meta": {
            **{key: topic[key] for key in topic if key not in {"id", "query", "utterance", "raw_utterance"}},
            FIELD: ["prompt"],
        },
    }
    return Found(f"topic {name}", item, tuple(remarks))
