"""What is assumed about a game before its values are seen, for estimates that fill in unseen coalitions.

A game is a sum of products of signs (+1 present, -1 absent), one coefficient for each set of players. The
difference of a coalition and its complement holds the odd sets, and with them the Shapley values; the sum
holds the even sets, and with them the pairwise interactions. Of each parity the lowest sets are the *main*
part, the higher ones are *smooth*: a set of k players has a variance that falls as r^k. What no such surface
explains is *rough*: independent from pair to pair. Smooth and rough have the variance 1 here; the main part
is larger by a factor that the values decide.

Sources: J. Sacks et al., Design and analysis of computer experiments, *Statistical Science* 4 (1989);
R. Kondor and J. Lafferty, Diffusion kernels on graphs, 2002, for the kernel on the hypercube; R. M. Royall,
On finite population sampling theory under certain linear regression models, *Biometrika* 57 (1970): what was
seen counts as it is, what was not is predicted.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import comb
from typing import TYPE_CHECKING

import numpy as np

from boresight.explain.shapley.layers import layer_weight, population_weights

if TYPE_CHECKING:
    from boresight.explain.shapley.estimator import Bools, Floats, Ints
    from boresight.explain.shapley.layers import PairDesign

ROUGHNESS = 1.0  # variance of the rough part
MOST_DECAY = 0.3
PAIR_RIDGE = 4.0  # pairs stand out less from larger sets than single players do


@dataclass(frozen=True, eq=False)
class Surface:
    """A linear quantity of a game and how it goes with the values of some pairs.

    Attributes:
        features: Main part of each observation, shape (m, p).
        ridge: Prior precision of each feature's coefficient, for a main part of variance 1; shape (p,). A
            feature with 0 is free.
        cover: Covariance of the observations apart from the main part, shape (m, m).
        main: The quantity in terms of the coefficients, shape (q, p).
        link: Covariance of the rest of the quantity with each observation, shape (q, m).
        spread: Prior covariance of the rest of the quantity, shape (q, q), or its diagonal.
        direct: Weight of each observation itself in the quantity, shape (q, m).
        behind: Pairs of its layer that each observation stands for beside itself, shape (m,).
    """

    features: Floats
    ridge: Floats
    cover: Floats
    main: Floats
    link: Floats
    spread: Floats
    direct: Floats
    behind: Floats

    def contrast(self, weights: Floats) -> Surface:
        """The same for linear combinations of the quantity, weights of shape (r, q)."""
        return Surface(
            self.features, self.ridge, self.cover, weights @ self.main, weights @ self.link,
            weights @ self.spread @ weights.T, weights @ self.direct, self.behind,
        )  # fmt: skip


def shapley_surface(design: PairDesign) -> Surface:
    """Shapley values and the differences of the design's pairs, v(N) - v(empty) last; n at least 3."""
    n = design.members.shape[1]
    signs = np.vstack([design.signs, np.ones(n)])
    decay = _decay(n)
    scale = _odd(n, decay, np.zeros(1))[0]
    rough = np.append(np.full(len(design.members), ROUGHNESS), 0.0)  # the last difference is nobody's sample
    own = np.column_stack([population_weights(design), np.zeros(n)])
    # Of all sets with player i, weighted by 1 / size; the set {i} alone belongs to the main part.
    plus = ((signs.sum(axis=1, keepdims=True) + n) / 2 - (signs > 0)).round().astype(np.intp)
    smooth = (signs * (_even_integral(n - 1, decay)[plus] - decay) / scale).T
    return Surface(
        features=signs,
        ridge=np.full(n, float(n)),
        cover=_odd(n, decay, _distances(signs)) / scale + np.diag(rough),
        main=np.eye(n),
        link=smooth + own * rough,
        spread=_shapley_spread(design, decay, scale),
        direct=own,
        behind=_behind(design),
    )


def interaction_surface(design: PairDesign) -> Surface:
    """Interactions of all players i < j and the sums of the design's pairs, v(N) + v(empty) last; n >= 3."""
    n = design.members.shape[1]
    signs = np.vstack([design.signs, np.ones(n)])
    first, second = np.triu_indices(n, 1)
    products = signs[:, first] * signs[:, second]
    decay = _decay(n)
    scale = _even(n, decay, np.zeros(1))[0] if n > 3 else 1.0  # noqa: PLR2004 - no even set above pairs
    others = ((signs.sum(axis=1)[:, None] + n) / 2 - (signs[:, first] > 0) - (signs[:, second] > 0)).round()
    integral = _even_integral(n - 2, decay)[others.astype(np.intp)]
    smooth = 2 * decay * products * (integral - decay) / scale
    smooth_cover = _even(n, decay, _distances(signs)) / scale if n > 3 else 0.0  # noqa: PLR2004
    own = interaction_weights(signs > 0, first, second).T
    return Surface(
        features=np.column_stack([np.ones(len(signs)), products]),
        ridge=np.append(0.0, np.full(len(first), PAIR_RIDGE * len(first))),
        cover=smooth_cover + ROUGHNESS * np.eye(len(signs)),
        main=np.column_stack([np.zeros(len(first)), 2 * np.eye(len(first))]),
        link=smooth.T + ROUGHNESS * own,
        spread=np.full(len(first), _interaction_spread(design, decay, scale)),
        direct=own,
        behind=_behind(design),
    )


def _decay(n: int) -> float:
    """Factor of the variance from sets of k players to k + 1: about as many of each order for every n."""
    return min(2 / n, MOST_DECAY)


def _distances(signs: Floats) -> Floats:
    """Number of players in which two rows differ."""
    return np.asarray((signs.shape[1] - signs @ signs.T) / 2)


def _odd(n: int, decay: float, distance: Floats) -> Floats:
    """Sum over odd sets of three and more of decay^size times the product of both rows' signs."""
    near, far = _both_ways(n, decay, distance)
    return np.asarray((near - far) / 2 - decay * (n - 2 * distance))


def _even(n: int, decay: float, distance: Floats) -> Floats:
    """The same over even sets of four and more."""
    near, far = _both_ways(n, decay, distance)
    return np.asarray((near + far) / 2 - 1 - decay**2 * ((n - 2 * distance) ** 2 - n) / 2)


def _both_ways(n: int, decay: float, distance: Floats) -> tuple[Floats, Floats]:
    up, down = np.log1p(decay), np.log1p(-decay)
    near: Floats = np.exp((n - distance) * up + distance * down)
    far: Floats = np.exp(distance * up + (n - distance) * down)
    return near, far


def _even_integral(others: int, decay: float) -> Floats:
    """Integral from 0 to decay over t of the even part of (1 + t)^p (1 - t)^(others - p), for p = 0..others.

    It is the sum over even sets of the others of t^size / (size + 1) times their signs, p of which are +1.
    """
    nodes, weights = np.polynomial.legendre.leggauss(others // 2 + 1)  # exact for this degree
    t = decay * (nodes + 1) / 2
    p = np.arange(others + 1)[:, None]
    forth = (1 + t) ** p * (1 - t) ** (others - p)
    back = (1 - t) ** p * (1 + t) ** (others - p)
    return np.asarray((forth + back) / 2 @ (decay * weights / 2))


def _shapley_spread(design: PairDesign, decay: float, scale: float) -> Floats:
    """Prior covariance of the Shapley values without their main part, shape (n, n)."""
    n = design.members.shape[1]
    sizes = range(3, n + 1, 2)
    alone = sum(comb(n - 1, k - 1) * decay**k / k**2 for k in sizes) / scale
    shared = sum(comb(n - 2, k - 2) * decay**k / k**2 for k in sizes) / scale
    # Centred signs of a pair of layer s have the mean square 4 s (n - s) / n^2.
    layers = enumerate(design.population.tolist(), start=1)
    rough = sum(count * layer_weight(n, s) ** 2 * 4 * s * (n - s) / n**2 for s, count in layers) * ROUGHNESS
    spread = np.full((n, n), shared - rough / (n - 1))  # centred signs sum to 0 over players
    np.fill_diagonal(spread, alone + rough)
    return spread


def interaction_weights(members: Bools, first: Ints, second: Ints) -> Floats:
    """Weight of each row's sum in the interaction of each pair of players, shape (m, pairs)."""
    n = members.shape[1]
    sizes = members.sum(axis=1)[:, None]
    inside = members[:, first].astype(int) + members[:, second]
    among = np.array([1 / ((n - 1) * comb(n - 2, k)) for k in range(n - 1)])
    found: Floats = np.where(inside == 1, -1, 1) * among[sizes - inside]
    return found


def _interaction_spread(design: PairDesign, decay: float, scale: float) -> float:
    """Prior variance of one interaction without its main part."""
    n = design.members.shape[1]
    smooth = sum(comb(n - 2, k - 2) * 4 * decay**k / (k - 1) ** 2 for k in range(4, n + 1, 2)) / scale
    rough = 1 / (n - 1) ** 2  # the pair of empty and grand coalition
    for size in range(1, n // 2 + 1):
        kinds = [(1, k) for k in (size - 2, size) if 0 <= k <= n - 2] + [(2, size - 1)]
        half = 0.5 if 2 * size == n else 1.0
        rough += half * sum(times / ((n - 1) ** 2 * comb(n - 2, k)) for times, k in kinds)
    return float(smooth + ROUGHNESS * rough)


def _behind(design: PairDesign) -> Floats:
    others = design.population / np.maximum(design.drawn, 1) - 1
    return np.append(others[design.layer], 0.0)
