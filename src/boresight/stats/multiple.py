"""Many tests at once: the Benjamini-Hochberg control of the false discovery rate.

Of the tests called positive at q, at most the share q is expected to be false. Holds for independent tests
and for those that are positively dependent.

Sources: Y. Benjamini and Y. Hochberg, Controlling the false discovery rate, *JRSS B* 57 (1995); Y. Benjamini
and D. Yekutieli, *Annals of Statistics* 29 (2001), on dependence.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


def adjusted(p_values: Mapping[str, float]) -> dict[str, float]:
    """P values adjusted for the number of tests: the smallest q at which each test is positive.

    Args:
        p_values: P value by name of the test, between 0 and 1. A test that was not made is not listed.

    Returns:
        Adjusted p value by name, in the order of the input, at most 1.

    Raises:
        ValueError: A p value is not between 0 and 1.

    Source: Benjamini and Hochberg (1995).
    """
    for name, p in p_values.items():
        if not 0 <= p <= 1:  # NaN fails this too
            raise ValueError(f"the p value of {name} must be between 0 and 1, got {p}")
    smallest = 1.0
    found = dict.fromkeys(p_values, smallest)
    for rank, name in reversed(list(enumerate(sorted(p_values, key=p_values.__getitem__), start=1))):
        smallest = min(smallest, p_values[name] * len(p_values) / rank)
        found[name] = smallest
    return found


def rejected(p_values: Mapping[str, float], q: float) -> frozenset[str]:
    """Names of the tests that are positive when the false discovery rate is held at q.

    Args:
        p_values: P value by name of the test, between 0 and 1.
        q: The share of false positives that is accepted, between 0 and 1.

    Raises:
        ValueError: A p value is not between 0 and 1, or q is not.

    Source: Benjamini and Hochberg (1995).
    """
    if not 0 < q < 1:
        raise ValueError(f"q must be between 0 and 1, got {q}")
    return frozenset(name for name, p in adjusted(p_values).items() if p <= q)
