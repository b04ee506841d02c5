"""Which passages stand in a recorded prompt, word for word, and in which order."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_SPACE = re.compile(r"(?:\s|\\[nrt])+")  # tools print objects, which turns a line feed into two characters
_QUOTED = re.compile(r"\\(['\"])")


def context_in(prompts: Sequence[str], texts: Mapping[str, str]) -> list[str]:
    """Ids of the passages that the prompts hold, in prompt order.

    White space may differ, since templates and printing change it; nothing else may.

    Args:
        prompts: What a model was given, in the order of the calls.
        texts: Passage texts by id.
    """
    context: dict[str, None] = {}
    wanted = {key: squeezed(text) for key, text in texts.items()}
    for prompt in map(squeezed, prompts):
        context.update(dict.fromkeys(_found(prompt, wanted)))
    return list(context)


def squeezed(text: str) -> str:
    """The text with one space in the place of any white space."""
    return _QUOTED.sub(r"\1", _SPACE.sub(" ", text)).strip()


def _found(prompt: str, wanted: Mapping[str, str]) -> list[str]:
    places: list[tuple[int, int, str]] = []
    for key in sorted(wanted, key=lambda key: -len(wanted[key])):  # a passage may be part of a longer one
        place = _free_place(prompt, wanted[key], places) if wanted[key] else None
        if place is not None:
            places.append((*place, key))
    return [key for _, _, key in sorted(places)]


def _free_place(prompt: str, text: str, taken: Sequence[tuple[int, int, str]]) -> tuple[int, int] | None:
    """The first place of a text that no other passage has, so that twins need two."""
    start = prompt.find(text)
    while start >= 0:
        end = start + len(text)
        over = next((stop for begin, stop, _ in taken if begin < end and start < stop), None)
        if over is None:
            return start, end
        start = prompt.find(text, over)
    return None
