"""Prompt styles: the words around passages and question, as data.

A style is rendered line by line, so that the token segments of a prompt always meet at a newline. User text
is only ever inserted, never parsed: braces in a passage mean nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

from boresight.errors import SpecError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from boresight.trace import Passage

Labels = Literal["keep", "renumber"]
Place = Literal["system", "user"]

_PLACEHOLDER = re.compile(r"\{(label|title|text|question)\}")


@dataclass(frozen=True, slots=True)
class PromptStyle:
    """How a trace becomes a prompt.

    Attributes:
        name: Name for ``--prompt`` and the record.
        instruction: What stands before the passages; paid for by every coalition, so keep it short.
        closed_instruction: The same for closed book; it must not mention passages.
        passage: Line of a passage with a title; ``{label}``, ``{title}`` and ``{text}`` are filled in.
        untitled: Line of a passage without a title.
        question: Line of the question; ``{question}`` is filled in.
        answer_cue: Line before the answer, for models without a chat template only.
        labels: Whether passages ``keep`` their numbers when others are removed, or ``renumber``.
        instruction_place: The turn that holds the instruction, where the template has both.

    Raises:
        SpecError: If a line lacks its placeholder, or a choice is another word.
    """

    name: str
    instruction: str
    closed_instruction: str
    passage: str = "Passage {label}: {title}. {text}"
    untitled: str = "Passage {label}: {text}"
    question: str = "Question: {question}"
    answer_cue: str = "Answer:"
    labels: Labels = "keep"
    instruction_place: Place = "system"

    def __post_init__(self) -> None:
        for field, holder in (("passage", "{text}"), ("untitled", "{text}"), ("question", "{question}")):
            if holder not in getattr(self, field):
                raise SpecError(f"prompt style {self.name!r}: {field} must contain {holder}")
        if self.labels not in ("keep", "renumber"):
            raise SpecError(
                f"prompt style {self.name!r}: labels must be keep or renumber, not {self.labels!r}"
            )
        if self.instruction_place not in ("system", "user"):
            place = self.instruction_place
            raise SpecError(
                f"prompt style {self.name!r}: instruction_place must be system or user, not {place!r}"
            )

    def passage_line(self, passage: Passage, label: int) -> str:
        """The line of one passage, newline included.

        Args:
            passage: The passage; an empty one still has its labelled line.
            label: Its number, from 1.
        """
        title = (passage.title or "").strip()
        template = self.passage if title else self.untitled
        values = {"label": str(label), "title": title, "text": passage.text.strip()}
        return _fill(template, values).strip() + "\n"

    def question_line(self, question: str) -> str:
        """The line of the question, without newline."""
        return _fill(self.question, {"question": question.strip()}).strip()


def _fill(template: str, values: Mapping[str, str]) -> str:
    """Replace the known placeholders in one pass, so that inserted text is never looked at again."""
    return _PLACEHOLDER.sub(lambda match: values.get(match[1], match[0]), template)


BORESIGHT = PromptStyle(
    name="boresight",
    instruction="Answer the question briefly, using the passages.",
    closed_instruction="Answer the question briefly.",
)

# The choices of RAG-E (arXiv 2601.21803), in our own words: a ranked prompt, renumbered for each coalition.
RAG_E = PromptStyle(
    name="rag-e",
    instruction=(
        "Answer the query from the documents below, which are sorted from most to least relevant. "
        "Be thorough and accurate, cite documents where that helps, and stay under 200 words."
    ),
    closed_instruction="Answer the query. Be thorough and accurate, and stay under 200 words.",
    passage="Document {label}: {title}. {text}",
    untitled="Document {label}: {text}",
    question="Query: {question}",
    labels="renumber",
)

# What UDCG (arXiv 2510.21440) and the distracting effect (arXiv 2505.06914) ask behind one passage, in our
# own words: to answer from the documents alone, or else with a fixed string. One passage is document 1.
UDCG = PromptStyle(
    name="udcg",
    instruction=(
        "Answer the question using only the documents below. "
        "If they do not contain the answer, reply with NO-RESPONSE and nothing else."
    ),
    closed_instruction="Answer the question.",
    passage="Document {label}: {title}. {text}",
    untitled="Document {label}: {text}",
    labels="renumber",
)

STYLES: Mapping[str, PromptStyle] = MappingProxyType({one.name: one for one in (BORESIGHT, RAG_E, UDCG)})


def style_named(name: str) -> PromptStyle:
    """The built-in style of that name.

    Raises:
        SpecError: If there is none.
    """
    try:
        return STYLES[name]
    except KeyError:
        raise SpecError(f"there is no prompt style {name!r}; choose one of {', '.join(STYLES)}") from None
