"""Memory or context? Decided from the closed-book answer and from what the context does to the answer.

Two facts about an answer: whether the model says the same to the plain question (memory agrees), and whether
the full context makes the answer likelier than the plain question does, by more than the floor.

| | gain above the floor | within the floor | below minus the floor |
|---|---|---|---|
| memory agrees | both | memory | against_context |
| memory differs | context | neither | against_context |

Source: Boresight. Parametric against contextual knowledge as in arXiv 2305.13300 (ConflictQA), decided there
by prompting for each, here by values of one fixed text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from boresight.measure.quality import containment, normal_form

if TYPE_CHECKING:
    from collections.abc import Mapping

Source = Literal["memory", "context", "both", "against_context", "neither"]
SOURCES: Mapping[Source, str] = {
    "memory": "from memory",
    "context": "from the context",
    "both": "from both",
    "against_context": "against the context",
    "neither": "from neither",
}


def source_of(gain: float, floor: float, *, memory_agrees: bool) -> Source:
    """Where an answer comes from.

    Args:
        gain: v(N) - v(closed book) of the answer, nats.
        floor: What an effect must exceed, nats, at least 0.
        memory_agrees: Whether the model says the same without passages.
    """
    if gain < -floor:
        return "against_context"
    if gain > floor:
        return "both" if memory_agrees else "context"
    return "memory" if memory_agrees else "neither"


def says_the_same(answer: str, other: str) -> bool:
    """Whether two answers are equal in normal form, or one stands in the other at word boundaries."""
    equal = normal_form(answer) == normal_form(other)
    return equal or bool(containment(answer, [other]) or containment(other, [answer]))
