"""The risk of a finished run: an upper bound from its measures or findings."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from boresight.errors import SpecError
from boresight.measure.registry import parse
from boresight.measure.risk import DELTA, Risk, bound_risk
from boresight.run.result import RunResult

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class RunRisk:
    """A bounded risk of a run.

    Attributes:
        name: Name of the measure or kind of finding.
        loss: What counts as loss, in words.
        found: The mean loss and its bound.
        left_out: Traces of the run without a value, which the bound says nothing about.
    """

    name: str
    loss: str
    found: Risk
    left_out: int

    def to_json(self) -> dict[str, Any]:
        """JSON values, all numbers finite."""
        return {"name": self.name, "loss": self.loss, **asdict(self.found), "left_out": self.left_out}

    @property
    def sentence(self) -> str:
        """One line for a person."""
        found = self.found
        shift = f", for traces up to a Hellinger distance of {found.shift:g} away" if found.shift else ""
        left = f"; {self.left_out} more have no value" if self.left_out else ""
        return (
            f"{self.name}: the mean risk ({self.loss}) is at most {found.bound:.4g} with probability "
            f"{1 - found.delta:g}{shift}; {found.risk:.4g} on {found.traces} traces{left}"
        )


def measure_risk(
    run: str | Path | RunResult,
    name: str,
    *,
    delta: float = DELTA,
    lower_is_better: bool = False,
    shift: float = 0.0,
) -> RunRisk:
    """Bound one minus a measure, or the measure itself, scaled to 0..1 by its declared range.

    Args:
        run: A finished run.
        name: A measure with a lowest and a highest value.
        delta: Probability with which the bound may fail.
        lower_is_better: Whether the measure is itself the loss.
        shift: Hellinger distance that the bound allows for.

    Raises:
        SpecError: The measure has no such range, the run does not hold it, or it has too few values.
    """
    result = run if isinstance(run, RunResult) else RunResult(run)
    measure = parse(name)
    low, high = measure.family.range
    if low is None or high is None:
        raise SpecError(f"a risk needs a measure with a lowest and a highest value, and {measure} has none")
    rows = result.measures.reset_index()
    own = rows[(rows["measure"] == measure.name) & (rows["target"] == "answer")]
    if not len(own):
        raise SpecError(f"the run in {result.folder} does not hold {measure}; audit with --measures")
    values = own["value"][own["state"] == "defined"].tolist()
    quality = [min(max((value - low) / (high - low), 0.0), 1.0) for value in values]
    losses = quality if lower_is_better else [1 - one for one in quality]
    return RunRisk(
        measure.name,
        _words(measure.name, low, high, lower_is_better=lower_is_better),
        bound_risk(losses, delta, shift),
        len(own) - len(values),
    )


def finding_risk(
    run: str | Path | RunResult, kind: str, *, delta: float = DELTA, shift: float = 0.0
) -> RunRisk:
    """Bound the share of traces with a finding, over those that it was asked of.

    Raises:
        SpecError: There is no such kind in the run, or it was asked of too few traces.
    """
    result = run if isinstance(run, RunResult) else RunResult(run)
    rates = result.summary["findings"]
    if kind not in rates:
        raise SpecError(f"the run has no finding {kind!r}; it knows {', '.join(rates)}")
    found, asked = rates[kind]["traces"], rates[kind]["of"]
    losses = [1.0] * found + [0.0] * (asked - found)
    left = result.summary["traces"]["total"] - asked
    return RunRisk(kind, "share of traces with the finding", bound_risk(losses, delta, shift), left)


def _words(name: str, low: float, high: float, *, lower_is_better: bool) -> str:
    quality = name if (low, high) == (0.0, 1.0) else f"({name} {-low:+g}) / {high - low:g}"
    return quality if lower_is_better else f"1 - {quality}"
