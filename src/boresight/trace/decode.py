"""One line of a file to one JSON value, with errors that say where."""

from __future__ import annotations

import json
from typing import Any

from boresight.errors import InputError
from boresight.trace.check import located, shorten


def decode_line(line: bytes, where: str) -> Any:
    """Parse one line of JSON Lines.

    NaN and infinity pass, since what becomes of them depends on the field.

    Args:
        line: The bytes of the line; a byte-order mark was taken off.
        where: File and line, for the error.

    Raises:
        InputError: If the line is not UTF-8, malformed, nested too deeply, or repeats a key in one object.
    """
    try:
        with located(f"{where}: "):
            return _DECODER.decode(line.decode("utf-8").rstrip(" \t\r\n"))
    except UnicodeDecodeError as error:
        raise InputError(f"{where}: byte {error.start + 1} is not UTF-8; save the file as UTF-8") from None
    except json.JSONDecodeError as error:
        fix = "write one whole JSON object a line"
        raise InputError(f"{where}, column {error.pos + 1}: malformed JSON ({error.msg}); {fix}") from None
    except RecursionError:
        raise InputError(f"{where}: the JSON is nested too deeply; flatten it") from None
    except ValueError:  # Python refuses to convert integers of thousands of digits
        raise InputError(f"{where}: an integer has too many digits; write it as a string") from None


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A dictionary of the pairs; JSON readers usually drop all but the last of equal keys in silence."""
    unique = dict(pairs)
    if len(unique) != len(pairs):
        names = [key for key, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError(f"the key {shorten(twice)} stands twice in one JSON object; keep one")
    return unique


_DECODER = json.JSONDecoder(object_pairs_hook=_unique_keys)
