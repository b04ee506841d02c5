"""Compact numbers for the page: rounded, finite, and small."""

from __future__ import annotations

import base64
import itertools
import math
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

DIGITS = 6
MILLI = 1_000  # token attributions are whole thousandths


def compact(value: Any) -> Any:
    """A number of six significant digits; None for what is no finite number, anything else unchanged."""
    if not isinstance(value, float):
        return value
    if not math.isfinite(value):
        return None
    rounded = float(f"{value:.{DIGITS}g}")
    return int(rounded) if rounded.is_integer() and abs(rounded) < 1e15 else rounded  # noqa: PLR2004


def compact_all(value: Any) -> Any:
    """The same for everything inside dictionaries and lists."""
    if isinstance(value, dict):
        return {key: compact_all(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [compact_all(inner) for inner in value]
    return compact(value)


def milli(values: Iterable[float]) -> list[int]:
    """Whole thousandths."""
    return [round(value * MILLI) for value in values]


def base64_floats(values: NDArray[np.floating[Any]]) -> str:
    """Little-endian float32 in base64, which a browser decodes at once."""
    return base64.b64encode(np.ascontiguousarray(values, "<f4").tobytes()).decode("ascii")


def pieces(text: str, offsets: Sequence[Sequence[int]]) -> list[str]:
    """What each token shows: together exactly the text, each character once.

    Characters between tokens go to the token before; of tokens that share characters the first gets them.
    """
    if not offsets:
        return [text] if text else []
    cuts = [0]
    for start, _ in offsets[1:]:
        cuts.append(max(start, cuts[-1]))
    cuts.append(len(text))
    return [text[first:last] for first, last in itertools.pairwise(cuts)]
