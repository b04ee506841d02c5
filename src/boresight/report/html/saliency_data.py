"""What the trace view knows of the retriever's explanations: words with values, to be laid over the texts.

Places count UTF-16 units, as the page does. Tokens of one word are summed; nothing else is computed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from boresight.report.html.numbers import compact
from boresight.run.retriever_saliency import side_of

UNSAID_SHOWN = 5

if TYPE_CHECKING:
    from collections.abc import Sequence

    Row = dict[str, Any]


def trace_saliency(line: Row | None, trace: Row) -> Row | None:
    """The explanations of one trace, by place in the context; None where nothing was explained.

    Args:
        line: The stored line of the trace.
        trace: Its long form.
    """
    if line is None:
        return None
    texts = {one["id"]: _read(one) for one in trace["passages"]}
    explained = {
        one["passage"]: _passage(one, trace["query"], texts[one["passage"]]) for one in line["passages"]
    }
    return {
        "stage": line["stage"],
        "method": line["method"],
        "kind": line["kind"],
        "failed": line["failed"],
        "passages": [explained.get(key) for key in trace["context"]],
    }


def _read(passage: Row) -> str:
    """What a ranker reads of a passage."""
    title = passage.get("title")
    return f"{title}\n{passage['text']}" if title else str(passage["text"])


def _passage(passage: Row, query: str, text: str) -> Row:
    asked, own = side_of(passage, "query"), side_of(passage, "passage")
    return {
        "score": compact(passage["score"]),
        "base": [compact(asked["base"]), compact(own["base"])],
        "gap": compact(max(asked["relative_gap"], own["relative_gap"])),
        "warning": asked["warning"] or own["warning"],
        "read": [own["read"], own["total"]] if own["read"] and own["read"] < own["total"] else None,
        "query": words_with_values(asked["tokens"], query),
        "words": words_with_values(own["tokens"], text),
        "unsaid": [unsaid(asked["tokens"]), unsaid(own["tokens"])],
        "expanded": [expanded(asked["tokens"], query), expanded(own["tokens"], text)],
    }


def unsaid(tokens: Sequence[Sequence[Any]]) -> list[list[Any]]:
    """``[entry, value]`` of the largest parts at no character, such as expansions of a sparse model."""
    loose = sorted((one for one in tokens if one[2] is None), key=lambda one: -abs(one[4]))
    return [[one[1], compact(one[4])] for one in loose[:UNSAID_SHOWN]]


def expanded(tokens: Sequence[Sequence[Any]], text: str) -> list[list[Any]]:
    """``[entry, value, word]`` of the largest expansions that stand at the word that they come from."""
    found = [
        [entry, value, text[start:end].strip()]
        for _, entry, start, end, value in tokens
        if start is not None and entry != text[start:end]
    ]
    largest = sorted(found, key=lambda one: -abs(one[1]))[:UNSAID_SHOWN]
    return [[entry, compact(value), word] for entry, value, word in largest]


def words_with_values(tokens: Sequence[Sequence[Any]], text: str) -> list[list[Any]]:
    """``[start, end, value]`` of each word, in order; tokens that touch or share letters are one word.

    Args:
        tokens: ``[place, text, start, end, value]`` each; those without characters are left out.
        text: The text that they belong to.
    """
    words: list[list[Any]] = []
    for _, _, start, end, value in sorted((one for one in tokens if one[2] is not None), key=_place):
        first = start + len(text[start:end]) - len(text[start:end].lstrip())
        if words and _one_word(words[-1][1], first, text):
            words[-1][1], words[-1][2] = max(end, words[-1][1]), words[-1][2] + value
        else:
            words.append([first, end, value])
    units = units_of(text)
    return [[units[start], units[end], compact(value)] for start, end, value in words]


def _place(token: Sequence[Any]) -> tuple[int, int]:
    return token[2], token[3]


def _one_word(end: int, start: int, text: str) -> bool:
    """Whether two tokens belong together: they overlap, or touch between Latin-like letters or digits."""
    if start != end:
        return start < end
    return start > 0 and _joins(text[start - 1]) and start < len(text) and _joins(text[start])


def _joins(letter: str) -> bool:
    """Letters of scripts that put blanks between words; others stay one token, one word."""
    return letter.isalnum() and ord(letter) < 0x0E00  # noqa: PLR2004 - Thai and what follows


def units_of(text: str) -> list[int]:
    """UTF-16 place of each character, and of the end."""
    places = [0]
    for letter in text:
        places.append(places[-1] + (2 if ord(letter) > 0xFFFF else 1))  # noqa: PLR2004
    return places
