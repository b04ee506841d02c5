"""From what a probe saw to the kind of value and the form of prompts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from boresight.errors import ModelError

if TYPE_CHECKING:
    from boresight.models.http.probe import Probe
    from boresight.models.http.prompt_values import Source
    from boresight.models.http.spec import EndpointSpec, ValueKind

Form = Literal["ids", "text", "chat", "lines"]  # lines: plain text for want of a chat endpoint


@dataclass(frozen=True, slots=True)
class Choice:
    """How an endpoint is used.

    Attributes:
        value: Kind of value.
        form: Form of the prompts.
        source: Where the prompt's log-probabilities are, for ``prompt_logprobs``.
    """

    value: ValueKind
    form: Form
    source: Source | None = None


def choose(probe: Probe, spec: EndpointSpec) -> Choice:
    """The best kind of value that the probe confirmed, or the one that the spec names.

    Exact before bounded before regenerated. Forcing an answer token by token needs a named tokenizer: without
    one nobody but the server knows its tokens and its template.

    Raises:
        ModelError: The named kind is not possible here; the message says what was found.
    """
    named = spec.tokenizer is not None
    possible = [*(_with_tokenizer(probe) if named else _without(probe))]
    if spec.value is None:
        return possible[0]
    chosen = next((one for one in possible if one.value == spec.value), None)
    if chosen is None:
        hint = "" if named else "; naming the tokenizer in the spec (?tokenizer=...) may help"
        raise ModelError(
            f"{spec.name} gives no {spec.value}: {'; '.join(probe.notes) or 'it was not confirmed'}{hint}"
        )
    return chosen


def _with_tokenizer(probe: Probe) -> list[Choice]:
    if probe.completions is None:
        return [Choice("regenerate", "chat")]
    form: Form = "ids" if probe.completions == "ids" else "text"
    found = [Choice("prompt_logprobs", form, probe.prompt_source)] if probe.prompt_source else []
    if probe.top:
        found.append(Choice("generated_logprobs", form))
    return [*found, Choice("regenerate", form)]


def _without(probe: Probe) -> list[Choice]:
    found = [Choice("prompt_logprobs", "chat", probe.chat_source)] if probe.chat_source else []
    if probe.prompt_source:
        found.append(Choice("prompt_logprobs", "lines", probe.prompt_source))
    return [*found, Choice("regenerate", "chat" if probe.chat else "lines")]
