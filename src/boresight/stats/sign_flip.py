"""The paired randomisation test: could the mean of these differences have come up by chance alone?

Where two runs do not differ, each difference is as likely to come with the other sign, so every pattern of
signs is as likely as the one seen. For differences of -1, 0 and 1 this is McNemar's exact test. It assumes
nothing about the shape of the differences, only that they would be symmetric around 0.

Sources: R. Fisher, *The Design of Experiments* (1935), section 21; B. Phipson and G. Smyth, Permutation
P-values Should Never Be Zero, *Stat. Appl. Genet. Mol. Biol.* 9 (2010), on sampled patterns.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from boresight.stats.interval import finite_values

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import ArrayLike, NDArray

DRAWS = 9_999  # with the pattern that was seen 10,000, so the smallest p value is 0.0001
MOST_EXACT = 13  # 2^13 patterns are fewer than the draws
_BLOCK = 1 << 22  # signs held at once
_ROUNDING = 1e-12  # two patterns may give one mean in two orders of summing


def sign_flip_p(differences: ArrayLike, rng: np.random.Generator, *, draws: int = DRAWS) -> float:
    """Two-sided p value of a mean difference of 0.

    Up to 13 differences all patterns of signs are counted; beyond, a seeded sample of them and the one seen.
    The value depends on the differences and the generator, not on the order of the traces.

    Args:
        differences: One finite difference a trace, shape (n,), n at least 1.
        rng: Source of the sampled patterns.
        draws: Number of sampled patterns.

    Returns:
        Share of the patterns whose mean is at least as far from 0 as the one seen, above 0, at most 1.

    Raises:
        ValueError: There is no difference, one is not finite, or ``draws`` is below 1.

    Source: Fisher (1935); Phipson and Smyth (2010) for the sampled form.
    """
    if draws < 1:
        raise ValueError(f"draws must be at least 1, got {draws}")
    sample = np.sort(finite_values(differences, "a sign flip"))
    reach = abs(float(sample.sum())) - _ROUNDING * float(np.abs(sample).sum())
    if sample.size <= MOST_EXACT:
        patterns = np.arange(2**sample.size)[:, None] >> np.arange(sample.size) & 1
        return float((np.abs(_sums(patterns, sample)) >= reach).mean())
    far = sum(
        int((np.abs(_sums(block, sample)) >= reach).sum()) for block in _patterns(sample.size, rng, draws)
    )
    return (far + 1) / (draws + 1)


def _sums(patterns: NDArray[np.integer], sample: NDArray[np.float64]) -> NDArray[np.float64]:
    """Sum of the sample for each row of signs, 1 for plus and 0 for minus."""
    sums: NDArray[np.float64] = 2.0 * (patterns @ sample) - sample.sum()
    return sums


def _patterns(size: int, rng: np.random.Generator, draws: int) -> Iterator[NDArray[np.integer]]:
    """Rows of ``draws`` random patterns, in blocks of shape (at most ``draws``, size)."""
    block = max(1, _BLOCK // size)
    for start in range(0, draws, block):
        rows = min(block, draws - start)
        packed = np.frombuffer(rng.bytes(rows * -(-size // 8)), np.uint8).reshape(rows, -1)
        yield np.unpackbits(packed, axis=1, count=size)
