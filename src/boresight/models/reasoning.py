"""Reasoning that models write before an answer: the tags around it, and how to tell it from the answer.

Reasoning is recognised only where models put it, at the start. An answer may well speak of tags.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from boresight.errors import ScoringError

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True, slots=True)
class Tags:
    """What stands around reasoning.

    Attributes:
        opening: What opens it.
        closing: What closes it.
        inner: White space between a tag and the reasoning, as models write it.
        outer: White space between the closing tag and the answer.
        switch: What opens the answer itself in formats where text without any tag is no answer.
    """

    opening: str
    closing: str
    inner: str = "\n"
    outer: str = "\n\n"
    switch: str = ""

    def opened_by(self, prompt: str) -> bool:
        """Whether a prompt ends with reasoning that is opened and not closed."""
        return prompt.rstrip().endswith(self.opening)

    def closed(self, prompt: str) -> str:
        """A prompt after which the answer itself comes next: reasoning that it leaves open is closed."""
        if self.opened_by(prompt):
            return f"{prompt.rstrip()}{self.inner * 2}{self.closing}{self.outer}"
        return prompt if prompt.endswith(self.switch) else prompt + self.switch

    def removed(self, prompt: str) -> str:
        """A prompt without the reasoning block that it ends with, closed again or not."""
        block = rf"{re.escape(self.opening)}\s*({re.escape(self.closing)}\s*)?\Z"
        return re.sub(block, "", prompt)

    def around(self, thoughts: str) -> tuple[str, str, str]:
        """Opening, reasoning and closing, in reading order."""
        return self.opening + self.inner, thoughts.strip(), self.inner + self.closing + self.outer


# gpt-oss puts reasoning and answer into two messages of one turn ("harmony").
_HARMONY_ANSWER = "<|channel|>final<|message|>"

THINK = Tags("<think>", "</think>")
REASONING_TAGS = (
    THINK,
    Tags("[THINK]", "[/THINK]", inner="", outer=""),
    Tags("<thinking>", "</thinking>"),
    Tags("<reasoning>", "</reasoning>"),
    Tags("<thought>", "</thought>"),
    Tags("<seed:think>", "</seed:think>"),
    Tags("<|START_THINKING|>", "<|END_THINKING|>", inner="", outer=""),
    Tags(
        "<|channel|>analysis<|message|>",
        "<|end|><|start|>assistant" + _HARMONY_ANSWER,
        inner="",
        outer="",
        switch=_HARMONY_ANSWER,
    ),
)


def split_reasoning(text: str, known: Iterable[Tags] = REASONING_TAGS) -> tuple[str | None, str]:
    """Split an answer into reasoning and the answer proper.

    Args:
        text: ``<think>...</think>Paris``, also without the opening tag (where a template wrote it), or plain.
        known: The tags to look for; by default all, since another system may have written the answer.

    Returns:
        The reasoning without its tags (None if there is none, or only blanks), and the answer, both stripped.

    Raises:
        ScoringError: If reasoning is opened and never closed, so that there is no answer after it.
    """
    text = text.strip()
    for tags in known:
        end = reasoning_end(text, tags)
        if end is not None:
            thoughts = text[: end - len(tags.closing)].removeprefix(tags.opening).strip()
            return thoughts or None, text[end:].strip()
        if text.startswith(tags.opening):
            raise ScoringError(
                f"the answer opens {tags.opening} and never closes it, so there is no answer to explain; "
                "record the whole answer, or allow more new tokens"
            )
    return None, text


def without_reasoning(text: str, known: Iterable[Tags] = REASONING_TAGS) -> str:
    """A text behind the reasoning that it starts with; all of it where there is none or it never ends."""
    ends = (reasoning_end(text, tags) for tags in known)
    return text[next((end for end in ends if end is not None), 0) :].strip()


def reasoning_end(text: str, tags: Tags) -> int | None:
    """Where the reasoning that a text starts with ends, closing tag included; None if there is none.

    Without an opening tag before it, a closing tag closes what the template opened.
    """
    before, closing, _ = text.partition(tags.closing)
    if not closing or (tags.opening in before and not before.lstrip().startswith(tags.opening)):
        return None
    return len(before) + len(closing)


def tags_of(template: str, vocabulary: Iterable[str]) -> tuple[Tags, ...]:
    """The tags that a model knows, those of its template first.

    Args:
        template: Source of the chat template.
        vocabulary: The model's added tokens.
    """
    tokens = set(vocabulary)
    spelled = [tags for tags in REASONING_TAGS if tags.opening in template or tags.closing in template]
    owned = [tags for tags in REASONING_TAGS if {tags.opening, tags.closing} <= tokens]
    return tuple(dict.fromkeys((*spelled, *owned)))
