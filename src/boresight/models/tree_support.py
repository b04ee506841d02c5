"""Which models may score packs: architectures that are tested, and of them those that agree with themselves.

An architecture is listed when its packed scores were shown to equal one-by-one scores on random weights. The
user's own model is then asked once, on two short prompts that share a beginning: both ways must agree.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import torch

from boresight.errors import ModelError
from boresight.models.cache_check import short_window, tolerance
from boresight.models.foreign import foreign_code, reason
from boresight.models.packing import Ask, Pack, PackedBatch, Piece
from boresight.models.seam import Request, Segment, Target
from boresight.models.tree_attention import BLOCKED
from boresight.models.tree_scorer import TreeScorer

if TYPE_CHECKING:
    from collections.abc import Mapping

ONE_MASK = frozenset({"gpt2", "gpt_neox", "llama", "opt", "phi"})
ONE_WINDOW = frozenset({"mistral", "mixtral"})
MASK_BY_LAYER = frozenset({"gemma2", "gemma3_text", "qwen2", "qwen3"})


def tree_scorer(model: Any, cache: str | None) -> TreeScorer | str:
    """A scorer of packs, or why the model has none.

    Args:
        model: A causal language model in evaluation mode.
        cache: Name of its argument that holds the cache; None if it has none.
    """
    kind = model.config.model_type
    if kind not in ONE_MASK | ONE_WINDOW | MASK_BY_LAYER:
        return f"the tree engine is not tested with {kind}"
    implementation = model.config._attn_implementation  # noqa: SLF001 - no public way to ask
    if implementation not in ("sdpa", "eager", BLOCKED):  # the last where a thread shares the configuration
        return f"the tree engine takes no masks with {implementation} attention"
    if cache is None:
        return f"{type(model).__name__} takes no cache"
    on_cuda = model.get_input_embeddings().weight.device.type == "cuda"
    for flex in (True, False) if on_cuda and implementation == "sdpa" else (False,):
        scorer = TreeScorer(model, cache, windows(model), flex)
        gap = _gap(scorer)
        if gap is not None and gap <= _limit(model):
            return scorer
    found = "it cannot run packs" if gap is None else f"packed and single scores differ by {gap:.2g} nats"
    return f"the start-up check failed: {found}"


def windows(model: Any) -> Mapping[str, int | None]:
    """Attention window by layer type; the type is ``""`` where one mask serves all layers."""
    config = model.config.get_text_config()
    window = getattr(config, "sliding_window", None)
    if config.model_type in MASK_BY_LAYER:
        return {kind: window if kind == "sliding_attention" else None for kind in set(config.layer_types)}
    return {"": window if config.model_type in ONE_WINDOW else None}


def _limit(model: Any) -> float:
    """How far apart, in nats, packed and single scores of the check may be."""
    return max(tolerance(model), _ROUNDING_STEPS * torch.finfo(model.dtype).eps)


_ROUNDING_STEPS = 64  # of half precision; thirty layers in bfloat16 were seen to lie 22 apart


def _gap(scorer: TreeScorer) -> float | None:
    """Largest difference between packed and single scores of the check, in nats; None if packs do not run."""
    model = scorer.model
    batch = _check_batch(int(model.get_input_embeddings().weight.shape[0]))
    try:
        with foreign_code(lambda problem: ModelError(reason(problem))), short_window(model):
            packed = replace(scorer, windows=windows(model)).score(batch)
            single = [_alone(model, request) for request in batch]
    except ModelError:
        return None
    gaps = [torch.from_numpy(packed[index, "t"]) - row for index, row in enumerate(single)]
    return float(torch.cat(gaps).abs().max())  # NaN compares as too large


@torch.no_grad()
def _alone(model: Any, request: Request) -> torch.Tensor:
    """Log-probabilities of the target after its prompt, in one plain call; shape (T,)."""
    target = torch.tensor(request.targets[0].token_ids)
    embeddings = model.get_input_embeddings().weight
    ids = torch.tensor([*request.prompt_ids, *request.targets[0].token_ids[:-1]], device=embeddings.device)
    logits = model(input_ids=ids[None], use_cache=False).logits[0, -len(target) :].float().cpu()
    chosen: torch.Tensor = logits.log_softmax(-1).gather(-1, target[:, None])[:, 0]
    return chosen


def _check_batch(vocabulary: int) -> PackedBatch:
    """Two coalitions, laid out by hand: branches that must not see each other, and a pack behind kept pieces.

    The first pack ends with the second passage, in columns far behind its positions; the second pack goes on
    behind it once the ending of the first prompt is dropped.
    """
    header, first, second, tail = (_ids(start, size, vocabulary) for start, size in _PARTS)
    target = _ids(5, 4, vocabulary)
    ending = tail + target[:-1]
    places = [0, len(header), len(header + first), len(header + first), len(header + first + second)]
    pieces = tuple(
        Piece(ids, place, parent)
        for ids, place, parent in zip(
            (header, first, ending, second, ending), places, (None, 0, 1, 1, 3), strict=True
        )
    )
    asks = [Ask(index, "t", 0, target, piece, len(tail) - 1) for index, piece in ((0, 2), (1, 4))]
    packs = (Pack((), (0, 1, 2, 3), (asks[0],)), Pack((0, 1, 3), (4,), (asks[1],)))
    return PackedBatch(
        tuple(_request(prompt + tail, target) for prompt in (header + first, header + first + second)),
        pieces,
        packs,
    )


_PARTS = ((3, 5), (11, 9), (7, 13), (2, 6))  # first id and length of header, two passages and tail


def _ids(start: int, size: int, vocabulary: int) -> tuple[int, ...]:
    return tuple((start + 7 * place) % vocabulary for place in range(size))


def _request(prompt: tuple[int, ...], target: tuple[int, ...]) -> Request:
    goal = Target("t", "recorded", "", target, ())
    return Request("check", "passages", (Segment("header", prompt),), (goal,))
