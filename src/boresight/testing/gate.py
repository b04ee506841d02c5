"""A gate for pytest: assert bounds on a run, and fail with one line a rule."""

from __future__ import annotations

from typing import TYPE_CHECKING

from boresight.run.gate import judge
from boresight.run.gate_rules import rules_from

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from boresight.run.result import RunResult


def assert_gate(
    run: str | Path | RunResult,
    *,
    minimum: Mapping[str, float] | None = None,
    maximum: Mapping[str, float] | None = None,
    against: str | Path | RunResult | None = None,
    strict: bool = False,
    seed: int = 0,
) -> None:
    """Fail the test when a run breaks a bound, as ``boresight gate`` does.

    Args:
        run: An :class:`boresight.Audit`, or the folder of a finished run.
        minimum: Lower bounds by name of the measure: ``{"warg@1.5": 0.2}``.
        maximum: Upper bounds: ``{"wasted_retrieval@2": 0.5}``.
        against: A base run; the bounds are then of the paired differences, run minus base.
        strict: Whether an undefined measure fails.
        seed: Seed of the bootstrap of the differences.

    Raises:
        AssertionError: The whole 95 percent interval of a measure lies beyond its bound; a line a rule.
        SpecError: The run does not hold a measure, or a rule makes no sense.
    """
    __tracebackhide__ = True  # pytest then shows the line of the test
    rules = rules_from(minimum or {}, maximum or {})
    broken = judge(run, rules, against=against, strict=strict, seed=seed).broken
    if broken:
        raise AssertionError("\n".join(verdict.sentence for verdict in broken))
