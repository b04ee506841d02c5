"""Traces of LangChain pipelines, by a callback (``pip install "boresight[langchain]"``).

    from boresight.trace.capture.langchain import LangChainCapture
    handler = LangChainCapture("traces.jsonl")
    chain.invoke(question, config={"callbacks": [handler]})

Retrievers come with their documents, compressors and ensembles with their inner retrievers. LangChain's
callbacks carry no scores.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from boresight.errors import BoresightError, InputError
from boresight.trace.capture.sink import TraceFile
from boresight.trace.readers.langsmith import steps_of
from boresight.trace.readers.steps import assemble

try:
    from langchain_core.tracers.base import BaseTracer
except ImportError as missing:
    raise BoresightError(
        'langchain-core is not installed; run: pip install "boresight[langchain]"'
    ) from missing

if TYPE_CHECKING:
    from pathlib import Path

    from langchain_core.tracers.schemas import Run


class LangChainCapture(BaseTracer):
    """A callback handler that writes one trace for each outermost run that retrieved passages.

    Args:
        target: JSONL file that traces are added to, a :class:`TraceFile`, or None to keep them in memory.

    Attributes:
        file: Where the traces go; ``file.traces`` and ``file.problems`` can be read.
    """

    def __init__(self, target: str | Path | TraceFile | None = None) -> None:
        super().__init__(
            _schema_format="original+chat"
        )  # messages stay messages, so that history can be told
        self.file = target if isinstance(target, TraceFile) else TraceFile(target)

    def _persist_run(self, run: Run) -> None:
        """Write the trace of a finished outermost run; a fault in it must not stop the pipeline."""
        try:
            built = assemble(list(steps_of(_plain(run))))
            if built is not None:
                self.file.add(*built)
        except InputError as error:
            self.file.problems.append(f"run {run.name} ({run.id}): {error}")


def _plain(run: Run) -> dict[str, Any]:
    """A run with its inner runs as objects; documents and messages stay what they are."""
    return {
        "id": str(run.id),
        "parent_run_id": None if run.parent_run_id is None else str(run.parent_run_id),
        "name": run.name,
        "run_type": run.run_type,
        "inputs": run.inputs,
        "outputs": run.outputs,
        "start_time": run.start_time,
        "child_runs": [_plain(child) for child in run.child_runs],
    }
