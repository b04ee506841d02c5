"""Rules of integration side by side: gap, and error of the token values against a fine rule."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import numpy as np

from boresight.explain.saliency import IntegratedGradients, SaliencyWarning, query_side

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from benchmarks.saliency_parts.data import Pair
    from boresight.explain.saliency import Saliency
    from boresight.models.encoder import DenseEncoder

FINE = IntegratedGradients(quadrature="gauss_sinh", nodes=(160,))
RULES: Mapping[str, IntegratedGradients] = {
    "default": IntegratedGradients(),
    "refined, 16": IntegratedGradients(nodes=(16,)),
    "refined, 20": IntegratedGradients(nodes=(16, 20), tolerance=0),
    "refined, 40": IntegratedGradients(nodes=(16, 40), tolerance=0),
    "Gauss-Legendre after sinh, 16": IntegratedGradients(quadrature="gauss_sinh", nodes=(16,)),
    "Gauss-Legendre after sinh, 20": IntegratedGradients(quadrature="gauss_sinh", nodes=(20,)),
    "Gauss-Legendre, 20": IntegratedGradients(quadrature="gauss", nodes=(20,)),
    "trapezoid, 20": IntegratedGradients(quadrature="trapezoid", nodes=(20,)),
    "even cells after sinh, 40": IntegratedGradients(nodes=(40,)),
}
HEAD = (
    "encoder, rule",
    "texts",
    "within 1 %",
    "median gap",
    "median token error",
    "largest token error",
    "mean nodes",
    "mean evaluations",
)


def rules(encoder: DenseEncoder, pairs: Sequence[Pair]) -> list[list[object]]:
    """One row a rule; query sides, because they are short.

    Token error: sum of |value - fine value| over the sum of |fine value|.
    """
    seen: dict[str, list[tuple[Saliency, float]]] = {name: [] for name in RULES}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SaliencyWarning)
        for _, query, passage in pairs:
            text = query_side(encoder, query, {"p": passage})
            fine = FINE.explain(text).values
            for name, method in RULES.items():
                found = method.explain(text)
                seen[name].append((found, float(np.abs(found.values - fine).sum() / np.abs(fine).sum())))
    return [_row(f"{encoder.name}, {name}", found) for name, found in seen.items()]


def _row(name: str, seen: Sequence[tuple[Saliency, float]]) -> list[object]:
    gaps = np.array([found.relative_gap for found, _ in seen], dtype=float)
    errors = np.array([error for _, error in seen])
    return [
        name,
        len(seen),
        float((gaps <= IntegratedGradients().tolerance).mean()),
        float(np.median(gaps)),
        float(np.median(errors)),
        float(errors.max()),
        float(np.mean([found.nodes for found, _ in seen])),
        float(np.mean([found.evaluations for found, _ in seen])),
    ]
