"""How hard an endpoint may be asked, and with which key; nothing here changes a number.

Both come from the environment: a key never stands in a spec, a file or an error.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from boresight.errors import SpecError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from boresight.models.http.spec import EndpointSpec

PREFIX = "BORESIGHT_HTTP_"
KEY_VARIABLE = "BORESIGHT_API_KEY"
_OWN_VARIABLES = {"api.openai.com": "OPENAI_API_KEY"}  # sent to no other host


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of the calls to one endpoint.

    Attributes:
        concurrency: Calls at the same time.
        attempts: How often one call is tried.
        timeout: Seconds until a call that gives no whole answer is given up.
        backoff: Seconds of the first pause, at most; each further one may be twice as long.
        longest_pause: Longest pause of our own choice, in seconds.
        patience: Longest pause that the endpoint may ask for, in seconds.
        max_calls: Calls that may be made in all, tries included; None for any number.
        max_tokens: Tokens that may be used in all, prompt and answer; None for any number.
    """

    concurrency: int = 8
    attempts: int = 6
    timeout: float = 60.0
    backoff: float = 0.5
    longest_pause: float = 30.0
    patience: float = 300.0
    max_calls: int | None = None
    max_tokens: int | None = None

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if value is not None and value <= 0:
                raise SpecError(f"{PREFIX}{field.name.upper()} must be above 0, not {value}")

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] | None = None) -> Limits:
        """Limits that ``BORESIGHT_HTTP_CONCURRENCY``, ``BORESIGHT_HTTP_TIMEOUT`` and the like set.

        Raises:
            SpecError: One of them is no number above 0.
        """
        found = os.environ if environment is None else environment
        given: dict[str, Any] = {
            field.name: _number(
                PREFIX + field.name.upper(), found[PREFIX + field.name.upper()], field.default
            )
            for field in fields(cls)
            if found.get(PREFIX + field.name.upper())
        }
        return cls(**given)


def _number(name: str, text: str, default: object) -> float:
    kind = float if isinstance(default, float) else int
    try:
        return kind(text)
    except ValueError:
        raise SpecError(f"{name} must be a number, not {text!r}") from None


class Key:
    """An API key that shows itself to nobody.

    Args:
        value: The key.
        variable: Environment variable that it came from.

    Raises:
        SpecError: The key cannot stand in a header; the message does not repeat it.
    """

    def __init__(self, value: str, variable: str) -> None:
        stripped = value.strip()
        if not stripped.isascii() or not stripped.isprintable() or " " in stripped:
            raise SpecError(f"the key in {variable} holds blanks or characters that no key has")
        self.variable = variable
        self._value = stripped

    def __repr__(self) -> str:
        return f"Key(from {self.variable})"

    def header(self) -> str:
        """Value of the ``Authorization`` header."""
        return f"Bearer {self._value}"

    def scrub(self, text: str) -> str:
        """A text without the key."""
        return text.replace(self._value, "***")


def find_key(spec: EndpointSpec, environment: Mapping[str, str] | None = None) -> Key | None:
    """The key for an endpoint, or None where the environment has none.

    A provider's own variable is read for that provider alone, so that no key goes to a stranger.

    Raises:
        SpecError: The variable that the spec names is not set.
    """
    found = os.environ if environment is None else environment
    names = (spec.key_env,) if spec.key_env else (KEY_VARIABLE, _OWN_VARIABLES.get(spec.host, ""))
    for name in names:
        if name and found.get(name, "").strip():
            return Key(found[name], name)
    if spec.key_env:
        raise SpecError(f"the endpoint's key should be in {spec.key_env}, which is not set")
    return None
