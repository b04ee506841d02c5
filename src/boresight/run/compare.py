"""Two runs side by side: what was set otherwise, what changed for it, and how sure that is.

Everything is paired by trace id, so that what a question brings with it (a hard one is hard for both runs)
cancels. Differences are second minus first.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from boresight.run.compare_measures import MeasureChange, measure_changes
from boresight.run.compare_pairing import Pairing, pair_traces
from boresight.run.compare_passages import PassageChanges, passage_changes, rounding_floor
from boresight.run.compare_remarks import remarks
from boresight.run.compare_settings import SettingDifference, setting_differences
from boresight.run.result import RunResult

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

    from boresight.run.progress import Progress

FORMAT = 1


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two runs.

    Attributes:
        folder: Its run directory, as it was named.
        generator: Its model.
        traces: Number of its traces.
        failed: How many of them failed.
    """

    folder: str
    generator: str
    traces: int
    failed: int


@dataclass(frozen=True, slots=True)
class FindingChange:
    """One kind of finding, over the common traces.

    Attributes:
        kind: Name of the rule.
        both: Number of traces that have it in both runs.
        gone: Traces that have it in the first run alone.
        new: Traces that have it in the second run alone.
    """

    kind: str
    both: int
    gone: tuple[str, ...]
    new: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Comparison:
    """What became of a run.

    Attributes:
        first: The run to compare with.
        second: The run that is compared.
        settings: In what they differ, what weighs most first.
        pairing: Which traces are compared.
        remarks: What cannot be compared, or only with care, one sentence each.
        measures: Every measure that both hold, by name.
        only_first: Measures that the second run does not hold.
        only_second: Measures that the first run does not hold.
        passages: Passages that gained or lost weight.
        findings: Findings by kind that came and went.
        seed: Seed of the bootstrap and of the tests.
    """

    first: Side
    second: Side
    settings: tuple[SettingDifference, ...]
    pairing: Pairing
    remarks: tuple[str, ...]
    measures: dict[str, MeasureChange]
    only_first: tuple[str, ...]
    only_second: tuple[str, ...]
    passages: PassageChanges
    findings: tuple[FindingChange, ...]
    seed: int

    def to_json(self) -> dict[str, Any]:
        """JSON values, all numbers finite."""
        return {"format": FORMAT, **asdict(self)}


def compare_runs(
    first: str | Path | RunResult,
    second: str | Path | RunResult,
    *,
    names: Collection[str] | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> Comparison:
    """Compare two finished runs, trace by trace.

    Args:
        first: The run to compare with, or its folder.
        second: The run that is compared.
        names: Measures to compare; by default all that both hold.
        seed: Seed of the bootstrap and of the tests.
        progress: Told of each measure.

    Returns:
        Paired differences with 95 percent intervals, second minus first.

    Raises:
        SpecError: A folder holds no finished run.
    """
    before, after = _opened(first), _opened(second)
    pairing = pair_traces(before, after)
    ours, theirs = before.summary["measures"], after.summary["measures"]
    shared = [name for name in ours if name in theirs and (names is None or name in names)]
    settings = setting_differences(before.run, after.run)
    changes = measure_changes(
        before,
        after,
        pairing.common,
        shared,
        seed=seed,
        floor=rounding_floor(before, after),
        progress=progress,
    )
    passages = passage_changes(before, after, pairing.common, pairing.other_answer)
    return Comparison(
        first=_side(before), second=_side(after), settings=settings, pairing=pairing,
        remarks=remarks(before, after, pairing, settings),
        measures=changes,
        only_first=tuple(name for name in ours if name not in theirs),
        only_second=tuple(name for name in theirs if name not in ours),
        passages=passages, findings=_findings(before, after, pairing), seed=seed,
    )  # fmt: skip


def _opened(run: str | Path | RunResult) -> RunResult:
    return run if isinstance(run, RunResult) else RunResult(run)


def _side(run: RunResult) -> Side:
    named = (run.run.get("generator") or {}).get("name") or run.run["spec"]["generator"]
    return Side(str(run.folder), str(named), len(run.traces), len(run.failures))


def _findings(first: RunResult, second: RunResult, pairing: Pairing) -> tuple[FindingChange, ...]:
    ours, theirs = _by_kind(first), _by_kind(second)
    found = []
    for kind in dict.fromkeys([*ours, *theirs]):
        before, after = ours[kind], theirs[kind]
        gone = tuple(trace for trace in pairing.common if trace in before and trace not in after)
        new = tuple(trace for trace in pairing.common if trace in after and trace not in before)
        found.append(FindingChange(kind, len(before & after & set(pairing.common)), gone, new))
    return tuple(found)


def _by_kind(run: RunResult) -> dict[str, set[str]]:
    found: dict[str, set[str]] = defaultdict(set)
    for trace, kind in run.findings[["trace", "kind"]].itertuples(index=False):
        if isinstance(trace, str):  # those of the run as a whole name no trace
            found[str(kind)].add(trace)
    return found
