"""What a run was asked to do: everything that may change a number."""

from __future__ import annotations

import hashlib
import math
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any, Literal

from boresight.errors import SpecError
from boresight.explain.shapley import ESTIMATORS
from boresight.store.files import to_json
from boresight.trace import trace_to_dict

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from boresight.game.scales import Scale
    from boresight.models.seam import Engine
    from boresight.trace import Trace

DEFAULT_TOKENS_PER_TRACE = 60_000
COALITIONS_PER_PASSAGE = 8
LARGEST_BUDGET = 100_000
SMALLEST = {
    "limit": 1, "max_new_tokens": 1, "max_tokens_per_trace": 1, "budget": 1, "threads": 1, "placebo": 0,
    "seed": 0,
}  # fmt: skip
OPTIONAL = ("limit", "budget", "threads")
CHOICES = {
    "labels": ("keep", "renumber"),
    "scale": ("nats", "probability", "log_odds"),
    "too_long": ("refuse", "skip"),
    "engine": ("auto", "plain"),
    "method": ("auto", *ESTIMATORS),
}
PLAYERS = ("query",)
EXPLAINED = ("retriever", "removals")
DERIVED = ("good", "least_grade", "explain")
"""Settings of derived files alone: a run may be given again with others, and nothing is scored again."""
DEFAULT_NEW_TOKENS = 128

PRESETS: dict[str, dict[str, Any]] = {
    "rag-e": {"style": "rag-e", "labels": "renumber", "scale": "probability"},
}


@dataclass(frozen=True, slots=True)
class RunSpec:
    """The settings of one run; two runs with equal specs on one machine give equal files.

    Attributes:
        generator: Generator spec.
        traces_sha256: Hash of the traces that are audited, after ``limit``.
        retriever: Encoder spec whose scores become a new stage, or None.
        stage: Name of the stage that counts as the retriever; the last ranking before packing by default.
        style: Prompt style.
        labels: Whether passages keep their labels when others are removed, or are renumbered.
        scale: Value scale of the attributions in the passage and token tables.
        measures: Names of the measures.
        players: Games that are played beside that of the passages: ``query`` for the words of the query.
        explain: What is explained beside the answer: ``retriever`` for the scores of ``retriever``,
            ``removals`` for what moves a passage across its cut.
        spans: Phrases of the answer to attribute on their own.
        split: Passages whose sentences are players of a game of their own: ids, ``top`` or ``top:N``.
        good: Ids of passages that ought to carry the answer, for the funnel: ``ID``, or ``TRACE=ID``.
        least_grade: The lowest label that counts as relevant in the funnel; any above 0 by default.
        limit: Number of traces read, or None for all.
        max_new_tokens: Limit of a generated answer.
        score_end: Whether end-of-turn belongs to the target.
        closed_book_answers: Whether each question is also answered without passages, for the report.
        exact: Whether all coalitions are scored whatever they cost.
        method: How attributions are computed: ``auto`` (exact, or the best sampler), or an estimator's name.
        max_tokens_per_trace: Exact up to so many planned tokens, sampled beyond.
        budget: Coalitions of a sampled trace; 8 a passage by default.
        too_long: What to do with a prompt longer than the window.
        placebo: Number of traces that get a passage of another trace as one more player.
        seed: Seed of every random draw.
        dtype: Number format of the generator.
        device: Where the generator runs.
        revision: Revision of the generator's weights, for hub models.
        threads: Torch threads, or None for torch's choice.
        engine: ``auto`` shares beginnings of prompts where the model is fit for it, ``plain`` never does.
    """

    generator: str
    traces_sha256: str
    retriever: str | None = None
    stage: str | None = None
    style: str = "boresight"
    labels: Literal["keep", "renumber"] = "keep"
    scale: Scale = "nats"
    measures: tuple[str, ...] = ()
    players: tuple[str, ...] = ()
    explain: tuple[str, ...] = ()
    spans: tuple[str, ...] = ()
    split: tuple[str, ...] = ()
    good: tuple[str, ...] = ()
    least_grade: float | None = None
    limit: int | None = None
    max_new_tokens: int = DEFAULT_NEW_TOKENS
    score_end: bool = False
    closed_book_answers: bool = True
    exact: bool = False
    method: str = "auto"
    max_tokens_per_trace: int = DEFAULT_TOKENS_PER_TRACE
    budget: int | None = None
    too_long: Literal["refuse", "skip"] = "refuse"
    placebo: int = 8
    seed: int = 0
    dtype: str = "fp32"
    device: str = "cpu"
    revision: str | None = None
    threads: int | None = None
    engine: Engine = "auto"

    def __post_init__(self) -> None:
        for name, least in SMALLEST.items():
            _check_whole(name, getattr(self, name), least)
        if self.budget is not None and self.budget > LARGEST_BUDGET:
            raise SpecError(f"budget must be at most {LARGEST_BUDGET:,}, got {self.budget:,}")
        if any(not phrase.strip() for phrase in self.spans):
            raise SpecError("a span must be a phrase of the answer, got an empty one")
        if any(not name.strip() for name in self.split):
            raise SpecError("a passage to split must be named by its id, top or top:N, got an empty one")
        if any(not name.strip() for name in self.good):
            raise SpecError("a good passage must be named by its id, got an empty one")
        if self.least_grade is not None and not math.isfinite(self.least_grade):
            raise SpecError(f"the least grade must be a finite number, got {self.least_grade}")
        for name, allowed in CHOICES.items():
            _check_choice(name, getattr(self, name), allowed)
        for name, allowed in (("players", PLAYERS), ("explain", EXPLAINED)):
            _check_each(name, getattr(self, name), allowed)
        if self.method == "contextcite" and self.scale == "probability":
            raise SpecError(
                "contextcite explains log-odds, and the scale is probability; "
                "choose --scale nats or another --method"
            )

    def to_json(self) -> dict[str, Any]:
        """JSON values, lists for tuples."""
        plain = asdict(self)
        return {key: list(value) if isinstance(value, tuple) else value for key, value in plain.items()}

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> RunSpec:
        """The inverse of :meth:`to_json`; fields that this version does not know are passed over."""
        known = {field.name for field in fields(cls)} & stored.keys()
        plain: dict[str, Any] = {
            name: tuple(stored[name]) if isinstance(stored[name], list) else stored[name] for name in known
        }
        return cls(**plain)

    def coalitions_sampled(self, n: int) -> int:
        """Budget of a sampled trace with n passages, in distinct coalitions."""
        return self.budget if self.budget is not None else COALITIONS_PER_PASSAGE * n


def _check_each(name: str, values: tuple[str, ...], allowed: tuple[str, ...]) -> None:
    for value in values:
        _check_choice(name, value, allowed)


def _check_choice(name: str, value: object, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise SpecError(f"{name} must be one of {', '.join(allowed)}, got {value!r}")


def _check_whole(name: str, value: object, least: int) -> None:
    if value is None and name in OPTIONAL:
        return
    if not isinstance(value, int) or isinstance(value, bool):
        raise SpecError(f"{name} must be a whole number, got {value!r}")
    if value < least:
        raise SpecError(f"{name} must be at least {least}, got {value}")


def with_preset(name: str | None, settings: dict[str, Any]) -> dict[str, Any]:
    """Settings with a preset's choices below what was given explicitly (None counts as not given).

    Raises:
        SpecError: No such preset.
    """
    if name is None:
        return {key: value for key, value in settings.items() if value is not None}
    if name not in PRESETS:
        raise SpecError(f"no preset is called {name!r}; there is {', '.join(sorted(PRESETS))}")
    return PRESETS[name] | {key: value for key, value in settings.items() if value is not None}


def traces_hash(traces: Iterable[Trace]) -> str:
    """Hash of the traces' long forms, in order."""
    digest = hashlib.sha256()
    for trace in traces:
        digest.update(to_json(trace_to_dict(trace)).encode() + b"\n")
    return digest.hexdigest()


def first_difference(stored: dict[str, Any], wanted: dict[str, Any]) -> str | None:
    """Name and both values of the first field that differs, or None; derived files do not count."""
    known = [field.name for field in fields(RunSpec)]
    for name in [*known, *sorted((stored.keys() | wanted.keys()) - set(known))]:
        if name not in DERIVED and stored.get(name) != wanted.get(name):
            return f"{name} was {stored.get(name)!r} and is now {wanted.get(name)!r}"
    return None
