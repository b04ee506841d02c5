"""Assembling prompts from token segments: header, one block per passage, tail; and the closed-book prompt."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from boresight.errors import ScoringError
from boresight.models.chat import QUESTION, SYSTEM, ChatTemplate, Layout, Slot, turn_slot
from boresight.models.plain_text import Piece, TextEncoder
from boresight.models.prompts import BORESIGHT
from boresight.models.reasoning import without_reasoning
from boresight.models.seam import Segment
from boresight.trace import Passage, Trace, Turn

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from boresight.models.prompts import PromptStyle


class PromptAssembler:
    """Makes the pieces of a trace's prompts for one tokenizer.

    Args:
        tokenizer: A ``transformers`` tokenizer that nobody else uses.
        window: Most tokens that prompt and target may have together, or None.

    Attributes:
        changes_text: Whether the template rewrites texts (escapes quotes, say), which our prompts do not.

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
        described = self.template.describe() | {"prefix_ids": list(self.prefix)}
        segmentation = self._segmentation()
        self.changes_text = not segmentation["same_text"]
        self._described = {"template": described, "segmentation": segmentation}

    def describe(self) -> dict[str, Any]:
        """Template, and how the joined segments of samples compare with the template's own text."""
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
        """Compare on two harmless samples; tokenizers whose tokens cross line breaks differ a little."""
        try:
            history = self._compared(replace(_SAMPLE, history=_SAMPLE_HISTORY))
        except ScoringError as error:
            history = {"equal": None, "reason": str(error)}
        return {**self._compared(_SAMPLE), "history": history}

    def _compared(self, sample: Trace) -> dict[str, Any]:
        """Lengths and equality of a sample's joined segments and of its text as the template renders it."""
        parts = self.prepare(sample, BORESIGHT)
        blocks = [parts.block(key, label) for label, key in enumerate(sample.context, start=1)]
        joined = [token for segment in (parts.header, *blocks, parts.tail) for token in segment.ids]
        whole = [*self.prefix, *self.encoder.template(parts.rendered())]
        return {
            "equal": joined == whole,
            "joined": len(joined),
            "whole": len(whole),
            "same_text": parts.text() == parts.rendered(),
        }


@dataclass(frozen=True, slots=True)
class _Frame:
    """A prompt around its passages: the layout, the text of each slot, what comes before and after.

    ``head`` is the part of ``before`` that stands in the question's own turn.
    """

    layout: Layout
    texts: Mapping[str, str]
    head: str
    before: list[Piece]
    after: list[Piece]


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
        self._open = self._frame(style.instruction)
        self._header = self._segment("header", self._open.before, start=True)
        self._tail = self._segment("tail", self._open.after, start=False)
        closed = self._frame(style.closed_instruction)
        self._closed_book = self._segment("closed_book", [*closed.before, *closed.after], start=True)

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
        found = ((name, self._assembler.encoder.control_strings(text)) for name, text in self._user_texts())
        spelled = [
            f"{name} spells control tokens of chat formats ({', '.join(strings)}), read as plain text"
            for name, strings in found
            if strings
        ]
        return (*spelled, *self._template_warnings())

    def _user_texts(self) -> Iterator[tuple[str, str]]:
        """Every text of the trace as it stands in the prompt, with a name for it."""
        trace = self._trace
        for label, passage in enumerate(trace.context_passages, start=1):
            yield f"passage {passage.id!r}", self._style.passage_line(passage, label)
        yield "the question", trace.query
        for index, turn in enumerate(trace.history):
            yield f"turn {index} of the history", self._shown(turn)
        yield "the answer", without_reasoning(trace.answer or "")

    def _template_warnings(self) -> Iterator[str]:
        if self._open.layout.merged:
            yield "neighbouring turns of one role were put together: the template wants them to alternate"
        for index, turn in enumerate(self._trace.history):
            if self._shown(turn) != turn.content.strip():
                yield f"the reasoning in turn {index} of the history is left out, as the template does it"
        if self._assembler.changes_text and self.text() != self.rendered():
            yield "the chat template would change the texts of this prompt; they are given unchanged"

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

    def text(self) -> str:
        """The whole prompt with all passages, as we write it."""
        before, after = (
            "".join(piece.text for piece in part) for part in (self._open.before, self._open.after)
        )
        return before + self._lines() + after

    def rendered(self) -> str:
        """The same as the chat template writes it when it is given the texts themselves."""
        frame, template = self._open, self._assembler.template
        if template.text is None:
            return self.text()
        content = frame.head + self._lines() + self._style.question_line(self._trace.query)
        text = template.render(frame.layout.messages, {**frame.texts, QUESTION: content})
        return "".join(piece.text for piece in self._closing(text, frame.layout))

    def _lines(self) -> str:
        passages = enumerate(self._trace.context_passages, start=1)
        return "".join(self._style.passage_line(passage, label) for label, passage in passages)

    def _frame(self, instruction: str) -> _Frame:
        """The prompt around the passages."""
        style = self._style
        turns = [turn for turn in self._trace.history if turn.role != "system"]
        system = [turn.content.strip() for turn in self._trace.history if turn.role == "system"]
        if style.instruction_place == "system":
            system.insert(0, instruction)
        texts = {turn_slot(index): self._shown(turn) for index, turn in enumerate(turns)}
        texts[SYSTEM] = "\n".join(text for text in system if text)
        layout = self._assembler.template.layout(
            [turn.role for turn in turns], system=bool(texts[SYSTEM]), answer_cue=style.answer_cue
        )
        head = instruction + "\n" if style.instruction_place == "user" and instruction else ""
        before, after = (_fill(parts, texts) for parts in layout.split())
        question = Piece(style.question_line(self._trace.query), is_template=False)
        return _Frame(
            layout,
            texts,
            head,
            before=[*before, Piece(head, is_template=False)] if head else before,
            after=[question, *after[:-1], *self._closing(after[-1].text, layout)],
        )

    def _shown(self, turn: Turn) -> str:
        """An earlier turn as the prompt shows it."""
        text = turn.content.strip()
        return self._assembler.template.shown_turn(text) if turn.role == "assistant" else text

    def _closing(self, last: str, layout: Layout) -> list[Piece]:
        """The template's last words, with the recorded thoughts or with none."""
        tags = self._assembler.template.tags(str(layout.parts[-1]))
        if self._thoughts is None:
            return [Piece(tags.closed(last), is_template=True)]
        opening, thoughts, closing = tags.around(self._thoughts)
        return [
            Piece(tags.removed(last) + opening, is_template=True),
            Piece(thoughts, is_template=False),
            Piece(closing, is_template=True),
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
        # Quotes and an ampersand show whether a template rewrites what it is given.
        Passage("1", 'The town lies in a "wide" valley. A river & a road cross it from north to south.'),
        Passage("2", "Its bridge, built in 1871, carries one road and 24 lamps.", "The old bridge"),
    ),
    context=("1", "2"),
)
_SAMPLE_HISTORY = (Turn("user", "What is the valley like?"), Turn("assistant", "It is wide."))
