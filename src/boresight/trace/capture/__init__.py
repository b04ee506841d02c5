"""Traces from a running pipeline: explicit calls, or callbacks for LangChain and LlamaIndex."""

from boresight.trace.capture.recording import Recording, capture
from boresight.trace.capture.sink import TraceFile

__all__ = ["Recording", "TraceFile", "capture"]
