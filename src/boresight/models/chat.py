"""Chat templates, read once per conversation shape: which text is the template's, and where user text goes.

A template is rendered with marker words as message contents and split at the markers. What lies between is
template text, whose control tokens are real; what replaces the markers is user text, which has none.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from boresight.errors import ModelError, ScoringError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from boresight.models.plain_text import TextEncoder

SYSTEM = "system"
QUESTION = "question"
ANSWER = "answer"
TEMPLATE_DATE = "26 Jul 2024"  # templates that print today's date would change the prompt every day
_FIXED_DATE = (
    "{%- macro strftime_now(pattern) -%}"
    f"{{{{ '2024-07-26' if pattern == '%Y-%m-%d' else '{TEMPLATE_DATE}' }}}}"
    "{%- endmacro -%}"
)

_MARKER = re.compile(r"XSLOT([a-z]+[0-9]*)SLOTX")
_OPEN_THOUGHT = re.compile(r"<think>\s*\Z")
_THOUGHT_BLOCK = re.compile(r"<think>\s*(</think>\s*)?\Z")
_THINK_SWITCHES = ("enable_thinking", "thinking")

Message = tuple[str, tuple[str, ...]]  # role, and the slots whose texts make up its content


@dataclass(frozen=True, slots=True)
class Slot:
    """A place for user text."""

    name: str


@dataclass(frozen=True, slots=True)
class Layout:
    """A conversation of a given shape: template text and slots in reading order.

    Attributes:
        parts: Template text (strings) and slots, up to the place where the answer begins.
        folded: The system text stands in the first user turn, since the template takes no system turn.
        merged: Neighbouring turns of one role were put together, since the template wants them to alternate.
    """

    parts: tuple[str | Slot, ...]
    folded: bool = False
    merged: bool = False

    def split(self) -> tuple[tuple[str | Slot, ...], tuple[str | Slot, ...]]:
        """The parts before the question's slot, and those after it."""
        place = self.parts.index(Slot(QUESTION))
        return self.parts[:place], self.parts[place + 1 :]


def turn_slot(index: int) -> str:
    """Slot name of an earlier turn."""
    return f"turn{index}"


def split_reasoning(text: str) -> tuple[str | None, str]:
    """Split a recorded answer into reasoning and the answer proper.

    Args:
        text: ``<think>...</think>Paris``, also without the opening tag (where a template wrote it), or plain.

    Returns:
        The reasoning without its tags (None if there is none, or only blanks), and the answer, both stripped.

    Raises:
        ScoringError: If reasoning is opened and never closed, so that there is no answer after it.
    """
    before, closing, answer = text.rpartition("</think>")
    if "<think>" in answer:
        raise ScoringError(
            "the answer opens <think> and never closes it, so there is no answer to explain; "
            "record the whole answer, or allow more new tokens"
        )
    thoughts = before.replace("<think>", "").replace("</think>", "").strip() if closing else ""
    return thoughts or None, answer.strip()


@dataclass
class ChatTemplate:
    """The way in which a tokenizer turns a conversation into a prompt.

    Args:
        tokenizer: A ``transformers`` tokenizer that nobody else uses.

    Attributes:
        text: Jinja source; None for a base model, which gets a plain-text prompt.
        options: Values that are given to the template besides the messages.
        answer_cue: Plain-text prompts end with this line.
    """

    tokenizer: Any
    text: str | None = field(init=False)
    options: dict[str, Any] = field(init=False)
    _source: str | None = field(init=False)
    _layouts: dict[tuple[bool, tuple[str, ...], str], Layout] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self.text = _template_text(self.tokenizer)
        self.options = _options(self.text) if self.text else {}
        self._source = _FIXED_DATE + self.text if self.text and self._has_date else self.text

    @property
    def _has_date(self) -> bool:
        return "strftime_now" in (self.text or "")

    def layout(self, roles: Sequence[str], *, system: bool, answer_cue: str = "") -> Layout:
        """Where everything goes in a conversation.

        Args:
            roles: Roles of the earlier turns (``user`` or ``assistant``), oldest first.
            system: Whether there is a system text.
            answer_cue: Last line of a plain-text prompt.

        Raises:
            ScoringError: If the template refuses or drops some of it, however it is put.
        """
        key = (system, tuple(roles), answer_cue)
        if key not in self._layouts:
            self._layouts[key] = self._chat(key) if self.text else _plain_layout(key)
        return self._layouts[key]

    def _chat(self, key: tuple[bool, tuple[str, ...], str]) -> Layout:
        system, roles, _ = key
        turns = [(role, (turn_slot(index),)) for index, role in enumerate(roles)]
        messages: list[Message] = [*turns, ("user", (QUESTION,))]
        if system:
            messages.insert(0, ("system", (SYSTEM,)))
        reasons = []
        for merged in (False, True):
            for folded in (False, True):
                candidate = _fold(messages) if folded else messages
                candidate = _merge(candidate) if merged else candidate
                try:
                    return Layout(self._parts(candidate, prompt=True), folded and system, merged)
                except _RefusedError as error:
                    reasons.append(str(error))
        raise ScoringError(f"the chat template cannot hold this conversation: {reasons[-1]}")

    def _parts(self, messages: Sequence[Message], *, prompt: bool) -> tuple[str | Slot, ...]:
        """Render marker words and split at them; every slot must appear exactly once, the question last."""
        from jinja2 import TemplateError

        try:
            text = self._render(messages, prompt=prompt)
        except (TemplateError, TypeError, ValueError) as error:
            raise _RefusedError(str(error) or type(error).__name__) from error
        pieces = _MARKER.split(text)
        found = pieces[1::2]
        wanted = [slot for _, slots in messages for slot in slots]
        if sorted(found) != sorted(wanted) or found[-1] != wanted[-1]:
            lost = [slot for slot in wanted if found.count(slot) != 1]
            raise _RefusedError(f"it leaves out, repeats or moves {', '.join(lost) or 'the question'}")
        return tuple(Slot(piece) if index % 2 else piece for index, piece in enumerate(pieces))

    def _render(self, messages: Sequence[Message], *, prompt: bool) -> str:
        contents = [
            {"role": role, "content": "\n".join(f"XSLOT{slot}SLOTX" for slot in slots)}
            for role, slots in messages
        ]
        rendered = self.tokenizer.apply_chat_template(
            contents,
            chat_template=self._source,
            tokenize=False,
            add_generation_prompt=prompt,
            **self.options,
        )
        return str(rendered)

    def end_of_turn(self, encoder: TextEncoder) -> int | None:
        """Id of the token that ends an answer: the template's, else the tokenizer's end of sequence."""
        closing = self._after_answer() if self.text else ""
        ids = [token for token in encoder.template(closing) if token in encoder.control]
        end = ids[0] if ids else self.tokenizer.eos_token_id
        return None if end is None else int(end)

    def _after_answer(self) -> str:
        """What the template writes behind an answer."""
        try:
            parts = self._parts([("user", (QUESTION,)), ("assistant", (ANSWER,))], prompt=False)
        except _RefusedError:
            return ""
        return str(parts[-1])

    def describe(self) -> dict[str, Any]:
        """Identity and habits of the template, as JSON values.

        Raises:
            ModelError: If not even a single question fits the template.
        """
        if self.text is None:
            return {"kind": "plain", "reason": "the tokenizer has no chat template"}
        try:
            layout = self.layout((), system=True)
        except ScoringError as error:
            raise ModelError(f"the model's chat template is unusable: {error}") from error
        closing = str(layout.parts[-1])
        return {
            "kind": "chat",
            "sha256": hashlib.sha256(self.text.encode()).hexdigest()[:16],
            "system": "folded into the first user turn" if layout.folded else "system turn",
            "thinking": _thinking(self.options, closing),
            "date": TEMPLATE_DATE if self._has_date else None,
        }


def _template_text(tokenizer: Any) -> str | None:
    """Source of the template that plain conversations use."""
    if not tokenizer.chat_template:
        return None
    try:
        return str(tokenizer.get_chat_template())
    except ValueError as error:
        raise ModelError(
            "the tokenizer has several chat templates and none is the default; set one"
        ) from error


class _RefusedError(Exception):
    """The template does not take a conversation of this shape."""


def close_thought(closing: str) -> str:
    """Close reasoning that a template's last words leave open, so that the answer itself comes next."""
    return f"{closing.rstrip()}\n\n</think>\n\n" if _OPEN_THOUGHT.search(closing) else closing


def without_thought(closing: str) -> str:
    """A template's last words without the reasoning block that they open, closed again or not."""
    return _THOUGHT_BLOCK.sub("", closing)


def _thinking(options: Mapping[str, Any], closing: str) -> str | None:
    """How a thinking template was kept from thinking, or None."""
    if _OPEN_THOUGHT.search(closing):
        return "opened by the template, closed at once"
    switched = [switch for switch in _THINK_SWITCHES if switch in options]
    return f"{switched[0]}=False" if switched else None


def _options(template: str) -> dict[str, Any]:
    """The template variables that we set: no thinking, and always the same date."""
    options: dict[str, Any] = {}
    for switch in _THINK_SWITCHES:
        if re.search(rf"(?<![\w.'\"]){switch}(?![\w'\"])", template):  # a variable, no field and no text
            options[switch] = False
    if "date_string" in template:
        options["date_string"] = TEMPLATE_DATE
    return options


def _fold(messages: Sequence[Message]) -> list[Message]:
    """Move the system text to the start of the first user turn."""
    if messages[0][0] != "system":
        return list(messages)
    system, rest = messages[0], list(messages[1:])
    place = next(index for index, (role, _) in enumerate(rest) if role == "user")
    rest[place] = ("user", (*system[1], *rest[place][1]))
    return rest


def _merge(messages: Sequence[Message]) -> list[Message]:
    """Put neighbouring turns of one role together."""
    merged: list[Message] = []
    for role, slots in messages:
        if merged and merged[-1][0] == role:
            merged[-1] = (role, merged[-1][1] + slots)
        else:
            merged.append((role, slots))
    return merged


def _plain_layout(key: tuple[bool, tuple[str, ...], str]) -> Layout:
    """The layout for models without a chat template: lines of text."""
    system, roles, answer_cue = key
    parts: list[str | Slot] = [Slot(SYSTEM), "\n"] if system else []
    for index, role in enumerate(roles):
        parts += [f"{role.capitalize()}: ", Slot(turn_slot(index)), "\n"]
    return Layout((*parts, Slot(QUESTION), f"\n{answer_cue}\n"))
