"""The rules of a gate: a measure, a bound, and on which side the measure must stay."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from boresight.errors import SpecError
from boresight.measure.registry import parse, passage_measures

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

Side = Literal["min", "max"]


@dataclass(frozen=True, slots=True)
class Rule:
    """One bound.

    Attributes:
        measure: Name of a measure.
        side: ``min`` where the measure must not lie below the bound, ``max`` where it must not lie above.
        bound: The bound, finite, in the unit of the measure.
    """

    measure: str
    side: Side
    bound: float

    def __str__(self) -> str:
        return f"{self.measure} {'>=' if self.side == 'min' else '<='} {self.bound:g}"

    def is_beyond(self, value: float) -> bool:
        """Whether the value breaks the rule."""
        return value < self.bound if self.side == "min" else value > self.bound


def parse_rule(text: str, side: Side) -> Rule:
    """The rule that ``NAME=NUMBER`` spells.

    Raises:
        SpecError: There is no ``=``, or no finite number behind it.
    """
    name, equals, written = text.rpartition("=")
    if not equals or not name.strip():
        raise SpecError(f"--{side} takes NAME=NUMBER, such as warg@1.5=0.2, not {text!r}")
    try:
        bound = float(written)
    except ValueError:
        bound = math.nan
    if not math.isfinite(bound):
        raise SpecError(f"--{side} {text}: {written.strip() or 'nothing'} is no finite number")
    return Rule(name.strip(), side, bound)


def rules_from(minimum: Mapping[str, float], maximum: Mapping[str, float]) -> list[Rule]:
    """Rules from bounds by name of the measure, the lower bounds first.

    Raises:
        SpecError: A bound is no finite number.
    """
    sides: tuple[tuple[Side, Mapping[str, float]], ...] = (("min", minimum), ("max", maximum))
    rules = [Rule(name, side, float(bound)) for side, bounds in sides for name, bound in bounds.items()]
    for rule in rules:
        if not math.isfinite(rule.bound):
            raise SpecError(f"the bound of {rule.measure} must be a finite number, got {rule.bound}")
    return rules


def settle(rules: Iterable[Rule], held: Collection[str], *, of_differences: bool, where: str) -> list[Rule]:
    """Rules under the exact names of measures that are there, checked for bounds that cannot judge.

    A name without its parameter (``wasted_retrieval``) stands for the only measure of that family.

    Args:
        rules: Rules as they were given.
        held: Names of the measures that can be judged.
        of_differences: Whether the bounds are of differences between two runs.
        where: The run that holds them, for the error.

    Raises:
        SpecError: There is no rule, a measure is unknown or not held, two rules contradict each other, or a
            bound is outside what the measure can be, so that the rule could never fail or never hold.
    """
    settled = [Rule(_held_name(rule.measure, held, where), rule.side, rule.bound) for rule in rules]
    if not settled:
        raise SpecError("a gate needs at least one rule, such as --min warg@1.5=0.2")
    for rule in settled:
        _check_range(rule, of_differences=of_differences)
    _check_together(settled)
    return settled


def _held_name(name: str, held: Collection[str], where: str) -> str:
    family = [one for one in held if one.partition("@")[0] == name]
    if "@" not in name and family:
        if len(family) > 1:
            raise SpecError(f"{name} stands for {len(family)} measures; name one: {', '.join(family)}")
        return family[0]
    measure = str(parse(name))
    if measure in {str(one) for one in passage_measures()}:
        raise SpecError(f"{measure} is a measure of passages; a gate judges measures of traces")
    if measure not in held:
        raise SpecError(
            f"{where} does not hold {measure}: it was not asked for; audit again with --measures {measure}"
        )
    return measure


def _check_range(rule: Rule, *, of_differences: bool) -> None:
    low, high = parse(rule.measure).family.range
    low, high = (-math.inf if low is None else low), (math.inf if high is None else high)
    if of_differences:
        low, high = low - high, high - low
    if not low <= rule.bound <= high:
        kind = "a difference of " if of_differences else ""
        raise SpecError(
            f"{rule} can never judge anything: {kind}{rule.measure} lies between {low:g} and {high:g}"
        )


def _check_together(rules: Iterable[Rule]) -> None:
    seen: dict[tuple[str, Side], float] = {}
    for rule in rules:
        if (rule.measure, rule.side) in seen:
            raise SpecError(f"there are two --{rule.side} rules for {rule.measure}; keep one")
        seen[rule.measure, rule.side] = rule.bound
    for (measure, side), bound in seen.items():
        top = seen.get((measure, "max"))
        if side == "min" and top is not None and bound > top:
            raise SpecError(f"no {measure} is at least {bound:g} and at most {top:g}")
