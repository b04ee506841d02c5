"""The completeness gap of the default setting, both sides, and what the default must not change."""

from __future__ import annotations

import time
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from boresight.explain.saliency import (
    IntegratedGradients,
    Saliency,
    SaliencyWarning,
    ScoredText,
    passage_side,
    query_side,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.saliency_parts.data import Pair
    from boresight.models.encoder import DenseEncoder

FEW = 20
TOLERANCE = 0.01


def sides(encoder: DenseEncoder, query: str, passage: str) -> tuple[ScoredText, ScoredText]:
    """The score as a function of the query, and of the passage."""
    return query_side(encoder, query, {"p": passage}), passage_side(encoder, query, {"p": passage})["p"]


def accuracy(encoder: DenseEncoder, pairs: Sequence[Pair], method: IntegratedGradients) -> dict[str, Any]:
    """Share of pairs whose relative gap is at most one percent with at most 20 nodes, by side."""
    begin = time.perf_counter()
    found: dict[str, list[Saliency]] = {"query": [], "passage": []}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SaliencyWarning)
        for _, query, passage in pairs:
            for text in sides(encoder, query, passage):
                found[text.side].append(method.explain(text))
    row: dict[str, Any] = {"encoder": encoder.name, "pairs": len(pairs)}
    for side, results in found.items():
        gaps = np.array([one.relative_gap for one in results], dtype=float)
        nodes = np.array([one.nodes for one in results], dtype=int)
        row[f"{side}_within"] = float(((gaps <= TOLERANCE) & (nodes <= FEW)).mean())
        row[f"{side}_converged"] = float((gaps <= TOLERANCE).mean())
        row[f"{side}_median_gap"] = float(np.median(gaps))
        row[f"{side}_p95_gap"] = float(np.quantile(gaps, 0.95))
        row[f"{side}_nodes"] = float(nodes.mean())
    controls = [token.value for one in found["query"] + found["passage"] for token in one.tokens
                if token.part == "control"]  # fmt: skip
    row["largest_control"] = float(np.abs(controls).max())
    row["seconds"] = time.perf_counter() - begin
    return row
