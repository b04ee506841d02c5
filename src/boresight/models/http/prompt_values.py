"""Values from log-probabilities of the prompt's own tokens: the target is sent as the end of the prompt."""

from __future__ import annotations

import zlib
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from boresight.errors import CallError, ScoringError
from boresight.models.http.answers import listed_tokens, prompt_field, prompt_part
from boresight.models.http.checks import require_count, require_texts
from boresight.models.http.errors import TryAgainError
from boresight.models.http.prompts import TokenPrompts
from boresight.models.http.rows import Row
from boresight.models.http.turns import text_ids, turn_id

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from boresight.models.http.answers import Token
    from boresight.models.http.client import Client
    from boresight.models.http.prompts import TurnPrompts
    from boresight.models.http.rows import Ids, Pair, Spans
    from boresight.models.http.spec import ValueKind
    from boresight.models.seam import Request, Target

Source = Literal["echo", "field"]

# Only what is asked for differs: the legacy API echoes the prompt, vLLM has a field for it.
ASKED: Mapping[Source, dict[str, Any]] = {
    "echo": {"echo": True, "logprobs": 1},
    "field": {"prompt_logprobs": 0},
}
CONTINUED = {"continue_final_message": True, "add_generation_prompt": False}
_ANY_QUESTION = (turn_id("user"), *text_ids("Please answer."))


def score_body(model: str, prompt: dict[str, Any], source: Source) -> dict[str, Any]:
    """The body that asks for a prompt's log-probabilities; some servers insist on generating a token too."""
    continued = CONTINUED if "messages" in prompt else {}
    return {"model": model, **prompt, "max_tokens": 1, "temperature": 0, **ASKED[source], **continued}


def read_prompt(answer: dict[str, Any], source: Source) -> list[Token]:
    """The prompt's tokens in an answer.

    Raises:
        TryAgainError: The answer holds none, or what it holds is no log-probability.
    """
    listed = prompt_field(answer) if source == "field" else prompt_part(answer, listed_tokens(answer))
    if not listed:
        raise TryAgainError("the answer holds no log-probabilities of the prompt", content=True)
    return listed


def numbers_of(tokens: Sequence[Token]) -> list[float]:
    """The tokens' log-probabilities.

    Raises:
        TryAgainError: One is null or not finite.
    """
    found = [token.logprob for token in tokens if token.logprob is not None]
    if len(found) != len(tokens):
        raise TryAgainError("a log-probability is null", content=True)
    return found


class PromptValues:
    """Exact log-probabilities, one call a prompt and target.

    Args:
        client: The endpoint.
        model: The model's name there.
        prompts: Makes the prompts.
        source: Where the answer holds the prompt's tokens.
    """

    kind: ValueKind = "prompt_logprobs"

    def __init__(
        self, client: Client, model: str, prompts: TokenPrompts | TurnPrompts, source: Source
    ) -> None:
        self._client, self._model, self._prompts, self._source = client, model, prompts, source
        self._split: dict[str, tuple[Ids, Spans]] = {}

    def encode(self, trace_id: str, text: str, *, end: bool) -> tuple[Ids, Spans]:
        """Ids of the named tokenizer; else the tokens into which the server splits the text.

        Raises:
            ScoringError: End-of-turn is asked for and nobody knows it.
        """
        if isinstance(self._prompts, TokenPrompts):
            return encode_local(self._prompts, trace_id, text, end=end)
        refuse_end(trace_id, end=end)
        if text not in self._split:
            self._split[text] = self._ask_split(text)
        return self._split[text]

    def calls(self, request: Request) -> int:
        """One a target."""
        return len(request.targets)

    def score(self, pairs: Sequence[Pair], repeat: int) -> list[Row | CallError]:  # noqa: ARG002 - every call asks anew
        """One call a pair."""
        return self._client.ask_all([partial(self._row, *pair) for pair in pairs])

    def _row(self, request: Request, target: Target) -> Row:
        ids = request.prompt_ids
        if isinstance(self._prompts, TokenPrompts):
            tokens = self._ask_ids((*ids, *target.token_ids))[-len(target.token_ids) :]
        else:
            tokens = self._ask_turns(ids, target.text)
        if len(tokens) != len(target.token_ids):
            raise CallError(
                f"the server splits the target into {len(tokens)} tokens behind this prompt and into "
                f"{len(target.token_ids)} behind another; name its tokenizer in the spec (?tokenizer=...)"
            )
        return Row(np.asarray([token.logprob for token in tokens], np.float32))

    def _ask_ids(self, ids: Ids) -> list[Token]:
        """All tokens of a prompt of known ids."""

        def read(answer: dict[str, Any]) -> list[Token]:
            tokens = read_prompt(answer, self._source)
            require_count(answer, len(ids))
            if len(tokens) != len(ids):
                raise TryAgainError(f"{len(tokens)} values came for {len(ids)} tokens", content=True)
            numbers_of(tokens[1:])
            return tokens

        return self._client.ask(self._prompts.path, self._body(ids, ""), read)

    def _ask_turns(self, ids: Sequence[int], target: str) -> list[Token]:
        """The target's tokens behind turns of text."""

        def read(answer: dict[str, Any]) -> list[Token]:
            tokens = read_prompt(answer, self._source)
            require_count(answer, len(tokens))
            require_texts(ids, tokens)
            tail = tail_of(tokens, target)
            numbers_of(tail)
            return tail

        return self._client.ask(self._prompts.path, self._body(ids, target), read)

    def _body(self, ids: Sequence[int], answer: str) -> dict[str, Any]:
        return score_body(self._model, self._prompts.body(ids, answer), self._source)

    def _ask_split(self, text: str) -> tuple[Ids, Spans]:
        tokens = self._ask_turns(_ANY_QUESTION, text)
        # Stand-ins of the same text are the same number, in every process.
        ids = tuple(
            zlib.crc32(one.text.encode()) & 0x7FFFFFFF if one.id is None else one.id for one in tokens
        )
        return ids, _spans(tokens, text)


def encode_local(prompts: TokenPrompts, trace_id: str, text: str, *, end: bool) -> tuple[Ids, Spans]:
    """Ids and spans of a target under a named tokenizer.

    Raises:
        ScoringError: End-of-turn is asked of a tokenizer that has none.
    """
    encoded = prompts.assembler.encoder.target(text)
    ids, spans = encoded.ids, encoded.spans or ()
    if not end:
        return ids, spans
    last = prompts.assembler.end_of_turn
    if last is None:
        raise ScoringError(f"trace {trace_id!r}: the tokenizer has no end-of-turn token, so it has no score")
    return (*ids, last), (*spans, (len(text), len(text)))


def refuse_end(trace_id: str, *, end: bool) -> None:
    """Refuse end-of-turn where nobody knows the token.

    Raises:
        ScoringError: It is asked for.
    """
    if end:
        raise ScoringError(
            f"trace {trace_id!r}: the end of the answer has no score, since only the server knows its "
            "tokens; name its tokenizer in the spec (?tokenizer=...), or leave --score-end out"
        )


def tail_of(tokens: Sequence[Token], text: str) -> list[Token]:
    """The last tokens, which spell a text; a blank before it belongs to its first token.

    Raises:
        TryAgainError: They do not, because tokens cross the text's start or the server changed the text.
    """
    spelled, start = "", len(tokens)
    while start > 0 and len(spelled.lstrip()) < len(text):
        start -= 1
        spelled = tokens[start].text + spelled
    if spelled.lstrip() != text:
        raise TryAgainError(
            f"the prompt's last tokens spell {spelled[:40]!r} and not the target; name the server's "
            "tokenizer in the spec (?tokenizer=...)",
            content=True,
        )
    return list(tokens[start:])


def _spans(tokens: Sequence[Token], text: str) -> Spans:
    """Character spans of tokens that spell a text, but for blanks before it."""
    stops = np.cumsum([len(token.text) for token in tokens])
    ahead = int(stops[-1]) - len(text)
    ends = [max(int(stop) - ahead, 0) for stop in stops]
    return tuple(zip([0, *ends[:-1]], ends, strict=True))
