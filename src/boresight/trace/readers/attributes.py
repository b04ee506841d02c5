"""Span attributes in one shape: nested, whatever the exporter made of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from boresight.trace.check import as_tuple
from boresight.trace.readers.values import as_mapping_or_empty

_OPAQUE = {"metadata", "value", "content", "text", "arguments", "invocation_parameters"}
"""Attributes that hold the user's own data, whose keys are no paths."""

_SCALARS = ("stringValue", "intValue", "doubleValue", "boolValue", "bytesValue")


def nested(value: object) -> Any:
    """Attributes as nested objects and lists.

    Keys such as ``retrieval.documents.0.document.id`` are paths; lists and inner objects may hold more of
    them.
    """
    if isinstance(value, list | tuple):
        return [nested(item) for item in value]
    if not isinstance(value, Mapping):
        return value
    tree: dict[str, Any] = {}
    for key, item in value.items():
        path = str(key).split(".")
        _merge(tree, path, item if path[-1] in _OPAQUE else nested(item))
    return _with_lists(tree)


def _merge(tree: dict[str, Any], path: list[str], value: object) -> None:
    """Set the value at a path; objects that meet are joined, and what is there already stays."""
    *parents, last = path
    for part in parents:
        below = tree.setdefault(part, {})
        if not isinstance(below, dict):
            return
        tree = below
    if isinstance(value, dict) and isinstance(tree.get(last), dict):
        for key, item in value.items():
            _merge(tree[last], [key], item)
    else:
        tree.setdefault(last, value)


def _with_lists(tree: dict[str, Any]) -> Any:
    """Objects whose keys are all whole numbers become lists, in the order of the numbers."""
    filled = {
        key: _with_lists(item) if isinstance(item, dict) and key not in _OPAQUE else item
        for key, item in tree.items()
    }
    if filled and all(key.isdecimal() for key in filled):
        return [filled[key] for key in sorted(filled, key=int)]
    return filled


def otlp_attributes(items: object) -> dict[str, Any]:
    """Attributes of OTLP JSON, a list of ``{"key", "value": {"stringValue": ...}}``."""
    held = [as_mapping_or_empty(item) for item in as_tuple(items or (), "attributes")]
    return {str(item.get("key")): _otlp_value(item.get("value")) for item in held}


def _otlp_value(value: object) -> Any:
    held = as_mapping_or_empty(value)
    if "arrayValue" in held:
        return [_otlp_value(item) for item in as_mapping_or_empty(held["arrayValue"]).get("values", ())]
    if "kvlistValue" in held:
        return otlp_attributes(as_mapping_or_empty(held["kvlistValue"]).get("values", ()))
    if "intValue" in held:  # 64-bit integers are strings in this encoding
        return int(held["intValue"])
    return next((held[kind] for kind in _SCALARS if kind in held), None)


def at(tree: object, path: str) -> Any:
    """What stands at a dotted path of nested attributes, None if nothing does."""
    for part in path.split("."):
        if not isinstance(tree, Mapping):
            return None
        tree = tree.get(part)
    return tree
