"""Questions, answers and chat turns as tools write them: texts, JSON in strings, messages."""

from __future__ import annotations

from collections.abc import Mapping

from boresight.trace.readers.values import as_list, message_text, unpacked

QUESTION = ("query", "question", "user_input", "user_query", "input", "query_str", "str_or_query_bundle",
            "query_bundle", "prompt")  # fmt: skip
ANSWER = ("answer", "response", "output", "result", "generated_answer", "completion", "text", "content")
_ROLES = ("role", "type")
_DEPTH = 6  # questions stand at most so deep in objects of objects


def question_of(value: object, depth: int = 0) -> str | None:
    """The question in a step's input: the text itself, or one under a usual name of an object.

    Args:
        value: A text, an object, or either as JSON in a string.
        depth: How deep the search is already.
    """
    held = unpacked(value)
    if isinstance(held, str):
        return held if held.strip() else None
    if not isinstance(held, Mapping) or depth > _DEPTH:
        return None
    for name in QUESTION:
        found = question_of(held.get(name), depth + 1)
        if found is not None:
            return found
    turns = turns_of(held.get("messages"))
    return next((turn["content"] for turn in reversed(turns) if turn["role"] in {"user", "human"}), None)


def answer_of(value: object, depth: int = 0) -> str | None:
    """The answer in a step's output: the text itself, one under a usual name, or the last message."""
    held = unpacked(value)
    if isinstance(held, str):
        return held
    if not isinstance(held, Mapping) or depth > _DEPTH:
        return None
    for name in ANSWER:
        found = answer_of(held.get(name), depth + 1)
        if found is not None:
            return found
    turns = turns_of(held.get("messages"))
    return turns[-1]["content"] if turns else None


def turns_of(value: object) -> list[dict[str, str]]:
    """Chat messages as role and text; a list of lists, as batches are recorded, is read through.

    A message may be an object of the library, a serialised one, a pair, or stand under ``message``.
    """
    turns: list[dict[str, str]] = []
    for item in as_list(value):
        if isinstance(item, list | tuple) and not _is_pair(item):
            turns += turns_of(item)
        else:
            turns += _turn(item)
    return [turn for turn in turns if turn["content"]]


def _is_pair(item: list[object] | tuple[object, ...]) -> bool:
    role_and_text = 2
    return len(item) == role_and_text and all(isinstance(part, str) for part in item)


def _turn(item: object) -> list[dict[str, str]]:
    if isinstance(item, str):
        return [{"role": "user", "content": item}]
    if isinstance(item, list | tuple):
        return [{"role": str(item[0]).lower(), "content": str(item[1])}]
    if not isinstance(item, Mapping):
        role = getattr(item, "type", None) or getattr(getattr(item, "role", None), "value", "user")
        return [{"role": str(role).lower(), "content": message_text(getattr(item, "content", ""))}]
    for wrapper in ("message", "prompt", "kwargs", "data"):
        if isinstance(item.get(wrapper), Mapping):
            return _turn({**_role(item), **item[wrapper]})
    return [{"role": "user", **_role(item), "content": _content(item)}]


def _role(item: Mapping[str, object]) -> dict[str, str]:
    """The role, which serialised LangChain messages only have in the name of their class."""
    for name in _ROLES:
        if isinstance(item.get(name), str) and item[name] != "constructor":
            return {"role": str(item[name]).lower()}
    path = item.get("id")
    if isinstance(path, list) and path:
        return {"role": str(path[-1]).lower().removesuffix("chunk").removesuffix("message")}
    return {}


def _content(item: Mapping[str, object]) -> str:
    parts = item.get("contents")
    if isinstance(parts, list):
        return message_text([part.get("message_content") for part in parts if isinstance(part, Mapping)])
    return message_text(item.get("content") or item.get("text"))
