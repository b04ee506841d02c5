"""Tokenising template text and user text apart, so that user text can never become a control token.

Every added token of a tokenizer that is more than whitespace counts as control, whether it is flagged special
or not: reasoning tags and section markers often are not. Template text is encoded with control tokens parsed.
User text goes through a private copy of the tokenizer that does not know them, and a guard looks at the ids:
where a vocabulary itself spells a control token, the text is encoded around a split inside the string.
"""

from __future__ import annotations

import json
import re
import unicodedata
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Protocol

from boresight.models.spans import Span, cover, spans_by_decoding, spans_by_words

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

WELL_KNOWN = (
    "<|im_start|>",
    "<|im_end|>",
    "<|endoftext|>",
    "<|begin_of_text|>",
    "<|start_header_id|>",
    "<|end_header_id|>",
    "<|eot_id|>",
    "<|system|>",
    "<|user|>",
    "<|assistant|>",
    "<|end|>",
    "<start_of_turn>",
    "<end_of_turn>",
    "<s>",
    "</s>",
    "[INST]",
    "[/INST]",
    "<<SYS>>",
    "<</SYS>>",
    "<think>",
    "</think>",
    "<tool_call>",
    "</tool_call>",
)

_SURROGATES = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Encoded:
    """Token ids and the character span of each; spans are None where the tokenizer gives none."""

    ids: tuple[int, ...]
    spans: tuple[Span, ...] | None


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of prompt text: written by the template, or by a user."""

    text: str
    is_template: bool


class _Backend(Protocol):
    """Encodes a text as it stands, adding nothing."""

    def __call__(self, text: str) -> Encoded: ...


class TextEncoder:
    """Turns prompt text into token ids.

    Args:
        tokenizer: A ``transformers`` tokenizer that nobody else uses; fast and slow ones both work.

    Attributes:
        control: Text of each control token by id.
    """

    def __init__(self, tokenizer: Any) -> None:
        self.control = control_tokens(tokenizer)
        self._tokenizer = tokenizer
        self._unknown = (
            tokenizer.unk_token_id
        )  # often the pad token too: it stands for a character all the same
        self._markers = _markers(tokenizer, self.control)
        if getattr(tokenizer, "is_fast", False):
            self._template, self._plain = _fast_backends(tokenizer)
        else:
            self._template = self._plain = _slow_backend(tokenizer)

    def control_strings(self, text: str) -> tuple[str, ...]:
        """The control tokens of chat formats that a text spells, as it stands or in compatibility form.

        Added tokens that are no markers of a chat (``<b>``, say) are not named: they do no harm.
        """
        # Some tokenizers normalise first, so that a full-width look-alike becomes the marker itself.
        shapes = (text, unicodedata.normalize("NFKC", text))
        return tuple(string for string in self._markers if any(string in shape for shape in shapes))

    def template(self, text: str, *, after_newline: bool = False) -> tuple[int, ...]:
        """Ids of text that the template wrote: control tokens are parsed."""
        return self._encode(self._template, text, after_newline=after_newline).ids

    def plain(self, text: str, *, after_newline: bool = False) -> Encoded:
        """Ids and spans of text that a user wrote: no control token, whatever it spells.

        Args:
            text: Any text; lone surrogates count as the replacement character.
            after_newline: Encode it as it would be after a line break, without a prefix of its own.
        """
        text = _SURROGATES.sub("\ufffd", text)
        encoded = self._encode(self._plain, text, after_newline=after_newline)
        cuts = self._cuts(text, encoded)
        if not cuts:
            return encoded
        if len(text) == 1:  # nothing left to split: such a character is left out
            kept = [index for index, token in enumerate(encoded.ids) if not self._is_control(token, "")]
            return _select(encoded, kept)
        bounds = [0, *cuts, len(text)]
        parts = [
            self.plain(text[start:stop], after_newline=after_newline or start > 0)
            for start, stop in pairwise(bounds)
        ]
        return _chain(parts, bounds)

    def join(self, pieces: Sequence[Piece], *, after_newline: bool = False) -> tuple[int, ...]:
        """Ids of template and user text in turn.

        The whole is encoded at once, as a chat template's text would be, unless a control token would then
        lie in user text: in that case piece by piece.

        Args:
            pieces: The text in reading order.
            after_newline: Whether a line break stands before it.
        """
        text = _SURROGATES.sub("\ufffd", "".join(piece.text for piece in pieces))
        whole = self._encode(self._template, text, after_newline=after_newline)
        if self._only_template_controls(whole, pieces, text):
            return whole.ids
        ids: list[int] = []
        for piece in pieces:
            joined = after_newline or bool(ids)
            if piece.is_template:
                ids += self.template(piece.text, after_newline=joined)
            else:
                ids += self.plain(piece.text, after_newline=joined).ids
        return tuple(ids)

    def target(self, text: str) -> Encoded:
        """Ids and covering spans of a target text; where no span can be known, all are empty."""
        encoded = self.plain(text)
        if encoded.spans is not None:
            return Encoded(encoded.ids, cover(len(text), encoded.spans))
        spans = spans_by_decoding(encoded.ids, text, self._decode) or spans_by_words(
            encoded.ids, text, lambda word: self.plain(word).ids
        )
        return Encoded(encoded.ids, spans or ((0, 0),) * len(encoded.ids))

    def _decode(self, ids: Sequence[int]) -> str:
        return str(self._tokenizer.decode(list(ids)))

    def _encode(self, backend: _Backend, text: str, *, after_newline: bool) -> Encoded:
        """Encode, and take away a line break that was put in front for the sake of context."""
        if not after_newline or not text:
            return backend(text) if text else Encoded((), ())
        return _without_newline(backend("\n" + text), backend) or backend(text)

    def _is_control(self, token: int, text: str) -> bool:
        """Whether a token in user text is a control token; an unknown character is none.

        Args:
            token: Its id.
            text: The text at its place, or all there is where places are not known.
        """
        if token not in self.control:
            return False
        return token != self._unknown or self.control[token] in text

    def _cuts(self, text: str, encoded: Encoded) -> list[int]:
        """Where to split a text so that its control tokens fall apart; empty if there are none."""
        cuts: set[int] = set()
        if encoded.spans is None:
            return self._blind_cuts(text, encoded.ids)
        for token, (start, stop) in zip(encoded.ids, encoded.spans, strict=True):
            if self._is_control(token, text[start:stop].strip()):
                cuts |= {(start + stop) // 2} if stop - start > 1 else {start, stop}
        inside = sorted(cut for cut in cuts if 0 < cut < len(text))
        return inside or ([max(len(text) // 2, 1)] if cuts else [])

    def _blind_cuts(self, text: str, ids: Sequence[int]) -> list[int]:
        """The same without spans: inside each control string, else in the middle."""
        if not any(self._is_control(token, text) for token in ids):
            return []
        strings = [
            re.escape(string) for string in self.control.values() if len(string) > 1 and string in text
        ]
        found = re.finditer("|".join(strings), text) if strings else ()
        return [sum(match.span()) // 2 for match in found] or [max(len(text) // 2, 1)]

    def _only_template_controls(self, whole: Encoded, pieces: Sequence[Piece], text: str) -> bool:
        """Whether every control token lies inside one template piece."""
        if whole.spans is None:
            return False
        allowed = []
        position = 0
        for piece in pieces:
            if piece.is_template:
                allowed.append((position, position + len(piece.text)))
            position += len(piece.text)
        return all(
            any(low <= start and stop <= high for low, high in allowed)
            for token, (start, stop) in zip(whole.ids, whole.spans, strict=True)
            if self._is_control(token, text[start:stop].strip())
        )


def control_tokens(tokenizer: Any) -> dict[int, str]:
    """Id and text of every control token: added tokens and special tokens that are more than whitespace."""
    found = {token: added.content for token, added in tokenizer.added_tokens_decoder.items()}
    found |= dict(zip(tokenizer.all_special_ids, tokenizer.all_special_tokens, strict=True))
    return {token: text for token, text in found.items() if text.strip()}


def _markers(tokenizer: Any, control: Mapping[int, str]) -> tuple[str, ...]:
    """Control tokens worth a warning: special ones, words of the chat template, well-known ones.

    A control token of one character belongs to them, since it has no plain form and is left out.
    """
    added = tokenizer.added_tokens_decoder
    template = str(tokenizer.chat_template or "")
    own = [
        text
        for token, text in control.items()
        if token not in added or added[token].special or len(text) == 1 or text in template
    ]
    return tuple(dict.fromkeys((*own, *WELL_KNOWN)))


def _fast_backends(tokenizer: Any) -> tuple[_Backend, _Backend]:
    """Two private copies of the tokenizer's engine: one parses control tokens, one knows none."""
    from tokenizers import Tokenizer

    state = json.loads(tokenizer.backend_tokenizer.to_str())
    state["truncation"] = state["padding"] = None
    template = Tokenizer.from_str(json.dumps(state))
    for added in state["added_tokens"]:
        added["special"] = bool(added["special"] or added["content"].strip())
    plain = Tokenizer.from_str(json.dumps(state))
    if plain.get_vocab() != template.get_vocab():  # the guard alone protects then
        plain = Tokenizer.from_str(template.to_str())
    template.encode_special_tokens = False
    plain.encode_special_tokens = True
    return _engine(template), _engine(plain)


def _engine(engine: Any) -> _Backend:
    def encode(text: str) -> Encoded:
        encoding = engine.encode(text, add_special_tokens=False)
        return Encoded(tuple(encoding.ids), tuple(encoding.offsets))

    return encode


def _slow_backend(tokenizer: Any) -> _Backend:
    def encode(text: str) -> Encoded:
        return Encoded(tuple(tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"]), None)

    return encode


def _without_newline(encoded: Encoded, backend: _Backend) -> Encoded | None:
    """Drop the tokens of a leading line break; None if they cannot be told from the text's own."""
    if encoded.spans is None:
        newline = backend("\n").ids
        clean = encoded.ids[: len(newline)] == newline
        return Encoded(encoded.ids[len(newline) :], None) if clean else None
    spans = encoded.spans
    first = next((index for index, (start, _) in enumerate(spans) if start >= 1), len(spans))
    if any(stop > 1 for _, stop in spans[:first]):
        return None
    return Encoded(encoded.ids[first:], tuple((start - 1, stop - 1) for start, stop in spans[first:]))


def _select(encoded: Encoded, kept: Sequence[int]) -> Encoded:
    spans = encoded.spans
    return Encoded(
        tuple(encoded.ids[index] for index in kept),
        None if spans is None else tuple(spans[index] for index in kept),
    )


def _chain(parts: Sequence[Encoded], starts: Sequence[int]) -> Encoded:
    """Put encoded parts behind one another, spans counted from the whole text's start."""
    ids = tuple(token for part in parts for token in part.ids)
    spans: list[Span] = []
    for part, start in zip(parts, starts, strict=False):  # starts end with the text's length
        if part.spans is None:
            return Encoded(ids, None)
        spans += [(low + start, high + start) for low, high in part.spans]
    return Encoded(ids, tuple(spans))
