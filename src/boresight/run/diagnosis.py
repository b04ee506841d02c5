"""Pairs, minimal sets and findings of a run, from stored rows."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING, Any

from boresight.explain.counterfactual import minimal_breaks, minimal_keeps
from boresight.findings import (
    Case,
    Finding,
    asked_kinds,
    case_from,
    diagnose,
    finding_rates,
    run_findings,
    sentences,
)
from boresight.run.design import EXACT

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np
    from numpy.typing import NDArray

    from boresight.game.table import ValueTable
    from boresight.measure.evidence import Evidence
    from boresight.models.seam import Target
    from boresight.run.evidence import Attribution, Pairs
    from boresight.trace import Trace

    Row = dict[str, Any]


@dataclass(slots=True)
class Diagnosis:
    """Collects what is said about each answer.

    Attributes:
        placebo_floor: The run's placebo floor in nats, or None.
        findings: Findings so far, trace by trace, the most important of a trace first.
        asked: Per trace, the kinds that its numbers allow.
        sets: Lines of ``sets.jsonl``.
    """

    placebo_floor: float | None
    findings: list[Finding] = field(default_factory=list)
    asked: list[tuple[str, ...]] = field(default_factory=list)
    sets: list[Row] = field(default_factory=list)

    def add(
        self,
        trace: Trace,
        target: Target,
        evidence: Evidence,
        table: ValueTable,
        *,
        nats: Attribution | None,
        pairs: Pairs | None,
    ) -> Iterator[Row]:
        """Diagnose one answer.

        Args:
            trace: The trace.
            target: The answer.
            evidence: What the measures read about it.
            table: Its value table.
            nats: Its attributions in nats, or None.
            pairs: Its pairwise interactions in nats, or None.

        Yields:
            Rows of the pairs table.
        """
        case = case_from(
            evidence,
            table,
            None if pairs is None else pairs.nearest_to_zero,
            trace,
            target=target.text,
            low=None if nats is None else nats.low,
            high=None if nats is None else nats.high,
            placebo_floor=self.placebo_floor,
        )
        self.asked.append(asked_kinds(case))
        self.findings += diagnose(case)
        if evidence.method == EXACT:
            self.sets += _sets(case, table.lattice().sum(axis=1))
        if pairs is not None:
            yield from _pairs(case, target.id, pairs)

    def summary(self, summary: dict[str, Any]) -> dict[str, Any]:
        """The summary with rates of findings and the three sentences; run-level findings are kept too."""
        rates = {kind: dict(rate) for kind, rate in finding_rates(self.asked, self.findings).items()}
        whole = {**summary, "findings": rates}
        self.findings += run_findings(whole)
        return {**whole, "sentences": sentences(whole)}


def _sets(case: Case, values: NDArray[np.float64]) -> Iterator[Row]:
    for kind, found in (
        ("keeps", minimal_keeps(values, case.players, case.margin)),
        ("breaks", minimal_breaks(values, case.players, case.margin)),
    ):
        for one in found:
            yield {
                "trace": case.trace,
                "kind": kind,
                "passages": list(one.passages),
                "value": float(one.value),
            }


def _pairs(case: Case, target: str, pairs: Pairs) -> Iterator[Row]:
    for first, second in combinations(range(len(case.players)), 2):
        yield {
            "trace": case.trace,
            "a": case.players[first],
            "b": case.players[second],
            "target": target,
            "interaction": float(pairs.interaction[first, second]),
            "low": None if pairs.low is None else float(pairs.low[first, second]),
            "high": None if pairs.high is None else float(pairs.high[first, second]),
        }
