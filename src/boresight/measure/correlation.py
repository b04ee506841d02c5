"""Correlation of the retriever's order or scores with the attributions; positive means agreement.

Spearman and Kendall read ranks, Pearson reads scores. The two arguments are mappings over the same passages.
Pairs are sorted before they are summed, so the order of the passages cannot change the last digit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from boresight.measure.pairing import ALL_TIED, check_pair, too_few, unit_interval
from boresight.measure.ranks import TIE, places_by_attribution, places_by_rank
from boresight.outcome import Measure

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Correlate = Callable[[list[float], list[float]], float]


def spearman(retriever: Mapping[str, float], generator: Mapping[str, float]) -> Measure:
    """Spearman's rank correlation of the retriever's ranks with the attributions; tied ranks are averaged.

    Args:
        retriever: Rank of each passage for the retriever, 0 is best.
        generator: Attribution of each passage.

    Returns:
        A number in [-1, 1] with chance 0; undefined below two passages, or when one side is all ties.

    Raises:
        ValueError: The mappings hold different passages or a number that is not finite.

    Source: Spearman, The proof and measurement of association between two things, Am. J. Psychol. 15 (1904).
    """
    return _of_ranks(retriever, generator, _spearman)


def kendall(retriever: Mapping[str, float], generator: Mapping[str, float]) -> Measure:
    """Kendall's tau-b of the retriever's ranks with the attributions.

    Arguments, undefined cases and errors are those of :func:`spearman`.

    Source: Kendall, The treatment of ties in ranking problems, *Biometrika* 33 (1945).
    """
    return _of_ranks(retriever, generator, _kendall)


def pearson(retriever: Mapping[str, float], generator: Mapping[str, float]) -> Measure:
    """Pearson's correlation of the retriever's scores with the attributions.

    Args:
        retriever: Score of each passage for the retriever, higher is better.
        generator: Attribution of each passage.

    Returns:
        A number in [-1, 1] with chance 0; undefined below two passages, or when one side is constant.

    Raises:
        ValueError: The mappings hold different passages or a number that is not finite.

    Source: Pearson, Note on regression and inheritance in the case of two parents, Proc. R. Soc. 58 (1895).
    """
    check_pair(retriever, generator)
    reason = too_few(len(retriever))
    if reason:
        return Measure.undefined(reason)
    if max(generator.values()) - min(generator.values()) <= TIE:
        return Measure.undefined(ALL_TIED)
    scores, used = unit_interval(retriever), unit_interval(generator)
    if scores is None or used is None:
        return Measure.undefined("all retriever scores are equal")
    return _correlated(scores, used, _pearson)


def _of_ranks(
    retriever: Mapping[str, float], generator: Mapping[str, float], correlate: Correlate
) -> Measure:
    check_pair(retriever, generator)
    reason = too_few(len(retriever))
    if reason:
        return Measure.undefined(reason)
    ranks, used = places_by_rank(retriever), places_by_attribution(generator)
    if all(place.first == 0 for place in used.values()):
        return Measure.undefined(ALL_TIED)
    if all(place.first == 0 for place in ranks.values()):
        return Measure.undefined("all retriever ranks are tied")
    first = {passage: float(place.first) for passage, place in ranks.items()}
    second = {passage: float(place.first) for passage, place in used.items()}
    return _correlated(first, second, correlate)


def _correlated(one: Mapping[str, float], other: Mapping[str, float], correlate: Correlate) -> Measure:
    pairs = sorted((one[passage], other[passage]) for passage in one)
    value = correlate([first for first, _ in pairs], [second for _, second in pairs])
    return Measure.defined(min(max(value, -1.0), 1.0), chance=0.0)


# scipy.stats takes half a second to import, so it loads on first use.


def _spearman(one: list[float], other: list[float]) -> float:
    from scipy.stats import spearmanr

    return float(spearmanr(one, other).statistic)


def _kendall(one: list[float], other: list[float]) -> float:
    from scipy.stats import kendalltau

    return float(kendalltau(one, other, variant="b").statistic)


def _pearson(one: list[float], other: list[float]) -> float:
    from scipy.stats import pearsonr

    return float(pearsonr(one, other).statistic)
