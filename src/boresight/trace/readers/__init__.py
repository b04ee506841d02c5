"""Formats of other tools: a file each, told apart by content (``registry.py``)."""

from boresight.trace.readers.registry import FORMATS, Format, detect, format_named, found_in
from boresight.trace.readers.source import Found, Source

__all__ = ["FORMATS", "Format", "Found", "Source", "detect", "format_named", "found_in"]
