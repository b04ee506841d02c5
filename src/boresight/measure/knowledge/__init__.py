"""Where an answer comes from: the model's memory, its context, or both."""

from boresight.measure.knowledge.source import SOURCES, Source, says_the_same, source_of

__all__ = ["SOURCES", "Source", "says_the_same", "source_of"]
