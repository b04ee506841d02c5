"""Progress that a caller may watch; the default shows nothing."""

from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    """Told what happens; must not fail and changes nothing."""

    def phase(self, name: str, total: int) -> None:
        """A phase begins; ``total`` units of work are ahead."""

    def advance(self, units: int = 1) -> None:
        """Units of the current phase are done."""

    def note(self, text: str) -> None:
        """Something a person should read."""


class Silent:
    """Shows nothing."""

    def phase(self, name: str, total: int) -> None:
        """Ignore."""

    def advance(self, units: int = 1) -> None:
        """Ignore."""

    def note(self, text: str) -> None:
        """Ignore."""
