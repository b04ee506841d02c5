"""Text on a terminal, in 80 columns. What comes from traces is shown and never interpreted."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

from rich.console import Console

if TYPE_CHECKING:
    from boresight.run.cost import Cost

WIDTH = 80
_NEEDED = {
    "orders": "other orders of the passages",
    "other_targets": "references and other targets",
    "abstention": "abstention behind each passage alone",
    "contrastive": "references under the contrastive mixture",
    "streams": "two streams over the answer",
    "order_answers": "answers in other orders",
    "single_answers": "answers with one passage alone",
}


def plain(text: str, width: int | None = None) -> str:
    """Text with control and layout characters made visible or dropped, cut to a width.

    A passage must not move the cursor, recolour the screen or reverse the reading direction of a table.
    """
    shown = "".join(_visible(character) for character in " ".join(text.split()))
    return shown if width is None or len(shown) <= width else shown[: max(width - 1, 0)] + "…"


def _visible(character: str) -> str:
    if character == "\u200d" or unicodedata.category(character) not in ("Cc", "Cf", "Cs", "Co", "Cn"):
        return character
    return "\N{REPLACEMENT CHARACTER}"


def console(*, stderr: bool = False) -> Console:
    """A console at most 80 columns wide that interprets no markup."""
    screen = Console(stderr=stderr, markup=False, highlight=False, emoji=False)
    return Console(stderr=stderr, markup=False, highlight=False, emoji=False, width=min(screen.width, WIDTH))


def cost_lines(cost: Cost) -> list[str]:
    """What a run will cost, in two or three lines, and one more for each thing that few measures need."""
    bound = "at most " if cost.at_most else ""
    parts = [f"{counted(cost.traces, 'trace')}: {cost.exact} exact, {cost.sampled} sampled"]
    if cost.failed:
        parts.append(f"{cost.failed} that cannot be scored")
    lines = [
        ", ".join(parts),
        f"{bound}{cost.tokens:,} tokens, {cost.coalitions:,} coalitions, {cost.calls:,} calls",
    ]
    lines += [f"  of them {_NEEDED[name]}: {tokens:,} tokens" for name, tokens in cost.added_tokens.items()]
    lines += [f"  {_NEEDED[name]}: {answers:,} answers" for name, answers in cost.added_answers.items()]
    if cost.explained:
        took = "" if cost.explaining_seconds is None else f", about {duration(cost.explaining_seconds)}"
        lines.append(f"  the retriever's scores of {counted(cost.explained, 'passage')} to explain{took}")
    if cost.rankings:
        took = "" if cost.ranking_seconds is None else f", {duration(cost.ranking_seconds)}"
        lines.append(f"  what moves passages across the cut: at most {cost.rankings:,} rankings{took}")
    rest = []
    if cost.memory_mib is not None:
        rest.append(f"{cost.memory_mib:,} MiB of weights")
    if cost.seconds is not None:
        rest.append(f"about {duration(cost.seconds)} at the speed just measured")
    return [*lines, ", ".join(rest)] if rest else lines


def duration(seconds: float) -> str:
    """Seconds in words."""
    if seconds < 100:  # noqa: PLR2004 - two digits of seconds read well
        return f"{seconds:.0f} s"
    if seconds < 6000:  # noqa: PLR2004 - two digits of minutes too
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"


def cut(text: str, width: int) -> str:
    """Text cut in the middle: names often differ at their ends only."""
    shown = plain(text)
    if len(shown) <= width:
        return shown
    end = (width - 1) // 2
    return f"{shown[: width - 1 - end]}…{shown[len(shown) - end :]}"


def counted(number: int, noun: str) -> str:
    """``1 trace``, ``2 traces``."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
