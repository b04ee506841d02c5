"""Ten passages of 155 tokens, passage side: the default, and captum at the same rule, steps and batch."""

from __future__ import annotations

import statistics
import time
from typing import TYPE_CHECKING, Any

import torch

from boresight.explain.saliency import IntegratedGradients, passage_side
from boresight.explain.saliency.integrated import NODES
from boresight.explain.saliency.scored_text import TOKENS_PER_PASS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.saliency_parts.data import Pair
    from boresight.models.encoder import DenseEncoder

TOKENS, PASSAGES = 155, 10


def speed(encoder: DenseEncoder, pairs: Sequence[Pair], repeats: int) -> dict[str, Any]:
    """Median seconds of each, in turns in one process."""
    query, texts = pairs[0][1], _texts(encoder, [passage for _, _, passage in pairs])
    same = IntegratedGradients(quadrature="gauss", nodes=NODES[:1], tolerance=float("inf"))
    ways = {
        "default": lambda: _ours(encoder, query, texts, IntegratedGradients()),
        "ours": lambda: _ours(encoder, query, texts, same),
        "captum": lambda: _captum(encoder, query, texts, NODES[0]),
    }
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    found: dict[str, torch.Tensor] = {}
    for _ in range(repeats):
        for name, way in ways.items():
            begin = time.perf_counter()
            found[name] = way()
            seconds[name].append(time.perf_counter() - begin)
    medians = {f"seconds_{name}": statistics.median(taken) for name, taken in seconds.items()}
    gap = float((found["ours"] - found["captum"]).abs().max())
    ratio = statistics.median(a / b for a, b in zip(seconds["ours"], seconds["captum"], strict=True))
    return {
        **medians,
        "ratio_to_captum": ratio,
        "largest_difference": gap,
        "threads": torch.get_num_threads(),
    }


def _texts(encoder: DenseEncoder, passages: Sequence[str]) -> dict[str, str]:
    """Passages cut or joined to 155 tokens, control tokens included."""
    words = " ".join(passages).split()
    found: dict[str, str] = {}
    for place in range(PASSAGES):
        text = " ".join(words[place * 160 : place * 160 + 160])
        while encoder.truncation(text)[1] > TOKENS:
            text = text.rsplit(" ", 1)[0]
        while encoder.truncation(text)[1] < TOKENS:
            text += " a"
        found[str(place)] = text
    return found


def _ours(
    encoder: DenseEncoder, query: str, texts: dict[str, str], method: IntegratedGradients
) -> torch.Tensor:
    scored = passage_side(encoder, query, texts)
    return torch.stack([torch.tensor(method.explain(text).values) for text in scored.values()])


def _captum(encoder: DenseEncoder, query: str, texts: dict[str, str], steps: int) -> torch.Tensor:
    from captum.attr import LayerIntegratedGradients

    asked = torch.tensor(encoder.encode([query], "query")[0])
    found = []
    for text in texts.values():
        path = encoder.embedding_path(text, "passage")
        ids = torch.tensor([path.tokens.ids])
        control = torch.tensor([path.tokens.control])
        base = torch.where(control, ids, path.fillers["unk"])

        def score(given: torch.Tensor) -> torch.Tensor:
            return path.read(path.model(given, attention_mask=torch.ones_like(given))) @ asked  # noqa: B023

        method = LayerIntegratedGradients(score, path.model.get_input_embeddings())
        values = method.attribute(
            ids, base, n_steps=steps, method="gausslegendre", internal_batch_size=TOKENS_PER_PASS // TOKENS
        )
        found.append(values.sum(-1)[0].double())
    return torch.stack(found).detach()
