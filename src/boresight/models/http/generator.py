"""An endpoint as a generator: see :class:`boresight.models.seam.Generator`."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from boresight.errors import CallError, ScoringError, WindowError
from boresight.models.http.answers import finished, text_of
from boresight.models.http.client import Client
from boresight.models.http.forced_values import ForcedValues
from boresight.models.http.kinds import Choice, choose
from boresight.models.http.limits import Limits, find_key
from boresight.models.http.probe import Probe, probe_endpoint
from boresight.models.http.probe_cache import cached_probe
from boresight.models.http.prompt_values import PromptValues
from boresight.models.http.prompts import TokenPrompts, TurnPrompts
from boresight.models.http.rows import Row
from boresight.models.http.sampled_values import SampledValues, require_read
from boresight.models.http.spec import EndpointSpec, parse_endpoint
from boresight.models.reasoning import split_reasoning
from boresight.models.seam import MAX_BATCH_ROWS, Capabilities, Generation, Scored

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from boresight.models.encoder import Encoder
    from boresight.models.http.rows import Ids, Spans, Values
    from boresight.models.http.usage import Meter, Usage
    from boresight.models.prompts import PromptStyle
    from boresight.models.seam import PromptParts, Request
    from boresight.trace import Trace


class EndpointGenerator:
    """A model behind an OpenAI-compatible API.

    Args:
        spec: The endpoint.
        client: Asks it.
        probe: What it was seen to do.
        assembler: Makes prompts under the named tokenizer; None without one.
        encoder: Compares answers, for ``regenerate``; by default the one that the spec names, on first use.

    Raises:
        ModelError: The value kind that the spec names is not possible.
    """

    def __init__(
        self,
        spec: EndpointSpec,
        client: Client,
        probe: Probe,
        *,
        assembler: Any = None,
        encoder: Encoder | None = None,
    ) -> None:
        self._spec, self._client, self._probe = spec, client, probe
        self._choice = choose(probe, spec)
        self._prompts = _prompts(self._choice, spec, probe, assembler)
        self._encoder = encoder
        self._values = self._make_values()

    @classmethod
    def open(
        cls,
        text: str,
        *,
        limits: Limits | None = None,
        probes: Path | None = None,
        encoder: Encoder | None = None,
        revision: str | None = None,
    ) -> EndpointGenerator:
        """Connect to an endpoint and find out what it does.

        Args:
            text: ``openai:URL#MODEL``, with options behind a question mark.
            limits: Limits of the calls; by default those of the environment.
            probes: Folder of stored probes; by default in the user's cache.
            encoder: Compares answers, for ``regenerate``.
            revision: Revision of the named tokenizer, for hub models.

        Raises:
            SpecError: The spec or the environment is wrong.
            ModelError: httpx or the tokenizer is missing, or the endpoint cannot be used.
        """
        spec = parse_endpoint(text)
        assembler = None if spec.tokenizer is None else _assembler(spec, revision)
        prompts = None if assembler is None else TokenPrompts(assembler, spec.tokenizer or "", as_ids=True)
        client = Client(
            spec.url,
            key=find_key(spec),
            limits=limits or Limits.from_environment(),
            trust_environment=not spec.is_local,
        )
        with ExitStack() as stack:
            stack.callback(client.close)
            probe = cached_probe(spec, lambda: probe_endpoint(client, spec.model, prompts, spec.top), probes)
            opened = cls(spec, client, probe, assembler=assembler, encoder=encoder)
            stack.pop_all()  # it is the generator's from here on
        return opened

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    @property
    def meter(self) -> Meter:
        """Counts calls and tokens; its ``on_call`` is told of every call before it is sent."""
        return self._client.meter

    @property
    def usage(self) -> Usage:
        """What was spent so far, the probe included."""
        return self._client.meter.spent

    def capabilities(self) -> Capabilities:
        """It scores text in one of three ways; the floor measures by how much the same call may differ."""
        return Capabilities(
            scores_text=self._values.kind != "regenerate",
            value_kind=self._values.kind,
            exact_repeats=False,
            has_floor=True,
            side_by_side=MAX_BATCH_ROWS,
        )

    def describe(self) -> dict[str, Any]:
        """Identity for the record: address, model, kind of value, form of prompts, what the probe saw."""
        seen = self._probe.to_json()
        del seen["calls"]  # a resumed run may find the probe in the cache
        described = {
            "kind": "endpoint",
            "name": self._spec.name,
            "value_kind": self._values.kind,
            "engine": "calls to an API",
            **self._prompts.describe(),
            "probe": seen,
        }
        if self._values.kind == "generated_logprobs":
            return {**described, "top": self._spec.top}
        if self._values.kind != "regenerate":
            return described
        sampling = {name: getattr(self._spec, name) for name in ("samples", "temperature", "max_new")}
        return {**described, **sampling, "similarity": self._similarity().describe()}

    def prepare(self, trace: Trace, style: PromptStyle, thoughts: str | None = None) -> PromptParts:
        """The pieces of a trace's prompts.

        Raises:
            ScoringError: The chat template refuses the conversation, or recorded reasoning should stand
                before the target and nobody knows the template.
        """
        if thoughts is not None and self._values.kind == "prompt_logprobs" and self._is_blind:
            raise ScoringError(
                f"trace {trace.id!r}: its recorded reasoning cannot stand before the answer, since only the "
                "server knows the template; name its tokenizer in the spec (?tokenizer=...)"
            )
        return self._prompts.prepare(trace, style, thoughts)

    def encode_target(self, trace_id: str, text: str, *, end: bool = False) -> tuple[Ids, Spans]:
        """Token ids and spans that cover the stripped text.

        Raises:
            ScoringError: ``end`` is asked for and nobody knows the end-of-turn token.
        """
        return self._values.encode(trace_id, text.strip(), end=end)

    def decode(self, ids: Sequence[int]) -> str:
        """The text that the ids spell."""
        return self._prompts.decode(ids)

    def generate(self, request: Request, max_new_tokens: int) -> Generation:
        """Answer greedily.

        Raises:
            ScoringError: The call failed, or the answer opens its reasoning and does not close it.
            WindowError: The prompt leaves no room in the window.
        """
        ids = request.prompt_ids
        body = {
            "model": self._spec.model,
            **self._prompts.body(ids),
            "max_tokens": self._room(request, max_new_tokens),
            "temperature": 0,
            **self._prompts.ending(),
        }

        def read(answer: dict[str, Any]) -> tuple[str, bool]:
            require_read(self._prompts, ids, answer, self._probe.per_token)
            return text_of(answer), finished(answer)

        try:
            written, ended = self._client.ask(self._prompts.path, body, read)
            thoughts, text = split_reasoning(written)
            if thoughts is None and not self._is_blind:
                text = written  # as generated, so that it has the generated ids
        except CallError as error:
            raise CallError(f"trace {request.trace!r}: {error}") from error
        except ScoringError as error:
            raise ScoringError(f"trace {request.trace!r}: {error}") from error
        ids_of_text, spans = self._values.encode(request.trace, text, end=False) if text else ((), ())
        return Generation(text, ids_of_text, ended, spans, thoughts)

    def calls_for(self, request: Request) -> int:
        """How many calls it takes to score a request, tries aside."""
        return self._values.calls(request)

    def score(self, requests: Sequence[Request]) -> list[Scored]:
        """Score each request; all calls of a batch run side by side.

        Raises:
            CallError: Calls failed for good; the message counts them.
            ModelError: The endpoint takes no call any more.
            CapError: A cap is reached.
        """
        return self._score(requests, repeat=0)

    def score_together(self, requests: Sequence[Request]) -> list[Scored]:
        """Score requests once more; the difference to :meth:`score` is the endpoint's own noise.

        Raises:
            CallError: As :meth:`score`.
        """
        return self._score(requests, repeat=1)

    def _score(self, requests: Sequence[Request], repeat: int) -> list[Scored]:
        pairs = [
            (place, target)
            for place, request in enumerate(requests)
            for target in request.targets
            if target.token_ids
        ]
        found = self._values.score([(requests[place], target) for place, target in pairs], repeat)
        rows: list[dict[str, Row]] = [{} for _ in requests]
        failed = [
            (place, row) for (place, _), row in zip(pairs, found, strict=True) if isinstance(row, CallError)
        ]
        if failed:
            place, error = failed[0]
            share = f"{len(failed)} of {len(found)} values are missing; " if len(found) > 1 else ""
            raise CallError(f"{_where(requests[place])}: {share}{error}") from error
        for (place, target), row in zip(pairs, found, strict=True):
            if isinstance(row, Row):
                rows[place][target.id] = row
        return [self._scored(request, own) for request, own in zip(requests, rows, strict=True)]

    def _scored(self, request: Request, rows: dict[str, Row]) -> Scored:
        return Scored(
            request,
            {name: row.values for name, row in rows.items()},
            self._values.kind,
            {name: row.lower for name, row in rows.items() if row.lower is not None},
            {name: row.upper for name, row in rows.items() if row.upper is not None},
        )

    @property
    def _is_blind(self) -> bool:
        return isinstance(self._prompts, TurnPrompts)

    def _make_values(self) -> Values:
        model, choice, prompts = self._spec.model, self._choice, self._prompts
        if choice.value == "prompt_logprobs" and choice.source is not None:
            return PromptValues(self._client, model, prompts, choice.source)
        if choice.value == "generated_logprobs" and isinstance(prompts, TokenPrompts):
            return ForcedValues(self._client, model, prompts, self._spec.top)
        return SampledValues(self._client, self._spec, prompts, self._similarity, self._probe.per_token)

    def _similarity(self) -> Encoder:
        if self._encoder is None:
            from boresight.models.encoder import load_encoder

            self._encoder = load_encoder(self._spec.encoder)
        return self._encoder

    def _room(self, request: Request, max_new_tokens: int) -> int:
        window = self._prompts.window
        if window is None:
            return max_new_tokens
        if request.prompt_length >= window:
            raise WindowError(
                f"trace {request.trace!r}: the prompt has {request.prompt_length} tokens and "
                f"{self._spec.name} takes {window}; use fewer or shorter passages"
            )
        return min(max_new_tokens, window - request.prompt_length)


def _prompts(choice: Choice, spec: EndpointSpec, probe: Probe, assembler: Any) -> TokenPrompts | TurnPrompts:
    if choice.form in ("ids", "text") and assembler is not None:
        return TokenPrompts(assembler, spec.tokenizer or "", as_ids=choice.form == "ids")
    chat = choice.form == "chat"
    return TurnPrompts(chat=chat, fold=chat and not probe.keeps_system, window=spec.window)


def _assembler(spec: EndpointSpec, revision: str | None) -> Any:
    from boresight.models.http.tokenizer import load_assembler

    return load_assembler(spec.tokenizer or "", spec.window, revision)


def _where(request: Request) -> str:
    """A request in words, for error messages."""
    players = [segment.player for segment in request.segments if segment.player is not None]
    what = "closed book" if request.game == "closed_book" else f"coalition {{{', '.join(players)}}}"
    return f"trace {request.trace!r}, {what}"
