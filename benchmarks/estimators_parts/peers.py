"""Estimators of other libraries, each called as its documentation shows, with a budget of evaluations."""

from __future__ import annotations

import logging
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Value = Callable[[NDArray[np.bool_]], NDArray[np.float64]]
    Peer = Callable[[Value, int, int, int], NDArray[np.float64]]


def shap_kernel(value: Value, n: int, budget: int, seed: int) -> NDArray[np.float64]:
    """KernelExplainer of shap, without its l1 step; it evaluates the empty and the grand coalition beside."""
    import shap

    np.random.seed(seed)  # noqa: NPY002 - its only seed
    logging.getLogger("shap").setLevel(logging.ERROR)
    explainer = shap.KernelExplainer(lambda rows: value(rows > 0.5), np.zeros((1, n)), silent=True)
    found = explainer.shap_values(np.ones((1, n)), nsamples=budget - 2, l1_reg=0, silent=True)
    return np.asarray(found, float).ravel()


def captum_sampling(value: Value, n: int, budget: int, seed: int) -> NDArray[np.float64]:
    """Shapley value sampling of captum: permutations, as many as the budget pays for, one at least."""
    import torch
    from captum.attr import ShapleyValueSampling

    torch.manual_seed(seed)
    np.random.seed(seed)  # noqa: NPY002 - its only seed

    def forward(rows: torch.Tensor) -> torch.Tensor:
        return torch.from_numpy(np.asarray(value(rows.numpy() > 0.5), np.float64))

    sampler = ShapleyValueSampling(forward)
    found = sampler.attribute(
        torch.ones(1, n, dtype=torch.float64),
        baselines=torch.zeros(1, n, dtype=torch.float64),
        n_samples=max((budget - 2) // (n - 1), 1),
    )
    return found.numpy().ravel()


def _shapiq(name: str, **options: Any) -> Peer:
    def run(value: Value, n: int, budget: int, seed: int) -> NDArray[np.float64]:
        from shapiq.approximator import SV_APPROXIMATORS

        kind = next(one for one in SV_APPROXIMATORS if one.__name__ == name)
        nothing = value(np.zeros((1, n), bool))[0]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = kind(n=n, random_state=seed, **options).approximate(
                budget=budget, game=lambda rows: value(np.atleast_2d(rows).astype(bool)) - nothing
            )
        return np.array([found[(player,)] for player in range(n)])

    return run


PEERS: dict[str, Peer] = {
    "shap KernelExplainer": shap_kernel,
    "shapiq KernelSHAP": _shapiq("KernelSHAP"),
    "shapiq KernelSHAP, paired": _shapiq("KernelSHAP", pairing_trick=True),
    "shapiq kADDSHAP": _shapiq("kADDSHAP", max_order=2),
    "shapiq UnbiasedKernelSHAP": _shapiq("UnbiasedKernelSHAP"),
    "shapiq SVARM": _shapiq("SVARM"),
    "shapiq PermutationSamplingSV": _shapiq("PermutationSamplingSV"),
    "captum ShapleyValueSampling": captum_sampling,
}
