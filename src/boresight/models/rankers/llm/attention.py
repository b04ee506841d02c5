"""In-context reranking: how much attention a question sends to each passage, less what no question sends.

The value of a passage token is the attention that it gets, averaged over the tokens of the question and
summed over heads and layers, less the same for a question that asks nothing. A passage's score is the sum
over its tokens, those far below its mean left out. Attention is no evidence of use, so the kind is
``heuristic``.

Source: Chen et al., Attention in Large Language Models Yields Efficient Zero-Shot Re-Rankers, ICLR 2025
(arXiv 2410.02642), with its calibration and its reversed order.
"""

from __future__ import annotations

import copy
import math
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from boresight.errors import ScoringError, SpecError, WindowError
from boresight.models.attention_choice import attending
from boresight.models.logprobs import TargetScorer
from boresight.models.prompts import PromptStyle
from boresight.models.rankers.llm.listwise import NO_QUESTION
from boresight.models.rankers.llm.prompting import Prompter
from boresight.models.transformers_generator import TransformersGenerator

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from boresight.models.rankers.seam import Kind
    from boresight.models.seam import Request

STYLE = PromptStyle(
    name="rank-attention",
    instruction="Here are some passages.",
    closed_instruction="",
    passage="[{label}] {title}. {text}",
    untitled="[{label}] {text}",
    question="Answer the question from the passages above.\nQuestion: {question}",
)
OUTLIER = 2.0  # standard deviations below its passage's mean at which a token is left out


class AttentionRanker:
    """Sum of calibrated attention.

    Args:
        generator: A local model; its attention is read.
        style: The words of the prompt, with the instruction behind the passages.
        name: Name of the stage.

    Raises:
        SpecError: If the generator is no local model, or keeps no cache.
    """

    kind: Kind = "heuristic"

    def __init__(
        self, generator: TransformersGenerator, style: PromptStyle = STYLE, *, name: str = "attention"
    ) -> None:
        if not isinstance(generator, TransformersGenerator):
            raise SpecError("attention can only be read of a local model")
        self.name = name
        self._prompter = Prompter(generator, style)
        self._model = generator.model
        cache = TargetScorer(self._model).cache
        if cache is None:
            raise SpecError("attention is read behind a cached prompt, and this model keeps no cache")
        self._cache_name = cache

    def describe(self) -> dict[str, Any]:
        """Identity for the record."""
        return {
            "kind": "attention",
            "name": self.name,
            "listwise": True,
            "explanation": self.kind,
            "score": "calibrated attention",
            "prompt": self._prompter.style.name,
            "generator": self._prompter.generator.describe(),
        }

    def score(self, query: str, passages: Mapping[str, str]) -> dict[str, float]:
        """Calibrated attention by passage id, in the given order; the first passage stands last in a prompt.

        Raises:
            ScoringError: If the model gives a number that is not finite.
            WindowError: If the passages do not fit the model's window.
        """
        return {key: math.fsum(kept(values)) for key, values in self.tokens(query, passages).items()}

    def tokens(self, query: str, passages: Mapping[str, str]) -> dict[str, NDArray[np.float64]]:
        """Calibrated attention of each token of each passage's block, label included; shape (tokens,)."""
        if not passages:
            return {}
        reversed_ = {key: passages[key] for key in reversed(list(passages))}
        asked = self._prompter.request(query, reversed_, ())
        blank = self._prompter.request(NO_QUESTION, reversed_, ())
        shared = _shared_end(asked.segments[-1].ids, blank.segments[-1].ids)  # the template's last words
        values = self._attention((asked, blank), shared)
        spans = _spans(asked)
        calibrated = values[0] - values[1]
        return {key: calibrated[slice(*spans[key])] for key in passages}

    @torch.no_grad()
    def _attention(self, requests: Sequence[Request], shared: int) -> list[NDArray[np.float64]]:
        """Attention to each prompt token before the question, for each question; they share the passages."""
        prefix = tuple(token for segment in requests[0].segments[:-1] for token in segment.ids)
        window = self._prompter.generator.describe().get("window")
        longest = max(request.prompt_length for request in requests)
        if window is not None and longest > window:
            raise WindowError(f"the passages have {longest} tokens and the model takes {window}; rank fewer")
        with attending(self._model, "eager"):
            first = self._model(input_ids=self._row(prefix), use_cache=True)
            cache = getattr(first, self._cache_name)
            return [
                self._question(request, copy.deepcopy(cache), len(prefix), shared) for request in requests
            ]

    def _question(self, request: Request, cache: Any, before: int, shared: int) -> NDArray[np.float64]:
        tail = request.segments[-1].ids
        inputs = {"input_ids": self._row(tail), self._cache_name: cache}
        layers = self._model(**inputs, use_cache=True, output_attentions=True).attentions
        rows = len(tail) - shared
        total = np.zeros(before)
        for layer in layers:  # (1, heads, tail, prompt)
            seen = layer[0, :, :rows, :before].float().mean(dim=1).sum(dim=0)
            total[before - seen.shape[0] :] += seen.cpu().numpy()
        if not np.isfinite(total).all():
            raise ScoringError(f"{self.name}: the model gave attention that is not finite; try fp32")
        return total

    def _row(self, ids: Sequence[int]) -> torch.Tensor:
        device = self._model.get_input_embeddings().weight.device
        return torch.tensor([list(ids)], dtype=torch.long, device=device)


def kept(values: NDArray[np.float64]) -> list[float]:
    """A passage's token values without those far below their mean."""
    bar = values.mean() - OUTLIER * values.std() if len(values) else 0.0
    return [float(value) for value in values if value >= bar]


def _spans(request: Request) -> dict[str, tuple[int, int]]:
    """First token of each passage in the prompt, and the one behind its last."""
    spans, start = {}, 0
    for segment in request.segments:
        if segment.player is not None:
            spans[segment.player] = (start, start + len(segment.ids))
        start += len(segment.ids)
    return spans


def _shared_end(a: Sequence[int], b: Sequence[int]) -> int:
    """How many tokens two sequences share at their end."""
    pairs = enumerate(zip(reversed(a), reversed(b), strict=False))
    shared = next((place for place, (left, right) in pairs if left != right), min(len(a), len(b)))
    return min(shared, len(a) - 1, len(b) - 1)
