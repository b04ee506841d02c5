"""Split passages as lines of text: what each sentence did, beside the attribution of its passage."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.text import Text

from boresight.report.text import WIDTH, counted, cut, plain

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import pandas as pd

    from boresight.run.plan import TracePlan
    from boresight.run.result import RunResult

NAME_WIDTH = 24
SMALL = 5e-4  # below this three decimals would show 0.000


def split_lines(run: RunResult, trace: str) -> Iterator[Text]:
    """The split passages of a trace: a line each, then one a sentence.

    Args:
        run: The run.
        trace: Trace id.
    """
    for one in run.summary.get("split", ()):  # older runs have none
        if one["trace"] != trace:
            continue
        yield Text(_heading(one))
        if one["reduced"]:
            yield Text(f"  {one['reduced']}")
        if one["sentences"]:
            yield from _sentences(run.saliency, trace, one["passage"])


def reduced_lines(plans: Sequence[TracePlan], most: int = 20) -> Iterator[str]:
    """Where the token cap took outer coalitions or sentences from a plan."""
    found = [(plan.trace, split) for plan in plans for split in plan.splits if split.reduced]
    for trace, split in found[:most]:
        name = f"{cut(trace, NAME_WIDTH)}, {cut(split.passage, NAME_WIDTH)}"
        yield f"{name} by sentences: {split.reduced}"
    if len(found) > most:
        yield f"and {counted(len(found) - most, 'more split passage')} that the token cap reduced"


def _heading(one: Mapping[str, Any]) -> str:
    name = f"{cut(one['passage'], NAME_WIDTH)} by sentences:"
    if one["sum"] is None:
        return f"{name} nothing to score" if one["reduced"] else f"{name} its text is blank"
    beside = counted(one["outer"], "outer coalition")
    if one["attribution"] is None:
        return f"{name} sum {_number(one['sum'])} over {beside}"
    return (
        f"{name} sum {_number(one['sum'])} over {beside},\n"
        f"  its attribution {_number(one['attribution'])}, difference {_number(one['difference'])}"
    )


def _sentences(saliency: pd.DataFrame, trace: str, passage: str) -> Iterator[Text]:
    rows = saliency.reset_index()
    own = rows[(rows["trace"] == trace) & (rows["side"] == "passage") & (rows["passage"] == passage)]
    for value, text, above in zip(own["value"], own["text"], own["above_numeric"], strict=True):
        mark = "~" if above is False else " "
        start = f"  {_number(value, '+'):>8} {mark} "
        yield Text(start + plain(text, WIDTH - len(start)))


def _number(value: float, sign: str = "") -> str:
    return f"{value:{sign}.1e}" if 0 < abs(value) < SMALL else f"{value:{sign}.3f}"
