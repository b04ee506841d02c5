"""The measures of faithfulness, declared: name, formula, range, what must be scored, source."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING

from boresight.measure.faithfulness import eraser
from boresight.measure.faithfulness.aipc import aipc
from boresight.measure.faithfulness.needs import RANDOM_ORDERS, CurveNeeds

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from boresight.measure.faithfulness.curves import Curves
    from boresight.outcome import Measure

_ERASER = "DeYoung et al. 2020; Boresight (control)"


@dataclass(frozen=True, slots=True)
class FaithfulnessMeasure:
    """One measure of a saliency of one text.

    Attributes:
        name: Its name.
        formula: The definition in one line.
        unit: ``index`` (no unit) or ``score`` (of the ranker).
        range: Lowest and highest value; None where there is no limit.
        needs: The removals that it reads.
        source: Where the definition comes from.
        compute: The value from the curves.
    """

    name: str
    formula: str
    unit: str
    range: tuple[float | None, float | None]
    needs: CurveNeeds
    source: str
    compute: Callable[[Curves], Measure]


FAITHFULNESS = (
    FaithfulnessMeasure(
        "aipc",
        "integral over the removed share of (least relevant first - most relevant first), min-max scaled",
        "index",
        (-1.0, 1.0),
        CurveNeeds(most=True, least=True),
        "arXiv 2601.21803",
        aipc,
    ),
    FaithfulnessMeasure(
        "comprehensiveness",
        "mean over tops of 10 to 50 percent of s(x) - s(x without top)",
        "score",
        (None, None),
        CurveNeeds(most=True),
        "DeYoung et al. 2020",
        eraser.comprehensiveness,
    ),
    FaithfulnessMeasure(
        "sufficiency",
        "mean over tops of 10 to 50 percent of s(x) - s(top of x)",
        "score",
        (None, None),
        CurveNeeds(least=True),
        "DeYoung et al. 2020",
        eraser.sufficiency,
    ),
    FaithfulnessMeasure(
        "comprehensiveness_over_random",
        "comprehensiveness - comprehensiveness of random tokens of the same number",
        "score",
        (None, None),
        CurveNeeds(most=True, random=RANDOM_ORDERS),
        _ERASER,
        eraser.comprehensiveness_over_random,
    ),
    FaithfulnessMeasure(
        "sufficiency_over_random",
        "sufficiency of random tokens of the same number - sufficiency",
        "score",
        (None, None),
        CurveNeeds(least=True, random=RANDOM_ORDERS),
        _ERASER,
        eraser.sufficiency_over_random,
    ),
)


def needs_of(measures: Iterable[FaithfulnessMeasure]) -> CurveNeeds:
    """The union of what the measures need."""
    return reduce(CurveNeeds.union, (measure.needs for measure in measures))
