"""The capability probe: at most six calls that find out what an endpoint really does, whatever it says.

Nothing is believed that was not checked: the count of tokens, their alignment (the endpoint's own generated
tokens must have the same log-probabilities when they come back as prompt), fields that were dropped, and a
system turn that vanished.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from boresight.errors import CallError, ModelError
from boresight.models.http.alignment import misaligned
from boresight.models.http.answers import listed_tokens, prompt_count
from boresight.models.http.errors import RefusedError, TryAgainError
from boresight.models.http.prompt_values import numbers_of, read_prompt, score_body
from boresight.models.http.prompts import CHAT, COMPLETIONS
from boresight.models.spans import REPLACEMENT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from boresight.models.http.answers import Token
    from boresight.models.http.client import Client
    from boresight.models.http.prompt_values import Source
    from boresight.models.http.prompts import TokenPrompts

MOST_CALLS = 6
WANTED = 8  # generated tokens to compare with
OPENING = "The five towns by the river, in the order in which I visited them: Lyon, Oslo, Cork,"
QUESTION = "Name some towns by a river, and say a word about each of them."
SHORT_SYSTEM = "Be brief."
LONG_SYSTEM = (
    "Be brief. You are a patient librarian who answers in plain words, never guesses, quotes nothing, keeps "
    "numbers as they are, prefers short sentences, and says so openly whenever a question cannot be answered."
)
_LEAST_GROWTH = 20  # tokens by which the long system text is longer, under any tokenizer


@dataclass(frozen=True, slots=True)
class Probe:
    """What an endpoint was seen to do.

    Attributes:
        completions: How it takes a text to complete: as token ids, as text, or not at all.
        chat: Whether it takes chat turns.
        prompt_source: Where a completion's answer holds the prompt's log-probabilities, or None.
        chat_source: The same for chat turns.
        top: Log-probabilities listed for a generated token, 0 for none.
        keeps_system: Whether the system turn reaches the model; None where that could not be seen.
        per_token: Characters a token, or None where the endpoint does not count tokens.
        notes: What was found wrong, in words.
        calls: Calls that the probe made, tries of one call counted once.
    """

    completions: str | None = None
    chat: bool = False
    prompt_source: Source | None = None
    chat_source: Source | None = None
    top: int = 0
    keeps_system: bool | None = None
    per_token: float | None = None
    notes: tuple[str, ...] = ()
    calls: int = 0

    def to_json(self) -> dict[str, Any]:
        """JSON values."""
        return {**asdict(self), "notes": list(self.notes)}

    @classmethod
    def from_json(cls, stored: dict[str, Any]) -> Probe:
        """The inverse of :meth:`to_json`."""
        return cls(**{**stored, "notes": tuple(stored["notes"])})


def probe_endpoint(client: Client, model: str, prompts: TokenPrompts | None, top: int) -> Probe:
    """Find out what an endpoint does.

    Args:
        client: The endpoint.
        model: The model's name there.
        prompts: Makes prompts of ids, where a tokenizer was named; else text is sent.
        top: How many log-probabilities a generated token to ask for.

    Raises:
        ModelError: It takes neither text nor chat turns, or cannot be reached.
    """
    prober = Prober(client, model, prompts, top)
    try:
        prober.complete()
        if prompts is None or prober.found.completions is None:
            prober.chat()
    except CallError as error:
        raise ModelError(f"the endpoint does not answer: {error}") from error
    found = replace(prober.found, notes=tuple(dict.fromkeys(prober.notes)), calls=prober.calls)
    if found.completions is None and not found.chat:
        raise ModelError(
            f"{model!r} can be asked neither to complete text nor to chat: {'; '.join(found.notes)}"
        )
    return found


class Prober:
    """The state of one probe.

    Attributes:
        found: What was seen so far.
        notes: What was found wrong so far.
        calls: Calls made so far.
    """

    def __init__(self, client: Client, model: str, prompts: TokenPrompts | None, top: int) -> None:
        self._client, self._model, self._prompts, self._top = client, model, prompts, top
        self.found = Probe()
        self.notes: list[str] = []
        self.calls = 0

    # completing a text -------------------------------------------------------------------------------------

    def complete(self) -> None:
        """Let it go on with a text, then send text and answer back and ask for their log-probabilities."""
        begun = self._goes_on("ids") if self._prompts is not None else None
        if begun is None:
            begun = self._goes_on("text")
        if begun is None:
            return
        if self._scores_prompt(begun, "field") or self._scores_prompt(begun, "echo"):
            return

    def _goes_on(self, form: str) -> list[Token] | None:
        """Tokens that it generates behind a text, as far as they can be sent back; None if it takes none."""
        own = self._ids(OPENING)
        body = {"prompt": own if form == "ids" else OPENING, "max_tokens": WANTED, "temperature": 0}
        answer = self._ask(COMPLETIONS, {**body, "logprobs": self._top})
        if answer is None:
            return None
        count = prompt_count(answer)
        if own is not None and count is not None and count != len(own):
            _refuse_cutting(count, len(own))
            self.notes.append(
                f"completions: {count} tokens were read of a prompt of {len(own)}, sent as {form}"
            )
            return None
        tokens = self._tokens(answer)
        top = min((max(len(one.top), int(one.logprob is not None)) for one in tokens), default=0)
        if top < self._top:
            self.notes.append(f"completions: {self._top} log-probabilities a token asked for, {top} came")
        per_token = None if count is None else len(OPENING) / count
        self.found = replace(self.found, completions=form, top=top, per_token=per_token)
        return _returnable(tokens)

    def _scores_prompt(self, begun: Sequence[Token], source: Source) -> bool:
        """Whether the prompt's log-probabilities come back, one a token and in their places."""
        text = OPENING + _spelled(begun)
        own = self._ids(text)
        prompt: Any = own if self.found.completions == "ids" else text
        answer = self._ask(COMPLETIONS, score_body(self._model, {"prompt": prompt}, source))
        if answer is None:
            return False
        fault = _fault(answer, source, prompt_count(answer) if own is None else len(own), begun)
        if fault is None:
            self.found = replace(self.found, prompt_source=source)
        else:
            self.notes.append(f"completions, {source}: {fault}")
        return fault is None

    def _ids(self, text: str) -> list[int] | None:
        """The text's ids under the named tokenizer, with what it puts before a text."""
        if self._prompts is None:
            return None
        assembler = self._prompts.assembler
        return [*assembler.prefix, *assembler.encoder.plain(text).ids]

    # chatting ----------------------------------------------------------------------------------------------

    def chat(self) -> None:
        """Let it answer a question; then begin the same answer for it, and shorten the system text."""
        body = {"messages": _turns(LONG_SYSTEM), "temperature": 0, "max_tokens": WANTED}
        first = self._ask(CHAT, {**body, "logprobs": True, "top_logprobs": self._top}) or self._ask(
            CHAT, body
        )
        if first is None:
            return
        self.found = replace(self.found, chat=True)
        begun = _returnable(self._tokens(first))
        if not begun:
            self.notes.append("chat: the log-probabilities asked for were left out")
        elif self._prompts is None:
            self._scores_chat(begun)
        self._sees_system(first)

    def _scores_chat(self, begun: Sequence[Token]) -> None:
        """Whether the log-probabilities of an answer begun come back."""
        answered = {"role": "assistant", "content": _spelled(begun)}
        messages = [*_turns(LONG_SYSTEM), answered]
        answer = self._ask(CHAT, score_body(self._model, {"messages": messages}, "field"))
        if answer is None:
            return
        fault = _fault(answer, "field", prompt_count(answer), begun)
        if fault is None:
            self.found = replace(self.found, chat_source="field")
        else:
            self.notes.append(f"chat, prompt_logprobs: {fault}")

    def _sees_system(self, first: dict[str, Any]) -> None:
        """A longer system text must make a longer prompt; in doubt the text goes into the user's turn."""
        second = self._ask(CHAT, {"messages": _turns(SHORT_SYSTEM), "max_tokens": 1, "temperature": 0})
        long, short = prompt_count(first), None if second is None else prompt_count(second)
        if long is None or short is None:
            self.notes.append("chat: it could not be seen whether the system turn is read")
            return
        keeps = long - short >= _LEAST_GROWTH
        if not keeps:
            self.notes.append("chat: the system turn vanishes, so its text goes into the user's turn")
        elif self.found.per_token is None:
            grown = len(LONG_SYSTEM) - len(SHORT_SYSTEM)
            self.found = replace(self.found, per_token=grown / (long - short))
        self.found = replace(self.found, keeps_system=keeps)

    # asking ------------------------------------------------------------------------------------------------

    def _tokens(self, answer: dict[str, Any]) -> list[Token]:
        try:
            return listed_tokens(answer)
        except TryAgainError as problem:
            self.notes.append(str(problem))
            return []

    def _ask(self, path: str, body: dict[str, Any]) -> dict[str, Any] | None:
        """One call; None where it is refused, or where the six are spent."""
        if self.calls == MOST_CALLS:
            self.notes.append("six calls did not suffice to try everything")
            return None
        self.calls += 1
        try:
            return self._client.ask(path, {"model": self._model, **body}, dict)
        except RefusedError as error:
            self.notes.append(f"{path}: {error}")
            return None


def _fault(answer: dict[str, Any], source: Source, count: int | None, begun: Sequence[Token]) -> str | None:
    """What is wrong with the log-probabilities of a prompt that ends with generated tokens, or None."""
    try:
        tokens = read_prompt(answer, source)
        if count is None or len(tokens) == count:
            numbers_of(tokens[1:])
            return misaligned(tokens, begun)
    except TryAgainError as problem:
        return str(problem)
    if len(tokens) <= 1:
        return "the echo is ignored in silence: only a generated token came back"
    return f"{len(tokens)} values came back for a prompt of {count} tokens"


def _refuse_cutting(read: int, own: int) -> None:
    if read < own:
        raise ModelError(
            f"the endpoint read {read} tokens of a prompt of {own}: it cuts prompts off, so its numbers "
            "would mean nothing; raise its context length, or name the tokenizer of its own model"
        )


def _returnable(tokens: Sequence[Token]) -> list[Token]:
    """The tokens that can be sent back as text: those before half a character, no blanks at the end."""
    kept = list(takewhile(lambda token: token.text and REPLACEMENT not in token.text, tokens))
    while kept and not kept[-1].text.strip():
        kept.pop()
    return kept


def _spelled(tokens: Sequence[Token]) -> str:
    return "".join(token.text for token in tokens)


def _turns(system: str) -> list[dict[str, str]]:
    return [{"role": "system", "content": system}, {"role": "user", "content": QUESTION}]
