"""What the retriever's and the generator's rankings have in common at their top.

The first argument of every function is the rank of each passage for the retriever (0 is best, equal numbers
are ties), the second its attribution. Tied passages give the expectation over a random order of each tie;
when everything is tied, that is the chance level.
"""

from __future__ import annotations

import math
from numbers import Integral
from typing import TYPE_CHECKING

from boresight.measure.pairing import check_pair, too_few
from boresight.measure.ranks import Place, expected_overlap, places_by_attribution, places_by_rank
from boresight.outcome import Measure

if TYPE_CHECKING:
    from collections.abc import Mapping


def warg_rbo(retriever: Mapping[str, float], generator: Mapping[str, float], p: float = 0.9) -> Measure:
    """Rank-biased disagreement, WARG of the first version: ``1 - RBO``, from p^n (identical) to 1.

    ``RBO = (1 - p) * sum over d = 1..n of p^(d-1) * |top_d(retriever) & top_d(generator)| / d``. The
    truncated sum never reaches 1, so identical rankings of n passages give p^n; :func:`warg_rbo_norm` mends
    that.

    Args:
        retriever: Rank of each passage for the retriever.
        generator: Attribution of each passage.
        p: Weight that each further depth keeps, between 0 and 1.

    Returns:
        The disagreement, its lowest value and its chance level; undefined below two passages.

    Raises:
        ValueError: The mappings hold different passages or a number that is not finite, or p is out of range.

    Source: arXiv 2601.21803 v1; Webber, Moffat and Zobel, A similarity measure for indefinite rankings, TOIS
    28 (2010).
    """
    agreement = _weighted_agreement(retriever, generator, p)
    if isinstance(agreement, Measure):
        return agreement
    observed, chance = agreement
    most = 1 - p ** len(retriever)
    return Measure.defined(1 - most * observed, minimum=1 - most, chance=1 - most * chance)


def warg_rbo_norm(retriever: Mapping[str, float], generator: Mapping[str, float], p: float = 0.9) -> Measure:
    """Rank-biased disagreement on a full scale: ``1 - RBO / (1 - p^n)``, from 0 (identical) to 1.

    Arguments, undefined cases, errors and source are those of :func:`warg_rbo`.
    """
    agreement = _weighted_agreement(retriever, generator, p)
    if isinstance(agreement, Measure):
        return agreement
    observed, chance = agreement
    return Measure.defined(1 - observed, chance=1 - chance)


def wasted_retrieval(retriever: Mapping[str, float], generator: Mapping[str, float], bar: int = 2) -> Measure:
    """Whether the generator ranks the retriever's first passage beyond ``bar`` (ranks from 0), 0 or 1.

    Args:
        retriever: Rank of each passage for the retriever.
        generator: Attribution of each passage.
        bar: The last rank that still counts as used, at least 0.

    Returns:
        0 or 1, between them under ties, with chance ``(n - 1 - bar) / n``; undefined when n <= bar + 1.

    Raises:
        ValueError: The mappings hold different passages or a number that is not finite, or bar is negative.

    Source: arXiv 2601.21803 v1.
    """
    _check_whole("bar", bar, least=0)
    return _missed(retriever, 1, generator, bar + 1, of=1, bar=bar + 1)


def noise_distraction(
    retriever: Mapping[str, float], generator: Mapping[str, float], bar: int = 2
) -> Measure:
    """Whether the retriever ranks the generator's first passage beyond ``bar`` (ranks from 0), 0 or 1.

    Arguments, chance, undefined case, errors and source are those of :func:`wasted_retrieval`.
    """
    _check_whole("bar", bar, least=0)
    return _missed(retriever, bar + 1, generator, 1, of=1, bar=bar + 1)


def wasted_share(retriever: Mapping[str, float], generator: Mapping[str, float], t: int = 1) -> Measure:
    """Share of the retriever's first ``t`` passages that are outside the generator's first ``t``.

    Args:
        retriever: Rank of each passage for the retriever.
        generator: Attribution of each passage.
        t: How many passages count as the top, at least 1.

    Returns:
        A share with chance ``1 - t / n``; undefined when t >= n.

    Raises:
        ValueError: The mappings hold different passages or a number that is not finite, or t is below 1.

    Source: the package of arXiv 2601.21803 v2.
    """
    _check_whole("t", t, least=1)
    return _missed(retriever, t, generator, t, of=t, bar=t)


def noise_share(retriever: Mapping[str, float], generator: Mapping[str, float], t: int = 1) -> Measure:
    """Share of the retriever's last ``n - t`` passages that are inside the generator's first ``n - t``.

    Args:
        retriever: Rank of each passage for the retriever.
        generator: Attribution of each passage.
        t: How many passages count as the retriever's top, at least 1.

    Returns:
        A share with chance ``(n - t) / n``; undefined when t >= n.

    Raises:
        ValueError: The mappings hold different passages or a number that is not finite, or t is below 1.

    Source: the package of arXiv 2601.21803 v2.
    """
    _check_whole("t", t, least=1)
    rest = len(generator) - t
    # Of the generator's first n - t, those outside the retriever's first t are among its last n - t.
    return _missed(retriever, t, generator, rest, of=rest, bar=t)


def top1_agreement(retriever: Mapping[str, float], generator: Mapping[str, float]) -> Measure:
    """Whether both rank the same passage first, 0 or 1 (between them under ties), with chance ``1 / n``.

    Args:
        retriever: Rank of each passage for the retriever.
        generator: Attribution of each passage.

    Returns:
        The probability of agreement over random tie order; undefined below two passages.

    Raises:
        ValueError: The mappings hold different passages or a number that is not finite.
    """
    check_pair(retriever, generator)
    reason = too_few(len(retriever))
    if reason:
        return Measure.undefined(reason)
    both = expected_overlap(places_by_rank(retriever), 1, places_by_attribution(generator), 1)
    return Measure.defined(both, chance=1 / len(retriever))


def _missed(
    retriever: Mapping[str, float], top: int, generator: Mapping[str, float], used: int, *, of: int, bar: int
) -> Measure:
    """Share of ``of`` passages that are in one top and not in the other; chance ``1 - bar / n``.

    Undefined when n <= bar: then one of the tops holds every passage.
    """
    check_pair(retriever, generator)
    reason = too_few(len(retriever), bar + 1)
    if reason:
        return Measure.undefined(reason)
    both = expected_overlap(places_by_rank(retriever), top, places_by_attribution(generator), used)
    return Measure.defined(1 - both / of, chance=1 - bar / len(retriever))


def _weighted_agreement(
    retriever: Mapping[str, float], generator: Mapping[str, float], p: float
) -> tuple[float, float] | Measure:
    """Mean agreement over depths with weights p^(d-1), observed and by chance, in [0, 1]."""
    check_pair(retriever, generator)
    if not 0 < p < 1:
        raise ValueError(f"p must be a number between 0 and 1, got {p}")
    n = len(retriever)
    reason = too_few(n)
    if reason:
        return Measure.undefined(reason)
    weights = [p**depth for depth in range(n)]
    total = math.fsum(weights)
    agreements = _agreements(places_by_rank(retriever), places_by_attribution(generator))
    observed = math.fsum(weight * agreement for weight, agreement in zip(weights, agreements, strict=True))
    # Two random tops of depth d share d * d / n passages.
    chance = math.fsum(weight * depth / n for depth, weight in enumerate(weights, start=1))
    return min(observed / total, 1.0), chance / total


def _agreements(one: Mapping[str, Place], other: Mapping[str, Place]) -> list[float]:
    return [expected_overlap(one, depth, other, depth) / depth for depth in range(1, len(one) + 1)]


def _check_whole(name: str, value: int, *, least: int) -> None:
    if not isinstance(value, Integral) or value < least:
        raise ValueError(f"{name} must be a whole number of at least {least}, got {value}")
