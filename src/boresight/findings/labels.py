"""The labels against the answer: passages that it rests on and that no label calls relevant."""

from __future__ import annotations

from typing import TYPE_CHECKING

from boresight.findings.types import Finding, Number
from boresight.findings.words import joined, nats, passages

if TYPE_CHECKING:
    from collections.abc import Sequence

    from boresight.findings.case import Case


def is_asked(case: Case) -> bool:
    """Whether the trace has a label and the case has attributions."""
    return bool(case.relevance) and case.attribution is not None and bool(case.players)


def label_hole(case: Case) -> list[Finding]:
    """The passages whose attribution, or its whole interval, is above the floor and whose label is not."""
    used = [passage for passage in case.players if case.helps(passage)]
    holes = [passage for passage in used if case.relevance.get(passage, 0) <= 0]
    if not holes:
        return []
    holes.sort(key=lambda passage: -case.share(passage).value)
    rest = "" if len(holes) < len(used) else ", and on no passage that a label does"
    sentence = (
        f"The answer rests on {passages(holes)}, which no label calls relevant{rest}: {_shown(case, holes)}."
    )
    score = case.share(holes[0]).value
    return [Finding(case.trace, "label_hole", tuple(holes), sentence, score, _evidence(case, holes))]


def _shown(case: Case, holes: Sequence[str]) -> str:
    """``2.00 nats from a (judged irrelevant)`` and so on."""
    said = {one: "judged irrelevant" if one in case.relevance else "never judged" for one in holes}
    return joined([f"{nats(case.share(one).value)} from {one} ({words})" for one, words in said.items()])


def _evidence(case: Case, holes: Sequence[str]) -> dict[str, Number]:
    shares = {f"attribution[{passage}]": case.share(passage) for passage in holes}
    labels = {f"label[{one}]": Number(float(case.relevance[one])) for one in holes if one in case.relevance}
    return {**shares, **labels, "floor": Number(case.floor)}
