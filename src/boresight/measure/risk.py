"""How large can the mean risk of a system be, given the losses of some audited traces?

A conformal bound: with probability at least 1 - delta over the draw of the traces, the mean loss of further
traces of the same kind is at most the bound. It holds for any losses between 0 and 1 and any number of
traces, and needs nothing but their mean. It speaks of the mean over traces, never of one answer.

    p(alpha) = min( exp(-n h(min(r, alpha), alpha)),  e P[Binomial(n, alpha) <= ceil(n r)] )
    h(a, b) = a ln(a / b) + (1 - a) ln((1 - a) / (1 - b))
    bound = the alpha in (r, 1] with p(alpha) = delta, by bisection

Sources: W. Hoeffding (1963) and V. Bentkus (2004) for the two tails; S. Bates et al., *Distribution-free,
Risk-controlling Prediction Sets* (2021), for their minimum; M. Kang et al., *C-RAG*, arXiv 2402.03181, for
risks of generation and for the bound under a shift of distribution.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from boresight.errors import SpecError

if TYPE_CHECKING:
    from collections.abc import Sequence

DELTA = 0.1
_STEPS = 60  # halvings of [0, 1] that float64 can tell apart
LOOSEST = 0.1
"""A set is too small when even no loss at all in it would leave a bound above this."""


@dataclass(frozen=True, slots=True)
class Risk:
    """A mean loss and what it can be at most.

    Attributes:
        risk: Mean loss of the traces, 0 to 1.
        bound: Upper bound of the mean loss of further traces.
        traces: Number of traces.
        delta: Probability, over the draw of the traces, that the bound fails.
        shift: Hellinger distance to the further traces that the bound allows for; 0 for the same kind.
    """

    risk: float
    bound: float
    traces: int
    delta: float
    shift: float = 0.0


def fewest(delta: float = DELTA) -> int:
    """The smallest number of traces that is not too few: with no loss in them the bound is at most 0.1.

    Without a loss the bound is 1 - delta^(1 / n).

    Raises:
        SpecError: Delta is not between 0 and 1.
    """
    _check(delta)
    return math.ceil(math.log(delta) / math.log1p(-LOOSEST))


def bound_risk(losses: Sequence[float], delta: float = DELTA, shift: float = 0.0) -> Risk:
    """The mean of some losses with its upper bound.

    Args:
        losses: One a trace, from 0 (good) to 1.
        delta: Probability with which the bound may fail.
        shift: Hellinger distance, at least 0 and below 1, between the distribution of these traces and of
            those that the bound is for.

    Raises:
        SpecError: There are too few traces, a loss is outside 0 to 1, or an option is out of range.
    """
    _check(delta)
    if not 0 <= shift < 1:
        raise SpecError(f"a Hellinger distance is at least 0 and below 1, got {shift}")
    outside = next((loss for loss in losses if not 0 <= loss <= 1), None)
    if outside is not None:
        raise SpecError(f"a loss must lie between 0 and 1, got {outside}")
    n, least = len(losses), fewest(delta)
    if n < least:
        raise SpecError(
            f"a bound at delta {delta:g} needs at least {least} traces with a value, there are {n}: "
            f"with fewer, even a perfect set leaves a risk above {LOOSEST:g}"
        )
    mean = math.fsum(losses) / n
    at_most = hoeffding_bentkus(mean, n, delta)
    if shift:
        variance = math.fsum((loss - mean) ** 2 for loss in losses) / (n - 1)
        at_most = hoeffding_bentkus(shifted_risk(mean, variance, n, shift, delta), n, delta)
    return Risk(mean, at_most, n, delta, shift)


def hoeffding_bentkus(risk: float, n: int, delta: float) -> float:
    """The bound of a mean loss.

    Args:
        risk: Mean loss of n traces, 0 to 1.
        n: Number of traces.
        delta: Probability with which the bound may fail.

    Returns:
        A number from ``risk`` to 1, to 1e-15 on the safe side.
    """
    low, high = risk, 1.0
    for _ in range(_STEPS):
        middle = (low + high) / 2
        low, high = (low, middle) if p_value(risk, n, middle) <= delta else (middle, high)
    return high


def p_value(risk: float, n: int, alpha: float) -> float:
    """How likely a mean loss of at most ``risk`` on n traces is when the true one is above ``alpha``.

    Args:
        risk: Mean loss of n traces, 0 to 1.
        n: Number of traces.
        alpha: The risk to be refuted, 0 to 1.
    """
    from scipy.special import bdtr  # half a second to import

    rounded = math.ceil(n * risk - 1e-9)  # a mean of whole losses may lie a rounding above them
    hoeffding = math.exp(-n * _divergence(min(risk, alpha), alpha))
    bentkus = math.e * float(bdtr(float(rounded), n, alpha))
    return min(hoeffding, bentkus, 1.0)


def shifted_risk(risk: float, variance: float, n: int, distance: float, delta: float) -> float:
    """The largest mean loss, empirically, of traces whose distribution lies within a Hellinger distance.

    Args:
        risk: Mean loss of n traces, 0 to 1.
        variance: Sample variance of the losses.
        n: Number of traces, at least 2.
        distance: The Hellinger distance rho, at least 0 and below 1.
        delta: Probability with which the bound may fail.

    Returns:
        At most 1; to be given to :func:`hoeffding_bentkus`.

    Source: arXiv 2402.03181, with the finite-sample terms of its code.
    """
    rest, reach = 1 - distance**2, math.sqrt(2 - distance**2)
    shift = distance**2 * reach**2 * (1 - risk) + 2 * distance * rest * reach * math.sqrt(variance)
    spread = rest / math.sqrt(2 * n) + 2 * distance * math.sqrt(2) * reach / math.sqrt(n - 1)
    sampling = rest * spread * math.sqrt(math.log(4 / delta)) + math.sqrt(math.log(8 / delta) / (2 * n))
    return min(risk + shift + sampling, 1.0)


def _divergence(one: float, other: float) -> float:
    """Kullback-Leibler divergence of two coins, nats; infinite where the second excludes the first."""
    terms = ((one, other), (1 - one, 1 - other))
    if any(first > 0 and second <= 0 for first, second in terms):
        return math.inf
    return math.fsum(first * math.log(first / second) for first, second in terms if first > 0)


def _check(delta: float) -> None:
    if not 0 < delta < 1:
        raise SpecError(f"delta must be between 0 and 1, got {delta}")
