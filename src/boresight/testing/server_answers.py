"""The test server's answers: prompts read, tokens generated, log-probabilities put into their shapes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from boresight.stats.random import rng_for
from boresight.testing.server_backends import starts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from boresight.testing.server_backends import Backend
    from boresight.testing.server_faults import FaultSource

MOST_TOKENS = 16  # where the request names no limit
Listed = list[tuple[int, float]]


class UnknownFieldError(Exception):
    """The request asks for what this server does not take; status 400."""


@dataclass(frozen=True, slots=True)
class Step:
    """A generated token: its id, its log-probability, and the most likely ones at its place."""

    token: int
    logprob: float
    top: Listed


class Answerer:
    """Answers requests.

    Args:
        backend: The model.
        shape: ``legacy`` or ``vllm``.
        source: What goes wrong.
    """

    def __init__(self, backend: Backend, shape: str, source: FaultSource) -> None:
        self._backend, self._shape, self._source, self._faults = backend, shape, source, source.faults

    def answer(self, path: str, request: dict[str, Any], body: bytes) -> dict[str, Any]:
        """The answer to one request.

        Raises:
            UnknownFieldError: The prompt is of a form that is not taken.
        """
        chat = path.endswith("/chat/completions")
        ids = self._read(request, chat=chat)
        steps, ended = self._generate(ids, request)
        listed = self._listed(request, chat=chat)
        choice: dict[str, Any] = {"index": 0, "finish_reason": "stop" if ended else "length"}
        text = "".join(self._backend.piece(step.token) for step in steps)
        echo = bool(request.get("echo")) and not chat and not self._faults.ignore_echo
        if chat:
            choice["message"] = {"role": "assistant", "content": text}
            choice["logprobs"] = None if listed is None else {"content": [self._chat_token(s) for s in steps]}
        else:
            values = self._given(ids, body) if echo and listed is not None else None
            choice["text"] = self._spell(ids) + text if echo else text
            choice["logprobs"] = None if listed is None else self._legacy(ids, values, steps)
        answer: dict[str, Any] = {"object": "chat.completion" if chat else "text_completion"}
        if self._wants_field(request):
            field = self._field(ids, self._given(ids, body))
            (answer if chat else choice)["prompt_logprobs"] = field
        usage = {"prompt_tokens": len(ids), "completion_tokens": len(steps) + int(ended)}
        return {**answer, "choices": [choice], "usage": None if self._faults.no_usage else usage}

    def _read(self, request: dict[str, Any], *, chat: bool) -> list[int]:
        if chat:
            messages = request["messages"]
            if self._faults.drop_system:
                messages = [one for one in messages if one["role"] != "system"]
            go_on = bool(request.get("continue_final_message")) and self._shape == "vllm"
            ids = self._backend.render(messages, go_on=go_on)
        else:
            prompt = request["prompt"]
            if self._faults.refuse_ids and not isinstance(prompt, str):
                raise UnknownFieldError("prompt must be a string")
            ids = self._backend.encode(prompt) if isinstance(prompt, str) else [int(one) for one in prompt]
        return ids if self._faults.truncate is None else ids[-self._faults.truncate :]

    def _generate(self, ids: Sequence[int], request: dict[str, Any]) -> tuple[list[Step], bool]:
        """Generated steps, and whether the model ended by itself."""
        steps: list[Step] = []
        temperature = float(request.get("temperature", 1.0))
        rng = rng_for(int(request.get("seed", 0)), "server")
        for _ in range(int(request.get("max_tokens", MOST_TOKENS))):
            names, values = self._backend.following([*ids, *(step.token for step in steps)])
            place = int(np.argmax(values))
            if temperature > 0:
                weights = np.exp((values - values.max()) / temperature)
                place = int(rng.choice(len(values), p=weights / weights.sum()))
            token = int(names[place])
            if token in self._backend.stops:
                return steps, True
            order = np.argsort(-values, kind="stable")[: self._listed(request) or 0]
            top = [(int(names[one]), float(values[one])) for one in order]
            steps.append(Step(token, float(values[place]), top))
        return steps, False

    def _listed(self, request: dict[str, Any], *, chat: bool | None = None) -> int | None:
        """Log-probabilities a token, as far as they are allowed; None where none are asked for."""
        wanted = (
            request.get("top_logprobs", 0) if request.get("logprobs") is True else request.get("logprobs")
        )
        if wanted is None or wanted is False or (chat and request.get("logprobs") is not True):
            return None
        return int(wanted) if self._faults.cap is None else min(int(wanted), self._faults.cap)

    def _given(self, ids: Sequence[int], body: bytes) -> list[float | None]:
        """The prompt's log-probabilities, the first of them null."""
        values: list[float | None] = [None, *self._backend.given(ids)] if len(ids) > 1 else [None]
        if self._faults.off_by_one:
            values = [None, *values[:-1]]
        if self._faults.jitter:
            noise = self._source.noise(body, len(values))
            values = [
                None if one is None else min(one + float(shift), 0.0)
                for one, shift in zip(values, noise, strict=True)
            ]
        return [None] * len(values) if self._faults.null else values

    def _wants_field(self, request: dict[str, Any]) -> bool:
        asked = request.get("prompt_logprobs") is not None
        return asked and self._shape == "vllm" and not self._faults.ignore_echo

    def _field(self, ids: Sequence[int], values: Sequence[float | None]) -> list[dict[str, Any] | None]:
        pairs = list(zip(ids, values, strict=True))[1:]
        return [
            None,
            *(
                {str(token): {"logprob": value, "rank": 1, "decoded_token": self._backend.piece(token)}}
                for token, value in pairs
            ),
        ]

    def _legacy(
        self, ids: Sequence[int], values: Sequence[float | None] | None, steps: Sequence[Step]
    ) -> dict[str, Any]:
        before = [] if values is None else list(ids)
        pieces = [self._backend.piece(token) for token in (*before, *(step.token for step in steps))]
        own = [None if self._faults.null else step.logprob for step in steps]
        tops = [
            {self._backend.piece(token): value for token, value in step.top} if step.top else None
            for step in steps
        ]
        return {
            "tokens": pieces,
            "token_logprobs": [*(values or []), *own],
            "top_logprobs": [*[None] * len(before), *[None if self._faults.null else top for top in tops]],
            "text_offset": starts(pieces),
        }

    def _chat_token(self, step: Step) -> dict[str, Any]:
        def entry(token: int, value: float) -> dict[str, Any]:
            return {
                "token": self._backend.piece(token),
                "logprob": None if self._faults.null else value,
                "bytes": None,
            }

        top = [entry(token, value) for token, value in step.top]
        return {**entry(step.token, step.logprob), "top_logprobs": top}

    def _spell(self, ids: Sequence[int]) -> str:
        return "".join(self._backend.piece(token) for token in ids)
