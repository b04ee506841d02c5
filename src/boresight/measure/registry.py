"""Every measure by name: what ``boresight measures`` lists and ``--measures`` chooses from."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Any

from boresight.errors import SpecError
from boresight.measure.families import FAMILIES

if TYPE_CHECKING:
    from boresight.measure.family import BoundMeasure

_BY_NAME = {family.name: family for family in FAMILIES}


def parse(name: str) -> BoundMeasure:
    """The measure of a name such as ``warg@1.5`` or ``spearman``.

    Args:
        name: Family name, then ``@`` and the parameter where the family has one. Any parameter that keeps the
            family's rule will do, also outside the sweep.

    Returns:
        The measure; its own name parses back to it.

    Raises:
        SpecError: There is no such family, or the parameter is missing, superfluous or out of range.
    """
    stem, at, parameter = name.partition("@")
    family = _BY_NAME.get(stem)
    if family is None:
        raise SpecError(_unknown(name, stem))
    return family.at(parameter if at else None)


def default_measures() -> tuple[BoundMeasure, ...]:
    """The measures of a trace that an audit takes by default, over their sweeps."""
    families = (family for family in FAMILIES if family.default and family.scope == "trace")
    return tuple(measure for family in families for measure in family.bound())


def passage_measures() -> tuple[BoundMeasure, ...]:
    """The measures that have one value a passage."""
    return tuple(measure for family in FAMILIES if family.scope == "passage" for measure in family.bound())


def catalogue() -> list[dict[str, Any]]:
    """Everything declared about every measure over its sweep, as JSON values; each name parses back."""
    return [measure.describe() for family in FAMILIES for measure in family.bound()]


def _unknown(name: str, stem: str) -> str:
    near = difflib.get_close_matches(stem.strip().lower(), _BY_NAME, n=3, cutoff=0.5)
    hint = f"did you mean {' or '.join(near)}?" if near else "`boresight measures` lists them."
    return f"There is no measure {name!r}; {hint}"
