"""Boresight: why this answer, from which passage, and what to change.

The names below load what they need on first use, so that ``import boresight`` stays light.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from boresight.api import Audit, audit, reuse
    from boresight.errors import BoresightError
    from boresight.explain.shapley import Estimate, attribute, shapley
    from boresight.explain.shapley.stopping import attribute_until
    from boresight.game import ContextGame, ValueTable
    from boresight.measure.funnel import Pipeline, PipelineStage, decoy, inject, recut, skip
    from boresight.outcome import Measure
    from boresight.run.ablation import ablate
    from boresight.trace import Passage, Ranked, Stage, Trace, Turn, read_traces

_HOMES = {
    "Audit": "boresight.api",
    "BoresightError": "boresight.errors",
    "ContextGame": "boresight.game",
    "Estimate": "boresight.explain.shapley",
    "Measure": "boresight.outcome",
    "Passage": "boresight.trace",
    "Pipeline": "boresight.measure.funnel",
    "PipelineStage": "boresight.measure.funnel",
    "Ranked": "boresight.trace",
    "Stage": "boresight.trace",
    "Trace": "boresight.trace",
    "Turn": "boresight.trace",
    "ValueTable": "boresight.game",
    "ablate": "boresight.run.ablation",
    "attribute": "boresight.explain.shapley",
    "attribute_until": "boresight.explain.shapley.stopping",
    "audit": "boresight.api",
    "decoy": "boresight.measure.funnel",
    "inject": "boresight.measure.funnel",
    "read_traces": "boresight.trace",
    "recut": "boresight.measure.funnel",
    "reuse": "boresight.api",
    "shapley": "boresight.explain.shapley",
    "skip": "boresight.measure.funnel",
}

__version__ = "0.1.0"

__all__ = [
    "Audit",
    "BoresightError",
    "ContextGame",
    "Estimate",
    "Measure",
    "Passage",
    "Pipeline",
    "PipelineStage",
    "Ranked",
    "Stage",
    "Trace",
    "Turn",
    "ValueTable",
    "__version__",
    "ablate",
    "attribute",
    "attribute_until",
    "audit",
    "decoy",
    "inject",
    "read_traces",
    "recut",
    "reuse",
    "shapley",
    "skip",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'boresight' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
