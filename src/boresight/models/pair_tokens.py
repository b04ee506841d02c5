"""The tokens that a cross-encoder reads of a query and a passage together, told apart by side."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from boresight.errors import ModelError
from boresight.models.text_tokens import TextTokens, tokens_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from boresight.models.spans import Span

Side = Literal["query", "passage"]


def pair_tokens(tokenizer: Any, query: str, passage: str, side: Side, limit: int | None = None) -> TextTokens:
    """Tokens of a pair, of which those of one side are the content.

    Args:
        tokenizer: A ``transformers`` tokenizer, fast or slow.
        query: The question as it was written.
        passage: The passage as it was written.
        side: Whose tokens count as content and have spans; the other side's have neither.
        limit: Most tokens to read, control tokens included; the longer side is cut first.

    Returns:
        Tokens whose ``total`` counts those that the limit cut off this side.

    Raises:
        ModelError: If the pair's tokens are not those of the query and then those of the passage.
    """
    inputs, control = _encoded(tokenizer, query, passage, limit)
    ids = inputs["input_ids"]
    inner = [place for place, added in enumerate(control) if not added]
    both = {name: _Inner.of(tokenizer, text) for name, text in (("query", query), ("passage", passage))}
    asked, found = both["query"], both["passage"]
    first = _split([ids[place] for place in inner], asked.ids, found.ids)
    mine = inner[:first] if side == "query" else inner[first:]
    own = both[side]
    spans: list[Span | None] = [None] * len(ids)
    for place, span in zip(mine, own.spans, strict=False):
        spans[place] = span
    known = [span for span in own.spans[: len(mine)] if span is not None]
    whole = own.tokens
    cut = len(mine) < len(own.ids)
    return replace(
        whole,
        inputs=inputs,
        texts=tuple(map(str, tokenizer.convert_ids_to_tokens(ids))),
        control=control,
        content=tuple(place in set(mine) for place in range(len(ids))),
        spans=tuple(spans),
        total=len(ids) + len(own.ids) - len(mine),
        read=(known[0][0], known[-1][1]) if cut and known else whole.read,
    )


class _Inner:
    """A text's own tokens, without control tokens."""

    def __init__(self, tokens: TextTokens) -> None:
        places = [place for place, added in enumerate(tokens.control) if not added]
        self.tokens = tokens
        self.ids = [tokens.ids[place] for place in places]
        self.spans = [tokens.spans[place] for place in places]

    @classmethod
    def of(cls, tokenizer: Any, text: str) -> _Inner:
        return cls(tokens_of(tokenizer, text))


def _split(inner: Sequence[int], query: Sequence[int], passage: Sequence[int]) -> int:
    """How many of the inner tokens are the query's; either side may have lost tokens at its end."""
    for first in range(min(len(query), len(inner)), -1, -1):
        rest = len(inner) - first
        if list(inner[:first]) == list(query[:first]) and list(inner[first:]) == list(passage[:rest]):
            return first
    raise ModelError(
        "The tokenizer reads a query and a passage together otherwise than each alone, so its tokens cannot "
        "be told apart; explain the score by re-scoring instead."
    )


def _encoded(
    tokenizer: Any, query: str, passage: str, limit: int | None
) -> tuple[dict[str, tuple[int, ...]], tuple[bool, ...]]:
    """What the model reads of a pair, by argument name, and the tokens that the tokenizer added by itself."""
    rows = tokenizer(
        [(query.strip(), passage.strip())],
        padding=False,
        truncation=limit is not None,
        max_length=limit,
        return_special_tokens_mask=True,
        verbose=False,
    )
    inputs = {name: tuple(values[0]) for name, values in rows.items()}
    return inputs, tuple(map(bool, inputs.pop("special_tokens_mask")))
