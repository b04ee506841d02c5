"""Why a ranker gave a passage its score, on the words of the query and on those of the passage.

Whatever the ranker is, its explanation here has one shape: tokens with values, a side of the score each. A
ranker with an arithmetic of its own is explained by that (both sides then sum to the score); an encoder or a
cross-encoder by Integrated Gradients, one side at a time with the other held fixed.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, cast

from boresight.errors import SpecError
from boresight.explain.parts import BOTH_EXPAND, PASSAGE_EXPANSION, QUERY_EXPANSION
from boresight.explain.structural import structural_explainer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from boresight.explain.parts import Explainer, Explanation, Part
    from boresight.explain.saliency import Saliency, ScoredText
    from boresight.models.encoder import DenseEncoder
    from boresight.models.rankers.cross_encoder import CrossEncoderRanker
    from boresight.models.rankers.seam import Kind, Ranker
    from boresight.models.spans import Span

STRUCTURAL = "structural"
EXPLAINED = "dense encoders, cross-encoder:, bm25:, sparse: and maxsim:"


@dataclass(frozen=True, slots=True)
class Token:
    """One token, or one part of a score.

    Attributes:
        place: Its number among what the model read, or among the parts of the side.
        text: As the text spells it, or the model's word where the text does not say it.
        start: First character; None where it belongs to no character.
        end: Behind the last.
        value: What it adds, in the unit of the score.
    """

    place: int
    text: str
    start: int | None
    end: int | None
    value: float


@dataclass(frozen=True, slots=True)
class OneSide:
    """One side of one score.

    Attributes:
        tokens: In the order of the text, those without a place in it last.
        base: Score of the baseline; None where the tokens sum to the score itself.
        gap: Sum of the tokens minus what they explain; tokens of an encoder's own prompt are not listed, but
            counted here as the method counts them.
        relative_gap: |gap| as a share of what is explained.
        nodes: Nodes of the quadrature; None where nothing was integrated.
        warning: One sentence where the gap stayed above the tolerance.
        read: Tokens that the model read; None for rankers that read all words.
        total: Tokens of the text.
    """

    tokens: tuple[Token, ...]
    base: float | None
    gap: float
    relative_gap: float
    nodes: int | None = None
    warning: str | None = None
    read: int | None = None
    total: int | None = None


@dataclass(frozen=True, slots=True)
class BothSides:
    """One passage's score.

    Attributes:
        score: The score that the ranker gives.
        query: What the words of the query do to it.
        passage: What the words of the passage do to it.
    """

    score: float
    query: OneSide
    passage: OneSide


class SidesExplainer(Protocol):
    """Explains scores on both sides."""

    @property
    def method(self) -> str:
        """How: ``structural``, or the name of a saliency method."""

    @property
    def kind(self) -> Kind:
        """How the values are tied to the score."""

    def explain(self, query: str, passages: Mapping[str, str]) -> dict[str, BothSides]:
        """Explain the score of every passage; by passage id."""

    def passage_texts(self, query: str, passages: Mapping[str, str]) -> dict[str, ScoredText]:
        """The scores as functions of the passages' tokens; empty where the arithmetic is exact."""


def sides_explainer(ranker: Ranker) -> SidesExplainer:
    """The explainer that fits a ranker.

    Args:
        ranker: Any ranker.

    Raises:
        SpecError: Neither arithmetic nor gradients of it can be read.
    """
    own = structural_explainer(ranker)
    if own is not None:
        return _Structural(own)
    if ranker.describe().get("kind") == "cross-encoder":
        return _Gradients(lambda query, passages: _cross(cast("CrossEncoderRanker", ranker), query, passages))
    if hasattr(ranker, "embedding_path"):
        return _Gradients(lambda query, passages: _dense(cast("DenseEncoder", ranker), query, passages))
    raise SpecError(
        f"the scores of {ranker.name} cannot be explained word by word; {EXPLAINED} can, so choose one of "
        "these as --retriever, or leave --explain retriever out"
    )


@dataclass(frozen=True, slots=True)
class _Structural:
    explainer: Explainer
    method: str = STRUCTURAL

    @property
    def kind(self) -> Kind:
        return self.explainer.kind

    def explain(self, query: str, passages: Mapping[str, str]) -> dict[str, BothSides]:
        found = self.explainer.explain(query, passages)
        return {
            key: BothSides(
                one.score,
                _spread(one, query, lambda part: part.query_spans, (QUERY_EXPANSION, BOTH_EXPAND)),
                _spread(
                    one, passages[key], lambda part: part.passage_spans, (PASSAGE_EXPANSION, BOTH_EXPAND)
                ),
            )
            for key, one in found.items()
        }

    def passage_texts(self, query: str, passages: Mapping[str, str]) -> dict[str, ScoredText]:  # noqa: ARG002 - nothing to test
        return {}


def _spread(
    found: Explanation,
    text: str,
    spans_of: Callable[[Part], tuple[Span, ...]],
    expansions: tuple[str, str],
) -> OneSide:
    """The parts on one side; a part of several places is shared evenly by them, since none is worth more.

    An expansion stands at the word that it comes from, under its own name.
    """
    pieces: list[tuple[str, Span | None, float]] = []
    for part in found.parts:
        spans = spans_of(part)
        name = part.key if part.note in expansions else None
        pieces += [(name or text[start:end], (start, end), part.value / len(spans)) for start, end in spans]
        if not spans:
            pieces.append((part.key, None, part.value))
    tokens = _in_order((word, *(span or (None, None)), value) for word, span, value in pieces)
    gap = -found.gap
    return OneSide(tokens, None, gap, _share(gap, found.score))


def _in_order(pieces: Iterable[tuple[str, int | None, int | None, float]]) -> tuple[Token, ...]:
    ordered = sorted(pieces, key=lambda piece: (piece[1] is None, piece[1] or 0, piece[2] or 0, piece[0]))
    return tuple(Token(place, *piece) for place, piece in enumerate(ordered))


def _share(gap: float, whole: float) -> float:
    return abs(gap) / max(abs(whole), 1.0)


Texts = tuple["ScoredText", "ScoredText"]


@dataclass(frozen=True, slots=True)
class _Gradients:
    texts: Callable[[str, Mapping[str, str]], dict[str, Texts]]
    method: str = "integrated_gradients"
    kind: Kind = "approximate"

    def explain(self, query: str, passages: Mapping[str, str]) -> dict[str, BothSides]:
        from boresight.explain.saliency import METHODS, SaliencyWarning

        method, found = METHODS[self.method], {}
        for key, (asked, read) in self.texts(query, passages).items():
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", SaliencyWarning)  # stored with the values
                sides = method.explain(asked), method.explain(read)
            found[key] = BothSides(
                sides[1].score, _from_saliency(sides[0], query), _from_saliency(sides[1], passages[key])
            )
        return found

    def passage_texts(self, query: str, passages: Mapping[str, str]) -> dict[str, ScoredText]:
        return {key: read for key, (_, read) in self.texts(query, passages).items()}


def _dense(encoder: DenseEncoder, query: str, passages: Mapping[str, str]) -> dict[str, Texts]:
    from boresight.explain.saliency import passage_side, query_side

    read = passage_side(encoder, query, passages)
    return {key: (query_side(encoder, query, {key: text}), read[key]) for key, text in passages.items()}


def _cross(ranker: CrossEncoderRanker, query: str, passages: Mapping[str, str]) -> dict[str, Texts]:
    from boresight.explain.saliency import pair_side

    asked = pair_side(ranker, query, passages, "query")
    read = pair_side(ranker, query, passages, "passage")
    return {key: (asked[key], read[key]) for key in passages}


def _from_saliency(found: Saliency, text: str) -> OneSide:
    tokens = tuple(
        Token(place, text[one.start : one.end], one.start, one.end, one.value)
        for place, one in enumerate(found.tokens)
        if one.part == "text" and one.start is not None
    )
    settings: dict[str, Any] = {"nodes": found.nodes, "warning": found.warning}
    return OneSide(
        tokens, found.baseline_score, found.gap or 0.0, found.relative_gap or 0.0, **settings,
        read=len(found.tokens), total=found.total_tokens,
    )  # fmt: skip
