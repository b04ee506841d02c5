"""Do different methods name the same passages? They routinely disagree, so it is reported.

Source: S. Krishna et al., *The Disagreement Problem in Explainable Machine Learning* (2022).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from boresight.measure.attribution_faithfulness.lattice import lattice_of
from boresight.measure.correlation import spearman
from boresight.measure.evidence import AbsentError
from boresight.measure.overlap import top1_agreement
from boresight.measure.pairing import too_few
from boresight.measure.ranks import places_by_attribution
from boresight.outcome import Measure

if TYPE_CHECKING:
    from collections.abc import Mapping

    from boresight.measure.evidence import Evidence


def rank_agreement(one: Mapping[str, float], other: Mapping[str, float]) -> Measure:
    """Spearman correlation of two attributions of the same passages, chance 0.

    Undefined below two passages, or where one side gives every passage the same.

    Raises:
        ValueError: The mappings hold different passages or a number that is not finite.
    """
    ranks = _ranks(one)
    return spearman(ranks, other) if len(set(ranks.values())) != 1 else _same(ranks)


def same_top(one: Mapping[str, float], other: Mapping[str, float]) -> Measure:
    """Whether two attributions put the same passage first, ties in parts; chance 1 / n.

    Undefined and errors as in :func:`rank_agreement`, though ties alone do not make it undefined.
    """
    return top1_agreement(_ranks(one), other)


def leave_one_out(seen: Evidence) -> dict[str, float]:
    """v(N) - v(N minus i) of each passage, nats.

    Raises:
        AbsentError: A prompt was not scored.
    """
    grand = seen.row("grand")
    stored = _complete(seen, seen.without, "the prompt without each passage was not scored")
    return {passage: grand - value for passage, value in stored.items()}


def alone(seen: Evidence) -> dict[str, float]:
    """v({i}) - v(empty) of each passage, nats.

    Raises:
        AbsentError: A prompt was not scored.
    """
    empty = seen.row("empty")
    stored = _complete(seen, seen.singletons, "the prompt with each passage alone was not scored")
    return {passage: value - empty for passage, value in stored.items()}


def banzhaf(seen: Evidence) -> dict[str, float]:
    """Banzhaf value of each passage, nats: its mean contribution over all sets of the others alike.

    Raises:
        AbsentError: The trace was sampled.
    """
    from boresight.explain.shapley.banzhaf import exact_banzhaf

    values = exact_banzhaf(lattice_of(seen).values)
    return dict(zip(seen.players, values.tolist(), strict=True))


def _complete(seen: Evidence, stored: Mapping[str, float], absent: str) -> dict[str, float]:
    if any(passage not in stored for passage in seen.players):
        raise AbsentError(absent)
    return {passage: stored[passage] for passage in seen.players}


def _ranks(attribution: Mapping[str, float]) -> dict[str, float]:
    return {passage: float(place.first) for passage, place in places_by_attribution(attribution).items()}


def _same(ranks: Mapping[str, float]) -> Measure:
    return Measure.undefined(too_few(len(ranks)) or "one method gives every passage the same")
