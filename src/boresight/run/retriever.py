"""The ranker of ``--retriever``: an encoder, or any ranker that the registry or an index knows."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import TYPE_CHECKING

from boresight.errors import SpecError

if TYPE_CHECKING:
    from collections.abc import Callable

    from boresight.models.rankers.seam import Ranker

BM25 = "bm25"
_STATISTICS = "statistics.json"


def open_retriever(
    spec: str, *, device: str, threads: int | None, progress: Callable[[str], None] | None = None
) -> tuple[Ranker, tuple[str, ...]]:
    """Load a retriever.

    Args:
        spec: A model alone for a dense encoder; ``bm25:INDEX``; or ``KIND:MODEL`` as
            :func:`boresight.models.rankers.registry.load_ranker` knows it.
        device: A torch device.
        threads: Torch threads of the whole process; None leaves them.
        progress: Receives a line for each step of fetching a model.

    Returns:
        The ranker, and what a person should know about it.

    Raises:
        SpecError: The spec is of no known kind, or BM25 was given no collection.
        ModelError: The model cannot be loaded.
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        ranker = _open(spec, device, threads, progress)
    return ranker, tuple(str(warning.message) for warning in caught)


def _open(spec: str, device: str, threads: int | None, progress: Callable[[str], None] | None) -> Ranker:
    from boresight.models.rankers.registry import SPECS, load_ranker

    kind, _, rest = spec.partition(":")
    if kind == BM25:
        return _bm25(rest)
    if kind in SPECS:
        if threads is not None:
            import torch

            torch.set_num_threads(threads)
        return load_ranker(spec, device=device, progress=progress)
    from boresight.models.encoder import load_encoder

    return load_encoder(spec, device=device, threads=threads)


def _bm25(place: str) -> Ranker:
    """BM25 with the statistics of an index.

    The passages of a trace were retrieved for one question, so its terms are common among them and rare
    elsewhere: statistics of them alone would turn the weights of the terms around.
    """
    if not place:
        raise SpecError(
            "bm25 alone does not know how rare a term is, and the passages of a trace cannot tell; give "
            "bm25:INDEX, made of the whole collection by `boresight index`"
        )
    from boresight.models.rankers.bm25 import Bm25Ranker

    folder = Path(place)
    inside = [one.parent for one in sorted(folder.glob(f"{BM25}-*/{_STATISTICS}"))]
    return Bm25Ranker.load(inside[-1] if len(inside) == 1 else folder)
