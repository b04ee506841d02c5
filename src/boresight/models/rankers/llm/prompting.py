"""Ranking prompts: a few labelled passages, a question, and the log-probability of a few short answers."""

from __future__ import annotations

import string
from dataclasses import dataclass
from typing import TYPE_CHECKING

from boresight.errors import ScoringError, SpecError
from boresight.models.prompts import PromptStyle
from boresight.models.seam import Request, Target
from boresight.trace import Passage, Trace

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from boresight.models.seam import Generator

LETTERS = string.ascii_uppercase
_TRACE = "ranking"  # the name under which requests are made; error messages show it


@dataclass(frozen=True, slots=True)
class LetteredStyle(PromptStyle):
    """A prompt style whose passages are labelled A, B, C and so on, since one letter is one token."""

    def passage_line(self, passage: Passage, label: int) -> str:
        """The line of one passage, newline included.

        Args:
            passage: The passage.
            label: Its number, from 1.
        """
        return f"[{LETTERS[label - 1]}] {' '.join(passage.text.split())}\n"


@dataclass(frozen=True, slots=True)
class Asked:
    """A ranking prompt that was scored.

    Attributes:
        logprobs: Log-probability in nats of each answer, all its tokens together.
        first: The same of its first token alone.
        tokens: How many tokens it has.
    """

    logprobs: Mapping[str, float]
    first: Mapping[str, float]
    tokens: Mapping[str, int]


class Prompter:
    """Puts ranking prompts to a generator.

    Args:
        generator: A generator that scores given text.
        style: The words around passages and question.

    Raises:
        SpecError: If the generator cannot score given text.
    """

    def __init__(self, generator: Generator, style: PromptStyle) -> None:
        if not generator.capabilities().scores_text:
            raise SpecError(
                "a reranker is read from the log-probabilities of given text, which this generator does not "
                "give; choose a local model"
            )
        self.generator = generator
        self.style = style

    def request(self, query: str, passages: Mapping[str, str], answers: Sequence[str]) -> Request:
        """The prompt that holds the passages in the given order.

        Args:
            query: The question.
            passages: Text by passage id.
            answers: The answers to score, each as if it stood alone behind the prompt.
        """
        held = tuple(Passage(key, text) for key, text in passages.items())
        trace = Trace(_TRACE, query, held, context=tuple(passages))
        parts = self.generator.prepare(trace, self.style)
        blocks = [parts.block(key, label) for label, key in enumerate(passages, start=1)]
        targets = tuple(self._target(answer) for answer in answers)
        order = tuple(range(len(blocks)))
        return Request(_TRACE, "passages", (parts.header, *blocks, parts.tail), targets, order)

    def ask(self, requests: Sequence[Request]) -> list[Asked]:
        """Score prompts.

        Raises:
            ScoringError: If a log-probability is not finite, or an answer has no token.
            WindowError: If a prompt does not fit.
        """
        return [_asked(scored.logprobs) for scored in self.generator.score(requests)]

    def require_apart(self, answers: Sequence[str]) -> None:
        """Make sure that the answers begin with different tokens.

        Raises:
            SpecError: If two of them share their first token, so that it cannot tell them apart.
        """
        seen: dict[int, str] = {}
        for answer in answers:
            first = self._target(answer).token_ids[0]
            if first in seen:
                raise SpecError(
                    f"{seen[first]!r} and {answer!r} begin with the same token in this model, so its first "
                    "token cannot choose between them"
                )
            seen[first] = answer

    def _target(self, answer: str) -> Target:
        ids, offsets = self.generator.encode_target(_TRACE, answer)
        if not ids:
            raise ScoringError(f"the answer {answer!r} has no token")
        return Target(answer, "reference", answer, ids, offsets)


def _asked(logprobs: Mapping[str, NDArray[np.float32]]) -> Asked:
    rows = {answer: [float(value) for value in row] for answer, row in logprobs.items()}
    return Asked(
        {answer: sum(row) for answer, row in rows.items()},
        {answer: row[0] for answer, row in rows.items()},
        {answer: len(row) for answer, row in rows.items()},
    )
