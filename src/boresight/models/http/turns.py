"""Prompts as turns of text, for endpoints whose tokenizer nobody named: the server splits and templates them.

The seam speaks of token ids, so text travels in stand-ins: four bytes of UTF-8 an id, and ids of their own
where a turn begins. They count as an estimate of tokens and spell the text again. No text can become a turn.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from boresight.models.reasoning import without_reasoning
from boresight.models.seam import Segment

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from boresight.models.prompts import PromptStyle
    from boresight.trace import Trace

ROLES = ("system", "user", "assistant")
BYTES_AN_ID = 4

Message = dict[str, str]
Ids = tuple[int, ...]


def text_ids(text: str) -> Ids:
    """Stand-ins for a text; a lone surrogate counts as a question mark."""
    data = text.encode("utf-8", "replace")
    parts = (data[start : start + BYTES_AN_ID] for start in range(0, len(data), BYTES_AN_ID))
    return tuple(int.from_bytes(b"\x01" + part) for part in parts)  # the 1 keeps leading zeros


def turn_id(role: str) -> int:
    """The stand-in that begins a turn; negative, so that no text has it."""
    return -1 - ROLES.index(role)


def messages_of(ids: Sequence[int]) -> list[Message]:
    """The turns that the ids spell; what stands before the first mark is a user's."""
    turns: list[tuple[str, bytearray]] = []
    for token in ids:
        if token < 0 or not turns:
            turns.append((ROLES[-1 - token] if token < 0 else "user", bytearray()))
        if token >= 0:
            turns[-1][1].extend(token.to_bytes((token.bit_length() + 7) // 8)[1:])
    return [{"role": role, "content": data.decode("utf-8", "replace")} for role, data in turns]


def folded(messages: Sequence[Message]) -> list[Message]:
    """The same conversation with the system text at the start of the first user turn."""
    system = "\n".join(one["content"] for one in messages if one["role"] == "system")
    rest = [dict(one) for one in messages if one["role"] != "system"]
    first = next((one for one in rest if one["role"] == "user"), None)
    if system and first is not None:
        first["content"] = f"{system}\n{first['content']}"
    return rest


def as_text(messages: Sequence[Message], cue: str = "Answer:") -> str:
    """The conversation as lines, for endpoints that complete plain text; the answer follows the cue."""
    lines = [
        one["content"] if one["role"] == "system" else f"{one['role'].capitalize()}: {one['content']}"
        for one in messages[:-1]
    ]
    return "\n".join([*lines, messages[-1]["content"], cue, ""])


class TurnParts:
    """The pieces of one trace's prompts as turns (see :class:`boresight.models.seam.PromptParts`).

    Args:
        trace: The trace.
        style: The words around passages and question.
        window: Most tokens of prompt and answer, or None.
    """

    def __init__(self, trace: Trace, style: PromptStyle, window: int | None) -> None:
        self._trace, self._style = trace, style
        self.window = window
        self.warnings: tuple[str, ...] = ()
        self.header = self._opening("header", style.instruction)
        question = style.question_line(trace.query)
        self.tail = Segment("tail", text_ids(question))
        closed = self._opening("closed_book", style.closed_instruction)
        self.closed_book = Segment("closed_book", (*closed.ids, *text_ids(question)))

    def block(self, passage_id: str, label: int) -> Segment:
        """The segment of one passage under the given label.

        Raises:
            InputError: If the trace holds no such passage.
        """
        line = self._style.passage_line(self._trace.passage(passage_id), label)
        return Segment(f"passage:{passage_id}:{label}", text_ids(line), passage_id)

    def _opening(self, key: str, instruction: str) -> Segment:
        """Everything up to the first passage: system text, earlier turns, the open turn of the question."""
        own = self._style.instruction_place == "system"
        system = [turn.content.strip() for turn in self._trace.history if turn.role == "system"]
        system = [text for text in ([instruction, *system] if own else system) if text]
        turns = [("system", "\n".join(system))] if system else []
        turns += [
            (turn.role, _shown(turn.role, turn.content))
            for turn in self._trace.history
            if turn.role != "system"
        ]
        head = "" if own or not instruction else f"{instruction}\n"
        return Segment(key, tuple(_turn_ids([*turns, ("user", head)])))


def _shown(role: str, content: str) -> str:
    return without_reasoning(content).strip() if role == "assistant" else content.strip()


def _turn_ids(turns: Iterable[tuple[str, str]]) -> Iterable[int]:
    for role, text in turns:
        yield turn_id(role)
        yield from text_ids(text)
