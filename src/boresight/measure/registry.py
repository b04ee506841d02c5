"""Every measure by name: what ``boresight measures`` lists and ``--measures`` chooses from."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Any

from boresight.errors import SpecError
from boresight.game.needs import Needs
from boresight.measure import alignment, correlation, overlap, utility
from boresight.measure.family import BoundMeasure, Family, Parameter
from boresight.outcome import Measure

if TYPE_CHECKING:
    from boresight.measure.evidence import Evidence, Scale

_RAG_E = "arXiv 2601.21803"
_HERE = "Boresight"
_RANKS = Needs(table=True, retriever_ranks=True)
_SCORES = Needs(table=True, retriever_scores=True)

_TAU = Parameter("tau", "a number above 0")
_P = Parameter("p", "a number between 0 and 1", high=1.0)
_BAR = Parameter("bar", "a whole number, 0 or more", whole=True)
_TOP = Parameter("t", "a whole number, 1 or more", whole=True, low=1)

_TAUS = (0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0)
_PS = (0.5, 0.6, 0.7, 0.8, 0.9)
_TOPS = (1, 2, 3)


def _warg(name: str, scale: Scale) -> Family:
    return Family(
        name,
        "clip(gap(H) / gap(the |H| best-scored), -1, 1); H = {i : phi_i / sum of positive phi > tau / n}, "
        "gap(A) = mean retriever score in A - mean outside",
        "index",
        (-1.0, 1.0),
        _SCORES,
        f"{_RAG_E} v2",
        trace=lambda seen, tau: alignment.warg(seen.retriever.known_scores(), seen.reliable(scale), tau),
        scale=scale,
        parameter=_TAU,
        sweep=_TAUS,
    )


_ALIGNMENT = (
    _warg("warg", "nats"),
    _warg("warg_prob", "prob"),
    Family(
        "warg_rbo",
        "1 - RBO; RBO = (1 - p) sum_d p^(d-1) |top_d(retriever) & top_d(generator)| / d, d = 1..n",
        "index",
        (0.0, 1.0),
        _RANKS,
        f"{_RAG_E} v1; Webber et al. 2010",
        trace=lambda seen, p: overlap.warg_rbo(seen.retriever.known_ranks(), seen.reliable(), p),
        parameter=_P,
        sweep=_PS,
    ),
    Family(
        "warg_rbo_norm",
        "1 - RBO / (1 - p^n)",
        "index",
        (0.0, 1.0),
        _RANKS,
        f"{_RAG_E} v1; Webber et al. 2010",
        trace=lambda seen, p: overlap.warg_rbo_norm(seen.retriever.known_ranks(), seen.reliable(), p),
        parameter=_P,
        sweep=_PS,
    ),
)
