"""How a measure is declared: a family with a parameter to sweep, and one bound to a parameter."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from boresight.errors import SpecError
from boresight.measure.evidence import AbsentError
from boresight.outcome import Measure

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from boresight.game.needs import Needs
    from boresight.measure.evidence import Evidence, Scale

_NUMBER = re.compile(r"\d+(\.\d+)?(e[+-]?\d+)?", re.ASCII | re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Parameter:
    """What stands behind the ``@`` of a measure's name.

    Attributes:
        name: Its symbol in the formula.
        rule: Which numbers it may be, for a person.
        whole: Whether only whole numbers are allowed.
        low: Lower limit.
        high: Upper limit; None when there is none.
    """

    name: str
    rule: str
    whole: bool = False
    low: float = 0.0
    high: float | None = None

    def read(self, text: str) -> float | None:
        """The number that the text spells; None when it breaks the rule."""
        number = float(text) if _NUMBER.fullmatch(text) else -1.0
        if self.whole:
            return int(number) if number.is_integer() and number >= self.low else None
        within = self.low < number < (float("inf") if self.high is None else self.high)
        return number if within else None


@dataclass(frozen=True, slots=True)
class Family:
    """Measures that differ in a parameter only.

    Attributes:
        name: Name without the parameter.
        formula: The definition in one line.
        unit: ``nats``, ``passages``, ``share`` (of passages or of traces) ``index`` (no unit)
            or ``score`` (the retriever's).
        range: Lowest and highest value; None where there is no limit.
        needs: What must be stored.
        source: Where the definition comes from.
        trace: Computes the value of a trace from its evidence and the parameter, if there is one.
        passages: Computes the value of each passage instead.
        scale: The value scale of the attributions that it reads.
        parameter: The parameter, or None.
        sweep: Its values in a default run.
        default: Whether an audit takes it unless told otherwise.
    """

    name: str
    formula: str
    unit: Literal["nats", "passages", "share", "index", "score"]
    range: tuple[float | None, float | None]
    needs: Needs
    source: str
    trace: Callable[..., Measure] | None = None
    passages: Callable[..., Mapping[str, Measure]] | None = None
    scale: Scale = "nats"
    parameter: Parameter | None = None
    sweep: tuple[float, ...] = ()
    default: bool = True

    @property
    def scope(self) -> Literal["trace", "passage"]:
        """Whether there is one value a trace or one a passage."""
        return "passage" if self.trace is None else "trace"

    def bound(self) -> tuple[BoundMeasure, ...]:
        """The family's measures over its sweep."""
        return tuple(BoundMeasure(self, number) for number in (self.sweep if self.parameter else (None,)))

    def at(self, text: str | None) -> BoundMeasure:
        """The family's measure with the parameter that the text spells.

        Raises:
            SpecError: The parameter is missing, superfluous or breaks its rule.
        """
        if self.parameter is None:
            if text is not None:
                raise SpecError(f"The measure {self.name} takes no parameter; write {self.name}.")
            return BoundMeasure(self, None)
        number = None if text is None else self.parameter.read(text)
        if number is None:
            example, symbol = self.bound()[0], self.parameter.name
            got = "no parameter" if text is None else repr(text)
            raise SpecError(
                f"The measure {self.name} needs a {symbol} that is {self.parameter.rule}, got {got}; "
                f"write for example {example}."
            )
        return BoundMeasure(self, number)


@dataclass(frozen=True, slots=True)
class BoundMeasure:
    """One measure, ready to compute; its name parses back.

    Attributes:
        family: The family.
        parameter: The number behind the ``@``, or None.
    """

    family: Family
    parameter: float | None

    def __str__(self) -> str:
        return self.name

    @property
    def name(self) -> str:
        """``warg@1.5``; shortest spelling that gives the same number back."""
        if self.parameter is None:
            return self.family.name
        return f"{self.family.name}@{repr(self.parameter).removesuffix('.0')}"

    @property
    def needs(self) -> Needs:
        """What must be stored."""
        return self.family.needs

    @property
    def _arguments(self) -> tuple[float, ...]:
        return () if self.parameter is None else (self.parameter,)

    def compute(self, evidence: Evidence) -> Measure:
        """The value of a trace, or why there is none.

        A measure that needs no stored value has one whether or not the trace was scored.

        Raises:
            ValueError: This is a measure of passages.
        """
        if self.family.trace is None:
            raise ValueError(f"{self} is a measure of passages; use per_passage()")
        if evidence.reason and self.needs.rows:
            return Measure.undefined(evidence.reason)
        try:
            return self.family.trace(evidence, *self._arguments)
        except AbsentError as absent:
            return Measure.undefined(str(absent))

    def per_passage(self, evidence: Evidence) -> dict[str, Measure]:
        """The value of each passage of the context, or why there is none.

        Raises:
            ValueError: This is a measure of traces.
        """
        if self.family.passages is None:
            raise ValueError(f"{self} is a measure of traces; use compute()")
        if evidence.reason:
            return dict.fromkeys(evidence.players, Measure.undefined(evidence.reason))
        try:
            values = self.family.passages(evidence, *self._arguments)
        except AbsentError as absent:
            return dict.fromkeys(evidence.players, Measure.undefined(str(absent)))
        return {passage: values[passage] for passage in evidence.players}

    def describe(self) -> dict[str, Any]:
        """Everything declared about the measure, as JSON values."""
        family = self.family
        return {
            "name": self.name,
            "family": family.name,
            "parameter": family.parameter.name if family.parameter else None,
            "value": self.parameter,
            "scope": family.scope,
            "formula": family.formula,
            "unit": family.unit,
            "range": list(family.range),
            "scale": family.scale,
            "needs": [*self.needs.rows],
            "targets": sorted(self.needs.targets),
            "source": family.source,
            "default": family.default,
        }
