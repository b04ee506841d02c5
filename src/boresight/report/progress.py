"""Progress on a terminal; a line every few seconds where there is no terminal."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Self

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from boresight.report.text import plain

if TYPE_CHECKING:
    from types import TracebackType

    from rich.console import Console

SECONDS_BETWEEN_LINES = 5.0


class ConsoleProgress:
    """Shows phases on a console; use it as a context manager.

    Args:
        screen: Where to show them (standard error, so that output can be piped).
    """

    def __init__(self, screen: Console) -> None:
        self._screen = screen
        self._live = screen.is_terminal
        self._bars = Progress(
            TextColumn("{task.description:<16}"), BarColumn(bar_width=30), MofNCompleteColumn(),
            TimeRemainingColumn(), console=screen, disable=not self._live,
        )  # fmt: skip
        self._name, self._done, self._total, self._printed = "", 0, 0, 0.0

    def __enter__(self) -> Self:
        self._bars.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bars.stop()

    def phase(self, name: str, total: int) -> None:
        """A phase begins."""
        self._name, self._done, self._total, self._printed = name, 0, total, time.monotonic()
        self._task = self._bars.add_task(name, total=total)

    def advance(self, units: int = 1) -> None:
        """Units of the current phase are done."""
        self._done += units
        self._bars.update(self._task, advance=units)
        now = time.monotonic()
        if not self._live and now - self._printed > SECONDS_BETWEEN_LINES:
            self._printed = now
            self._screen.print(f"{self._name}: {self._done:,} of {self._total:,}")

    def note(self, text: str) -> None:
        """Something a person should read."""
        self._screen.print(plain(text))
