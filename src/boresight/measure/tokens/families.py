"""Benefit, detriment and distances of two streams as measures of a trace."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal

from boresight.game.needs import Needs
from boresight.measure.family import Family
from boresight.measure.tokens.labels import certainty, labels, scalars
from boresight.models.streams import AGREE, JS, KL, L1
from boresight.outcome import Measure

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from boresight.measure.evidence import Evidence
    from boresight.measure.rows import Streams

    Unit = Literal["nats", "share", "index"]
    OfStreams = Callable[[Streams], Measure]

NO_TOKENS = "the answer has no token"
NO_CHOICE = "both streams write the same tokens"

_TOK_RAG = "arXiv 2406.00944"
_OURS = "Boresight"


def token_families() -> tuple[Family, ...]:
    """The declared measures of two streams; none is taken unless asked for."""
    return (
        _family(
            "differing_tokens", "share of tokens where the likeliest one with passages is not that of the "
            "closed book", "share", 1.0, differing_tokens,
        ),
        _family(
            "detrimental_tokens", "share of the differing tokens that the criterion calls detrimental: "
            "met <= apart", "share", 1.0, detrimental_tokens, _TOK_RAG,
        ),
        _family(
            "less_certain_tokens", "share of the differing tokens with max p <= max q, the baseline of the "
            "criterion", "share", 1.0, less_certain_tokens, f"{_TOK_RAG}, its code",
        ),
        _family("stream_kl", "sum over tokens of KL(p || q)", "nats", None, _total(KL)),
        _family(
            "stream_kl_token", "mean over tokens of KL(p || q)", "nats", None, _mean_of(KL),
        ),
        _family(
            "stream_js_token", "mean over tokens of the Jensen-Shannon divergence of p and q", "nats",
            math.log(2), _mean_of(JS),
        ),
        _family(
            "stream_l1_token", "mean over tokens of sum |p - q|", "index", 2.0, _mean_of(L1), _TOK_RAG,
        ),
    )  # fmt: skip


def _family(  # noqa: PLR0917 - one row of the table above
    name: str, formula: str, unit: Unit, high: float | None, measure: OfStreams, source: str = _OURS
) -> Family:
    def of_trace(seen: Evidence) -> Measure:
        return measure(seen.known_streams())

    return Family(name, formula, unit, (0.0, high), Needs(streams=True), source, of_trace, default=False)


def differing_tokens(streams: Streams) -> Measure:
    """Share of all tokens at which the two streams would write different ones."""
    return _mean([1 - agree for agree in scalars(streams, AGREE)], NO_TOKENS)


def detrimental_tokens(streams: Streams) -> Measure:
    """Share of the differing tokens that the criterion calls detrimental; undefined without any."""
    chosen = [label for label in labels(streams) if label != "same"]
    return _mean([float(label == "detriment") for label in chosen], NO_CHOICE)


def less_certain_tokens(streams: Streams) -> Measure:
    """Share of the differing tokens at which passages do not make the model more certain."""
    pairs = zip(scalars(streams, AGREE), certainty(streams), strict=True)
    return _mean([float(score <= 0) for agree, score in pairs if not agree], NO_CHOICE)


def _total(kind: str) -> OfStreams:
    return lambda streams: Measure.defined(math.fsum(scalars(streams, kind)))


def _mean_of(kind: str) -> OfStreams:
    return lambda streams: _mean(scalars(streams, kind).tolist(), NO_TOKENS)


def _mean(values: Sequence[float], absent: str) -> Measure:
    if not len(values):
        return Measure.undefined(absent)
    return Measure.defined(math.fsum(values) / len(values))
