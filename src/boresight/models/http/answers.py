"""Reading answers of completion endpoints: three shapes of log-probabilities become one."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from boresight.models.http.errors import TryAgainError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

ABSENT = -9000.0  # some servers write -9999 for a log-probability that they do not have
ROUNDING = 1e-3  # a log-probability may be above 0 by so much


@dataclass(frozen=True, slots=True)
class Candidate:
    """A token that might have come, and its log-probability in nats."""

    text: str
    logprob: float
    id: int | None = None


@dataclass(frozen=True, slots=True)
class Token:
    """A token of a prompt or an answer.

    Attributes:
        text: What it spells, as far as the server says.
        logprob: Nats; None where the server gives none (as for the first token of a prompt).
        id: Its id, where the server gives one.
        top: The most likely tokens at its place.
    """

    text: str
    logprob: float | None
    id: int | None = None
    top: tuple[Candidate, ...] = ()


def choice(answer: Mapping[str, Any]) -> Mapping[str, Any]:
    """The first choice of an answer.

    Raises:
        TryAgainError: There is none.
    """
    choices = answer.get("choices")
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        raise TryAgainError("the answer holds no choice", content=True)
    return choices[0]


def text_of(answer: Mapping[str, Any]) -> str:
    """The generated text, of either endpoint; empty where the server gives null."""
    found = choice(answer)
    message = found.get("message")
    text = message.get("content") if isinstance(message, dict) else found.get("text")
    return text if isinstance(text, str) else ""


def prompt_count(answer: Mapping[str, Any]) -> int | None:
    """How many prompt tokens the server says it read."""
    return _usage(answer, "prompt_tokens")


def finished(answer: Mapping[str, Any]) -> bool:
    """Whether the model ended by itself."""
    return choice(answer).get("finish_reason") == "stop"


def listed_tokens(answer: Mapping[str, Any]) -> list[Token]:
    """The tokens of an answer's ``logprobs``, in either shape; empty if it has none."""
    found = choice(answer).get("logprobs")
    if not isinstance(found, dict):
        return []
    if isinstance(found.get("content"), list):
        return [_chat_token(entry) for entry in found["content"]]
    return _legacy_tokens(found)


def prompt_field(answer: Mapping[str, Any]) -> list[Token]:
    """The tokens of vLLM's ``prompt_logprobs``; empty if the answer has none."""
    found = choice(answer).get("prompt_logprobs") or answer.get("prompt_logprobs")
    if not isinstance(found, list):
        return []
    return [_field_token(entry) for entry in found]


def prompt_part(answer: Mapping[str, Any], tokens: Sequence[Token]) -> list[Token]:
    """The prompt's tokens of an echoed list: what the server counts as prompt, else all but the last one."""
    count = prompt_count(answer)
    return list(tokens[: len(tokens) - 1 if count is None else count])


def number(value: Any) -> float | None:
    """A log-probability, or None for null, NaN, infinity and stand-ins for "none".

    Raises:
        TryAgainError: It is clearly positive, so it is no log-probability.
    """
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    if value > ROUNDING:
        raise TryAgainError(f"{value} is positive, so it is no log-probability", content=True)
    return None if value < ABSENT else min(float(value), 0.0)


def _usage(answer: Mapping[str, Any], name: str) -> int | None:
    usage = answer.get("usage")
    count = usage.get(name) if isinstance(usage, dict) else None
    return count if isinstance(count, int) and count > 0 else None


def _chat_token(entry: Any) -> Token:
    own = entry if isinstance(entry, dict) else {}
    tops = own.get("top_logprobs")
    listed = [_candidate(one.get("token"), one) for one in tops or () if isinstance(one, dict)]
    top = tuple(one for one in listed if one is not None)
    return Token(str(own.get("token", "")), number(own.get("logprob")), _whole(own.get("id")), top)


def _candidate(text: Any, entry: Mapping[str, Any]) -> Candidate | None:
    value = number(entry.get("logprob"))
    return None if value is None else Candidate(str(text), value, _whole(entry.get("id")))


def _legacy_tokens(found: Mapping[str, Any]) -> list[Token]:
    texts, values, tops = (found.get(name) or [] for name in ("tokens", "token_logprobs", "top_logprobs"))
    if len(texts) != len(values):
        raise TryAgainError(f"{len(texts)} tokens came with {len(values)} log-probabilities", content=True)
    tops = tops if len(tops) == len(texts) else [None] * len(texts)
    return [
        Token(str(text), number(value), top=_legacy_top(top))
        for text, value, top in zip(texts, values, tops, strict=True)
    ]


def _legacy_top(top: Any) -> tuple[Candidate, ...]:
    pairs = top.items() if isinstance(top, dict) else ()
    listed = ((text, number(value)) for text, value in pairs)
    return tuple(Candidate(text, value) for text, value in listed if value is not None)


def _field_token(entry: Any) -> Token:
    """The prompt's own token is the first of an entry, whatever else is listed."""
    if not isinstance(entry, dict) or not entry:
        return Token("", None)
    key, own = next(iter(entry.items()))
    if not isinstance(own, dict):
        return Token("", None)
    return Token(str(own.get("decoded_token") or ""), number(own.get("logprob")), _whole(key))


def _whole(value: Any) -> int | None:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    return int(value) if isinstance(value, str) and value.isdecimal() else None
