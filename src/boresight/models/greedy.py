"""Greedy answers of a causal model: nothing sampled, nothing inherited, ids kept exactly as generated."""

from __future__ import annotations

import bisect
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import torch

from boresight.errors import ModelError
from boresight.models.reasoning import THINK, Tags, reasoning_end, split_reasoning
from boresight.models.seam import Generation
from boresight.models.spans import spans_by_decoding

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence


class GreedyDecoder:
    """Answers one prompt at a time; with one row, nothing is padded.

    Args:
        model: A causal model in evaluation mode; its generation settings are only set aside for a call.
        tokenizer: Its tokenizer.
        end_of_turn: Id that ends an answer in the chat template, if there is one.
        reasoning: The tags of reasoning that the model knows.

    Attributes:
        stops: Every id that ends an answer: the checkpoint's, the tokenizer's and the template's.
        pad: An id to pad with; what is padded is always masked, so any will do.

    Raises:
        ModelError: If the checkpoint's end of sequence is no number.
    """

    def __init__(
        self, model: Any, tokenizer: Any, end_of_turn: int | None, reasoning: Sequence[Tags] = (THINK,)
    ) -> None:
        self._reasoning = reasoning
        self._model = model
        self._tokenizer = tokenizer
        self.stops = _stops(model, tokenizer, end_of_turn)
        pad = tokenizer.pad_token_id
        self.pad = int(pad) if pad is not None else min(self.stops, default=0)

    def decode(self, ids: Sequence[int]) -> str:
        """The text that the ids spell, control tokens included."""
        text = self._tokenizer.decode(
            list(ids), skip_special_tokens=False, clean_up_tokenization_spaces=False
        )
        return str(text)

    def answer(self, prompt: tuple[int, ...], max_new_tokens: int) -> Generation:
        """Answer a prompt.

        Args:
            prompt: Prompt ids.
            max_new_tokens: Most tokens to generate, reasoning and end-of-turn included.

        Raises:
            ScoringError: If the model opens its reasoning and does not close it in time.
        """
        ids = self._generate(prompt, max_new_tokens)
        finished = bool(ids) and ids[-1] in self.stops
        ids = ids[:-1] if finished else ids
        written = self.decode(ids)
        thoughts, _ = split_reasoning(written, self._reasoning)
        ends = (reasoning_end(written, tags) for tags in self._reasoning)
        ids = ids[_answer_start(ids, next(filter(None, ends), 0), self.decode) :]
        text = self.decode(ids)
        return Generation(
            text, tuple(ids), finished, spans_by_decoding(ids, text, self.decode) or (), thoughts
        )

    @torch.no_grad()
    def _generate(self, prompt: tuple[int, ...], max_new_tokens: int) -> list[int]:
        """The generated ids, end-of-turn included."""
        from transformers import GenerationConfig

        device = self._model.get_input_embeddings().weight.device
        ids = torch.tensor([prompt], dtype=torch.long, device=device)
        config = GenerationConfig(
            max_new_tokens=max_new_tokens,
            do_sample=False,
            num_beams=1,
            eos_token_id=sorted(self.stops) or None,
            pad_token_id=self.pad,
        )
        with _without_defaults(self._model):
            output = self._model.generate(ids, attention_mask=torch.ones_like(ids), generation_config=config)
        return [int(token) for token in output[0, len(prompt) :]]


def _stops(model: Any, tokenizer: Any, end_of_turn: int | None) -> frozenset[int]:
    inherited = getattr(getattr(model, "generation_config", None), "eos_token_id", None)
    listed = inherited if isinstance(inherited, list | tuple) else [inherited]
    found = [token for token in (*listed, tokenizer.eos_token_id, end_of_turn) if token is not None]
    for token in found:
        if not isinstance(token, int):
            raise ModelError(
                f"the model's generation settings give {token!r} as end of sequence, which is no token id; "
                "correct eos_token_id in generation_config.json"
            )
    return frozenset(found)


def _answer_start(ids: Sequence[int], stop: int, decode: Callable[[Sequence[int]], str]) -> int:
    """Where the answer begins behind reasoning that ends at a character: after the blanks that follow."""
    if stop == 0:
        return 0
    start = bisect.bisect_left(range(len(ids)), stop, key=lambda count: len(decode(ids[:count])))
    while start < len(ids) and not decode([ids[start]]).strip():
        start += 1
    return start


@contextmanager
def _without_defaults(model: Any) -> Iterator[None]:
    """Set a checkpoint's own generation settings aside: its penalties would leak into greedy answers."""
    from transformers import GenerationConfig

    inherited = model.generation_config
    model.generation_config = GenerationConfig()
    try:
        yield
    finally:
        model.generation_config = inherited
