"""Log-probabilities of target tokens under any causal model of ``transformers``.

Logits over the vocabulary exist for target positions only, and never more of them at once than
``MAX_LOGIT_BYTES``: a big batch runs some rows at a time, and a long target under a big vocabulary in steps
behind a cached prompt, if the model was found to compute the same that way (``cache_check.py``). Which rows
and steps is a pure function of token counts.
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import torch

from boresight.models.cache_check import steps_agree

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MAX_LOGIT_BYTES = 256 * 2**20

_CACHE_NAMES = ("cache", "past_key_values")  # the second is its name in releases before 5.24

Ids = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Rows:
    """Prompts with their targets behind them, as one tensor.

    Attributes:
        ids: Token ids, shape (rows, columns); the last target token is never an input.
        targets: The tokens to score, right-aligned, shape (rows, kept columns).
        mask: Attention mask; None where no row is padded.
        positions: Position ids; None where no row is padded.
    """

    ids: torch.Tensor
    targets: torch.Tensor
    mask: torch.Tensor | None = None
    positions: torch.Tensor | None = None

    def split(self, size: int) -> Iterator[Rows]:
        """The same rows, ``size`` at a time."""
        for start in range(0, len(self.ids), size):
            part = slice(start, start + size)
            mask = None if self.mask is None else self.mask[part]
            positions = None if self.positions is None else self.positions[part]
            yield Rows(self.ids[part], self.targets[part], mask, positions)


@dataclass(frozen=True, slots=True)
class Step:
    """Columns ``start`` to ``stop`` in one call, of which the last ``kept`` predict target tokens."""

    start: int
    stop: int
    kept: int


class TargetScorer:
    """Scores targets after prompts.

    Args:
        model: A causal language model in evaluation mode.

    Attributes:
        vocabulary: Ids below this one exist in the model.
        cache: Name of the model's argument that holds its cache; None if it has none.
    """

    def __init__(self, model: Any) -> None:
        self._model = model
        self._accepts = frozenset(inspect.signature(model.forward).parameters)
        self.cache = next((name for name in _CACHE_NAMES if name in self._accepts), None)
        self.vocabulary = vocabulary_size(model)

    @cached_property
    def takes_steps(self) -> bool:
        """Whether the model gives the same values in steps behind a cache; found out on first need."""
        return self.cache is not None and steps_agree(self._model, self.cache)

    @property
    def device(self) -> torch.device:
        """Where inputs belong: with the embedding layer, wherever the other layers are."""
        device: torch.device = self._model.get_input_embeddings().weight.device
        return device

    def equal(self, prompts: Sequence[Ids], targets: Sequence[Ids]) -> list[torch.Tensor]:
        """Score rows of equal lengths in one batch, without padding or mask.

        Args:
            prompts: Prompts of one length, at least one token each.
            targets: Targets of one length, at least one token each.

        Returns:
            Per row, log-probabilities in nats on the CPU, float32, shape (T,).
        """
        ids = self._tensor([prompt + target[:-1] for prompt, target in zip(prompts, targets, strict=True)])
        return list(self._logprobs(Rows(ids, self._tensor(targets))))

    def padded(self, prompts: Sequence[Ids], targets: Sequence[Ids], pad: int) -> list[torch.Tensor]:
        """Score rows of unequal lengths in one batch, padded on the left.

        Args:
            prompts: Prompts, at least one token each.
            targets: Targets, at least one token each.
            pad: Id to pad with; it is masked.

        Returns:
            As :meth:`equal`.
        """
        inputs = [prompt + target[:-1] for prompt, target in zip(prompts, targets, strict=True)]
        ids = self._tensor(_left_padded(inputs, pad))
        mask = self._tensor(_left_padded([(1,) * len(row) for row in inputs], 0))
        positions = (mask.cumsum(-1) - 1).clamp(min=0)
        rows = Rows(ids, self._tensor(_left_padded(targets, 0)), mask, positions)
        scored = self._logprobs(rows)
        return [row[len(row) - len(target) :] for row, target in zip(scored, targets, strict=True)]

    def rows_at_once(self, columns: int, kept: int) -> int:
        """How many rows of such lengths run in one call; at least one."""
        return max(1, self._most_logits // (kept if self._selects else columns))

    def steps(self, columns: int, kept: int) -> list[Step]:
        """The calls that score the last ``kept`` of ``columns`` columns."""
        most = max(1, self._most_logits)
        if (kept if self._selects else columns) <= most or not self.takes_steps:
            return [Step(0, columns, kept)]
        prompt = columns - kept + 1  # its last column predicts the first target token
        size = prompt if self._selects else most
        starts = [*range(0, prompt, size), *range(prompt, columns, most)]
        stops = [*starts[1:], columns]
        return [
            Step(start, stop, max(0, stop - max(start, prompt - 1)))
            for start, stop in zip(starts, stops, strict=True)
        ]

    @property
    def _selects(self) -> bool:
        """Whether the model can leave out the logits of positions that nobody asks for."""
        return "logits_to_keep" in self._accepts

    @property
    def _most_logits(self) -> int:
        """Positions whose float32 logits fit the limit."""
        return MAX_LOGIT_BYTES // (4 * self.vocabulary)

    def _logprobs(self, rows: Rows) -> torch.Tensor:
        """Log-probabilities of the right-aligned targets, shape (rows, kept)."""
        at_once = self.rows_at_once(rows.ids.shape[1], rows.targets.shape[1])
        return torch.cat([self._in_steps(part) for part in rows.split(at_once)])

    @torch.no_grad()
    def _in_steps(self, rows: Rows) -> torch.Tensor:
        """The same for rows that run together."""
        plan = self.steps(rows.ids.shape[1], rows.targets.shape[1])
        found: list[torch.Tensor] = []
        cache: Any = None
        done = 0
        for step in plan:
            output = self._model(**self._inputs(rows, step, cache, use_cache=len(plan) > 1))
            cache = getattr(output, self.cache) if len(plan) > 1 and self.cache else None
            if step.kept:
                targets = rows.targets[:, done : done + step.kept]
                found.append(_pick(output.logits[:, -step.kept :], targets).cpu())
                done += step.kept
        return torch.cat(found, dim=1)

    def _inputs(self, rows: Rows, step: Step, cache: Any, *, use_cache: bool) -> dict[str, Any]:
        """Arguments of one call: only those that this architecture knows."""
        inputs = {
            "input_ids": rows.ids[:, step.start : step.stop],
            "use_cache": use_cache,
            self.cache or "": cache,
            "logits_to_keep": max(1, step.kept),
        }
        if rows.mask is not None and rows.positions is not None:
            inputs["attention_mask"] = rows.mask[:, : step.stop]
            inputs["position_ids"] = rows.positions[:, step.start : step.stop]
        return {name: value for name, value in inputs.items() if name in self._accepts and value is not None}

    def _tensor(self, rows: Sequence[Ids]) -> torch.Tensor:
        return torch.tensor([list(row) for row in rows], dtype=torch.long, device=self.device)


def vocabulary_size(model: Any) -> int:
    """Number of ids that a model takes and predicts."""
    rows = int(model.get_input_embeddings().weight.shape[0])
    head = model.get_output_embeddings()
    return rows if head is None else min(rows, int(head.weight.shape[0]))


def _left_padded(rows: Sequence[Ids], pad: int) -> list[Ids]:
    width = max(len(row) for row in rows)
    return [(pad,) * (width - len(row)) + tuple(row) for row in rows]


def _pick(logits: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
    """Log-softmax in float32, at the targets only; targets follow the logits to their device."""
    scores = logits.float()
    chosen = scores.gather(-1, targets.to(scores.device).unsqueeze(-1)).squeeze(-1)
    return chosen - scores.logsumexp(-1)
