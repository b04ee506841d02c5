"""Numbers of two distributions over the vocabulary: contrast, distances, certainty, hits."""

from __future__ import annotations

import math
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

import torch

from boresight.models.streams import (
    AGREE,
    CONTRASTIVE,
    HIT_WITH,
    HIT_WITHOUT,
    JS,
    KL,
    L1,
    TOP_WITH,
    TOP_WITHOUT,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


@dataclass(frozen=True, slots=True)
class TwoStreams:
    """Both distributions at the same S target tokens.

    Attributes:
        p: Log-probabilities with passages, nats, float32, shape (S, V).
        q: Log-probabilities without, of the same shape.
        target: The target's tokens, shape (S,).
        alpha: Weight of the contrast.
    """

    p: torch.Tensor
    q: torch.Tensor
    target: torch.Tensor
    alpha: float

    @classmethod
    def of_logits(
        cls, with_passages: torch.Tensor, without: torch.Tensor, target: torch.Tensor, alpha: float
    ) -> TwoStreams:
        """From logits of any dtype, shape (S, V); the softmax is taken in float32."""
        return cls(with_passages.float().log_softmax(-1), without.float().log_softmax(-1), target, alpha)

    def values(self, kinds: frozenset[str]) -> dict[str, torch.Tensor]:
        """The wanted numbers by kind, shape (S,); kinds of the criterion are passed over."""
        return {kind: formula(self).float() for kind, formula in _FORMULAS.items() if kind in kinds}


def contrastive(streams: TwoStreams) -> torch.Tensor:
    """``log softmax((1 + alpha) log p - alpha log q)`` at the target's tokens, nats.

    Log-probabilities stand for logits: a constant a token is lost in the softmax. Equal streams give log p
    for every alpha.

    Source: GainRAG, arXiv 2505.18710, as its published code mixes; the form is that of context-aware
    decoding, arXiv 2305.14739.
    """
    mixed = (1 + streams.alpha) * streams.p - streams.alpha * streams.q
    return _at(mixed, streams.target) - mixed.logsumexp(-1)


def kullback_leibler(streams: TwoStreams) -> torch.Tensor:
    """``sum p (log p - log q)``, nats."""
    return _divergence(streams.p, streams.q)


def jensen_shannon(streams: TwoStreams) -> torch.Tensor:
    """Mean divergence of both from their middle, nats, from 0 to log 2."""
    middle = torch.logaddexp(streams.p, streams.q) - math.log(2)
    return (_divergence(streams.p, middle) + _divergence(streams.q, middle)) / 2


def _divergence(one: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
    return (one.exp() * (one - other)).sum(-1).clamp(min=0)  # rounding can pass below 0


def _l1(streams: TwoStreams) -> torch.Tensor:
    return (streams.p.exp() - streams.q.exp()).abs().sum(-1)


def _at(rows: torch.Tensor, tokens: torch.Tensor) -> torch.Tensor:
    return rows.gather(-1, tokens.unsqueeze(-1)).squeeze(-1)


def _hit(rows: torch.Tensor, tokens: torch.Tensor) -> torch.Tensor:
    return rows.argmax(-1) == tokens


_FORMULAS: Mapping[str, Callable[[TwoStreams], torch.Tensor]] = MappingProxyType(
    {
        CONTRASTIVE: contrastive,
        KL: kullback_leibler,
        JS: jensen_shannon,
        L1: _l1,
        TOP_WITH: lambda streams: streams.p.max(-1).values.exp(),
        TOP_WITHOUT: lambda streams: streams.q.max(-1).values.exp(),
        HIT_WITH: lambda streams: _hit(streams.p, streams.target),
        HIT_WITHOUT: lambda streams: _hit(streams.q, streams.target),
        AGREE: lambda streams: _hit(streams.p, streams.q.argmax(-1)),
    }
)
