"""The quantities that the estimators estimate, each from a whole table: what an error is measured against."""

from __future__ import annotations

from typing import TYPE_CHECKING

from boresight.explain.shapley.banzhaf import exact_banzhaf
from boresight.explain.shapley.exact import exact_shapley
from boresight.explain.shapley.loo import exact_leave_one_out
from boresight.explain.shapley.surrogate import exact_contextcite, exact_lime

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import ArrayLike

    from boresight.explain.shapley.estimator import Floats

ESTIMANDS: Mapping[str, Callable[[ArrayLike], Floats]] = {
    "shapley": exact_shapley,
    "banzhaf": exact_banzhaf,
    "leave_one_out": exact_leave_one_out,
    "lime": exact_lime,
    "contextcite": exact_contextcite,
}
