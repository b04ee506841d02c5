"""Classic measures of a ranking against labels, computed by ir_measures (extra ``retrieval``).

The ranking is the whole stage that speaks for the retriever, in the order in which it was recorded, whatever
reached the context. A passage that was never judged counts as irrelevant, as trec_eval counts it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from boresight.errors import SpecError
from boresight.measure.evidence import NO_RANKING
from boresight.outcome import Measure

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from boresight.measure.evidence import Evidence

NO_LABELS = "no passage is labelled"
NONE_RELEVANT = "no passage is labelled relevant"

_QUERY = "q"


def ranking_measure(name: str, ranking: Sequence[str], relevance: Mapping[str, float]) -> Measure:
    """A measure of one ranking.

    Args:
        name: As ir_measures writes it, such as ``nDCG@10``, ``AP``, ``RR`` or ``R@10``.
        ranking: Passage ids, the best first.
        relevance: Grades by passage id; above 0 is relevant. Passages that are not in the ranking count too.

    Returns:
        Between 0 and 1; undefined without a label above 0, where a grade is no whole number and the measure
        weighs grades (nDCG), or where ir_measures is not installed.

    Sources: K. Järvelin and J. Kekäläinen (2002) for nDCG; C. Buckley and E. Voorhees (2000) for average
    precision; E. Voorhees (1999) for reciprocal rank.
    """
    if not relevance:
        return Measure.undefined(NO_LABELS)
    if max(relevance.values()) <= 0:
        return Measure.undefined(NONE_RELEVANT)
    graded = name.startswith("nDCG")
    odd = next((grade for grade in relevance.values() if graded and not float(grade).is_integer()), None)
    if odd is not None:
        return Measure.undefined(f"the grade {odd:g} of a label is no whole number")
    grades = {
        passage: max(int(grade), 0) if graded else int(grade > 0) for passage, grade in relevance.items()
    }
    places = {passage: float(len(ranking) - place) for place, passage in enumerate(ranking)}
    return _computed(name, {_QUERY: grades}, {_QUERY: places})


def of_trace(seen: Evidence, name: str) -> Measure:
    """The same for the retriever's stage of a trace; undefined where no ranking is recorded, too."""
    if not seen.retriever.ranking:
        return Measure.undefined(seen.retriever.rank_reason or NO_RANKING)
    return ranking_measure(name, seen.retriever.ranking, seen.extra.relevance)


def _computed(
    name: str, qrels: Mapping[str, Mapping[str, int]], run: Mapping[str, Mapping[str, float]]
) -> Measure:
    from boresight.models.rankers.extras import library

    try:
        ir_measures = library("ir_measures")
    except SpecError as absent:
        return Measure.undefined(str(absent))
    measure = ir_measures.parse_measure(name)
    return Measure.defined(float(ir_measures.calc_aggregate([measure], qrels, run)[measure]))
