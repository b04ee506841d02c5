"""Boresight: why this answer, from which passage, and what to change.

The names below load what they need on first use, so that ``import boresight`` stays light.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from boresight.api import Audit, audit
    from boresight.errors import BoresightError
    from boresight.explain.shapley import Estimate, attribute, shapley
    from boresight.game import ContextGame, ValueTable
    from boresight.outcome import Measure
    from boresight.trace import Passage, Ranked, Stage, Trace, Turn, read_traces

_HOMES = {
    "Audit": "boresight.api",
    "BoresightError": "boresight.errors",
    "ContextGame": "boresight.game",
    "Estimate": "boresight.explain.shapley",
    "Measure": "boresight.outcome",
    "Passage": "boresight.trace",
    "Ranked": "boresight.trace",
    "Stage": "boresight.trace",
    "Trace": "boresight.trace",
    "Turn": "boresight.trace",
    "ValueTable": "boresight.game",
    "attribute": "boresight.explain.shapley",
    "audit": "boresight.api",
    "read_traces": "boresight.trace",
    "shapley": "boresight.explain.shapley",
}

__version__ = "0.1.0"

__all__ = [
    "Audit",
    "BoresightError",
    "ContextGame",
    "Estimate",
    "Measure",
    "Passage",
    "Ranked",
    "Stage",
    "Trace",
    "Turn",
    "ValueTable",
    "__version__",
    "attribute",
    "audit",
    "read_traces",
    "shapley",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'boresight' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
