"""Rules for the integral of Integrated Gradients over [0, 1]: nodes on the path, and their weights.

On MiniLM the derivative along the path is a smooth bump in its middle, where the first layer norm turns from
the baseline to the text, and flat at both ends. Gauss-Legendre nodes crowd at the ends: 20 of them leave a
gap above one percent on a fifth of real texts. The default rule takes the same nodes in the variable of a
sinh map, which crowds them at the bump, and does with 16. Deeper encoders can turn many times along the path,
and then no rule is good with few nodes: the gap says so, and more nodes are taken.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

Rule = Literal["gauss_sinh", "gauss", "trapezoid", "riemann"]

FEWEST = 2
CENTRE, WIDTH = 0.45, 0.1
"""Where the bump of BERT-like encoders stands and how wide it is; see the benchmark of saliency."""


def gauss(count: int) -> tuple[Floats, Floats]:
    """Gauss-Legendre nodes in (0, 1) and their weights; exact for polynomials of degree 2 count - 1."""
    nodes, weights = np.polynomial.legendre.leggauss(count)
    return (nodes + 1) / 2, weights / 2


def gauss_sinh(count: int, centre: float = CENTRE, width: float = WIDTH) -> tuple[Floats, Floats]:
    """Gauss-Legendre nodes in the variable u of t = centre + width sinh(a + (b - a) u), t in (0, 1).

    Args:
        count: Number of nodes.
        centre: Where nodes are densest.
        width: Scale of the crowding; large values give the plain rule back.

    Source: P. Johnston and D. Elliott, *A sinh transformation for evaluating nearly singular boundary element
    integrals*, Int. J. Numer. Meth. Engng 62 (2005) 564-578.
    """
    low, high = np.arcsinh(-centre / width), np.arcsinh((1 - centre) / width)
    nodes, weights = gauss(count)
    inner = low + (high - low) * nodes
    return centre + width * np.sinh(inner), weights * (high - low) * width * np.cosh(inner)


def trapezoid(count: int) -> tuple[Floats, Floats]:
    """Equally spaced points, both ends included, the ends with half the weight."""
    weights = np.full(count, 1 / (count - 1))
    weights[[0, -1]] /= 2
    return np.linspace(0, 1, count), weights


def riemann(count: int) -> tuple[Floats, Floats]:
    """The published sum: equally spaced points, both ends included, divided by their number.

    Source: the code of RAG-E, arXiv 2601.21803. Both ends count in full: the gap falls with 1 / count only.
    """
    return np.linspace(0, 1, count), np.full(count, 1 / count)


RULES: Mapping[Rule, Callable[[int], tuple[Floats, Floats]]] = {
    "gauss_sinh": gauss_sinh,
    "gauss": gauss,
    "trapezoid": trapezoid,
    "riemann": riemann,
}


def rule(name: Rule, count: int) -> tuple[Floats, Floats]:
    """Nodes and weights of a rule, each of shape (count,).

    Raises:
        ValueError: There is no such rule, or it needs more nodes.
    """
    if name not in RULES:
        raise ValueError(f"there is no quadrature rule {name!r}; choose one of {', '.join(RULES)}")
    if count < FEWEST:
        raise ValueError(f"a quadrature rule needs at least {FEWEST} nodes, got {count}")
    return RULES[name](count)
