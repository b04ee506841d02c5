"""The result of an audit in Python: tables keyed by ids, read from the run directory."""

from __future__ import annotations

import shutil
import weakref
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from boresight.errors import SpecError
from boresight.run.directory import RunDirectory
from boresight.store.files import read_json, read_jsonl
from boresight.trace.forms import parse_trace

if TYPE_CHECKING:
    from collections.abc import Callable

    import pandas as pd

    from boresight.trace import Trace


class RunResult:
    """A finished run.

    Args:
        folder: The run directory.

    Raises:
        SpecError: No run lies there.
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        self._directory = RunDirectory(self.folder)
        if not self._directory.is_run():
            raise SpecError(f"{self.folder} is not a run directory: it has no run.json")
        if not self._directory.summary.exists():
            raise SpecError(f"the run in {self.folder} is not finished; give its command again to go on")

    def forget_on_exit(self, remove: Callable[[Path], None]) -> None:
        """Remove the folder when this object goes; for runs that were not given a place."""
        weakref.finalize(self, remove, self.folder)

    @cached_property
    def run(self) -> dict[str, Any]:
        """``run.json``: settings, identities, counts and times."""
        record: dict[str, Any] = read_json(self._directory.run_json)
        return record

    @cached_property
    def summary(self) -> dict[str, Any]:
        """Run-level numbers with intervals and counts."""
        summary: dict[str, Any] = read_json(self._directory.summary)
        return summary

    @cached_property
    def traces(self) -> dict[str, Trace]:
        """The audited traces by id."""
        lines = read_jsonl(self._directory.traces)
        return {trace.id: trace for trace in (parse_trace(line).trace for line in lines)}

    @cached_property
    def answers(self) -> dict[str, str]:
        """The scored answer of each trace, by trace id."""
        lines = read_jsonl(self._directory.targets)
        return {line["trace"]: line["text"] for line in lines if line["target"] == "answer"}

    @cached_property
    def removals(self) -> dict[str, dict[str, Any]]:
        """What moves passages across the retriever's cut, by trace id; empty unless it was asked for."""
        return {line["trace"]: line for line in read_jsonl(self._directory.removals)}

    @cached_property
    def finished(self) -> dict[str, bool]:
        """Whether each generated answer ended by itself, by trace id."""
        lines = read_jsonl(self._directory.generations)
        return {line["trace"]: line["finished"] for line in lines if line["purpose"] == "answer"}

    @cached_property
    def closed_book_answers(self) -> dict[str, str]:
        """What the model says without any passage, by trace id."""
        lines = read_jsonl(self._directory.generations)
        return {line["trace"]: line["text"] for line in lines if line["purpose"] == "closed_book"}

    @cached_property
    def passages(self) -> pd.DataFrame:
        """One row a passage and target; index (trace, passage, target)."""
        return self._table("passages", ["trace", "passage", "target"])

    @cached_property
    def tokens(self) -> pd.DataFrame:
        """Attribution of each answer token; index (trace, passage, target, token)."""
        return self._table("tokens", ["trace", "passage", "target", "token"])

    @cached_property
    def measures(self) -> pd.DataFrame:
        """One row a trace and measure, with its state and reason; index (trace, measure, target)."""
        return self._table("measures", ["trace", "measure", "target"])

    @cached_property
    def pairs(self) -> pd.DataFrame:
        """Shapley interaction of each pair of an exact trace; index (trace, a, b, target)."""
        return self._table("pairs", ["trace", "a", "b", "target"])

    @cached_property
    def passage_measures(self) -> pd.DataFrame:
        """Measures of passages that were asked for by name; index (trace, passage, measure, target)."""
        return self._table("passage_measures", ["trace", "passage", "measure", "target"])

    @cached_property
    def saliency(self) -> pd.DataFrame:
        """What words did to a score or an answer; index (trace, stage, side, passage, token)."""
        return self._table("saliency", ["trace", "stage", "side", "passage", "token"])

    @cached_property
    def query_alignment(self) -> pd.DataFrame:
        """Retriever and generator over the words of the query, if explained; index (trace, measure)."""
        return self._table("query_alignment", ["trace", "measure"])

    @cached_property
    def funnel(self) -> pd.DataFrame:
        """One row a good passage: where it was lost, what the answer made of it; index (trace, passage)."""
        return self._table("funnel", ["trace", "passage"])

    @cached_property
    def funnel_steps(self) -> pd.DataFrame:
        """What each stage did with a good passage, in order; index (trace, passage, step)."""
        return self._table("funnel_steps", ["trace", "passage", "step"])

    @cached_property
    def stages(self) -> pd.DataFrame:
        """Measures of alignment with each recorded stage as the retriever; index (trace, measure, stage)."""
        return self._table("stages", ["trace", "measure", "stage"])

    @cached_property
    def findings(self) -> pd.DataFrame:
        """One row a finding, the most important of a trace first; the trace is None for those of the run."""
        import pandas as pd

        columns = ["trace", "kind", "passages", "sentence", "score", "evidence", "remedy"]
        return pd.DataFrame(list(read_jsonl(self.folder / "findings.jsonl")), columns=columns)

    @cached_property
    def sets(self) -> pd.DataFrame:
        """Smallest passage sets that keep an answer, and smallest removals that break it."""
        import pandas as pd

        return pd.DataFrame(
            list(read_jsonl(self.folder / "sets.jsonl")), columns=["trace", "kind", "passages", "value"]
        )

    @property
    def failures(self) -> dict[str, str]:
        """Why traces failed, by trace id."""
        failed: dict[str, str] = self.run["failures"]
        return failed

    def save(self, folder: str | Path) -> Path:
        """Copy the run to a folder of its own.

        Raises:
            SpecError: Something lies there already.
        """
        goal = Path(folder)
        if goal.resolve() == self.folder.resolve():
            return goal
        if goal.exists() and (not goal.is_dir() or any(goal.iterdir())):
            raise SpecError(f"{goal} is no empty folder; choose another")
        shutil.copytree(
            self.folder, goal, dirs_exist_ok=True, ignore=shutil.ignore_patterns("run.lock", ".writing-*")
        )
        goal.chmod(0o700)
        return goal

    def _table(self, name: str, keys: list[str]) -> pd.DataFrame:
        import pandas as pd

        return pd.read_parquet(self._directory.table(name)).set_index(keys)

    def __repr__(self) -> str:
        counts = self.summary["traces"]
        return f"{type(self).__name__}({counts['total']} traces, {counts['failed']} failed, {self.folder})"
