"""Fields of other tools' files: text that may be absent, numbers and lists that may be strings."""

from __future__ import annotations

import ast
import io
import json
import math
import tokenize
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from boresight.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable

_ABSENT = {"", "none", "null", "nan", "n/a"}
_OPENERS = ("[", "{", "(")


def first_of(item: Mapping[str, Any], names: Iterable[str]) -> Any:
    """The value under the first of several names that holds one; NaN, as tables write it, holds none."""
    return next((item[name] for name in names if not is_absent(item.get(name))), None)


def is_absent(value: object) -> bool:
    """Whether a value is None or NaN."""
    return value is None or (isinstance(value, float) and math.isnan(value))


def rest_of(item: Mapping[str, Any], *used: Iterable[str]) -> dict[str, Any]:
    """The fields that none of the groups of names holds."""
    names = {name for group in used for name in group}
    return {key: value for key, value in item.items() if key not in names}


def number(value: object) -> object:
    """A score as a number where it is written as text; other values stay, None for a blank.

    Raises:
        InputError: For text that is no number.
    """
    if not isinstance(value, str):
        return value
    if value.strip().lower() in _ABSENT - {"nan"}:
        return None
    try:
        return float(value)
    except ValueError:
        raise InputError(f"the score {value[:40]!r} is no number; take it out or correct it") from None


def unpacked(value: object) -> object:
    """The list or object that a string holds as JSON or as Python writes it; anything else stays.

    Raises:
        InputError: For a printed array, whose items cannot be told apart.
    """
    if not isinstance(value, str) or not value.lstrip().startswith(_OPENERS):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        pass
    try:
        held = ast.literal_eval(value.strip())
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return value
    if isinstance(held, list | tuple) and _strings(value) > sum(isinstance(item, str) for item in held) > 0:
        # Python joins neighbouring strings, so that ['a' 'b'], as numpy prints it, would become one passage.
        raise InputError("a list is written without commas, as numpy prints it; export it as JSON")
    return held


def _strings(text: str) -> int:
    """Number of string literals outside of inner brackets."""
    depth = count = 0
    for token in tokenize.generate_tokens(io.StringIO(text.strip()).readline):
        depth += (token.string in {"[", "{", "("}) - (token.string in {"]", "}", ")"})
        count += token.type == tokenize.STRING and depth == 1
    return count


def as_list(value: object) -> list[Any]:
    """A list of a list, of a string that holds one, or of one value; empty for None and blank text."""
    held = unpacked(value)
    if is_absent(held) or (isinstance(held, str) and not held.strip()):
        return []
    if isinstance(held, list | tuple):
        return list(held)
    return [held]


def text_list(value: object) -> list[Any]:
    """A list of texts; a string is one text unless it holds a list of texts."""
    held = as_list(value)
    texts = all(isinstance(item, str) for item in held)
    return held if texts or not isinstance(value, str) else [value]


def as_mapping_or_empty(value: object) -> dict[str, Any]:
    """The object that a value is or holds as a string, else an empty one."""
    held = unpacked(value)
    return {str(key): item for key, item in held.items()} if isinstance(held, Mapping) else {}


def message_text(content: object) -> str:
    """The text of a message: a string, or the text parts of a list of parts."""
    if isinstance(content, str):
        return content
    if isinstance(content, Mapping):
        return message_text(content.get("text") or content.get("content"))
    if isinstance(content, list | tuple):
        return "\n".join(filter(None, map(message_text, content)))
    return ""
