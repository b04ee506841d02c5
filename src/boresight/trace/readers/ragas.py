"""Ragas data sets: JSON Lines, or CSV with its lists as text; the names of version 0.2 and those before."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from boresight.trace.check import located
from boresight.trace.readers.documents import as_document
from boresight.trace.readers.messages import turns_of
from boresight.trace.readers.rows import rows
from boresight.trace.readers.source import Found
from boresight.trace.readers.values import as_list, first_of, rest_of, text_list

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from boresight.trace.readers.source import Source

_QUERY = ("user_input", "question")
_CONTEXTS = ("retrieved_contexts", "contexts")
_ANSWER = ("response", "answer")
_REFERENCES = ("reference", "ground_truth", "ground_truths")
_IDS = ("retrieved_context_ids",)
_GOOD_IDS = ("reference_context_ids",)
_USED = (_QUERY, _CONTEXTS, _ANSWER, _REFERENCES, _IDS, _GOOD_IDS, ("id", "history"))
_ROLES = {"human": "user", "user": "user", "ai": "assistant", "assistant": "assistant", "system": "system"}


def fits(source: Source) -> bool:
    """Whether the first object, or the header, has the question and the contexts under Ragas' names."""
    names = {*source.record, *source.columns}
    return bool(names & set(_QUERY)) and bool(names & set(_CONTEXTS))


def read(source: Source) -> Iterator[Found]:
    """One trace a sample; of a conversation, the last question is the query, what came before the history."""
    placed = rows(source) if source.columns else source.objects("samples")
    for place, sample in placed:
        with located(f"{source.name}, {place}: "):
            yield Found(place, _trace(sample))


def _trace(sample: Mapping[str, Any]) -> dict[str, Any]:
    query, history, said = _question(first_of(sample, _QUERY))
    answer = first_of(sample, _ANSWER)
    names = as_list(first_of(sample, _IDS))
    documents = [as_document(text) for text in as_list(first_of(sample, _CONTEXTS))]
    if len(names) == len(documents):
        documents = [{**document, "id": name} for document, name in zip(documents, names, strict=True)]
    return {
        "id": sample.get("id"),
        **({} if query is None else {"query": query}),
        "history": history,
        "passages": documents,
        "answer": said if answer is None else answer,
        "references": [text for text in text_list(first_of(sample, _REFERENCES)) if text],
        "relevance": {str(name): 1 for name in as_list(first_of(sample, _GOOD_IDS))},
        "meta": rest_of(sample, *_USED),
    }


def _question(value: object) -> tuple[Any, list[dict[str, str]], str | None]:
    """Query, earlier turns, and the answer where the sample is a conversation."""
    turns = [
        {**turn, "role": _ROLES[turn["role"]]}
        for turn in (turns_of(value) if isinstance(value, list) else ())
        if turn["role"] in _ROLES
    ]
    asked = [index for index, turn in enumerate(turns) if turn["role"] == "user"]
    if not asked:
        return value, [], None
    last = asked[-1]
    said = next((turn["content"] for turn in reversed(turns[last + 1 :])), None)
    return turns[last]["content"], turns[:last], said
