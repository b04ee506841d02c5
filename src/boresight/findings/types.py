"""What a finding is."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

Remedy = Literal[
    "drop_passage", "rerank", "deduplicate", "keep_together", "abstain_or_cite", "sanitise", "none"
]


class Number(NamedTuple):
    """A number that a finding rests on.

    Attributes:
        value: The number.
        low: Lower end of its 95 percent interval; None where nothing was sampled.
        high: Upper end of the interval.
    """

    value: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """One diagnosed fault.

    Attributes:
        trace: Trace id; None for a finding about the whole run.
        kind: Name of the rule that found it.
        passages: Ids of the passages it is about, the one at fault first.
        sentence: One sentence for a person, without any text of a passage.
        score: How much it explains, at least 0, larger is more important: nats of the answer in a trace,
            distance from chance in the unit of the measure for a run.
        evidence: The numbers behind it, by name.
        remedy: The kind of change that would address it.

    Raises:
        ValueError: A number is not finite, or the score is negative.
    """

    trace: str | None
    kind: str
    passages: tuple[str, ...]
    sentence: str
    score: float
    evidence: Mapping[str, Number] = field(default_factory=dict)
    remedy: Remedy = "none"

    def __post_init__(self) -> None:
        numbers = [self.score, *(part for number in self.evidence.values() for part in number)]
        if not all(part is None or math.isfinite(part) for part in numbers):
            raise ValueError(f"a finding holds finite numbers only, got {numbers}")
        if self.score < 0:
            raise ValueError(f"a finding's score is at least 0, got {self.score}")

    def to_json(self) -> dict[str, Any]:
        """The line of ``findings.jsonl``, as JSON values."""
        return {
            "trace": self.trace,
            "kind": self.kind,
            "passages": list(self.passages),
            "sentence": self.sentence,
            "score": self.score,
            "evidence": {name: number._asdict() for name, number in self.evidence.items()},
            "remedy": self.remedy,
        }
