"""Checks of single fields; a message begins with the path of the field, which outer levels can prefix."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from contextlib import contextmanager
from numbers import Integral, Real
from typing import Any

from boresight.errors import InputError

MAX_INTEGER_BITS = 1023
"""Larger integers fit no float, so the first statistic over them would fail."""

MAX_KEY = 40  # longer keys are shortened in messages
MAX_ID = 100  # and so are ids, which a person must find again


@contextmanager
def located(prefix: str) -> Iterator[None]:
    """Put ``prefix`` before the message of an :class:`InputError` raised inside."""
    try:
        yield
    except InputError as error:
        raise InputError(f"{prefix}{error}") from None


def describe(value: object) -> str:
    """A value in a person's words, short enough for one sentence."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, str):
        return f"the text {shorten(value)}"
    if isinstance(value, Integral):
        huge = int(value).bit_length() > MAX_INTEGER_BITS
        return "a huge integer" if huge else f"the number {value}"
    if isinstance(value, Real):
        return f"the number {value}"
    if isinstance(value, Mapping):
        return "an object"
    return "a list" if isinstance(value, list | tuple) else f"a value of type {type(value).__name__}"


def shorten(text: str, width: int = MAX_KEY) -> str:
    """``text`` in quotes, cut to ``width`` characters."""
    return repr(text if len(text) <= width else f"{text[: width - 3]}...")


def quoted(name: str) -> str:
    """An id or a name as messages show it: long enough to be found again."""
    return shorten(name, MAX_ID)


def member(path: str, key: object) -> str:
    """The path of a member of an object; odd keys are quoted, so that a message stays one short line."""
    name = str(key)
    name = name if name.isprintable() and len(name) <= MAX_KEY else shorten(name)
    return f"{path}.{name}" if path else name


def is_clean(text: str) -> bool:
    """Whether the text has no lone surrogate, so that it can be written and tokenised."""
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def as_text(value: object, path: str) -> str:
    """A plain string that UTF-8 can write."""
    if not isinstance(value, str):
        raise InputError(f"{path} must be a string, got {describe(value)}")
    if not is_clean(value):
        raise InputError(f"{path} holds a lone surrogate, which no UTF-8 file can hold; replace it by U+FFFD")
    return value if type(value) is str else str.__str__(value)


def as_optional_text(value: object, path: str) -> str | None:
    """A string or None."""
    return None if value is None else as_text(value, path)


def as_integer(value: object, path: str) -> int:
    """A whole number of a sane size; true and false are none."""
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise InputError(f"{path} must be a whole number, got {describe(value)}")
    number = int(value)
    if number.bit_length() > MAX_INTEGER_BITS:
        raise InputError(f"{path} is an integer too large to work with; write it as a string")
    return number


def as_number(value: object, path: str) -> float:
    """A finite float; true and false are none."""
    if isinstance(value, bool) or not isinstance(value, Real):
        raise InputError(f"{path} must be a number, got {describe(value)}")
    number = to_float(value)
    if not math.isfinite(number):
        raise InputError(f"{path} must be a finite number, got {describe(number)}")
    return number


def to_float(value: Real) -> float:
    """The float of a number, infinity where it is too large."""
    try:
        return float(value)
    except OverflowError:
        return math.inf


def as_id(value: object, path: str) -> str:
    """An identifier: a string that is not blank, or a whole number, which becomes one."""
    if isinstance(value, Integral) and not isinstance(value, bool):
        return str(as_integer(value, path))
    if not isinstance(value, str):
        raise InputError(f"{path} must be a string or a whole number, got {describe(value)}")
    if not value.strip():
        raise InputError(f"{path} must not be blank; write at least one visible character")
    return as_text(value, path)


def as_tuple(value: object, path: str) -> tuple[Any, ...]:
    """The items of a list or another ordered collection."""
    if not isinstance(value, Iterable) or isinstance(value, str | bytes | Mapping | AbstractSet):
        raise InputError(f"{path} must be a list, got {describe(value)}")
    return tuple(value)


def as_texts(value: object, path: str) -> tuple[str, ...]:
    """Strings, from one string or a list of strings."""
    if isinstance(value, str):
        return (as_text(value, path),)
    if not isinstance(value, Iterable) or isinstance(value, Mapping):
        raise InputError(f"{path} must be a string or a list of strings, got {describe(value)}")
    return tuple(as_text(item, f"{path}[{index}]") for index, item in enumerate(as_tuple(value, path)))


def as_mapping(value: object, path: str) -> Mapping[Any, Any]:
    """A JSON object."""
    if not isinstance(value, Mapping):
        raise InputError(f"{path} must be an object, got {describe(value)}")
    return value


def as_choice(value: object, choices: tuple[str, ...], path: str) -> str:
    """One of the given words."""
    if not isinstance(value, str) or value not in choices:
        raise InputError(f"{path} must be one of {', '.join(choices)}; got {describe(value)}")
    return str.__str__(value)


def repeated(items: Iterable[str]) -> str | None:
    """The first item that occurs a second time, or None."""
    seen: set[str] = set()
    for item in items:
        if item in seen:
            return item
        seen.add(item)
    return None


def listed(names: Iterable[str], limit: int = 10, *, quote: bool = True) -> str:
    """Names for a sentence, at most ``limit`` of them."""
    words = [repr(name) if quote else name for name in names]
    more = f" and {len(words) - limit:,} more" if len(words) > limit else ""
    return ", ".join(words[:limit]) + more if words else "none"
