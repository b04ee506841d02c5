"""Did the server read what it was sent? Every answer is checked against what is known about its prompt."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from boresight.models.http.answers import prompt_count
from boresight.models.http.errors import TryAgainError
from boresight.models.http.turns import messages_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from boresight.models.http.answers import Token

_BEGINNING = 12  # letters that may be missing: some servers do not say what a prompt's first token spells
_SHARE = 0.5  # fewer tokens than this share of what the characters suggest means that text was cut off


def require_count(answer: Mapping[str, Any], own: int) -> None:
    """The server must have read exactly our tokens.

    Raises:
        TryAgainError: It says that it read more or fewer.
    """
    count = prompt_count(answer)
    if count is not None and count != own:
        raise TryAgainError(f"the server read {count} tokens of a prompt of {own}", content=True)


def require_length(answer: Mapping[str, Any], characters: int, per_token: float | None) -> None:
    """The server must have read about as many tokens as the prompt's characters suggest.

    Args:
        answer: Its answer.
        characters: Characters of the prompt.
        per_token: Characters a token as the probe saw them; None where the server does not count.

    Raises:
        TryAgainError: It read fewer than half of them.
    """
    count = prompt_count(answer)
    if count is None or per_token is None:
        return
    expected = characters / per_token
    if count < _SHARE * expected:
        raise TryAgainError(
            f"the server read {count} tokens of a prompt of about {expected:.0f}: it cuts long prompts off",
            content=True,
        )


def require_texts(ids: Sequence[int], tokens: Sequence[Token]) -> None:
    """Every turn's text must stand in what the server read.

    Raises:
        TryAgainError: One does not, so that the server cut the prompt off or left a turn out.
    """
    read = _letters("".join(token.text for token in tokens))
    for message in messages_of(ids):
        wanted = _letters(message["content"])[_BEGINNING:]
        if wanted not in read:
            start = message["content"][:40]
            raise TryAgainError(f"the server did not read all of the text {start!r}", content=True)


def _letters(text: str) -> str:
    """Letters and digits of ASCII: templates may change white space, and bytes may decode one by one."""
    return re.sub(r"[^0-9A-Za-z]", "", text)
