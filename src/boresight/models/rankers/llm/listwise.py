"""List-wise reranking by first tokens: all passages in one prompt, sorted by the probability of their letter.

A model likes some letters better than others whatever the question. The calibrated score takes away what the
same prompt gives with a question that asks nothing, place and passage being equal.

Source: Reddy et al., FIRST: Faster Improved Listwise Reranking with Single Token Decoding, EMNLP 2024 (arXiv
2406.15657); windows as in Sun et al., 2023 (arXiv 2304.09542); calibration as in Zhao et al., Calibrate
Before Use, 2021 (arXiv 2102.09690).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from boresight.errors import SpecError
from boresight.models.rankers.llm.prompting import LETTERS, LetteredStyle, Prompter
from boresight.models.rankers.seam import ranking

if TYPE_CHECKING:
    from collections.abc import Mapping

    from boresight.models.prompts import PromptStyle
    from boresight.models.seam import Generator

STYLE = LetteredStyle(
    name="rank-list",
    instruction="Which passage helps most to answer the question? Answer with its letter.",
    closed_instruction="Answer with a letter.",
)
NO_QUESTION = "N/A"


class FirstTokenRanker:
    """Sorts by the log-probability of each passage's letter as the first token of the answer.

    Args:
        generator: A generator that scores given text.
        style: The words of the prompt.
        calibrated: Whether to take away what a question that asks nothing gives.
        window: Most passages in one prompt, 2 to 26.
        step: How far the window moves, from the end of the list to its beginning.
        name: Name of the stage.

    Raises:
        SpecError: If window or step are out of range, or letters share their first token.
    """

    def __init__(
        self,
        generator: Generator,
        style: PromptStyle = STYLE,
        *,
        calibrated: bool = True,
        window: int = 20,
        step: int = 10,
        name: str = "first-token",
    ) -> None:
        if not (2 <= window <= len(LETTERS) and 1 <= step <= window):  # noqa: PLR2004 - a list needs two
            raise SpecError(
                f"a window holds 2 to {len(LETTERS)} passages and moves by 1 up to its size, "
                f"not window {window} and step {step}"
            )
        self.name = name
        self._calibrated, self._window, self._step = calibrated, window, step
        self._prompter = Prompter(generator, style)
        self._prompter.require_apart(LETTERS[:window])

    def describe(self) -> dict[str, Any]:
        """Identity for the record."""
        return {
            "kind": "first-token",
            "name": self.name,
            "listwise": True,
            "score": "log-probability of the letter; place from the end for several windows",
            "calibrated": self._calibrated,
            "window": self._window,
            "step": self._step,
            "prompt": self._prompter.style.name,
            "generator": self._prompter.generator.describe(),
        }

    def score(self, query: str, passages: Mapping[str, str]) -> dict[str, float]:
        """Score passages in their given order.

        Args:
            query: The question.
            passages: Text by passage id.

        Returns:
            By passage id, in the given order: log-probability of the letter in nats (less that of no
            question, if calibrated) where all fit into one window, else n for the best down to 1, since
            log-probabilities of two windows cannot be compared.

        Raises:
            ScoringError: If the model gives a number that is not finite.
            WindowError: If a window of passages does not fit the model's.
        """
        if len(passages) <= self._window:
            return self._letters(query, passages) if passages else {}
        order = list(passages)
        for start in self._starts(len(order)):
            part = order[start : start + self._window]
            scores = self._letters(query, {key: passages[key] for key in part})
            order[start : start + self._window] = ranking(scores)
        return {key: float(len(order) - order.index(key)) for key in passages}

    def _starts(self, count: int) -> list[int]:
        """Where each window begins: the last passages first, the first passages last."""
        return [*range(count - self._window, 0, -self._step), 0]

    def _letters(self, query: str, passages: Mapping[str, str]) -> dict[str, float]:
        letters = LETTERS[: len(passages)]
        questions = (query, NO_QUESTION) if self._calibrated else (query,)
        requests = [self._prompter.request(question, passages, letters) for question in questions]
        asked, *blank = (found.first for found in self._prompter.ask(requests))
        return {
            key: asked[letter] - (blank[0][letter] if blank else 0.0)
            for key, letter in zip(passages, letters, strict=True)
        }
