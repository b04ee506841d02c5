"""How a request becomes the prompt of an HTTP call: token ids, text of a named tokenizer, or turns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from boresight.models.http.turns import TurnParts, as_text, folded, messages_of
from boresight.models.spans import spans_by_decoding

if TYPE_CHECKING:
    from collections.abc import Sequence

    from boresight.models.assembly import PromptAssembler
    from boresight.models.prompts import PromptStyle
    from boresight.models.seam import PromptParts
    from boresight.trace import Trace

Body = dict[str, Any]
Ids = tuple[int, ...]
Spans = tuple[tuple[int, int], ...]

COMPLETIONS, CHAT = "completions", "chat/completions"


class Prompts(Protocol):
    """Makes the prompts of one endpoint."""

    @property
    def path(self) -> str:
        """Path of the endpoint that takes them."""

    @property
    def window(self) -> int | None:
        """Most tokens of prompt and answer, or None."""

    def describe(self) -> dict[str, Any]:
        """Identity for the record."""

    def prepare(self, trace: Trace, style: PromptStyle, thoughts: str | None) -> PromptParts:
        """The pieces of a trace's prompts."""

    def body(self, ids: Sequence[int], answer: str = "") -> Body:
        """The part of a request's body that holds the prompt.

        Args:
            ids: Prompt ids of the seam.
            answer: Text that the answer begins with, for prompts made of turns.
        """

    def ending(self) -> Body:
        """The part of a body that says where an answer ends, where the server might not know."""

    def count(self, ids: Sequence[int]) -> int | None:
        """How many tokens the server must read; None where only the server can know."""

    def decode(self, ids: Sequence[int]) -> str:
        """The text that the ids spell."""


class TokenPrompts:
    """Prompts made by a named tokenizer and its chat template, as local models get them.

    Args:
        assembler: Makes the ids.
        name: Name of the tokenizer, for the record.
        as_ids: Whether the endpoint takes ids; else it gets the text that they spell.
    """

    path = COMPLETIONS

    def __init__(self, assembler: PromptAssembler, name: str, *, as_ids: bool) -> None:
        self.assembler = assembler
        self.window = assembler.window
        self._name = name
        self._as_ids = as_ids

    def describe(self) -> dict[str, Any]:
        """Tokenizer, template, and the form in which prompts are sent."""
        form = "token ids" if self._as_ids else "text"
        own = self.assembler.describe()
        return {"prompts": form, "tokenizer": self._name, "window": self.window, **own}

    def prepare(self, trace: Trace, style: PromptStyle, thoughts: str | None) -> PromptParts:
        """The pieces of a trace's prompts."""
        return self.assembler.prepare(trace, style, thoughts)

    def body(self, ids: Sequence[int], answer: str = "") -> Body:
        """A ``prompt``; an answer begun belongs to the ids here."""
        prompt: Any = list(ids) if self._as_ids else self.decode(ids)
        return {"prompt": prompt if not answer else f"{prompt}{answer}"}

    def ending(self) -> Body:
        """The template's end of turn."""
        last = self.assembler.end_of_turn
        return {} if last is None else {"stop": [self.decode([last])]}

    def count(self, ids: Sequence[int]) -> int:
        """As many as there are ids."""
        return len(ids)

    def decode(self, ids: Sequence[int]) -> str:
        """The text that the ids spell, control tokens included."""
        return str(
            self.assembler.tokenizer.decode(
                list(ids), skip_special_tokens=False, clean_up_tokenization_spaces=False
            )
        )

    def piece(self, before: Sequence[int], token: int) -> str:
        """What a token adds to the text before it; some tokenizers drop a blank at the start of a text."""
        context = list(before[-1:])
        return self.decode([*context, token]).removeprefix(self.decode(context))

    def spell(self, ids: Sequence[int], text: str) -> Spans:
        """Spans of ids in the text that they spell."""
        return spans_by_decoding(ids, text, self.decode) or ((0, 0),) * len(ids)


class TurnPrompts:
    """Prompts made of turns, for an endpoint whose tokenizer nobody named.

    Args:
        chat: Whether they go to the chat endpoint; else as plain lines to the one that completes text.
        fold: Whether the system text goes into the first user turn, since the endpoint loses system turns.
        window: Most tokens of prompt and answer, or None.
    """

    def __init__(self, *, chat: bool, fold: bool, window: int | None) -> None:
        self.path = CHAT if chat else COMPLETIONS
        self._chat, self._fold, self.window = chat, fold, window

    def describe(self) -> dict[str, Any]:
        """The form in which prompts are sent."""
        return {
            "prompts": "chat turns" if self._chat else "plain lines",
            "tokenizer": "the server's; token counts before a run are estimates",
            "system_turn": "in the user's turn" if self._fold else "as it is",
            "window": self.window,
        }

    def prepare(self, trace: Trace, style: PromptStyle, thoughts: str | None) -> TurnParts:  # noqa: ARG002 - the server's model thinks for itself
        """The pieces of a trace's prompts."""
        return TurnParts(trace, style, self.window)

    def body(self, ids: Sequence[int], answer: str = "") -> Body:
        """``messages``, or a ``prompt`` of lines; an answer begun is the last turn."""
        messages = folded(messages_of(ids)) if self._fold else messages_of(ids)
        if not self._chat:
            return {"prompt": as_text(messages) + answer}
        last = [{"role": "assistant", "content": answer}] if answer else []
        return {"messages": [*messages, *last]}

    def ending(self) -> Body:
        """Nothing: the server's own template knows."""
        return {}

    def count(self, ids: Sequence[int]) -> None:  # noqa: ARG002 - only the server knows its tokens
        """Unknown."""
        return

    def decode(self, ids: Sequence[int]) -> str:
        """The turns, with a line before each that names its role."""
        return "".join(f"<{one['role']}>\n{one['content']}\n" for one in messages_of(ids))
