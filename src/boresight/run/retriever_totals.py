"""The retriever's side of a run: rows, alignment over the words of the query, and the summary."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING, Any

from boresight.measure.summary import summarise
from boresight.run.execute import passage_text
from boresight.run.query_words import query_alignment
from boresight.run.retriever_looks import Looks
from boresight.run.retriever_saliency import RETRIEVER, SIDES, saliency_rows, side_of
from boresight.run.saliency_curves import read_curves
from boresight.run.schemas import QUERY_ALIGNMENT
from boresight.store.files import read_jsonl
from boresight.store.tables import TableWriter

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from boresight.measure.faithfulness import Curves
    from boresight.outcome import Measure
    from boresight.run.directory import RunDirectory
    from boresight.run.spec import RunSpec
    from boresight.trace import Trace

    Line = dict[str, Any]


class RetrieverTotals:
    """Reads the stored explanations beside the traces and adds them up.

    Args:
        directory: The run.
        spec: Its settings; nothing is read unless they ask for it.

    Attributes:
        curves: Of the trace added last, scores of its passages with tokens removed, by passage id.
    """

    def __init__(self, directory: RunDirectory, spec: RunSpec) -> None:
        self._directory = directory
        self._seed = spec.seed
        self._wanted = RETRIEVER in spec.explain
        self._lines: Iterator[Line] = read_jsonl(directory.explanations) if self._wanted else iter(())
        self.curves: dict[str, Curves] = {}
        self._rows: list[Line] = []
        self._measures: list[tuple[str, Measure]] = []
        self._looks = Looks(spec.seed)
        self._about: Line = {}
        self._gaps: list[float] = []
        self._counts = dict.fromkeys(("passages", "above_tolerance", "cut", "failed"), 0)

    def add(self, trace: Trace, generator: Sequence[Line]) -> list[Line]:
        """Count the next trace.

        Args:
            trace: The trace; in the order of the run.
            generator: Rows of the words of its query, where they were players.

        Returns:
            Rows of ``saliency.parquet``.
        """
        line = next(self._lines, None)
        self.curves = {} if line is None else read_curves(line)
        if line is None:
            return []
        self._about = {key: line[key] for key in ("stage", "method", "kind")}
        self._counts["failed"] += line["failed"] is not None
        for passage in line["passages"]:
            self._count(passage)
        for name, measure in query_alignment(trace.query, line, generator).items():
            self._measures.append((name, measure))
            self._rows.append(_row(line, name, measure))
        texts = {key: passage_text(trace.passage(key)) for key in trace.context}
        self._looks.add(trace.query, texts, line)
        return list(saliency_rows(line))

    def _count(self, passage: Line) -> None:
        sides = [side_of(passage, side) for side in SIDES]
        self._counts["passages"] += 1
        self._counts["above_tolerance"] += any(side["warning"] for side in sides)
        self._counts["cut"] += bool(sides[1]["read"] and sides[1]["read"] < sides[1]["total"])
        self._gaps += [side["relative_gap"] for side in sides]

    def write(self) -> Line:
        """Write ``query_alignment.parquet``; gives what belongs into the summary, empty if not asked for."""
        place = self._directory.table("query_alignment")
        if not self._wanted:
            place.unlink(missing_ok=True)  # of a run that was given again without explanations
            return {}
        with TableWriter(place, QUERY_ALIGNMENT) as table:
            table.add(self._rows)
        gaps = {"median": median(self._gaps), "largest": max(self._gaps)} if self._gaps else None
        return {
            RETRIEVER: {
                **self._about,
                **self._counts,
                "relative_gap": gaps,
                "query_alignment": summarise(self._measures, self._seed),
                "looks": self._looks.to_json(),
            }
        }

    def warnings(self) -> Iterator[str]:
        """What a person should know."""
        counts = self._counts
        if counts["above_tolerance"]:
            yield (
                f"explanations of {counts['above_tolerance']} of {counts['passages']} passages leave a gap "
                "above the tolerance: their tokens do not add up to what they explain (explanations.jsonl)"
            )
        if counts["failed"]:
            yield (
                f"the retriever's scores of {counts['failed']} traces could not be explained "
                "(explanations.jsonl says why)"
            )


def _row(line: Line, name: str, measure: Measure) -> Line:
    return {
        "trace": line["trace"],
        "stage": line["stage"],
        "measure": name,
        "value": measure.value,
        "state": measure.state,
        "reason": measure.reason,
        "chance": measure.chance,
        "minimum": measure.minimum,
    }
