"""Values from log-probabilities of generated tokens: one call a target token, behind the tokens before it.

Servers list only the k most likely tokens. A target token among them has its log-probability; of any other
one only an upper bound is known, which is carried as a bound and never as a value of its own.
"""

from __future__ import annotations

from functools import partial
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from boresight.errors import CallError
from boresight.models.http.answers import Candidate, listed_tokens
from boresight.models.http.checks import require_count
from boresight.models.http.errors import TryAgainError
from boresight.models.http.prompt_values import encode_local
from boresight.models.http.rows import Row

if TYPE_CHECKING:
    from collections.abc import Sequence

    from boresight.models.http.client import Client
    from boresight.models.http.prompts import TokenPrompts
    from boresight.models.http.rows import Ids, Pair, Spans
    from boresight.models.http.spec import ValueKind
    from boresight.models.seam import Request

NOTHING_LEFT = 1e-9  # probability outside the top-k below which rounding decides


class ForcedValues:
    """Log-probabilities of forced continuations, with bounds outside the top-k.

    Args:
        client: The endpoint.
        model: The model's name there.
        prompts: Makes the prompts; the tokenizer must be known, since the target is forced token by token.
        top: How many log-probabilities to ask for.
    """

    kind: ValueKind = "generated_logprobs"

    def __init__(self, client: Client, model: str, prompts: TokenPrompts, top: int) -> None:
        self._client, self._model, self._prompts, self._top = client, model, prompts, top

    def encode(self, trace_id: str, text: str, *, end: bool) -> tuple[Ids, Spans]:
        """Ids and spans under the named tokenizer."""
        return encode_local(self._prompts, trace_id, text, end=end)

    def calls(self, request: Request) -> int:
        """One a target token."""
        return sum(len(target.token_ids) for target in request.targets)

    def score(self, pairs: Sequence[Pair], repeat: int) -> list[Row | CallError]:  # noqa: ARG002 - every call asks anew
        """One call a target token; a target with a failed call has no row."""
        steps = [
            (request.prompt_ids + target.token_ids[:place], token)
            for request, target in pairs
            for place, token in enumerate(target.token_ids)
        ]
        found = self._client.ask_all([partial(self._step, *step) for step in steps])
        ends = accumulate((len(target.token_ids) for _, target in pairs), initial=0)
        return [_joined(found[start:stop]) for start, stop in pairwise(ends)]

    def _step(self, ids: Ids, token: int) -> tuple[float | None, float]:
        """Log-probability of the next token if it is listed, and an upper bound."""
        body = {
            "model": self._model,
            **self._prompts.body(ids),
            "max_tokens": 1,
            "temperature": 0,
            "logprobs": self._top,
        }
        wanted = self._prompts.piece(ids, token)

        def read(answer: dict[str, Any]) -> tuple[float | None, float]:
            require_count(answer, len(ids))
            listed = next_tokens(answer)
            value = next((one.logprob for one in listed if _is(one, token, wanted)), None)
            return value, upper_bound(listed) if value is None else value

        return self._client.ask(self._prompts.path, body, read)


def next_tokens(answer: dict[str, Any]) -> list[Candidate]:
    """The most likely first tokens of an answer, the chosen one among them.

    Raises:
        TryAgainError: The answer holds no log-probability.
    """
    tokens = listed_tokens(answer)
    listed = list(tokens[0].top) if tokens else []
    if tokens and tokens[0].logprob is not None and all(one.text != tokens[0].text for one in listed):
        listed.append(Candidate(tokens[0].text, tokens[0].logprob, tokens[0].id))
    if not listed:
        raise TryAgainError("the answer holds no log-probabilities", content=True)
    return listed


def upper_bound(listed: Sequence[Candidate]) -> float:
    """Largest log-probability that a token outside the list can have.

    It is no more likely than any listed one, and it shares what the list leaves: the smaller of min(log p_i)
    and log(1 - sum p_i).
    """
    least = min(one.logprob for one in listed)
    left = 1.0 - float(np.exp([one.logprob for one in listed]).sum())
    return min(least, float(np.log(left))) if left > NOTHING_LEFT else least


def _is(one: Candidate, token: int, text: str) -> bool:
    return one.id == token if one.id is not None else one.text == text


def _joined(steps: Sequence[tuple[float | None, float] | CallError]) -> Row | CallError:
    """One row; where only a bound is known, the bound stands for the value."""
    known: list[tuple[float | None, float]] = []
    for step in steps:
        if isinstance(step, CallError):
            return step
        known.append(step)
    upper = np.asarray([bound for _, bound in known], np.float32)
    lower = np.asarray([-np.inf if value is None else value for value, _ in known], np.float32)
    return Row(upper, lower, upper)
