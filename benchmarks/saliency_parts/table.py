"""AIPC and additivity by baseline, method and number of steps, in the layout of RAG-E's design choices."""

from __future__ import annotations

import sys
import warnings
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.saliency_parts.accuracy import sides
from boresight.explain.saliency import (
    AttentionTimesGradient,
    Gradient,
    GradientTimesInput,
    IntegratedGradients,
    Method,
    RandomControl,
    Saliency,
    SaliencyWarning,
    ScoredText,
    TokenLime,
    TokenShapley,
    removal_scores,
)
from boresight.measure.faithfulness import FAITHFULNESS, Curves, counts, needs_of, removals
from boresight.stats.bootstrap import mean_interval
from boresight.stats.random import rng_for

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from benchmarks.saliency_parts.data import Pair
    from boresight.models.encoder import DenseEncoder
    from boresight.outcome import Measure

NEEDS = needs_of(FAITHFULNESS)
FILL = "mask"
DRAWS = 1000

COLUMNS = (
    ("passage", "aipc"),
    ("passage", "additivity"),
    ("query", "aipc"),
    ("query", "additivity"),
    ("passage", "comprehensiveness_over_random"),
    ("passage", "sufficiency_over_random"),
)

CHOICES: Mapping[str, Method] = {
    "baseline zero": IntegratedGradients(baseline="zero"),
    "baseline [MASK]": IntegratedGradients(baseline="mask"),
    "baseline [UNK]": IntegratedGradients(baseline="unk"),
    "baseline [PAD]": IntegratedGradients(baseline="pad"),
    "method random": RandomControl(),
    "method gradient": Gradient(),
    "method gradient x input": GradientTimesInput(),
    "method attention x gradient": AttentionTimesGradient(),
    "method LIME": TokenLime(),
    "method Shapley": TokenShapley(),
    "steps 10, Riemann as published, [PAD]": IntegratedGradients("pad", "riemann", (10,)),
    "steps 50, Riemann as published, [PAD]": IntegratedGradients("pad", "riemann", (50,)),
    "steps 20, trapezoid, [UNK]": IntegratedGradients("unk", "trapezoid", (20,)),
    "steps 20, Gauss-Legendre, [UNK]": IntegratedGradients("unk", "gauss", (20,)),
    "steps 8, Gauss-Legendre after sinh, [UNK]": IntegratedGradients("unk", "gauss_sinh", (8,)),
    "steps 16, Gauss-Legendre after sinh, [UNK]": IntegratedGradients("unk", "gauss_sinh", (16,)),
}


def rows(encoder: DenseEncoder, pairs: Sequence[Pair]) -> list[list[object]]:
    """One row a choice: AIPC and additivity of passages and of queries, with intervals."""
    found: list[list[object]] = []
    for name, method in CHOICES.items():
        print(name, file=sys.stderr, flush=True)
        found.append([name, *_cells(name, encoder, pairs, method)])
    return found


def faithfulness_of(text: ScoredText, found: Saliency, purpose: str) -> dict[str, Measure]:
    """All measures of one saliency, from scores of the text with tokens removed."""
    values = found.values[text.text_places]
    kept = removals(values, NEEDS, 0, purpose)
    scores = removal_scores(text, np.concatenate(list(kept.values())), FILL)
    parts = np.split(scores, len(kept))
    curves = Curves(len(values), counts(len(values), NEEDS.steps), dict(zip(kept, parts, strict=True)))
    return {measure.name: measure.compute(curves) for measure in FAITHFULNESS}


def _cells(name: str, encoder: DenseEncoder, pairs: Sequence[Pair], method: Method) -> list[object]:
    seen: dict[tuple[str, str], list[float]] = {}
    for purpose, query, passage in pairs:
        for text in sides(encoder, query, passage):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", SaliencyWarning)
                found = method.explain(text)
            numbers: dict[str, float | None] = {
                key: one.value for key, one in faithfulness_of(text, found, purpose).items()
            }
            numbers["additivity"] = found.additivity
            for key, value in numbers.items():
                if value is not None:
                    seen.setdefault((text.side, key), []).append(value)
    return [_shown(seen.get(column, []), name, *column) for column in COLUMNS]


def _shown(values: list[float], *purpose: str) -> str | None:
    if not values:
        return None
    found = mean_interval(values, rng_for(0, "saliency table", *purpose), draws=DRAWS)
    ends = "" if found.low is None else f" ({found.low:.2f} to {found.high:.2f})"
    return f"{found.value:.2f}{ends}"
