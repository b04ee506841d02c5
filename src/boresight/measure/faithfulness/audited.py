"""The measures of faithfulness of saliency, as measures of an audited trace: means over its passages."""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING

from boresight.game.needs import Needs
from boresight.measure.evidence import AbsentError
from boresight.measure.faithfulness.families import FAITHFULNESS, FaithfulnessMeasure
from boresight.measure.family import Family
from boresight.outcome import Measure

if TYPE_CHECKING:
    from collections.abc import Callable

    from boresight.measure.evidence import Evidence

NOT_ASKED = "no tokens of the passages were removed by their saliency (--explain retriever, of an encoder)"


def saliency_families() -> tuple[Family, ...]:
    """The declared measures of the retriever's saliency on its passages; none is taken unless asked for."""
    return tuple(
        Family(
            name=f"saliency_{one.name}",
            formula=f"mean over the passages of the context: {one.formula}",
            unit="index" if one.unit == "index" else "score",
            range=one.range,
            needs=Needs(saliency_curves=True),
            source=one.source,
            trace=_mean(one),
            default=False,
        )
        for one in FAITHFULNESS
    )


def _mean(measure: FaithfulnessMeasure) -> Callable[[Evidence], Measure]:
    def measured(seen: Evidence) -> Measure:
        if not seen.extra.saliency_curves:
            raise AbsentError(NOT_ASKED)
        found = [measure.compute(curves) for curves in seen.extra.saliency_curves.values()]
        values = [one.value for one in found if one.value is not None]
        if not values:
            return Measure.undefined(found[0].reason or NOT_ASKED)
        chances = [one.chance for one in found if one.value is not None and one.chance is not None]
        return Measure.defined(fmean(values), chance=fmean(chances) if len(chances) == len(values) else None)

    return measured
