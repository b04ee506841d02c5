"""What one question of a RAG system went through, and how it is read and written."""

from boresight.trace.forms import trace_from_dict
from boresight.trace.frozen import FrozenDict
from boresight.trace.ids import passage_id
from boresight.trace.quick import quick_trace
from boresight.trace.reader import Reading, read_objects, read_traces
from boresight.trace.types import Passage, Ranked, Role, Stage, StageKind, Trace, Turn
from boresight.trace.write import trace_to_dict

__all__ = [
    "FrozenDict",
    "Passage",
    "Ranked",
    "Reading",
    "Role",
    "Stage",
    "StageKind",
    "Trace",
    "Turn",
    "passage_id",
    "quick_trace",
    "read_objects",
    "read_traces",
    "trace_from_dict",
    "trace_to_dict",
]
