"""Compares two streams under a causal model of ``transformers``, in bounded memory.

The prompt is read behind a cache without keeping logits; the target follows in slices, so that logits over
the vocabulary, and attention rows where the criterion wants them, exist for a slice only. A model that was
not found to compute alike in steps reads prompt and target in one pass, and has no criterion. Attention
weights exist under eager attention only; the passes that need them switch to it and back.
"""

from __future__ import annotations

import copy
import inspect
from contextlib import nullcontext
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from boresight.models.attention_choice import attending
from boresight.models.cache_check import steps_close
from boresight.models.criterion import FEWEST_TOKENS, apart, fusion_layer, layer_shifts, met
from boresight.models.logprobs import MAX_LOGIT_BYTES
from boresight.models.streams import APART, CRITERION_KINDS, LAYER, MET
from boresight.models.two_streams import TwoStreams

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from boresight.models.logprobs import TargetScorer
    from boresight.models.seam import Request

Values = dict[str, "NDArray[np.float32]"]

HELD = 8  # arrays of the logits' size that a comparison holds at once
MAX_ATTENTION_BYTES = 256 * 2**20


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt that was read, ready for any number of targets.

    Attributes:
        ids: Its tokens.
        passages: Those that belong to passages, labels included, by their place in it.
        cache: Keys and values of all tokens but the last; None where the model reads it anew.
    """

    ids: tuple[int, ...]
    passages: Mapping[int, int]
    cache: Any


@dataclass(frozen=True, slots=True)
class Slice:
    """Both streams at S neighbouring target tokens.

    Attributes:
        pair: The two distributions.
        attention: By layer the attention to passage tokens of the stream that has them, mean over heads,
            float32, shape (S, P); empty where the criterion was not asked for or the model shows none.
        states: Output of each layer at the first of the tokens, with passages and without, shape (L, d).
    """

    pair: TwoStreams
    attention: tuple[torch.Tensor, ...]
    states: tuple[torch.Tensor, torch.Tensor] | None


class StreamScorer:
    """Compares streams, one pair at a time.

    Args:
        model: A causal model in evaluation mode.
        scorer: The scorer of the same model.
    """

    def __init__(self, model: Any, scorer: TargetScorer) -> None:
        self._model = model
        self._scorer = scorer
        self._cache = scorer.cache or ""
        self._selects = "logits_to_keep" in inspect.signature(model.forward).parameters

    @torch.no_grad()
    def compare(
        self, with_passages: Request, without: Request, kinds: frozenset[str], alpha: float
    ) -> dict[str, Values]:
        """As :meth:`boresight.models.streams.ComparesStreams.compare`.

        Raises:
            ValueError: If the two have different targets, or alpha is below 0.
        """
        if with_passages.targets != without.targets or alpha < 0:
            raise ValueError("two streams are compared over the same targets, with an alpha of at least 0")
        prompts = self.read(with_passages), self.read(without)
        return {
            target.id: self._target(prompts, target.token_ids, kinds, alpha)
            for target in with_passages.targets
        }

    def _target(
        self, prompts: tuple[Prompt, Prompt], target: tuple[int, ...], kinds: frozenset[str], alpha: float
    ) -> Values:
        look = bool(kinds & CRITERION_KINDS)
        layer: int | None = None
        parts: list[Mapping[str, torch.Tensor]] = []
        for part in self.slices(prompts, target, alpha, look=look):
            layer = self.layer(part) if layer is None else layer
            parts.append(part.pair.values(kinds) | self._criterion(part, prompts[0].passages, layer, kinds))
        return {kind: _joined([part[kind] for part in parts]) for kind in (parts[0] if parts else kinds)}

    @torch.no_grad()
    def read(self, request: Request) -> Prompt:
        """Read a prompt up to its last token, which predicts the first one of a target."""
        ids, steps = request.prompt_ids, self._steps and request.prompt_length > 1
        cache = self._call(ids[:-1], None)[self._cache] if steps else None
        return Prompt(ids, passage_tokens(request), cache)

    @torch.no_grad()
    def slices(
        self, prompts: tuple[Prompt, Prompt], target: tuple[int, ...], alpha: float, *, look: bool
    ) -> Iterator[Slice]:
        """Both streams, some target tokens at a time.

        Args:
            prompts: The prompt with passages, and the one without.
            target: The target's tokens.
            alpha: Weight of the contrast.
            look: Whether attention and states are wanted.
        """
        one, other = prompts
        columns = list(one.passages)
        look = look and len(columns) >= FEWEST_TOKENS and self._shows_layers
        size = self._slice_size(max(len(one.ids), len(other.ids)) + len(target), look=look)
        ours = self._stream(one, target, size, eager=look, look=look)
        theirs = self._stream(other, target, size, eager=False, look=look)
        start = 0
        for mine, its in zip(ours, theirs, strict=True):
            logits, tokens = mine.logits[0], target[start : start + mine.logits.shape[1]]
            ids = torch.tensor(tokens, device=logits.device)
            pair = TwoStreams.of_logits(logits, its.logits[0].to(logits.device), ids, alpha)
            start += len(tokens)
            read = len(one.ids) - 1 + start
            yield Slice(pair, _to_passages(mine, columns, read), _states(mine, its))

    @torch.no_grad()
    def layer(self, part: Slice) -> int | None:
        """The layer of the published rule, at the first token of the slice; None without attention."""
        if not part.attention or part.states is None:
            return None
        shifts = [layer_shifts(self._model, states) for states in part.states]
        return min(fusion_layer(*shifts), len(part.attention) - 1)

    def _criterion(
        self, part: Slice, seen: Mapping[int, int], layer: int | None, kinds: frozenset[str]
    ) -> dict[str, torch.Tensor]:
        if layer is None:
            return {}
        embed, pair = self._model.get_input_embeddings().weight, part.pair
        p, q = pair.p.to(embed.device), pair.q.to(embed.device)
        ids = torch.tensor(list(seen.values()), device=embed.device)
        found = {
            MET: met(p, part.attention[layer].to(embed.device), ids, embed),
            APART: apart(p, q, embed),
            LAYER: torch.full((len(p),), float(layer)),
        }
        return {kind: value for kind, value in found.items() if kind in kinds}

    @cached_property
    def _steps(self) -> bool:
        """Whether prompts are read behind a cache; found out on first need."""
        return self._scorer.takes_steps or bool(self._cache and steps_close(self._model, self._cache))

    @property
    def _shows_layers(self) -> bool:
        """Whether the criterion can be had at all: the model keeps a cache and has a head."""
        return self._steps and self._model.get_output_embeddings() is not None

    def _slice_size(self, columns: int, *, look: bool) -> int:
        """Target tokens at once; a pure function of token counts."""
        size = MAX_LOGIT_BYTES // (4 * self._scorer.vocabulary * HELD)
        if look:
            config = self._model.config.get_text_config()
            row = 4 * config.num_hidden_layers * config.num_attention_heads * columns
            size = min(size, MAX_ATTENTION_BYTES // row)
        return max(1, size)

    def _stream(
        self, prompt: Prompt, target: tuple[int, ...], size: int, *, eager: bool, look: bool
    ) -> Iterator[Any]:
        """Outputs whose logits predict the target, ``size`` tokens at a time."""
        if not self._steps:
            yield from self._whole(prompt.ids, target)
            return
        ids, cache = (prompt.ids[-1], *target[:-1]), copy.deepcopy(prompt.cache)
        for start in range(0, len(target), size):
            step = ids[start : start + size]
            with attending(self._model, "eager") if eager else nullcontext():
                output = self._call(
                    step, cache, len(step), output_hidden_states=look, output_attentions=eager
                )
            cache = output[self._cache]
            yield output

    def _whole(self, prompt: Sequence[int], target: Sequence[int]) -> Iterator[Any]:
        """One output for the whole target, by a single pass."""
        if target:
            output = self._call([*prompt, *target[:-1]], None, len(target))
            output.logits = output.logits[:, -len(target) :]
            yield output

    def _call(self, ids: Sequence[int], cache: Any, kept: int = 1, **looks: bool) -> Any:
        inputs: dict[str, Any] = {name: True for name, wanted in looks.items() if wanted}
        if self._selects:
            inputs["logits_to_keep"] = kept
        if self._steps:
            inputs |= {"use_cache": True, self._cache: cache}
        device = self._scorer.device
        return self._model(input_ids=torch.tensor([list(ids)], device=device), **inputs)


def passage_tokens(request: Request) -> dict[int, int]:
    """The prompt's tokens that belong to passages, labels included, by their place in it."""
    places = enumerate((segment.player, token) for segment in request.segments for token in segment.ids)
    return {place: token for place, (player, token) in places if player is not None}


def _to_passages(output: Any, columns: list[int], read: int) -> tuple[torch.Tensor, ...]:
    """Mean attention over heads to the given of ``read`` columns, by layer; windows hold the last ones."""
    layers = getattr(output, "attentions", None)
    if not layers or any(layer is None for layer in layers):
        return ()
    means = [layer[0].float().mean(dim=0) for layer in layers]
    return tuple(torch.nn.functional.pad(mean, (read - mean.shape[-1], 0))[:, columns] for mean in means)


def _states(*outputs: Any) -> tuple[torch.Tensor, torch.Tensor] | None:
    """Output of each layer at the first position, for both streams."""
    found: list[Any] = [getattr(output, "hidden_states", None) for output in outputs]
    if not all(found):
        return None
    device = found[0][-1].device
    ours, theirs = (torch.stack([state[0, 0].to(device) for state in states[1:]]) for states in found)
    return ours, theirs


def _joined(parts: list[torch.Tensor]) -> NDArray[np.float32]:
    if not parts:
        return np.empty(0, dtype=np.float32)
    joined: NDArray[np.float32] = torch.cat(parts).float().cpu().numpy()
    return joined
