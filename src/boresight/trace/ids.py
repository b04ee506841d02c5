"""Identity: passages and traces have an id from the start, made from their content if none is given."""

from __future__ import annotations

import hashlib
from collections import Counter
from typing import TYPE_CHECKING

from boresight.trace.check import as_optional_text, as_text

if TYPE_CHECKING:
    from collections.abc import Iterable

_DIGITS = 16


def passage_id(title: str | None, text: str) -> str:
    """The id of a passage that has none: the first 16 hex digits of sha256(title, line feed, text).

    Args:
        title: The title; None counts as the empty title.
        text: The text.

    Raises:
        InputError: If one of them is no string, or holds a lone surrogate.
    """
    return _digest(f"{as_optional_text(title, 'title') or ''}\n{as_text(text, 'text')}")


def trace_id(query: str) -> str:
    """The id of a trace that has none: the first 16 hex digits of sha256(query)."""
    return _digest(as_text(query, "query"))


def _digest(content: str) -> str:
    return hashlib.sha256(content.encode()).hexdigest()[:_DIGITS]


class FreshIds:
    """Hands out ids that are not taken: repeats get ``#2``, ``#3`` and on."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._taken = set(taken)
        self._count: Counter[str] = Counter()

    def take(self, name: str) -> str:
        """Mark a given id as taken, and return it."""
        self._taken.add(name)
        return name

    def fresh(self, base: str) -> str:
        """``base``, or ``base#N`` with the smallest N from 2 that is free."""
        name = base
        while name in self._taken:
            # The counter remembers where the last search ended, so that many repeats stay linear.
            self._count[base] += 1
            name = f"{base}#{self._count[base] + 1}"
        return self.take(name)
