"""What is mended on the way in rather than refused; the caller warns about each field named in ``mended``."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from numbers import Integral, Real
from typing import Any

from boresight.errors import InputError
from boresight.trace.check import as_number, is_clean, member, to_float
from boresight.trace.frozen import MAX_DEPTH

_SURROGATE = re.compile("[\ud800-\udfff]")
_ABOVE_META = 5  # levels of a trace above the values of meta and metadata, whose own depth `freeze` checks


def mend_text(value: object, mended: list[str]) -> Any:
    """Plain dictionaries and lists, with U+FFFD in the place of every lone surrogate.

    Args:
        value: A whole trace as ``json`` reads it.
        mended: Gains the path of each string that was changed.

    Raises:
        InputError: For nesting that is too deep, or keys that become equal.
    """

    def leaf(item: object, path: str) -> object:
        if not isinstance(item, str) or is_clean(item):
            return item
        mended.append(path)
        return _SURROGATE.sub("\ufffd", item)

    return _map_leaves(value, "", leaf)


def mend_numbers(value: object, path: str, mended: list[str]) -> Any:
    """The same value with None in the place of NaN and infinity.

    Args:
        value: A JSON value.
        path: Name of the field.
        mended: Gains the path of each number that was changed.
    """

    def leaf(item: object, path: str) -> object:
        if isinstance(item, Integral) or not isinstance(item, Real) or math.isfinite(item):
            return item
        mended.append(path)
        return None

    return _map_leaves(value, path, leaf)


def finite_score(value: object, path: str) -> tuple[float | None, bool]:
    """A score or None, and whether it is as given: False for a number that is not finite, which becomes None.

    Raises:
        InputError: If the value is neither a number nor None.
    """
    if value is None:
        return None, True
    if isinstance(value, Real) and not isinstance(value, bool) and not math.isfinite(to_float(value)):
        return None, False
    return as_number(value, path), True


def _map_leaves(value: object, path: str, leaf: Callable[[object, str], Any], depth: int = 0) -> Any:
    """Rebuild dictionaries and lists with ``leaf`` applied to all else, keys included."""
    if depth > MAX_DEPTH + _ABOVE_META:
        raise InputError(f"{path[:40]}... is nested deeper than {MAX_DEPTH} levels; flatten it")
    if isinstance(value, Mapping):
        rebuilt: dict[Any, Any] = {}
        for raw, item in value.items():
            key = leaf(raw, f"a key of {path or 'the trace'}")
            rebuilt[key] = _map_leaves(item, member(path, key), leaf, depth + 1)
        if len(rebuilt) != len(value):
            raise InputError(
                f"{path or 'the trace'} has keys that differ in lone surrogates only; rename them"
            )
        return rebuilt
    if isinstance(value, list | tuple):
        return [_map_leaves(item, f"{path}[{index}]", leaf, depth + 1) for index, item in enumerate(value)]
    return leaf(value, path)
