"""RESULTS.md: one section a benchmark, each written without touching the others."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

RESULTS = Path(__file__).parent / "RESULTS.md"
HEAD = "# Results\n\nMade by `make bench`; each section says what ran.\n"


def write_section(title: str, lines: Sequence[str], path: Path = RESULTS) -> None:
    """Replace the section of this title, or append it.

    Args:
        title: Heading of the section, unique in the file.
        lines: Its text, in Markdown, without headings of the second level.
        path: The file.
    """
    text = path.read_text(encoding="utf-8") if path.exists() else HEAD
    section = f"## {title}\n\n" + "\n".join(lines).strip() + "\n"
    pattern = re.compile(rf"^## {re.escape(title)}\n.*?(?=^## |\Z)", re.MULTILINE | re.DOTALL)
    if pattern.search(text):
        text = pattern.sub(lambda _: section + "\n", text)
    else:
        text = text.rstrip() + "\n\n" + section
    path.write_text(text.rstrip() + "\n", encoding="utf-8")


def table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> list[str]:
    """A Markdown table; the first column is text, the others are numbers."""
    lines = ["| " + " | ".join(head) + " |", "|---|" + "---:|" * (len(head) - 1)]
    return [*lines, *("| " + " | ".join(map(_shown, row)) + " |" for row in rows)]


def _shown(cell: object) -> str:
    if cell is None:
        return ""
    return f"{cell:.4g}" if isinstance(cell, float) else str(cell)
