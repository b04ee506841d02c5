"""The measures of an attribution's faithfulness, declared."""

from __future__ import annotations

from typing import TYPE_CHECKING

from boresight.game.needs import Needs
from boresight.measure.attribution_faithfulness import agreement, areas
from boresight.measure.attribution_faithfulness.aopc import aopc, deletion, insertion, normalised_aopc
from boresight.measure.attribution_faithfulness.datamodel import score_of_trace
from boresight.measure.attribution_faithfulness.drop import top_drop
from boresight.measure.family import Family, Parameter

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from boresight.measure.evidence import Evidence
    from boresight.outcome import Measure

_TABLE = Needs(table=True)
_AOPC = "arXiv 2408.08137"
_ERASER = "DeYoung et al. 2020"
_KRISHNA = "Krishna et al. 2022"
_LOST = "1/n * sum over k = 1..n of v(N) - v(N without the top k by phi)"
_GAINED = "1/n * sum over k = 1..n of v(top k by phi) - v(empty)"
_BOUNDS = "(A - A_min) / (A_max - A_min) over all n! orders, A ="
_CHANCE = "chance: random order, exact"

_OTHERS: tuple[tuple[str, str, Needs, Callable[[Evidence], Mapping[str, float]]], ...] = (
    (
        "leave_one_out",
        "v(N) - v(N minus i)",
        Needs(table=True, grand=True, leave_one_out=True),
        agreement.leave_one_out,
    ),
    (
        "alone",
        "v({i}) - v(empty)",
        Needs(table=True, empty=True, singletons=True),
        agreement.alone,
    ),
    ("banzhaf", "the Banzhaf value", _TABLE, agreement.banzhaf),
)


def attribution_faithfulness_families() -> tuple[Family, ...]:
    """Curves, drops, the linear score, and agreement with other methods; all on demand."""
    return (*_curves(), *_agreements())


def _curves() -> tuple[Family, ...]:
    return (
        Family(
            name="naopc_deletion",
            formula=f"{_BOUNDS} {_LOST}; {_CHANCE}",
            unit="index",
            range=(0.0, 1.0),
            needs=_TABLE,
            source=_AOPC,
            trace=lambda seen: normalised_aopc(seen, deletion),
            default=False,
        ),
        Family(
            name="naopc_insertion",
            formula=f"{_BOUNDS} {_GAINED}; {_CHANCE}",
            unit="index",
            range=(0.0, 1.0),
            needs=_TABLE,
            source=_AOPC,
            trace=lambda seen: normalised_aopc(seen, insertion),
            default=False,
        ),
        Family(
            name="aopc_deletion",
            formula=f"{_LOST}; {_CHANCE}",
            unit="nats",
            range=(None, None),
            needs=_TABLE,
            source=f"Samek et al. 2017; {_AOPC}",
            trace=lambda seen: aopc(seen, deletion),
            default=False,
        ),
        Family(
            name="aopc_insertion",
            formula=f"{_GAINED}; {_CHANCE}",
            unit="nats",
            range=(None, None),
            needs=_TABLE,
            source=f"Petsiuk et al. 2018; {_AOPC}",
            trace=lambda seen: aopc(seen, insertion),
            default=False,
        ),
        Family(
            name="aipc",
            formula="integral over the removed share of (least phi first - most phi first), min-max scaled",
            unit="index",
            range=(-1.0, 1.0),
            needs=_TABLE,
            source="arXiv 2601.21803",
            trace=areas.aipc,
            default=False,
        ),
        Family(
            name="comprehensiveness",
            formula=f"mean over tops of up to half of the passages of v(N) - v(N without top); {_CHANCE}",
            unit="nats",
            range=(None, None),
            needs=_TABLE,
            source=_ERASER,
            trace=areas.comprehensiveness,
            default=False,
        ),
        Family(
            name="sufficiency",
            formula=f"mean over tops of up to half of the passages of v(N) - v(top); {_CHANCE}",
            unit="nats",
            range=(None, None),
            needs=_TABLE,
            source=_ERASER,
            trace=areas.sufficiency,
            default=False,
        ),
        Family(
            name="top_drop",
            formula="v(N) - v(N without the top k by phi); chance: the mean over all sets of k passages",
            unit="nats",
            range=(None, None),
            needs=Needs(table=True, grand=True, leave_one_out=True),
            source="arXiv 2409.00729",
            trace=top_drop,
            parameter=Parameter("k", "a whole number, 1 or more", whole=True, low=1),
            sweep=(1, 3, 5),
            default=False,
        ),
        Family(
            name="linear_datamodelling_score",
            formula="Spearman correlation over all coalitions S of sum over i in S of phi_i with v(S)",
            unit="index",
            range=(-1.0, 1.0),
            needs=_TABLE,
            source="Park et al. 2023; arXiv 2409.00729",
            trace=score_of_trace,
            default=False,
        ),
    )


def _agreements() -> tuple[Family, ...]:
    return tuple(
        family
        for name, formula, needs, other in _OTHERS
        for family in (
            Family(
                name=f"agreement_{name}",
                formula=f"Spearman correlation of phi with {formula}",
                unit="index",
                range=(-1.0, 1.0),
                needs=needs,
                source=_KRISHNA,
                trace=_against(agreement.rank_agreement, other),
                default=False,
            ),
            Family(
                name=f"same_top_{name}",
                formula=f"1 if phi and {formula} put the same passage first",
                unit="share",
                range=(0.0, 1.0),
                needs=needs,
                source=_KRISHNA,
                trace=_against(agreement.same_top, other),
                default=False,
            ),
        )
    )


def _against(
    compare: Callable[[Mapping[str, float], Mapping[str, float]], Measure],
    other: Callable[[Evidence], Mapping[str, float]],
) -> Callable[[Evidence], Measure]:
    return lambda seen: compare(other(seen), seen.resolved())
