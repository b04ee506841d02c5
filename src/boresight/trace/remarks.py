"""What a person should know about the reading of one trace."""

from __future__ import annotations

from typing import TYPE_CHECKING

from boresight.trace.check import listed

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping


class Remarks:
    """Collects warnings; each begins with the field that it is about and is told once."""

    def __init__(self) -> None:
        self._sentences: dict[str, None] = {}  # dictionaries serve as ordered sets
        self._ignored: dict[str, dict[str, None]] = {}

    def add(self, sentence: str) -> None:
        """Add a sentence."""
        self._sentences[sentence] = None

    def unknown(self, item: Mapping[str, object], known: Collection[str], path: str) -> None:
        """Remember the fields of an object that have no place, for one warning a kind of object."""
        for key in item:
            if key not in known:
                self._ignored.setdefault(path, {})[key] = None

    def sentences(self) -> tuple[str, ...]:
        """All warnings, in the order in which they arose; ignored fields last."""
        return (*self._sentences, *(_ignored(path, keys) for path, keys in self._ignored.items()))


def _ignored(path: str, keys: Iterable[str]) -> str:
    return f"{path} has fields that are unknown and were left out: {listed(keys)}"
