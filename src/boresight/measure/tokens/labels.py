"""What the passages do for each token of a target, by Tok-RAG's criterion.

Where both streams would write the same token there is nothing to choose, as in the paper's decoding rule.
Where they differ, the criterion says benefit when the stream with passages is nearer to an attended passage
token than to the closed-book stream, detriment otherwise. It never sees which token is right.

Source: arXiv 2406.00944; what of it is published and what is read into it says
:mod:`boresight.models.criterion`. Equality counts as detriment, as in the published code.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from boresight.measure.evidence import AbsentError
from boresight.models.streams import AGREE, APART, MET, TOP_WITH, TOP_WITHOUT

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from boresight.measure.rows import Streams

    Floats = NDArray[np.float64]

Label = Literal["same", "benefit", "detriment"]

NO_CRITERION = "the model shows no attention, or the prompt has too few passage tokens for the criterion"


def scalars(streams: Streams, kind: str) -> Floats:
    """One number a token.

    Args:
        streams: The compared streams.
        kind: A name of :mod:`boresight.models.streams`.

    Raises:
        AbsentError: The kind was not stored.
    """
    found = streams.scalars.get(kind)
    if found is None:
        raise AbsentError(NO_CRITERION if kind in {MET, APART} else f"{kind} of the streams was not stored")
    return found


def criterion(streams: Streams) -> Floats:
    """``met - apart``, shape (T,): above 0 the criterion says benefit.

    Raises:
        AbsentError: The criterion was not read.
    """
    return scalars(streams, MET) - scalars(streams, APART)


def certainty(streams: Streams) -> Floats:
    """``max p - max q``, shape (T,): above 0 the stream with passages is the more certain one.

    The plain baseline of the paper's code.

    Raises:
        AbsentError: It was not stored.
    """
    return scalars(streams, TOP_WITH) - scalars(streams, TOP_WITHOUT)


def labels(streams: Streams) -> tuple[Label, ...]:
    """The label of each token of the target.

    Raises:
        AbsentError: The criterion was not read.
    """
    pairs = zip(scalars(streams, AGREE), criterion(streams), strict=True)
    return tuple("same" if agree else "benefit" if score > 0 else "detriment" for agree, score in pairs)
