"""Where captured traces go: a growing JSONL file, or memory."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

from boresight.store.files import append_jsonl
from boresight.trace.forms import parse_trace
from boresight.trace.ids import FreshIds
from boresight.trace.reader import read_traces
from boresight.trace.readers.gaps import with_gaps
from boresight.trace.readers.source import Found
from boresight.trace.write import trace_to_dict

if TYPE_CHECKING:
    from boresight.trace.types import Trace


class TraceFile:
    """Takes traces from any thread; each is on disk when :meth:`add` returns.

    Args:
        path: JSONL file that new lines are added to; None keeps the traces in memory.

    Attributes:
        path: The file, or None.
        traces: What was captured, if there is no file.
        problems: What kept a question from becoming a trace, one sentence each.

    Raises:
        InputError: If the file holds something that is no trace.
    """

    def __init__(self, path: str | Path | None = None) -> None:
        self.path = None if path is None else Path(path)
        self.traces: list[Trace] = []
        self.problems: list[str] = []
        self._lock = threading.Lock()
        grown = self.path is not None and self.path.exists() and self.path.stat().st_size > 0
        self._ids = FreshIds(trace.id for trace in (read_traces(str(self.path)) if grown else ()))

    def add(self, item: dict[str, Any], remarks: tuple[str, ...] = ()) -> Trace:
        """Check a trace and keep it; an id that is taken gets ``#2`` and on.

        Args:
            item: The object of a trace, in the short or the long form.
            remarks: What a person should know; kept in ``meta.remarks``.

        Raises:
            InputError: If the object is no sound trace.
        """
        meta = item.get("meta") or {}
        item = {**item, "meta": {**meta, "remarks": list(remarks)} if remarks else meta}
        with self._lock:
            if item.get("id") is not None:
                item["id"] = self._ids.fresh(str(item["id"]))
            trace = parse_trace(with_gaps(Found("", item)).item, "", self._ids).trace
            if self.path is None:
                self.traces.append(trace)
            else:
                append_jsonl(self.path, [trace_to_dict(trace)])
            return trace
