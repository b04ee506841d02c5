"""AIPC, comprehensiveness and sufficiency of passages, on the curves that saliencies have too."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from boresight.measure.attribution_faithfulness.aopc import NO_SPREAD
from boresight.measure.attribution_faithfulness.lattice import lattice_of, tie_groups
from boresight.measure.evidence import noise_bar
from boresight.measure.pairing import too_few
from boresight.outcome import Measure

if TYPE_CHECKING:
    from collections.abc import Callable

    from boresight.measure.attribution_faithfulness.lattice import Groups, Lattice
    from boresight.measure.evidence import Evidence
    from boresight.measure.faithfulness.curves import Curves


def aipc(seen: Evidence) -> Measure:
    """Area between the curves of removing the least and the most important passages first, min-max scaled.

    Random orders give 0: turned round, each is as likely.

    Raises:
        AbsentError: Attributions or values are missing.

    Source: RAG-E, arXiv 2601.21803.
    """
    from boresight.measure.faithfulness.aipc import aipc as of_curves

    curves = _curves(seen)
    if isinstance(curves, Measure):
        return curves
    both = np.concatenate([*curves.scores.values()])
    if both.max() - both.min() <= noise_bar(seen.floor):
        return Measure.undefined(NO_SPREAD)
    return of_curves(curves)


def comprehensiveness(seen: Evidence) -> Measure:
    """Mean fall without the top passages, over tops of up to half of them; random tops as chance.

    Raises:
        AbsentError: Attributions or values are missing.

    Source: DeYoung et al., ERASER, ACL 2020, section 4.2.
    """
    from boresight.measure.faithfulness.eraser import comprehensiveness as of_curves

    return _beside_random(seen, of_curves)


def sufficiency(seen: Evidence) -> Measure:
    """Mean fall with the top passages alone, over the same tops; low is faithful, random tops as chance.

    Raises:
        AbsentError: Attributions or values are missing.

    Source: DeYoung et al., ERASER, ACL 2020, section 4.2.
    """
    from boresight.measure.faithfulness.eraser import sufficiency as of_curves

    return _beside_random(seen, of_curves)


def _beside_random(seen: Evidence, measure: Callable[[Curves], Measure]) -> Measure:
    curves, random = _curves(seen), _curves(seen, tied=True)
    if isinstance(curves, Measure) or isinstance(random, Measure):
        return curves if isinstance(curves, Measure) else Measure.undefined(NO_SPREAD)
    found = measure(curves).value
    if found is None:
        return measure(curves)
    return Measure.defined(found, chance=measure(random).value)


def _curves(seen: Evidence, *, tied: bool = False) -> Curves | Measure:
    """Curves of removal, as of a text of n tokens; with all passages ``tied``, those of random order."""
    from boresight.measure.faithfulness.curves import Curves

    reason = too_few(len(seen.players))
    if reason:
        return Measure.undefined(reason)
    lattice = lattice_of(seen)
    groups: Groups = [seen.players] if tied else tie_groups(seen.resolved())
    return Curves(len(seen.players), np.arange(len(seen.players) + 1), _both_orders(lattice, groups))


def _both_orders(lattice: Lattice, groups: Groups) -> dict[str, np.ndarray[tuple[int], np.dtype[np.float64]]]:
    from boresight.measure.faithfulness.needs import LEAST, MOST

    # Without the k least important is with the n - k most important alone.
    return {MOST: lattice.going(groups), LEAST: lattice.joining(groups)[::-1]}
