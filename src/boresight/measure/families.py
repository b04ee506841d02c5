"""The families of measures, declared: name, formula, unit, range, needs, source, sweep."""

from __future__ import annotations

from typing import TYPE_CHECKING

from boresight.game.needs import Needs
from boresight.measure import alignment, correlation, overlap, utility
from boresight.measure.attribution_faithfulness.families import attribution_faithfulness_families
from boresight.measure.citation.families import citation_families
from boresight.measure.faithfulness.audited import saliency_families
from boresight.measure.family import Family, Parameter
from boresight.measure.funnel.families import funnel_families
from boresight.measure.gain.families import gain_families
from boresight.measure.order.families import order_families
from boresight.measure.quality.families import quality_families
from boresight.measure.retrieval.families import retrieval_families
from boresight.measure.tokens.families import token_families
from boresight.outcome import Measure

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from boresight.measure.evidence import Evidence, Scale

_V1 = "arXiv 2601.21803 v1"
_V2 = "arXiv 2601.21803 v2"
_OURS = "Boresight"

_TABLE = Needs(table=True)
_RANKS = Needs(table=True, retriever_ranks=True)
_SCORES = Needs(table=True, retriever_scores=True)

_TAU = Parameter("tau", "a number above 0")
_P = Parameter("p", "a number between 0 and 1", high=1.0)
_BAR = Parameter("bar", "a whole number, 0 or more", whole=True)
_TOP = Parameter("t", "a whole number, 1 or more", whole=True, low=1)

_TAUS = (0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0)
_PS = (0.5, 0.6, 0.7, 0.8, 0.9)
_TOPS = (1, 2, 3)

_WARG = (
    "clip(gap(H) / gap(the |H| best-scored passages), -1, 1) with H = {i : share_i > tau / n} "
    "and gap(A) = mean retriever score in A - mean outside"
)
_RBO = "RBO = (1 - p) sum over d = 1..n of p^(d-1) |top_d(retriever) & top_d(generator)| / d"


def _of_ranks(measure: Callable[..., Measure]) -> Callable[..., Measure]:
    """Let a function of two mappings read the retriever's ranks and the attributions above the floor."""
    return lambda seen, *given: measure(seen.retriever.known_ranks(), seen.reliable(), *given)


def _of_scores(measure: Callable[..., Measure], scale: Scale = "nats") -> Callable[..., Measure]:
    """The same with the retriever's scores."""
    return lambda seen, *given: measure(seen.retriever.known_scores(), seen.reliable(scale), *given)


def _below_numeric_floor(seen: Evidence) -> Measure:
    if seen.numeric_floor() is None:
        return Measure.undefined("the numeric floor was not measured")
    return Measure.defined(seen.count_below())


def _leave_one_out(seen: Evidence) -> Mapping[str, Measure]:
    return utility.leave_one_out(seen.row("grand"), seen.without, seen.players)


def _gain(seen: Evidence) -> Mapping[str, Measure]:
    return utility.gain(seen.singletons, seen.row("closed_book"), seen.players)


FAMILIES = (
    Family(
        name="warg",
        formula=_WARG,
        unit="index",
        range=(-1.0, 1.0),
        needs=_SCORES,
        source=_V2,
        trace=_of_scores(alignment.warg),
        parameter=_TAU,
        sweep=_TAUS,
    ),
    Family(
        name="warg_prob",
        formula=f"{_WARG}, phi on the probability scale",
        unit="index",
        range=(-1.0, 1.0),
        needs=_SCORES,
        source=_V2,
        trace=_of_scores(alignment.warg, "prob"),
        scale="prob",
        parameter=_TAU,
        sweep=_TAUS,
    ),
    Family(
        name="warg_rbo",
        formula=f"1 - RBO; {_RBO}",
        unit="index",
        range=(0.0, 1.0),
        needs=_RANKS,
        source=f"{_V1}; Webber et al. 2010",
        trace=_of_ranks(overlap.warg_rbo),
        parameter=_P,
        sweep=_PS,
    ),
    Family(
        name="warg_rbo_norm",
        formula=f"1 - RBO / (1 - p^n); {_RBO}",
        unit="index",
        range=(0.0, 1.0),
        needs=_RANKS,
        source=f"{_V1}; Webber et al. 2010",
        trace=_of_ranks(overlap.warg_rbo_norm),
        parameter=_P,
        sweep=_PS,
    ),
    Family(
        name="wasted_retrieval",
        formula="1 if the passage of retriever rank 0 has generator rank > bar; undefined for n <= bar + 1",
        unit="share",
        range=(0.0, 1.0),
        needs=_RANKS,
        source=_V1,
        trace=_of_ranks(overlap.wasted_retrieval),
        parameter=_BAR,
        sweep=(2,),
    ),
    Family(
        name="noise_distraction",
        formula="1 if the passage of generator rank 0 has retriever rank > bar; undefined for n <= bar + 1",
        unit="share",
        range=(0.0, 1.0),
        needs=_RANKS,
        source=_V1,
        trace=_of_ranks(overlap.noise_distraction),
        parameter=_BAR,
        sweep=(2,),
    ),
    Family(
        name="wasted_share",
        formula="share of the retriever's first t that are not in the generator's first t",
        unit="share",
        range=(0.0, 1.0),
        needs=_RANKS,
        source=_V2,
        trace=_of_ranks(overlap.wasted_share),
        parameter=_TOP,
        sweep=_TOPS,
    ),
    Family(
        name="noise_share",
        formula="share of the retriever's last n - t that are in the generator's first n - t",
        unit="share",
        range=(0.0, 1.0),
        needs=_RANKS,
        source=_V2,
        trace=_of_ranks(overlap.noise_share),
        parameter=_TOP,
        sweep=_TOPS,
    ),
    Family(
        name="top1_agreement",
        formula="1 if retriever and generator rank the same passage first",
        unit="share",
        range=(0.0, 1.0),
        needs=_RANKS,
        source=_OURS,
        trace=_of_ranks(overlap.top1_agreement),
    ),
    Family(
        name="spearman",
        formula="Spearman correlation of retriever rank and generator rank",
        unit="index",
        range=(-1.0, 1.0),
        needs=_RANKS,
        source="Spearman 1904",
        trace=_of_ranks(correlation.spearman),
    ),
    Family(
        name="pearson",
        formula="Pearson correlation of retriever score and phi",
        unit="index",
        range=(-1.0, 1.0),
        needs=_SCORES,
        source="Pearson 1895",
        trace=_of_scores(correlation.pearson),
    ),
    Family(
        name="kendall",
        formula="Kendall tau-b of retriever rank and generator rank",
        unit="index",
        range=(-1.0, 1.0),
        needs=_RANKS,
        source="Kendall 1945",
        trace=_of_ranks(correlation.kendall),
    ),
    Family(
        name="effective_passages",
        formula="1 / sum of share^2",
        unit="passages",
        range=(1.0, None),
        needs=_TABLE,
        source="Hill 1973, order 2",
        trace=lambda seen: utility.effective_passages(seen.resolved()),
    ),
    Family(
        name="context_gain",
        formula="v(N) - v(closed book)",
        unit="nats",
        range=(None, None),
        needs=Needs(grand=True, closed_book=True),
        source=_OURS,
        trace=lambda seen: utility.context_gain(seen.row("grand"), seen.row("closed_book")),
    ),
    Family(
        name="context_effect",
        formula="v(N) - v(empty)",
        unit="nats",
        range=(None, None),
        needs=Needs(grand=True, empty=True),
        source=_OURS,
        trace=lambda seen: utility.context_effect(seen.row("grand"), seen.row("empty")),
    ),
    Family(
        name="below_numeric_floor",
        formula="number of passages with |phi| <= 2 * numeric floor",
        unit="passages",
        range=(0.0, None),
        needs=_TABLE,
        source=_OURS,
        trace=_below_numeric_floor,
    ),
    Family(
        name="total_harm",
        formula="sum of max(-phi_i, 0)",
        unit="nats",
        range=(0.0, None),
        needs=_TABLE,
        source=_OURS,
        trace=lambda seen: utility.total_harm(seen.resolved()),
    ),
    Family(
        name="share",
        formula="max(phi_i, 0) / sum of positive phi",
        unit="share",
        range=(0.0, 1.0),
        needs=_TABLE,
        source=_OURS,
        passages=lambda seen: utility.share(seen.resolved()),
    ),
    Family(
        name="harm",
        formula="max(-phi_i, 0)",
        unit="nats",
        range=(0.0, None),
        needs=_TABLE,
        source=_OURS,
        passages=lambda seen: utility.harm(seen.resolved()),
    ),
    Family(
        name="leave_one_out",
        formula="v(N) - v(N minus i)",
        unit="nats",
        range=(None, None),
        needs=Needs(grand=True, leave_one_out=True),
        source="Koh and Liang 2017, by deletion; arXiv 2411.15102",
        passages=_leave_one_out,
    ),
    Family(
        name="gain",
        formula="v({i}) - v(closed book)",
        unit="nats",
        range=(None, None),
        needs=Needs(singletons=True, closed_book=True),
        source=_OURS,
        passages=_gain,
    ),
    *funnel_families(lambda seen: seen.funnel),
    *attribution_faithfulness_families(),
    *retrieval_families(),
    *citation_families(),
    *saliency_families(),
    *order_families(),
    *quality_families(),
    *token_families(),
    *gain_families(),
)
