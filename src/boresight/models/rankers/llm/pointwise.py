"""Point-wise reranking: each passage is judged alone, by "yes" against "no" or by the query's likelihood."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from boresight.models.prompts import PromptStyle
from boresight.models.rankers.llm.prompting import Prompter

if TYPE_CHECKING:
    from collections.abc import Mapping

    from boresight.models.seam import Generator

YES, NO = "Yes", "No"

YES_NO_STYLE = PromptStyle(
    name="rank-yes-no",
    instruction="Does the passage help to answer the question? Answer Yes or No.",
    closed_instruction="Answer Yes or No.",
    passage="Passage: {title}. {text}",
    untitled="Passage: {text}",
)
LIKELIHOOD_STYLE = PromptStyle(
    name="rank-query-likelihood",
    instruction="Write a question that the passage answers.",
    closed_instruction="Write a question.",
    passage="Passage: {title}. {text}",
    untitled="Passage: {text}",
    question="{question}",
    answer_cue="Question:",
)
_CUE = "The question:"


class YesNoRanker:
    """Log-odds of "Yes" against "No", in nats.

    Source: Liang et al., Holistic Evaluation of Language Models, 2022 (relevance generation).

    Args:
        generator: A generator that scores given text.
        style: The words of the prompt.
        name: Name of the stage.
    """

    def __init__(
        self, generator: Generator, style: PromptStyle = YES_NO_STYLE, *, name: str = "yes-no"
    ) -> None:
        self.name = name
        self._prompter = Prompter(generator, style)
        self._prompter.require_apart((YES, NO))

    def describe(self) -> dict[str, Any]:
        """Identity for the record."""
        return {"kind": "yes-no", "name": self.name, "score": "log-odds of yes", **_identity(self._prompter)}

    def score(self, query: str, passages: Mapping[str, str]) -> dict[str, float]:
        """Log-odds by passage id, in the given order.

        Raises:
            ScoringError: If the model gives a number that is not finite.
            WindowError: If a passage does not fit.
        """
        requests = [self._prompter.request(query, {key: text}, (YES, NO)) for key, text in passages.items()]
        answers = self._prompter.ask(requests)
        return {
            key: asked.logprobs[YES] - asked.logprobs[NO]
            for key, asked in zip(passages, answers, strict=True)
        }


class QueryLikelihoodRanker:
    """Mean log-probability of the query's tokens behind a passage, in nats a token.

    Source: Sachan et al., Improving Passage Retrieval with Zero-Shot Question Generation, 2022 (arXiv
    2204.07496).

    Args:
        generator: A generator that scores given text.
        style: The words of the prompt.
        name: Name of the stage.
    """

    def __init__(
        self, generator: Generator, style: PromptStyle = LIKELIHOOD_STYLE, *, name: str = "query-likelihood"
    ) -> None:
        self.name = name
        self._prompter = Prompter(generator, style)

    def describe(self) -> dict[str, Any]:
        """Identity for the record."""
        return {
            "kind": "query-likelihood",
            "name": self.name,
            "score": "mean log-probability of the query",
            **_identity(self._prompter),
        }

    def score(self, query: str, passages: Mapping[str, str]) -> dict[str, float]:
        """Mean log-probability by passage id, in the given order.

        Raises:
            ScoringError: If the query is empty, or the model gives a number that is not finite.
            WindowError: If a passage does not fit.
        """
        requests = [self._prompter.request(_CUE, {key: text}, (query,)) for key, text in passages.items()]
        answers = self._prompter.ask(requests)
        return {
            key: asked.logprobs[query] / asked.tokens[query]
            for key, asked in zip(passages, answers, strict=True)
        }


def _identity(prompter: Prompter) -> dict[str, Any]:
    return {"prompt": prompter.style.name, "generator": prompter.generator.describe()}
