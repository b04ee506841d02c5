"""eRAG: a passage is worth what the answer is worth that the model gives with it alone.

Source: arXiv 2404.13781. The paper aggregates these labels over a ranking; the labels themselves are here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from boresight.outcome import Measure

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

NOT_ANSWERED = "no answer with this passage alone was generated"


def scores_alone(
    answers: Mapping[str, str],
    references: Sequence[str],
    players: Iterable[str],
    quality: Callable[[str, Sequence[str]], float],
) -> dict[str, Measure]:
    """Quality of the answer that each passage alone brings.

    Args:
        answers: Per passage the answer with it alone.
        references: Right answers, at least one.
        players: The passages.
        quality: A measure of answer quality, such as exact match.
    """
    return {
        passage: Measure.defined(quality(answers[passage], references))
        if passage in answers
        else Measure.undefined(NOT_ANSWERED)
        for passage in players
    }
