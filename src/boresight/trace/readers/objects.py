"""Objects in memory that are no traces yet: what a LangChain retrieval chain returned."""

from __future__ import annotations

from collections.abc import Mapping

from boresight.trace.readers import langchain


def plain_object(item: object) -> object:
    """The object of a trace in the short form, if the item is a chain's result; anything else as it is."""
    if isinstance(item, Mapping) and "passages" not in item and langchain.is_result(item):
        return langchain.trace_of(item)
    return item
