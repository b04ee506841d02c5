"""TREC runs: written whole, and measured by ir_measures exactly as they stand in the file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from boresight.errors import InputError, SpecError
from boresight.models.rankers.extras import library
from boresight.stats.bootstrap import mean_interval
from boresight.stats.random import rng_for
from boresight.store.files import move_into_place, temporary_beside

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

MEASURES = ("nDCG@10", "AP", "RR", "R@10", "R@100")


@dataclass(frozen=True, slots=True)
class RunMeasure:
    """A measure of a run.

    Attributes:
        name: As ir_measures writes it.
        value: Mean over the judged queries; one without a result counts 0.
        low: Lower end of the 95 percent bootstrap interval over queries; None for a single query.
        high: Upper end.
        queries: Number of judged queries.
    """

    name: str
    value: float
    low: float | None
    high: float | None
    queries: int


def write_run(path: Path, rankings: Iterable[tuple[str, Mapping[str, float]]], tag: str) -> int:
    """Write a run, whole or not at all.

    Args:
        path: The file; replaced if it exists.
        rankings: Query id, and score by passage id, best first. Scores are written in full.
        tag: Name of the run; white space becomes ``_``.

    Returns:
        Number of lines.

    Raises:
        InputError: An id is empty or holds white space, which no TREC file can hold.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = temporary_beside(path)
    lines = 0
    try:
        with temporary.open("w", encoding="utf-8", newline="\n") as file:
            for query, scores in rankings:
                for rank, (passage, score) in enumerate(scores.items(), start=1):
                    ids = f"{_column(query)} Q0 {_column(passage)}"
                    file.write(f"{ids} {rank} {score!r} {'_'.join(tag.split())}\n")
                    lines += 1
        move_into_place(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)
    return lines


def _column(name: str) -> str:
    if not name or len(name.split()) != 1 or name.split(maxsplit=1)[0] != name:
        raise InputError(f"the id {name!r} has white space, which a TREC run cannot hold; rename it")
    return name


def measure_run(
    path: Path, judgements: Mapping[str, Mapping[str, int]], names: Sequence[str] = MEASURES, seed: int = 0
) -> list[RunMeasure]:
    """Measure a written run.

    Args:
        path: The run.
        judgements: Grades by query and passage.
        names: Measures as ir_measures writes them.
        seed: Seed of the intervals.

    Raises:
        SpecError: ir_measures knows no measure of that name.
    """
    ir_measures = library("ir_measures")
    wanted = [_parsed(ir_measures, name) for name in names]
    grades = {query: dict(of) for query, of in judgements.items()}
    run = list(ir_measures.read_trec_run(str(path)))
    found = ir_measures.calc(wanted, grades, run)
    by_measure: dict[Any, list[float]] = {measure: [] for measure in wanted}
    for one in found.per_query:
        by_measure[one.measure].append(float(one.value))
    return [_mean(str(one), found.aggregated[one], by_measure[one], seed) for one in wanted]


def _parsed(ir_measures: Any, name: str) -> Any:
    try:
        return ir_measures.parse_measure(name)
    except (NameError, ValueError, SyntaxError, TypeError):
        raise SpecError(
            f"ir_measures knows no measure {name!r}; for instance nDCG@10, AP, RR, R@100"
        ) from None


def _mean(name: str, value: float, values: list[float], seed: int) -> RunMeasure:
    spread = mean_interval(values, rng_for(seed, "run", name))
    return RunMeasure(name, float(value), spread.low, spread.high, len(values))
