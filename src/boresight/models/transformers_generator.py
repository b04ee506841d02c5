"""Any causal language model of ``transformers`` as a generator.

Scores come from packs that share beginnings where the model takes them, else from batches without padding, so
no padding side or pad token can touch them. Only :meth:`TransformersGenerator.score_together` pads, and only
to measure how far padding moves the numbers.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from boresight.errors import ScoringError, WindowError
from boresight.models import carriers
from boresight.models.assembly import PromptAssembler
from boresight.models.fingerprint import weights_fingerprint
from boresight.models.greedy import GreedyDecoder
from boresight.models.loading import load_causal
from boresight.models.logprobs import MAX_LOGIT_BYTES, TargetScorer
from boresight.models.packing import PackedBatch, PackLimits
from boresight.models.probe import require_causal, require_vocabulary
from boresight.models.seam import Capabilities, Scored, equal_length_batches
from boresight.models.stream_scorer import StreamScorer
from boresight.models.streams import ALPHA
from boresight.models.tree_support import tree_scorer

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from boresight.models.prompts import PromptStyle
    from boresight.models.seam import Engine, Generation, PromptParts, Request, Target
    from boresight.models.tree_scorer import TreeScorer
    from boresight.trace import Trace

LONGEST_SANE_WINDOW = 10**9  # tokenizers without a limit claim 1e30
PACK_TOKENS = {"cpu": 1024, "cuda": 8192}  # a longer pack stands for a batch of packs where cores are many
PACKS_PER_BATCH = 8  # what a kill can cost

Ids = tuple[int, ...]
Spans = tuple[tuple[int, int], ...]
BatchScorer = Callable[[list[Ids], list[Ids]], list[torch.Tensor]]  # prompts and targets to log-probabilities


class TransformersGenerator:
    """A causal language model behind the generator seam.

    Log-probabilities are in nats, computed in float32 from logits of the model's own dtype.

    Args:
        model: A causal model of ``transformers``; it is put in evaluation mode and not otherwise changed.
        tokenizer: Its tokenizer, fast or slow; it is copied and never changed.
        name: Name for the record.
        revision: Commit of the checkpoint, if there is one.
        origin: More about where the weights come from, for the record.
        engine: ``auto`` shares the beginnings of prompts where the model is found fit for it; ``plain`` reads
            every prompt whole.

    Raises:
        ModelError: If the model is no causal language model, or its chat template is unusable.
    """

    def __init__(
        self,
        model: Any,
        tokenizer: Any,
        *,
        name: str,
        revision: str | None = None,
        origin: Mapping[str, str] | None = None,
        engine: Engine = "auto",
    ) -> None:
        self._model = model.eval()
        require_causal(model, name)
        require_vocabulary(model, tokenizer, name)
        self._name = name
        self._revision = revision
        self._origin = dict(origin or {})
        self._fingerprint = weights_fingerprint(model)
        self._scorer = TargetScorer(model)
        self._streams = StreamScorer(model, self._scorer)
        self._engine = engine
        own = copy.deepcopy(tokenizer)
        self._assembler = PromptAssembler(own, _window(model, own))
        template = self._assembler.template
        self._decoder = GreedyDecoder(model, own, self._assembler.end_of_turn, template.reasoning)

    @classmethod
    def load(
        cls,
        source: str,
        *,
        name: str | None = None,
        dtype: str = "fp32",
        device: str | None = "cpu",
        revision: str | None = None,
        threads: int | None = None,
        engine: Engine = "auto",
    ) -> TransformersGenerator:
        """Load a model from a folder or the hub.

        Args:
            source: Folder or hub id.
            name: Name for the record; by default the source.
            dtype: ``fp32``, ``bf16``, ``fp16`` or ``auto``.
            device: As in :func:`boresight.models.registry.load_generator`.
            revision: Branch, tag or commit on the hub.
            threads: CPU threads for torch; None leaves its choice.
            engine: As in the constructor.

        Raises:
            SpecError: If dtype or device are unknown.
            ModelError: If the model is missing, gated, unfit or too large; the message says what to do.
        """
        if threads is not None:
            torch.set_num_threads(threads)
        loaded = load_causal(source, dtype=dtype, device=device, revision=revision)
        return cls(
            loaded.model,
            loaded.tokenizer,
            name=name or source,
            revision=loaded.revision or revision,
            origin=carriers.origin(Path(source)),
            engine=engine,
        )

    @property
    def model(self) -> Any:
        """The model itself."""
        return self._model

    def capabilities(self) -> Capabilities:
        """It scores any text, the same way every time, with rounding noise."""
        return Capabilities(packs=None if isinstance(self._tree, str) else self._packs)

    @cached_property
    def _tree(self) -> TreeScorer | str:
        """The tree engine, or why there is none; found out on first need."""
        if self._engine == "plain":
            return "asked for"
        return tree_scorer(self._model, self._scorer.cache)

    @property
    def _packs(self) -> PackLimits:
        tokens = PACK_TOKENS.get(self._scorer.device.type, PACK_TOKENS["cpu"])
        predictions = max(1, MAX_LOGIT_BYTES // (4 * self._scorer.vocabulary))
        return PackLimits(PACKS_PER_BATCH * tokens, tokens, predictions)

    def _engine_name(self) -> str:
        if isinstance(self._tree, str):
            return f"plain ({self._tree}): equal lengths share a batch, nothing is padded"
        return f"tree: shared beginnings are read once, packs of {self._packs.tokens} tokens"

    def describe(self) -> dict[str, Any]:
        """Identity for the record: model, dtype, device, engine, template."""
        from transformers import __version__

        return {
            "kind": "transformers",
            "name": self._name,
            "revision": self._revision,
            **self._origin,
            "architecture": type(self._model).__name__,
            "dtype": str(self._model.dtype).removeprefix("torch."),
            "device": str(self._scorer.device),
            "window": self._assembler.window,
            "fingerprint": self._fingerprint,
            "weights_mib": _weights_mib(self._model),
            "engine": self._engine_name(),
            "long_targets": "in steps behind a cached prompt" if self._scorer.takes_steps else "in one pass",
            "versions": {"torch": torch.__version__, "transformers": __version__},
            **self._assembler.describe(),
        }

    def prepare(self, trace: Trace, style: PromptStyle, thoughts: str | None = None) -> PromptParts:
        """Tokenise the pieces of a trace's prompts.

        Raises:
            ScoringError: If the chat template refuses the trace's conversation.
        """
        return self._assembler.prepare(trace, style, thoughts)

    def encode_target(self, trace_id: str, text: str, *, end: bool = False) -> tuple[Ids, Spans]:
        """Token ids of a target text, and spans that cover the stripped text.

        Args:
            trace_id: Trace that the text belongs to, for error messages.
            text: The text; outer whitespace goes, control tokens in it are plain text.
            end: Put the end-of-turn token behind it.

        Raises:
            ScoringError: If ``end`` is asked of a model that has no end-of-turn token.
        """
        text = text.strip()
        encoded = self._assembler.encoder.target(text)
        ids, spans = encoded.ids, encoded.spans or ()
        if not end:
            return ids, spans
        if self._assembler.end_of_turn is None:
            raise ScoringError(
                f"trace {trace_id!r}: {self._name} has no end-of-turn token, so its end has no score"
            )
        return (*ids, self._assembler.end_of_turn), (*spans, (len(text), len(text)))

    def decode(self, ids: Sequence[int]) -> str:
        """The text that the ids spell, control tokens included."""
        return self._decoder.decode(ids)

    def score(self, requests: Sequence[Request]) -> list[Scored]:
        """Score each request: a packed batch as it is laid out, else equal lengths together, the rest alone.

        Raises:
            ScoringError: If a log-probability is not finite, or memory runs out.
        """
        if isinstance(requests, PackedBatch) and not isinstance(self._tree, str):
            return self._score_packs(requests, self._tree)
        scored: dict[int, Scored] = {}
        for group in equal_length_batches(request.lengths for request in requests):
            batch = [requests[index] for index in group]
            scored.update(zip(group, self._score(batch, self._scorer.equal), strict=True))
        return [scored[index] for index in range(len(requests))]

    def _score_packs(self, batch: PackedBatch, tree: TreeScorer) -> list[Scored]:
        for request in batch:
            for target in request.targets:
                self._fitting(request, target)
        with self._memory_watched(batch[0]):
            rows = tree.score(batch)
        found: list[dict[str, NDArray[np.float32]]] = [{} for _ in batch]
        for (index, target_id), row in rows.items():
            found[index][target_id] = self._finite(batch[index], row)
        return [Scored(request, values) for request, values in zip(batch, found, strict=True)]

    def score_together(self, requests: Sequence[Request]) -> list[Scored]:
        """Score requests of unequal lengths in one batch, padded on the left whatever the tokenizer prefers.

        Raises:
            ScoringError: As :meth:`score`.
        """
        pad = self._decoder.pad
        return self._score(requests, lambda prompts, targets: self._scorer.padded(prompts, targets, pad))

    def _score(self, requests: Sequence[Request], scorer: BatchScorer) -> list[Scored]:
        """One batch for the first target of every request, one for the second, and so on."""
        found: list[dict[str, NDArray[np.float32]]] = [{} for _ in requests]
        for place in range(max((len(request.targets) for request in requests), default=0)):
            rows = [index for index, request in enumerate(requests) if place < len(request.targets)]
            pairs = [(requests[index], requests[index].targets[place]) for index in rows]
            for index, (_, target), values in zip(rows, pairs, self._values(pairs, scorer), strict=True):
                found[index][target.id] = values
        return [Scored(request, values) for request, values in zip(requests, found, strict=True)]

    def _values(
        self, pairs: Sequence[tuple[Request, Target]], scorer: BatchScorer
    ) -> list[NDArray[np.float32]]:
        """Log-probabilities of one target per request; an empty target has none."""
        values = [np.empty(0, dtype=np.float32) for _ in pairs]
        rows = [index for index, (_, target) in enumerate(pairs) if target.token_ids]
        if not rows:
            return values
        prompts = [self._fitting(*pairs[index]) for index in rows]
        with self._memory_watched(pairs[0][0]):
            scored = scorer(prompts, [pairs[index][1].token_ids for index in rows])
        for index, row in zip(rows, scored, strict=True):
            values[index] = self._finite(pairs[index][0], row.numpy())
        return values

    @contextmanager
    def _memory_watched(self, request: Request) -> Iterator[None]:
        """Say in words that memory ran out."""
        try:
            yield
        except RuntimeError as error:
            if not _is_out_of_memory(error):
                raise
            raise ScoringError(
                f"{_coalition(request)}: memory on {self._scorer.device} does not suffice for "
                f"{request.prompt_length} prompt tokens; use fewer or shorter passages"
            ) from error

    def _fitting(self, request: Request, target: Target) -> Ids:
        """The prompt, if it and the target fit the window."""
        prompt, window = _prompt(request), self._assembler.window
        self._known(request, (*prompt, *target.token_ids))
        length = len(prompt) + len(target.token_ids)
        if window is not None and length > window:
            raise WindowError(
                f"{_coalition(request)}: prompt and target have {length} tokens and {self._name} takes "
                f"{window}; use fewer or shorter passages"
            )
        return prompt

    def _known(self, request: Request, ids: Ids) -> None:
        """An id without a row in the embedding would be an IndexError, and stop a GPU for good."""
        largest = max(ids)
        if largest >= self._scorer.vocabulary:
            raise ScoringError(
                f"{_coalition(request)}: token {self.decode([largest])!r} has id {largest}, and {self._name} "
                f"knows ids below {self._scorer.vocabulary}; fetch the whole checkpoint again"
            )

    def _finite(self, request: Request, row: NDArray[np.float32]) -> NDArray[np.float32]:
        """The values as numbers that can be trusted to be numbers."""
        if not bool(np.isfinite(row).all()):
            raise ScoringError(
                f"{_coalition(request)}: {self._name} gave a log-probability that is not finite "
                f"on device {self._scorer.device}; try --dtype fp32, or --device cpu"
            )
        return row.astype(np.float32)

    def compare(
        self, with_passages: Request, without: Request, kinds: frozenset[str], alpha: float = ALPHA
    ) -> dict[str, dict[str, NDArray[np.float32]]]:
        """Compare two streams; see :class:`boresight.models.streams.ComparesStreams`.

        Raises:
            ScoringError: As :meth:`score`.
            ValueError: If the two have different targets, or alpha is below 0.
        """
        for request in (with_passages, without):
            for target in request.targets:
                self._fitting(request, target)
        with self._memory_watched(with_passages):
            found = self._streams.compare(with_passages, without, kinds, alpha)
        return {
            target: {kind: self._finite(with_passages, row) for kind, row in rows.items()}
            for target, rows in found.items()
        }

    def generate(self, request: Request, max_new_tokens: int) -> Generation:
        """Answer greedily; the prompt is alone in its batch, so nothing is padded.

        Args:
            request: The prompt; its targets are ignored.
            max_new_tokens: Most tokens to generate, reasoning and end-of-turn included.

        Raises:
            WindowError: If the prompt leaves no room in the model's window.
            ScoringError: If the model opens its reasoning and does not close it in time.
        """
        prompt = _prompt(request)
        self._known(request, prompt)
        room = self._room(request, len(prompt), max_new_tokens)
        try:
            return self._decoder.answer(prompt, room)
        except ScoringError as error:
            raise ScoringError(f"trace {request.trace!r}: {error}") from error

    def _room(self, request: Request, prompt_length: int, max_new_tokens: int) -> int:
        """How many tokens may be generated."""
        window = self._assembler.window
        if window is None:
            return max_new_tokens
        if prompt_length >= window:
            raise WindowError(
                f"trace {request.trace!r}: the prompt has {prompt_length} tokens and {self._name} takes "
                f"{window}; use fewer or shorter passages"
            )
        return min(max_new_tokens, window - prompt_length)


def _weights_mib(model: Any) -> int:
    """Memory of the parameters, in MiB."""
    size: int = sum(weight.numel() * weight.element_size() for weight in model.parameters())
    return round(size / 2**20)


def _window(model: Any, tokenizer: Any) -> int | None:
    """Most tokens that a model takes; None if neither model nor tokenizer sets a limit."""
    positions = getattr(model.config.get_text_config(), "max_position_embeddings", None)
    limits = [limit for limit in (positions, tokenizer.model_max_length) if limit is not None]
    sane = [int(limit) for limit in limits if 0 < limit < LONGEST_SANE_WINDOW]
    return min(sane, default=None)


def _coalition(request: Request) -> str:
    """A request in words, for error messages."""
    players = [segment.player for segment in request.segments if segment.player is not None]
    what = "closed book" if request.game == "closed_book" else f"coalition {{{', '.join(players)}}}"
    return f"trace {request.trace!r}, {what}"


def _prompt(request: Request) -> Ids:
    """The prompt ids; at least one, since the first target token needs something before it."""
    prompt = request.prompt_ids
    if not prompt:
        raise ScoringError(f"{_coalition(request)}: the prompt is empty")
    return prompt


def _is_out_of_memory(error: RuntimeError) -> bool:
    """Whether a runtime error is a lack of memory, on a GPU or on the CPU."""
    return isinstance(error, torch.OutOfMemoryError) or "allocate memory" in str(error)
