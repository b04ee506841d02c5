"""A dictionary that cannot change, and the freezing of JSON values.

Traces are shared between threads, cached and hashed, so nothing inside them may change after construction.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from numbers import Integral, Real
from typing import Any, NoReturn

from boresight.errors import InputError
from boresight.trace.check import as_integer, as_number, as_text, describe, member

MAX_DEPTH = 100
"""Deepest nesting that is read; deeper input is refused, so that no later step runs out of stack."""


class FrozenDict(dict[str, Any]):
    """A ``dict`` that refuses changes, hashes, pickles and serialises as JSON.

    It subclasses ``dict`` because ``json`` writes nothing else as an object.
    """

    __slots__ = ()

    def _refuse(self, *_args: object, **_kwargs: object) -> NoReturn:
        raise TypeError("a FrozenDict cannot be changed; make a dict of it first")

    __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(frozenset(self.items()))

    def __reduce__(self) -> tuple[type[FrozenDict], tuple[dict[str, Any]]]:
        # The default would fill an empty instance key by key, which is refused.
        return type(self), (dict(self),)

    def __copy__(self) -> FrozenDict:
        return self

    def __deepcopy__(self, _memo: object) -> FrozenDict:
        return self


EMPTY = FrozenDict()


def freeze(value: object, path: str, depth: int = 0) -> Any:
    """The immutable copy of a JSON value: objects become :class:`FrozenDict`, lists become tuples.

    Args:
        value: What ``json`` could have read; numpy scalars and tuples pass as well.
        path: Name of the field, for the error.
        depth: Levels above this value.

    Raises:
        InputError: For any other type, a number that is not finite, or nesting beyond ``MAX_DEPTH``.
    """
    if depth > MAX_DEPTH:
        raise InputError(f"{path[:40]}... is nested deeper than {MAX_DEPTH} levels; flatten it")
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return as_text(value, path)
    if isinstance(value, Integral):
        return as_integer(value, path)
    if isinstance(value, Real):
        return as_number(value, path)
    if isinstance(value, Mapping):
        return FrozenDict(
            {_key(key, path): freeze(item, member(path, key), depth + 1) for key, item in value.items()}
        )
    if isinstance(value, Iterable) and not isinstance(value, bytes | bytearray | AbstractSet):
        return tuple(freeze(item, f"{path}[{index}]", depth + 1) for index, item in enumerate(value))
    raise InputError(f"{path} must be a JSON value, got {describe(value)}")


def thaw(value: object) -> Any:
    """The plain, writable copy of a frozen JSON value: dictionaries and lists."""
    if isinstance(value, Mapping):
        return {key: thaw(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [thaw(item) for item in value]
    return value


def _key(key: object, path: str) -> str:
    if not isinstance(key, str):
        raise InputError(f"{path} must have text keys, got {describe(key)}")
    return as_text(key, f"a key of {path}")
