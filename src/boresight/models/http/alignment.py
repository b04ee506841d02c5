"""Do a prompt's log-probabilities stand at their own tokens? Told by tokens whose values are known twice."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from boresight.models.http.answers import Token

TOLERANCE = 0.5  # nats: half-precision servers that batch differ by some tenths, neighbours by more
LEAST = 2  # tokens to compare


def misaligned(prompt: Sequence[Token], generated: Sequence[Token]) -> str | None:
    """What is wrong with a prompt's log-probabilities, or None.

    The generated tokens were sent back as the prompt's last ones, so they must have the values there that
    they had when they were generated. Servers that are off by one have their neighbours' values.

    Args:
        prompt: The prompt's tokens, the generated ones last.
        generated: The tokens as they were generated.
    """
    known = _shared_end(prompt, generated)
    if len(known) < LEAST:
        return "too few generated tokens came back as prompt to compare their values"
    own = [value for _, value in known]
    if max(abs(a - b) for a, b in pairwise(own)) <= TOLERANCE:
        return "the generated tokens are too alike to tell whether values stand at their own tokens"
    worst = max(abs((token.logprob or 0.0) - value) for token, value in known)
    if worst > TOLERANCE:
        return f"values are {worst:.2f} nats from those of the same tokens when generated (off by one?)"
    return None


def _shared_end(prompt: Sequence[Token], generated: Sequence[Token]) -> list[tuple[Token, float]]:
    """The prompt's last tokens with the values that they had when generated."""
    last = prompt[len(prompt) - len(generated) :]
    if len(last) != len(generated) or not _same_texts(last, generated):
        return []
    pairs = zip(last, generated, strict=True)
    return [(token, twin.logprob) for token, twin in pairs if twin.logprob is not None]


def _same_texts(one: Sequence[Token], other: Sequence[Token]) -> bool:
    """Whether tokens are the same; outer blanks do not count, nor do texts that a server leaves out."""
    pairs = zip(one, other, strict=True)
    return all(not a.text or a.text.strip() == b.text.strip() for a, b in pairs)
