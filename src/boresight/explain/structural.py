"""The explainer that knows a ranker's own arithmetic, for the rankers that have one."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from boresight.explain.parts import Explainer
    from boresight.models.rankers.seam import Ranker


def structural_explainer(ranker: Ranker) -> Explainer | None:
    """An explainer whose parts are the ranker's own arithmetic.

    Args:
        ranker: Any ranker.

    Returns:
        The explainer of kind ``structural``, or None for a ranker whose score is no sum over words (dense
        encoders, cross-encoders, language models), which saliency and removal explain.
    """
    kind = ranker.describe().get("kind")
    maker = _MAKERS.get(str(kind))
    return maker(ranker) if maker else None


def _bm25(ranker: Ranker) -> Explainer | None:
    from boresight.explain.lexical import Bm25Explainer
    from boresight.models.rankers.bm25 import Bm25Ranker

    return Bm25Explainer(ranker) if isinstance(ranker, Bm25Ranker) else None


def _sparse(ranker: Ranker) -> Explainer | None:
    from boresight.explain.sparse import SparseExplainer
    from boresight.models.rankers.sparse import SparseRanker

    return SparseExplainer(ranker) if isinstance(ranker, SparseRanker) else None


def _maxsim(ranker: Ranker) -> Explainer | None:
    from boresight.explain.maxsim import MaxSimExplainer
    from boresight.models.rankers.maxsim import MaxSimRanker

    return MaxSimExplainer(ranker) if isinstance(ranker, MaxSimRanker) else None


def _fusion(ranker: Ranker) -> Explainer | None:
    from boresight.explain.fusion import FusionExplainer
    from boresight.models.rankers.fusion import FusionRanker

    return FusionExplainer(ranker) if isinstance(ranker, FusionRanker) else None


# By kind, so that torch is loaded for a ranker that uses it only.
_MAKERS = {"bm25": _bm25, "sparse": _sparse, "maxsim": _maxsim, "fusion": _fusion}
