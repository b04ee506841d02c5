"""What a run directory holds, read tolerantly: a file that an older run lacks is empty, and named."""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property
from typing import TYPE_CHECKING, Any

from boresight.errors import SpecError
from boresight.run.evidence import StoredRows, sort_rows
from boresight.run.saliency import GENERATOR_STAGE
from boresight.store.files import read_json, read_jsonl
from boresight.store.values import ValueStore

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    Row = dict[str, Any]

ANSWER = "answer"
DERIVED = (
    "summary.json", "passages.parquet", "tokens.parquet", "measures.parquet", "pairs.parquet", "sets.jsonl",
    "findings.jsonl", "funnel.parquet", "funnel_steps.parquet", "stages.parquet",
)  # fmt: skip


class RunFiles:
    """The files of one run, each read once.

    Args:
        root: The run directory.

    Raises:
        SpecError: No run lies there.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        if not (root / "run.json").exists():
            raise SpecError(
                f"{root} is not a run directory: it has no run.json; "
                "give the --out folder of `boresight audit`"
            )

    @cached_property
    def run(self) -> Row:
        """``run.json``."""
        record: Row = read_json(self.root / "run.json")
        return record

    @cached_property
    def summary(self) -> Row:
        """``summary.json``, empty if the run did not get that far."""
        path = self.root / "summary.json"
        summary: Row = read_json(path) if path.exists() else {}
        return summary

    @cached_property
    def traces(self) -> list[Row]:
        """The traces in their order, long form."""
        return list(read_jsonl(self.root / "traces.jsonl"))

    @cached_property
    def answers(self) -> dict[str, Row]:
        """The answer target by trace id."""
        lines = read_jsonl(self.root / "targets.jsonl")
        return {line["trace"]: line for line in lines if line["target"] == ANSWER}

    @cached_property
    def closed_book(self) -> dict[str, Row]:
        """What the model says without any passage, by trace id."""
        lines = read_jsonl(self.root / "generations.jsonl")
        return {line["trace"]: line for line in lines if line.get("purpose") == "closed_book"}

    @cached_property
    def plans(self) -> dict[str, Row]:
        """Plan by trace id."""
        path = self.root / "plan.json"
        return {plan["trace"]: plan for plan in read_json(path)["traces"]} if path.exists() else {}

    @cached_property
    def passages(self) -> dict[str, list[Row]]:
        """Rows of ``passages.parquet`` by trace id, of all targets."""
        return _by_trace(self._table("passages"))

    @cached_property
    def tokens(self) -> dict[str, list[Row]]:
        """Rows of ``tokens.parquet`` for the answer, by trace id."""
        return _by_trace(row for row in self._table("tokens") if row["target"] == ANSWER)

    @cached_property
    def measures(self) -> dict[str, list[Row]]:
        """Rows of ``measures.parquet`` for the answer, by trace id."""
        return _by_trace(row for row in self._table("measures") if row["target"] == ANSWER)

    @cached_property
    def pairs(self) -> dict[str, list[Row]]:
        """Rows of ``pairs.parquet`` for the answer, by trace id."""
        return _by_trace(row for row in self._table("pairs") if row["target"] == ANSWER)

    @cached_property
    def sets(self) -> dict[str, list[Row]]:
        """Lines of ``sets.jsonl`` by trace id."""
        return _by_trace(read_jsonl(self.root / "sets.jsonl"))

    @cached_property
    def removals(self) -> dict[str, Row]:
        """What moves passages across the retriever's cut, by trace id; empty where that was not asked for."""
        if "removals" not in self.run["spec"].get("explain", ()):
            return {}
        return {line["trace"]: line for line in read_jsonl(self.root / "removals.jsonl")}

    @cached_property
    def explanations(self) -> dict[str, Row]:
        """Why the retriever gave its scores, by trace id; empty where that was not asked for."""
        if "retriever" not in self.run["spec"].get("explain", ()):
            return {}
        return {line["trace"]: line for line in read_jsonl(self.root / "explanations.jsonl")}

    @cached_property
    def query_words(self) -> dict[str, list[Row]]:
        """The generator's rows of ``saliency.parquet`` for the words of the query, by trace id."""
        if "query" not in self.run["spec"].get("players", ()):
            return {}
        chosen = [("stage", "=", GENERATOR_STAGE), ("side", "=", "query"), ("target", "=", ANSWER)]
        return _by_trace(self._table("saliency", chosen))

    @cached_property
    def query_alignment(self) -> dict[str, list[Row]]:
        """Rows of ``query_alignment.parquet`` by trace id."""
        return _by_trace(self._table("query_alignment"))

    @cached_property
    def funnel(self) -> dict[str, list[Row]]:
        """Rows of ``funnel.parquet`` by trace id."""
        return _by_trace(self._table("funnel"))

    @cached_property
    def funnel_steps(self) -> dict[str, list[Row]]:
        """Rows of ``funnel_steps.parquet`` by trace id."""
        return _by_trace(self._table("funnel_steps"))

    @cached_property
    def findings(self) -> list[Row]:
        """Lines of ``findings.jsonl``."""
        return list(read_jsonl(self.root / "findings.jsonl"))

    @property
    def missing(self) -> list[str]:
        """Derived files that this run does not have."""
        return [name for name in DERIVED if not (self.root / name).exists()]

    def stored(self, index: int, players: tuple[str, ...]) -> StoredRows | None:
        """The stored values of the answer of the trace at this place, None where there are none."""
        folder = self.root / "values"
        if not folder.exists():
            return None
        rows = ValueStore(folder).read(index)
        return sort_rows(rows, players, ANSWER) if rows else None

    def _table(self, name: str, chosen: Sequence[tuple[str, str, str]] | None = None) -> list[Row]:
        path = self.root / f"{name}.parquet"
        if not path.exists():
            return []
        import pyarrow.parquet as pq

        rows: list[Row] = pq.read_table(path, partitioning=None, filters=chosen).to_pylist()
        return rows


def _by_trace(rows: Iterable[Row]) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        found[row["trace"]].append(row)
    return dict(found)
