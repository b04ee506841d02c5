"""Which measures a run takes, and what their union needs."""

from __future__ import annotations

from functools import reduce
from operator import or_
from typing import TYPE_CHECKING

from boresight.errors import SpecError
from boresight.game.needs import Needs
from boresight.measure.registry import default_measures, parse

if TYPE_CHECKING:
    from collections.abc import Sequence

PASSAGE_COLUMNS = Needs(table=True, singletons=True, leave_one_out=True, closed_book=True)
"""What share, harm, leave-one-out and gain read; an audit fills these columns unless measures were named."""


def chosen_measures(names: str | Sequence[str] | None) -> tuple[str, ...]:
    """Canonical names of the measures, a string split at commas; the default ones for None.

    Raises:
        SpecError: An unknown name, or no name at all.
    """
    if isinstance(names, str):
        names = [name.strip() for name in names.split(",") if name.strip()]
    if names is not None and not names:
        raise SpecError("no measure was named; leave --measures out for the default ones")
    if names is None:
        return tuple(str(measure) for measure in default_measures())
    return tuple(dict.fromkeys(str(parse(name)) for name in names))


def needs_of(names: Sequence[str]) -> Needs:
    """Union of what the measures need; the columns of the passage table too where all defaults are taken."""
    measures = [parse(name) for name in names]
    base = PASSAGE_COLUMNS if tuple(names) == chosen_measures(None) else Needs()
    return reduce(or_, (measure.needs for measure in measures), base)
