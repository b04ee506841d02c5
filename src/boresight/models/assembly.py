"""Assembling prompts from token segments: header, one block per passage, tail; and the closed-book prompt."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from boresight.errors import ScoringError
from boresight.models.chat import (
    SYSTEM,
    ChatTemplate,
    Layout,
    Slot,
    close_thought,
    turn_slot,
    without_thought,
)
from boresight.models.plain_text import Piece, TextEncoder
from boresight.models.prompts import BORESIGHT
from boresight.models.seam import Segment
from boresight.trace import Passage, Trace

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from boresight.models.prompts import PromptStyle


class PromptAssembler:
    """Makes the pieces of a trace's prompts for one tokenizer.

    Args:
        tokenizer: A ``transformers`` tokenizer that nobody else uses.
        window: Most tokens that prompt and target may have together, or None.

    Raises:
        ModelError: If the tokenizer's chat template cannot hold even one question.
    """

    def __init__(self, tokenizer: Any, window: int | None) -> None:
        self.tokenizer = tokenizer
        self.window = window
        self.encoder = TextEncoder(tokenizer)
        self.template = ChatTemplate(tokenizer)
        self.prefix = () if self.template.text else _automatic_prefix(tokenizer)
        self.end_of_turn = self.template.end_of_turn(self.encoder)
        self._described = {
            "template": self.template.describe() | {"prefix_ids": list(self.prefix)},
            "segmentation": self._segmentation(),
        }

    def describe(self) -> dict[str, Any]:
        """Template, and how the joined segments of a sample compare with tokenising its whole text."""
        return dict(self._described)

    def prepare(self, trace: Trace, style: PromptStyle, thoughts: str | None = None) -> TracePrompts:
        """Tokenise the pieces of a trace's prompts.

        Raises:
            ScoringError: If the chat template refuses the trace's conversation.
        """
        try:
            return TracePrompts(self, trace, style, thoughts)
        except ScoringError as error:
            raise ScoringError(f"trace {trace.id!r}: {error}") from error

    def _segmentation(self) -> dict[str, Any]:
        """Compare on a harmless sample; tokenizers whose tokens cross line breaks differ a little."""
        parts = self.prepare(_SAMPLE, BORESIGHT)
        blocks = [parts.block(key, label) for label, key in enumerate(_SAMPLE.context, start=1)]
        joined = [token for segment in (parts.header, *blocks, parts.tail) for token in segment.ids]
        lines = (
            BORESIGHT.passage_line(passage, label) for label, passage in enumerate(_SAMPLE.passages, start=1)
        )
        whole = [*self.prefix, *self.encoder.template(parts.text("".join(lines)))]
        return {"equal": joined == whole, "joined": len(joined), "whole": len(whole)}


class TracePrompts:
    """The pieces of one trace's prompts (see :class:`boresight.models.seam.PromptParts`).

    Args:
        assembler: The tokenizer's assembler.
        trace: The trace.
        style: The words around passages and question.
        thoughts: Recorded reasoning that stands before the target in every prompt.

    Raises:
        ScoringError: If the chat template refuses the conversation.
    """

    def __init__(
        self, assembler: PromptAssembler, trace: Trace, style: PromptStyle, thoughts: str | None
    ) -> None:
        self._assembler = assembler
        self._trace = trace
        self._style = style
        self._thoughts = thoughts
        self._blocks: dict[tuple[str, int], Segment] = {}
        self._layout, before, after = self._pieces(style.instruction)
        self._before, self._after = before, after
        _, closed_before, closed_after = self._pieces(style.closed_instruction)
        self._header = self._segment("header", before, start=True)
        self._tail = self._segment("tail", after, start=False)
        self._closed_book = self._segment("closed_book", [*closed_before, *closed_after], start=True)

    @property
    def header(self) -> Segment:
        """What stands before the first passage."""
        return self._header

    @property
    def tail(self) -> Segment:
        """What stands between the last passage and the target."""
        return self._tail

    @property
    def closed_book(self) -> Segment:
        """The whole closed-book prompt."""
        return self._closed_book

    @property
    def window(self) -> int | None:
        """Most tokens that prompt and target may have together."""
        return self._assembler.window

    @property
    def warnings(self) -> tuple[str, ...]:
        """Control tokens in user text, and what the template made of the conversation."""
        trace = self._trace
        texts = [(f"passage {key.id!r}", f"{key.title or ''}\n{key.text}") for key in trace.context_passages]
        texts += [("the question", trace.query)]
        texts += [(f"turn {index} of the history", turn.content) for index, turn in enumerate(trace.history)]
        found = [(name, self._assembler.encoder.control_strings(text)) for name, text in texts]
        warnings = [
            f"{name} holds control tokens ({', '.join(strings)}), which are read as plain text"
            for name, strings in found
            if strings
        ]
        if self._layout.merged:
            warnings.append(
                "neighbouring turns of one role were put together: the template wants them to alternate"
            )
        return tuple(warnings)

    def block(self, passage_id: str, label: int) -> Segment:
        """The segment of one passage under the given label.

        Raises:
            InputError: If the trace holds no such passage.
        """
        key = (passage_id, label)
        if key not in self._blocks:
            line = self._style.passage_line(self._trace.passage(passage_id), label)
            ids = self._assembler.encoder.plain(line, after_newline=True).ids
            self._blocks[key] = Segment(f"passage:{passage_id}:{label}", ids, passage_id)
        return self._blocks[key]

    def text(self, passages: str) -> str:
        """The whole prompt as text, with the given passage lines."""
        before = "".join(piece.text for piece in self._before)
        return before + passages + "".join(piece.text for piece in self._after)

    def _pieces(self, instruction: str) -> tuple[Layout, list[Piece], list[Piece]]:
        """The layout, and the text before the passages and after them."""
        style, template = self._style, self._assembler.template
        turns = [turn for turn in self._trace.history if turn.role != "system"]
        system = [turn.content.strip() for turn in self._trace.history if turn.role == "system"]
        if style.instruction_place == "system":
            system.insert(0, instruction)
        texts = {turn_slot(index): turn.content.strip() for index, turn in enumerate(turns)}
        texts[SYSTEM] = "\n".join(text for text in system if text)
        roles = [turn.role for turn in turns]
        layout = template.layout(roles, system=bool(texts[SYSTEM]), answer_cue=style.answer_cue)
        before, after = layout.split()
        head = _fill(before, texts)
        if style.instruction_place == "user" and instruction:
            head.append(Piece(instruction + "\n", is_template=False))
        question = Piece(style.question_line(self._trace.query), is_template=False)
        return layout, head, [question, *self._closing(_fill(after, texts))]

    def _closing(self, pieces: list[Piece]) -> list[Piece]:
        """The template's last words, with the recorded thoughts or with none."""
        *rest, last = pieces
        if self._thoughts is None:
            return [*rest, Piece(close_thought(last.text), is_template=True)]
        return [
            *rest,
            Piece(without_thought(last.text) + "<think>\n", is_template=True),
            Piece(self._thoughts.strip(), is_template=False),
            Piece("\n</think>\n\n", is_template=True),
        ]

    def _segment(self, key: str, pieces: list[Piece], *, start: bool) -> Segment:
        ids = self._assembler.encoder.join(pieces, after_newline=not start)
        return Segment(key, (*self._assembler.prefix, *ids) if start else ids)


def _fill(parts: Iterable[str | Slot], texts: Mapping[str, str]) -> list[Piece]:
    """Put user text into the slots."""
    return [
        Piece(texts[part.name], is_template=False)
        if isinstance(part, Slot)
        else Piece(part, is_template=True)
        for part in parts
    ]


def _automatic_prefix(tokenizer: Any) -> tuple[int, ...]:
    """The ids that the tokenizer itself puts before a text, such as BOS."""
    bare = tokenizer("a", add_special_tokens=False)["input_ids"]
    full = tokenizer("a")["input_ids"]
    for start in range(len(full) - len(bare) + 1):
        if full[start : start + len(bare)] == bare:
            return tuple(full[:start])
    return ()


_SAMPLE = Trace(
    id="sample",
    query="Which river crosses the town?",
    passages=(
        Passage("1", "The town lies in a wide valley. A river crosses it from north to south."),
        Passage("2", "Its bridge, built in 1871, carries one road and 24 lamps.", "The old bridge"),
    ),
    context=("1", "2"),
)
