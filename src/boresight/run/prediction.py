"""Does a measure of a run tell right answers from wrong ones? Area under the curve and rank correlation.

An answer is right where a reference stands in it. With retrieval held fixed, only answers whose contexts are
alike are compared: those that hold a reference with each other, and those that hold none.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from boresight.measure.quality import containment, token_f1
from boresight.measure.registry import parse
from boresight.stats.auc import auroc
from boresight.stats.jackknife import jackknife_interval
from boresight.stats.placement import placements

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from numpy.typing import NDArray

    from boresight.measure.evidence import Evidence
    from boresight.outcome import Measure
    from boresight.stats.interval import Interval
    from boresight.trace import Trace

    Floats = NDArray[np.float64]
    Line = dict[str, Any]

FEWEST = 5
"""Right answers, and wrong ones, that a comparison needs."""
BLOCKS = 50
"""Most groups of traces that the jackknife leaves out in turn, so that its cost grows with the run only."""


@dataclass(frozen=True, slots=True)
class Graded:
    """One answer.

    Attributes:
        right: Whether a reference stands in it.
        f1: Token F1 with its best reference.
        held: Whether a passage of the context holds a reference.
    """

    right: bool
    f1: float
    held: bool


@dataclass(slots=True)
class PredictionTotals:
    """Collects which answers are right.

    Attributes:
        graded: By trace id; only traces with an answer and references.
    """

    graded: dict[str, Graded] = field(default_factory=dict)

    def add(self, trace: Trace, evidence: Evidence) -> None:
        """Grade one answer."""
        answer, references = evidence.extra.answer, evidence.extra.references
        if answer is not None and references:
            held = any(containment(passage.text, references) for passage in trace.context_passages)
            self.graded[trace.id] = Graded(
                bool(containment(answer, references)), token_f1(answer, references), held
            )

    def summary(self, rows: Iterable[tuple[str, str, Measure]]) -> Line:
        """The entry ``prediction`` of the summary.

        Args:
            rows: Trace id, name and outcome of every measure of a trace.

        Returns:
            How many answers are ``right`` and ``wrong``; by measure ``auroc``, ``auroc_retrieval_fixed`` and
            ``rank_correlation`` (Spearman, with token F1), each with value and interval or a reason.
        """
        right = sum(one.right for one in self.graded.values())
        found: Line = {"right": right, "wrong": len(self.graded) - right, "measures": {}}
        for name, values in self._by_measure(rows).items():
            found["measures"][name] = self._predict(values)
        return found

    def _by_measure(self, rows: Iterable[tuple[str, str, Measure]]) -> dict[str, dict[str, float]]:
        """Defined values by measure and trace of graded traces, without measures of the text alone."""
        found: dict[str, dict[str, float]] = {}
        for trace, name, measure in rows:
            if measure.value is not None and trace in self.graded and parse(name).needs.rows:
                found.setdefault(name, {})[trace] = measure.value
        return {name: dict(sorted(values.items())) for name, values in found.items()}

    def _predict(self, values: Mapping[str, float]) -> Line:
        graded = [self.graded[trace] for trace in values]
        scores = np.fromiter(values.values(), np.float64)
        right = np.array([one.right for one in graded])
        if min(right.sum(), (~right).sum()) < FEWEST:
            reason = f"fewer than {FEWEST} right or {FEWEST} wrong answers have a value"
            return {"traces": len(values), "reason": reason}
        held, f1 = ([getattr(one, name) for one in graded] for name in ("held", "f1"))
        sample = np.array([scores, right, held, f1], dtype=np.float64).T
        return {
            "traces": len(values),
            "auroc": _ends(auroc(scores[right], scores[~right])),
            "auroc_retrieval_fixed": _jackknifed(_within_strata, sample, least=0.0),
            "rank_correlation": _jackknifed(_spearman, sample, least=-1.0),
            "reason": None,
        }


def _jackknifed(statistic: Callable[[Floats], float], sample: Floats, *, least: float) -> Line:
    """A statistic with its jackknife interval over at most 50 blocks of traces, cut to what it can be."""
    if not np.isfinite(statistic(sample)):
        return {"value": None, "low": None, "high": None}
    groups = np.arange(len(sample)) % BLOCKS
    left = [statistic(sample[groups != block]) for block in np.unique(groups)]
    if not np.isfinite(left).all():
        return {"value": statistic(sample), "low": None, "high": None}
    found = jackknife_interval(lambda rows: np.array(statistic(rows)), sample, groups=groups.tolist())
    ends = (None if end is None else float(np.clip(end, least, 1.0)) for end in (found.low, found.high))
    return {"value": float(found.value)} | dict(zip(("low", "high"), ends, strict=True))


def _within_strata(sample: Floats) -> float:
    """Share of the pairs, right and wrong with alike contexts, in which the right one is above."""
    above = pairs = 0.0
    for held in (0, 1):
        own = sample[sample[:, 2] == held]
        ours, others = own[own[:, 1] == 1, 0], own[own[:, 1] == 0, 0]
        if ours.size and others.size:
            above += float(placements(ours, others).sum()) * others.size
            pairs += ours.size * others.size
    return above / pairs if pairs else float("nan")


def _spearman(sample: Floats) -> float:
    """Correlation of the ranks of score and token F1; NaN where either is constant."""
    from scipy.stats import rankdata

    scores, f1 = rankdata(sample[:, 0]), rankdata(sample[:, 3])
    if np.ptp(scores) == 0 or np.ptp(f1) == 0:
        return float("nan")
    return float(np.corrcoef(scores, f1)[0, 1])


def _ends(interval: Interval[float | None]) -> Line:
    return {"value": interval.value, "low": interval.low, "high": interval.high}
