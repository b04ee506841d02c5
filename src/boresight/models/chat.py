"""Chat templates, read once per conversation shape: which text is the template's, and where user text goes.

A template is rendered with marker words as message contents and split at the markers. What lies between is
template text, whose control tokens are real; what replaces the markers is user text, which has none.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any

from boresight.errors import ModelError, ScoringError
from boresight.models.foreign import foreign_code, reason
from boresight.models.reasoning import THINK, Tags, tags_of, without_reasoning

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from boresight.models.plain_text import TextEncoder

SYSTEM = "system"
QUESTION = "question"
ANSWER = "answer"
TEMPLATE_DATE = "26 Jul 2024"  # templates that print today's date would change the prompt every day
_DAY = datetime(2024, 7, 26, tzinfo=UTC)

_MARKER = re.compile(r"XSLOT([a-z]+[0-9]*)SLOTX")
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
        messages: The conversation as the template takes it; none for a plain-text prompt.
    """

    parts: tuple[str | Slot, ...]
    folded: bool = False
    merged: bool = False
    messages: tuple[Message, ...] = ()

    def split(self) -> tuple[tuple[str | Slot, ...], tuple[str | Slot, ...]]:
        """The parts before the question's slot, and those after it."""
        place = self.parts.index(Slot(QUESTION))
        return self.parts[:place], self.parts[place + 1 :]


def turn_slot(index: int) -> str:
    """Slot name of an earlier turn."""
    return f"turn{index}"


@dataclass
class ChatTemplate:
    """The way in which a tokenizer turns a conversation into a prompt.

    Args:
        tokenizer: A ``transformers`` tokenizer that nobody else uses.

    Attributes:
        text: Jinja source; None for a base model, which gets a plain-text prompt.
        options: Values that are given to the template besides the messages.
        reasoning: Tags of reasoning that the template or the vocabulary knows.
    """

    tokenizer: Any
    text: str | None = field(init=False)
    options: dict[str, Any] = field(init=False)
    _source: str | None = field(init=False)
    reasoning: tuple[Tags, ...] = field(init=False)
    _layouts: dict[tuple[bool, tuple[str, ...], str], Layout] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self.text = _template_text(self.tokenizer)
        self.options = _options(self.text) if self.text else {}
        self._source = _fixed_clock() + self.text if self.text and self._has_date else self.text
        tokens = (str(token) for token in self.tokenizer.added_tokens_decoder.values())
        self.reasoning = tags_of(self.text or "", tokens)

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
                    parts = self._parts(candidate, prompt=True)
                    return Layout(parts, folded and system, merged, tuple(candidate))
                except _RefusedError as error:
                    reasons.append(str(error))
        raise ScoringError(f"the chat template cannot hold this conversation: {reasons[-1]}")

    def _parts(self, messages: Sequence[Message], *, prompt: bool) -> tuple[str | Slot, ...]:
        """Render marker words and split at them; every slot must appear exactly once, the question last."""
        markers = {slot: f"XSLOT{slot}SLOTX" for _, slots in messages for slot in slots}
        text = self.render(messages, markers, prompt=prompt)
        pieces = _MARKER.split(text)
        found = pieces[1::2]
        wanted = [slot for _, slots in messages for slot in slots]
        if sorted(found) != sorted(wanted) or found[-1] != wanted[-1]:
            lost = [slot for slot in wanted if found.count(slot) != 1]
            raise _RefusedError(f"it leaves out, repeats or moves {', '.join(lost) or 'the question'}")
        return tuple(Slot(piece) if index % 2 else piece for index, piece in enumerate(pieces))

    def render(self, messages: Sequence[Message], texts: Mapping[str, str], *, prompt: bool = True) -> str:
        """What the template makes of a conversation.

        Args:
            messages: Role and slots of each message.
            texts: The text of each slot.
            prompt: Whether an answer is to follow.

        Raises:
            ScoringError: If the template refuses the conversation, or fails in any other way.
        """
        contents = [
            {"role": role, "content": "\n".join(texts[slot] for slot in slots)} for role, slots in messages
        ]
        with foreign_code(_refusal):
            return str(
                self.tokenizer.apply_chat_template(
                    contents,
                    chat_template=self._source,
                    tokenize=False,
                    add_generation_prompt=prompt,
                    **self.options,
                )
            )

    def tags(self, closing: str) -> Tags:
        """The tags to put around reasoning after a template's last words.

        Args:
            closing: The last words; the tags that they hold win.
        """
        held = (tags for tags in self.reasoning if tags.opening in closing)
        return next(iter((*held, *self.reasoning, THINK)))

    def shown_turn(self, text: str) -> str:
        """An earlier answer as the template shows it: without its reasoning, if the template drops that."""
        return without_reasoning(text, self._dropped)

    @cached_property
    def _dropped(self) -> tuple[Tags, ...]:
        """The tags whose reasoning the template takes out of earlier answers; found out by trying."""
        return tuple(tags for tags in self.reasoning if self.text and self._drops(tags))

    def _drops(self, tags: Tags) -> bool:
        messages: list[Message] = [("user", ("a",)), ("assistant", ("b",)), ("user", ("a",))]
        answer = "".join(tags.around("XTHOUGHTX")) + "XANSWERX"
        try:
            text = self.render(messages, {"a": "a", "b": answer})
        except _RefusedError:
            return False
        return "XANSWERX" in text and "XTHOUGHTX" not in text

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
            "thinking": self._thinking(closing),
            "date": TEMPLATE_DATE if self._has_date else None,
        }

    def _thinking(self, closing: str) -> str | None:
        """How a thinking template was kept from thinking, or None."""
        tags = self.tags(closing)
        if tags.opened_by(closing):
            return "opened by the template, closed at once"
        if tags.closed(closing) != closing:
            return "the answer is opened instead"
        return next((f"{switch}=False" for switch in _THINK_SWITCHES if switch in self.options), None)


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


class _RefusedError(ScoringError):
    """The template does not take a conversation of this shape."""


def _refusal(problem: Exception) -> _RefusedError:
    from jinja2 import TemplateError

    plain = isinstance(problem, TemplateError) and str(problem)  # the template's own words
    return _RefusedError(plain or reason(problem))


def _fixed_clock() -> str:
    """A macro that stands in for the templates' clock: always the same day, in any format.

    Templates get plain data only, so that no function of ours could take the clock's place.
    """
    codes = {f"%{code}": _DAY.strftime(f"%{code}") for code in "aAbBdHIjmMpSwyYZ"}
    codes |= {f"%-{code}": str(int(codes[f"%{code}"])) for code in "dHIjmMS"}
    steps = "".join(f" | replace('{code}', '{value}')" for code, value in codes.items())
    # The line break at the end is eaten by the environment, so that the template's own stay as they are.
    return f"{{% macro strftime_now(pattern) %}}{{{{ pattern{steps} }}}}{{% endmacro %}}\n"


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
