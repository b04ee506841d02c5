"""The tokens that an encoder reads of a text, each with its place in the text as the person wrote it.

The encoder reads ``prompt + text``, stripped and perhaps lower-cased, with control tokens around it, and cut
at its limit. Here every token is told apart (text, prompt, control), and those of the text point back at it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from boresight.models.spans import Span, cover, spans_by_decoding, spans_by_words

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class TextTokens:
    """What is read of one text.

    Attributes:
        inputs: What the model takes, by argument name (``input_ids``, ``attention_mask``, perhaps more).
        texts: Each token as the vocabulary spells it.
        control: Whether the tokenizer added the token by itself.
        content: Whether the token belongs to the text, rather than to the prompt or the control tokens.
        spans: Characters of the original text for each token; None for tokens of prompt and control, and for
            all of them where the tokenizer gives no places. Joined without repeats they are the part that was
            read. Tokens of one word share its span where only words can be placed.
        total: Tokens before the cut at the limit.
        read: First character that was read, and the one behind the last; None where places are not known.
    """

    inputs: Mapping[str, tuple[int, ...]]
    texts: tuple[str, ...]
    control: tuple[bool, ...]
    content: tuple[bool, ...]
    spans: tuple[Span | None, ...]
    total: int
    read: Span | None

    @property
    def ids(self) -> tuple[int, ...]:
        """Token ids."""
        return self.inputs["input_ids"]

    @property
    def truncated(self) -> bool:
        """Whether the limit cut something off."""
        return len(self.ids) < self.total


def tokens_of(
    tokenizer: Any, text: str, *, prompt: str = "", lower: bool = False, limit: int | None = None
) -> TextTokens:
    """Tokenise a text as sentence-transformers does, without padding.

    Args:
        tokenizer: A ``transformers`` tokenizer, fast or slow.
        text: The text as it was written.
        prompt: Put before the text.
        lower: Whether the whole is lower-cased first.
        limit: Most tokens to read, control tokens included; None for no limit.
    """
    form = _Form.of(prompt, text, lower=lower)
    whole = _encode(tokenizer, form.text, None)
    kept = whole if limit is None or len(whole.ids) <= limit else _encode(tokenizer, form.text, limit)
    owners = _owners(tokenizer, form, whole)
    lost = len(owners.spans) - len(kept.inner)
    cut = (lost, 0) if getattr(tokenizer, "truncation_side", "right") == "left" else (0, lost)
    content, spans, read = _finished(owners.without(*cut), text, cut)
    return TextTokens(
        kept.inputs,
        tuple(str(token) for token in tokenizer.convert_ids_to_tokens(list(kept.ids))),
        kept.control,
        tuple(kept.spread(content, otherwise=False)),
        tuple(kept.spread(spans, otherwise=None)),
        len(whole.ids),
        read,
    )


@dataclass(frozen=True, slots=True)
class _Encoded:
    """What the tokenizer gives; ``inner`` are the places of the tokens that it did not add by itself."""

    inputs: Mapping[str, tuple[int, ...]]
    control: tuple[bool, ...]
    offsets: tuple[Span, ...] | None

    @property
    def ids(self) -> tuple[int, ...]:
        return self.inputs["input_ids"]

    @property
    def inner(self) -> list[int]:
        return [place for place, control in enumerate(self.control) if not control]

    def spread(self, values: Sequence[_T], *, otherwise: _T) -> list[_T]:
        """A value for each token from one for each inner token."""
        spread = [otherwise] * len(self.ids)
        for place, value in zip(self.inner, values, strict=True):
            spread[place] = value
        return spread


@dataclass(frozen=True, slots=True)
class _Form:
    """The text that is tokenised, and for each of its characters the one of the original that it stands for.

    ``origin`` is negative in the prompt, has one more entry for the end, and is None where it is not known.
    """

    text: str
    prompt_length: int
    origin: tuple[int, ...] | None

    @classmethod
    def of(cls, prompt: str, text: str, *, lower: bool) -> _Form:
        joined = prompt + text
        stripped = joined.strip()
        blanks = len(joined) - len(joined.lstrip())
        start, prompted = blanks - len(prompt), max(len(prompt) - blanks, 0)
        if not lower:
            return cls(stripped, prompted, tuple(range(start, start + len(stripped) + 1)))
        lowered = stripped.lower()
        widths = [len(character.lower()) for character in stripped]  # a dotted capital I becomes two
        if sum(widths) != len(lowered):
            return cls(lowered, prompted, None)
        origin = [start + place for place, width in enumerate(widths) for _ in range(width)]
        return cls(lowered, prompted, (*origin, start + len(stripped)))

    def back(self, place: Span) -> Span | None:
        """A span of the original text; None if it lies in the prompt or cannot be told."""
        if self.origin is None:
            return None
        start, stop = self.origin[place[0]], self.origin[place[1]]
        return (max(start, 0), stop) if stop > 0 or start >= 0 else None


@dataclass(frozen=True, slots=True)
class _Owners:
    """For each inner token: whether it is of the text, and where; ``exact`` if not only words are placed."""

    content: Sequence[bool]
    spans: Sequence[Span | None]
    exact: bool

    def without(self, first: int, last: int) -> _Owners:
        """Less tokens at either end."""
        part = slice(first, len(self.spans) - last)
        return _Owners(self.content[part], self.spans[part], self.exact)


def _encode(tokenizer: Any, text: str, limit: int | None) -> _Encoded:
    found = dict(
        tokenizer(
            text,
            padding=False,
            truncation=limit is not None,
            max_length=limit,
            return_special_tokens_mask=True,
            return_offsets_mapping=bool(getattr(tokenizer, "is_fast", False)),
            verbose=False,
        )
    )
    offsets, control = found.pop("offset_mapping", None), found.pop("special_tokens_mask")
    return _Encoded(
        {name: tuple(values) for name, values in found.items()},
        tuple(bool(flag) for flag in control),
        None if offsets is None else tuple((int(start), int(stop)) for start, stop in offsets),
    )


def _owners(tokenizer: Any, form: _Form, whole: _Encoded) -> _Owners:
    ids = [whole.ids[place] for place in whole.inner]
    if whole.offsets is not None:
        return _placed(form, [whole.offsets[place] for place in whole.inner], exact=True)
    words = spans_by_words(ids, form.text, lambda word: _bare(tokenizer, word))
    if words is not None:
        return _placed(form, words, exact=False)
    decoded = spans_by_decoding(ids, form.text, tokenizer.decode)
    if decoded is not None:
        return _placed(form, decoded, exact=True)
    prompt = len(_bare(tokenizer, form.text[: form.prompt_length]))
    return _Owners([place >= prompt for place in range(len(ids))], [None] * len(ids), exact=False)


def _bare(tokenizer: Any, text: str) -> list[int]:
    ids: list[int] = tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"]
    return ids


def _placed(form: _Form, places: Sequence[Span], *, exact: bool) -> _Owners:
    content = [stop > form.prompt_length or start >= form.prompt_length for start, stop in places]
    spans = [form.back(place) if mine else None for place, mine in zip(places, content, strict=True)]
    return _Owners(content, spans, exact)


def _finished(
    owners: _Owners, text: str, cut: tuple[int, int]
) -> tuple[Sequence[bool], list[Span | None], Span | None]:
    """Content flags, spans that cover what was read, and that part itself."""
    known = [span for span in owners.spans if span is not None]
    if len(known) != sum(owners.content):
        return owners.content, [None] * len(owners.spans), None
    first = known[0][0] if cut[0] and known else 0
    last = known[-1][1] if cut[1] and known else 0 if cut[1] else len(text)
    units = known if owners.exact else list(dict.fromkeys(known))
    shifted = [(start - first, stop - first) for start, stop in units]
    covered = [(start + first, stop + first) for start, stop in cover(last - first, shifted)]
    final = iter(covered if owners.exact else [dict(zip(units, covered, strict=True))[s] for s in known])
    return owners.content, [next(final) if mine else None for mine in owners.content], (first, last)
