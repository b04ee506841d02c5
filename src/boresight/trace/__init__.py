"""What one question of a RAG system went through, and how it is read and written."""

from boresight.trace.types import Passage, Ranked, Stage, StageKind, Trace, Turn

__all__ = ["Passage", "Ranked", "Stage", "StageKind", "Trace", "Turn"]
