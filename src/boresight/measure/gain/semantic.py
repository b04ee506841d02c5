"""SePer, semantic perplexity: the share of the model's belief that means the right answer.

Answers are sampled (ten, temperature 1 in the paper) and weighted by their length-averaged likelihood; an
entailment model decides which of them mean a reference. Boresight brings none: it takes any callable, and no
measure of an audit reads these. The utility of passages is the value with them less the value without.

Source: arXiv 2503.01478 and its published code.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Entails = Callable[[str, str], "Verdict"]


class Verdict(NamedTuple):
    """Probabilities that a premise contradicts, leaves open or entails a hypothesis; they sum to 1."""

    contradiction: float
    neutral: float
    entailment: float

    @property
    def word(self) -> str:
        """The likeliest of the three; the first of equals."""
        return max(self._fields, key=lambda name: float(getattr(self, name)))


@dataclass(frozen=True, slots=True)
class Sample:
    """A sampled answer.

    Attributes:
        text: The answer.
        logprobs: Log-probabilities of its tokens, nats, at least one.
    """

    text: str
    logprobs: tuple[float, ...]


def weights(samples: Sequence[Sample]) -> list[float]:
    """``exp(mean log p)`` of each sample, normalised to sum to 1.

    Raises:
        ValueError: There is no sample, or one has no token.
    """
    if not samples or any(not one.logprobs for one in samples):
        raise ValueError("SePer needs at least one sample, and a log-probability of each of its tokens")
    means = [math.fsum(one.logprobs) / len(one.logprobs) for one in samples]
    top = max(means)
    parts = [math.exp(mean - top) for mean in means]
    return [part / math.fsum(parts) for part in parts]


def seper_soft(
    samples: Sequence[Sample], references: Sequence[str], question: str, entails: Entails
) -> float:
    """``max over references of sum_i w_i max(P(sample entails reference), P(reference entails sample))``.

    Args:
        samples: Sampled answers.
        references: Right answers, at least one.
        question: The question; it stands before both texts.
        entails: Verdict on a premise and a hypothesis.

    Returns:
        A number from 0 to 1.

    Raises:
        ValueError: As :func:`weights`.
    """
    parts = weights(samples)

    def nearness(text: str, reference: str) -> float:
        return max(verdict.entailment for verdict in _both(text, reference, question, entails))

    return max(
        math.fsum(part * nearness(one.text, reference) for part, one in zip(parts, samples, strict=True))
        for reference in references
    )


def seper_hard(
    samples: Sequence[Sample], references: Sequence[str], question: str, entails: Entails
) -> float:
    """Weight of the clusters of equal meaning whose head matches a reference.

    A sample that belongs to none yet heads a cluster and claims every later sample that entails it and is
    entailed by it, even one that an earlier head claimed. A head matches a reference when neither contradicts
    the other and not both leave the other open.

    Args:
        samples: As :func:`seper_soft`.
        references: As :func:`seper_soft`.
        question: As :func:`seper_soft`.
        entails: As :func:`seper_soft`.

    Returns:
        A number from 0 to 1.

    Raises:
        ValueError: As :func:`weights`.
    """
    parts = weights(samples)
    texts = [one.text for one in samples]
    heads = _heads(texts, question, entails)
    right = {
        head
        for head in set(heads)
        if any(_matches(texts[head], reference, question, entails) for reference in references)
    }
    return math.fsum(part for part, head in zip(parts, heads, strict=True) if head in right)


def _heads(texts: Sequence[str], question: str, entails: Entails) -> list[int]:
    """For each text the place of its cluster's head."""
    heads: list[int | None] = [None] * len(texts)
    for head, text in enumerate(texts):
        if heads[head] is not None:
            continue
        heads[head] = head
        for place in range(head + 1, len(texts)):
            if all(one.word == "entailment" for one in _both(text, texts[place], question, entails)):
                heads[place] = head
    return [place if head is None else head for place, head in enumerate(heads)]


def _matches(text: str, reference: str, question: str, entails: Entails) -> bool:
    found = [verdict.word for verdict in _both(text, reference, question, entails)]
    return "contradiction" not in found and found != ["neutral", "neutral"]


def _both(one: str, other: str, question: str, entails: Entails) -> tuple[Verdict, Verdict]:
    first, second = f"{question} {one}", f"{question} {other}"
    return entails(first, second), entails(second, first)
