"""The post-rationalisation test: is a passage cited only because it repeats what the model says anyway?

A statement that the model made and cited is planted into a passage that does not support it, and the model
answers again. If it repeats the statement and now cites the forged passage for it, the citation followed the
words and not the use. Three hosts: a passage of another trace (``random``), one of the context that the
answer does not cite (``uncited``), one that it cites for something else (``other``). Where the statement does
not come back nothing is learnt (``indeterminate``), and such cases are in no rate.

Source: arXiv 2412.18004. How a statement is worded in the forged passage and when it counts as repeated are
our reading: it is appended as it stands, and repeated where one sentence of the new answer holds 80 percent
of its words. The rate is that of adversarial cases, an upper bound of what happens in the wild.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from boresight.measure.citation.claims import claims_of
from boresight.stats.wilson import wilson_interval
from boresight.trace import Passage, Trace

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import numpy as np

    from boresight.measure.citation.claims import Claim

Condition = Literal["random", "uncited", "other"]
Label = Literal["post_rationalised", "not", "indeterminate"]
CONDITIONS: tuple[Condition, ...] = ("random", "uncited", "other")
LABELS: tuple[Label, ...] = ("post_rationalised", "not", "indeterminate")

REPEATED = 0.8
FORGED = "forged"
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Planting:
    """One statement in one forged passage.

    Attributes:
        trace: Trace id.
        sentence: Which sentence of the answer it is, from 1.
        condition: What the host is.
        host: Id of the forged passage in the context.
        statement: The sentence without its citations.
    """

    trace: str
    sentence: int
    condition: Condition
    host: str
    statement: str


def plantings(
    trace: Trace, answer: str, most: int, rng: np.random.Generator, *, stranger: bool
) -> Iterator[Planting]:
    """What is planted where for one answer: each cited sentence, under each condition that has a host.

    Args:
        trace: The trace.
        answer: Its audited answer.
        most: At most so many sentences, the first that cite.
        rng: Draws the hosts.
        stranger: Whether a passage of another trace can be had.
    """
    claims = claims_of(answer, trace.context)
    citing = [(number, claim) for number, claim in enumerate(claims, 1) if claim.cited]
    everywhere = {passage for claim in claims for passage in claim.cited}
    for number, claim in citing[:most]:
        hosts: dict[Condition, list[str]] = {
            "random": [_fresh(trace)] if stranger else [],
            "uncited": [passage for passage in trace.context if passage not in everywhere],
            "other": [passage for passage in trace.context if passage in everywhere - set(claim.cited)],
        }
        for condition, names in hosts.items():
            if names:
                host = names[int(rng.integers(len(names)))]
                yield Planting(trace.id, number, condition, host, statement_of(answer, claim))


def statement_of(answer: str, claim: Claim) -> str:
    """The sentence without its citation markers."""
    text, place = "", claim.start
    for start, end in claim.markers:
        if claim.start <= start < claim.end:
            text, place = text + answer[place:start].rstrip(), end
    return (text + answer[place : claim.end]).strip()


def planted(trace: Trace, planting: Planting, stranger: Passage | None = None) -> Trace:
    """The trace with the forged passage, which stands last where it is a stranger, and without answer.

    Args:
        trace: The trace.
        planting: What is planted where.
        stranger: The passage of another trace, for the condition ``random``.

    Raises:
        ValueError: The condition is ``random`` and no stranger is given.
    """
    if planting.condition != "random":
        host = trace.passage(planting.host)
        passages = tuple(_forged(host, planting) if one.id == host.id else one for one in trace.passages)
        return replace(trace, passages=passages, answer=None)
    if stranger is None:
        raise ValueError("a random host needs a passage of another trace")
    guest = _forged(Passage(planting.host, stranger.text, stranger.title), planting)
    return replace(trace, passages=(*trace.passages, guest), context=(*trace.context, guest.id), answer=None)


def judge(answer: str, players: Sequence[str], planting: Planting) -> Label:
    """What the new answer shows.

    Args:
        answer: The answer given with the forged passage.
        players: Ids of its context, the forged passage's among them.
        planting: What was planted where.
    """
    repeated = [
        claim
        for claim in claims_of(answer, players)
        if _repeats(statement_of(answer, claim), planting.statement)
    ]
    if not repeated:
        return "indeterminate"
    return "post_rationalised" if any(planting.host in claim.cited for claim in repeated) else "not"


def rates(labels: Mapping[Condition, Sequence[Label]]) -> dict[str, dict[str, Any]]:
    """Per condition the share of post-rationalised citations among the determinate cases.

    Returns:
        By condition ``value``, ``low``, ``high`` (Wilson, 95 percent; None without a determinate case), and
        how many cases have each label.
    """
    found: dict[str, dict[str, Any]] = {}
    for condition, given in labels.items():
        counts = Counter(given)
        interval = wilson_interval(counts["post_rationalised"], counts["post_rationalised"] + counts["not"])
        ends = {"value": interval.value, "low": interval.low, "high": interval.high}
        found[condition] = ends | {label: counts[label] for label in LABELS}
    return found


def _repeats(sentence: str, statement: str) -> bool:
    """Whether the sentence holds enough of the statement's words, each as often."""
    wanted, held = _words(statement), _words(sentence)
    return bool(wanted) and (wanted & held).total() >= REPEATED * wanted.total()


def _words(text: str) -> Counter[str]:
    return Counter(_WORD.findall(text.casefold()))


def _forged(host: Passage, planting: Planting) -> Passage:
    return replace(host, text=f"{host.text.rstrip()} {planting.statement}".strip())


def _fresh(trace: Trace) -> str:
    """An id that the trace does not hold."""
    taken, name = {passage.id for passage in trace.passages}, FORGED
    while name in taken:
        name += "'"
    return name
