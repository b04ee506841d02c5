"""The measures of retrieval and of its labels, declared."""

from __future__ import annotations

from typing import TYPE_CHECKING

from boresight.game.needs import Needs
from boresight.measure.family import Family, Parameter
from boresight.measure.retrieval import holes
from boresight.measure.retrieval.ranking import of_trace

if TYPE_CHECKING:
    from boresight.measure.evidence import Evidence
    from boresight.outcome import Measure

_RANKS = Needs(retriever_ranks=True)
_CUT = Parameter("k", "a whole number, 1 or more", whole=True, low=1)


def retrieval_families() -> tuple[Family, ...]:
    """Measures of the retriever's ranking against labels, and label holes; all on demand."""
    return (
        Family(
            name="ndcg",
            formula="DCG at rank k over that of the best order, gain = grade, discount log2(rank + 1)",
            unit="index",
            range=(0.0, 1.0),
            needs=_RANKS,
            source="Järvelin and Kekäläinen 2002; ir_measures",
            trace=_ndcg,
            parameter=_CUT,
            sweep=(10,),
            default=False,
        ),
        Family(
            name="map",
            formula="mean over the relevant passages of the precision at their rank, 0 where not ranked",
            unit="index",
            range=(0.0, 1.0),
            needs=_RANKS,
            source="Buckley and Voorhees 2000; ir_measures",
            trace=lambda seen: of_trace(seen, "AP"),
            default=False,
        ),
        Family(
            name="mrr",
            formula="1 / rank of the first relevant passage, 0 where none is ranked",
            unit="index",
            range=(0.0, 1.0),
            needs=_RANKS,
            source="Voorhees 1999; ir_measures",
            trace=lambda seen: of_trace(seen, "RR"),
            default=False,
        ),
        Family(
            name="recall",
            formula="share of the relevant passages among the first k of the ranking",
            unit="share",
            range=(0.0, 1.0),
            needs=_RANKS,
            source="trec_eval; ir_measures",
            trace=_recall,
            parameter=_CUT,
            sweep=(10,),
            default=False,
        ),
        Family(
            name="label_holes",
            formula="number of passages with phi above twice the numeric floor and no label above 0",
            unit="passages",
            range=(0.0, None),
            needs=Needs(table=True),
            source="Boresight",
            trace=holes.label_holes,
            default=False,
        ),
        Family(
            name="share_outside_labels",
            formula="sum of share_i over the passages without a label above 0",
            unit="share",
            range=(0.0, 1.0),
            needs=Needs(table=True),
            source="Boresight",
            trace=holes.share_outside_labels,
            default=False,
        ),
    )


def _ndcg(seen: Evidence, k: float) -> Measure:
    return of_trace(seen, f"nDCG@{int(k)}")


def _recall(seen: Evidence, k: float) -> Measure:
    return of_trace(seen, f"R@{int(k)}")
