"""BM25: which terms a passage shares with a query, how rare they are, how often they occur.

The collection is indexed and searched by bm25s. The same arithmetic stands here once more, term by term: it
explains a score, and it scores texts that are not in the collection (a passage without one of its sentences,
say) with the collection's statistics.

Source: Robertson and Zaragoza, The Probabilistic Relevance Framework: BM25 and Beyond, 2009; the variants
as in Kamphuis et al., Which BM25 Do You Mean?, ECIR 2020.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from boresight.errors import InputError, SpecError
from boresight.models.rankers.extras import library
from boresight.models.rankers.words import StopWords, words_at

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

Variant = Literal["lucene", "robertson", "atire"]
VARIANTS: tuple[Variant, ...] = ("lucene", "robertson", "atire")
_FILE = "statistics.json"


@dataclass(frozen=True, slots=True)
class Bm25Settings:
    """What decides a BM25 score besides the texts.

    Attributes:
        variant: ``lucene`` (default), ``robertson`` or ``atire``.
        k1: How fast repeated occurrences stop counting, above 0.
        b: How much length counts, 0 to 1.
        stop_words: ``english`` or ``none``.

    Raises:
        SpecError: If one of them is out of range.
    """

    variant: Variant = "lucene"
    k1: float = 1.5
    b: float = 0.75
    stop_words: StopWords = "english"

    def __post_init__(self) -> None:
        if self.variant not in VARIANTS:
            raise SpecError(f"BM25's variant is one of {', '.join(VARIANTS)}, not {self.variant!r}")
        if not (math.isfinite(self.k1) and self.k1 > 0 and 0 <= self.b <= 1):
            raise SpecError(f"BM25 needs k1 above 0 and b from 0 to 1, not k1={self.k1} and b={self.b}")


@dataclass(frozen=True, slots=True)
class Statistics:
    """What BM25 knows of its collection.

    Attributes:
        passages: Number of passages.
        words: Number of counted words in all of them.
        holding: Number of passages that hold a term, by term.
    """

    passages: int
    words: int
    holding: Mapping[str, int]

    @property
    def mean_length(self) -> float:
        """Counted words of an average passage; 0 for a collection without words."""
        return self.words / self.passages if self.passages else 0.0


@dataclass(frozen=True, slots=True)
class TermPart:
    """What one term adds to a score: ``value = repeats * idf * frequency_part * length_part``.

    Attributes:
        term: The term.
        repeats: How often the query says it.
        frequency: How often the passage says it.
        idf: Weight of the term's rarity.
        frequency_part: Saturated frequency, as in a passage of average length.
        length_part: Factor for the passage's length; above 1 for a short one.
        value: The term's share of the score.
    """

    term: str
    repeats: int
    frequency: int
    idf: float
    frequency_part: float
    length_part: float
    value: float


class Bm25Ranker:
    """BM25 over a collection; a ranker and a searcher.

    Args:
        statistics: What is known of the collection.
        settings: Variant and constants.
        name: Name of the stage.
        index: The index of bm25s with the passage ids in its order; None for a ranker that cannot search.
    """

    def __init__(
        self,
        statistics: Statistics,
        settings: Bm25Settings | None = None,
        *,
        name: str = "bm25",
        index: tuple[Any, tuple[str, ...]] | None = None,
    ) -> None:
        self.name = name
        self.settings = settings or Bm25Settings()
        self.statistics = statistics
        self._index = index

    @classmethod
    def fit(cls, collection: Mapping[str, str], settings: Bm25Settings | None = None) -> Bm25Ranker:
        """Index a collection.

        Args:
            collection: Text by passage id; read once, in order.
            settings: Variant and constants.

        Raises:
            SpecError: If bm25s is not installed.
        """
        settings = settings or Bm25Settings()
        vocabulary: dict[str, int] = {}
        rows = [
            [
                vocabulary.setdefault(word.term, len(vocabulary))
                for word in words_at(text, settings.stop_words)
            ]
            for text in collection.values()
        ]
        holding = Counter(number for row in rows for number in set(row))
        terms = {term: holding[number] for term, number in vocabulary.items()}
        statistics = Statistics(len(rows), sum(map(len, rows)), terms)
        return cls(statistics, settings, index=(_indexed(rows, vocabulary, settings), tuple(collection)))

    def describe(self) -> dict[str, Any]:
        """Identity for the record."""
        known = self.statistics
        return {
            "kind": "bm25",
            "name": self.name,
            "score": "bm25",
            **asdict(self.settings),
            "passages": known.passages,
            "mean_length": known.mean_length,
        }

    def score(self, query: str, passages: Mapping[str, str]) -> dict[str, float]:
        """Score texts with the collection's statistics, whether they belong to it or not.

        Args:
            query: The question.
            passages: Text by passage id.

        Returns:
            BM25 by passage id, in the given order; 0 where no term is shared.
        """
        return {
            key: math.fsum(part.value for part in self.parts(query, text)) for key, text in passages.items()
        }

    def parts(self, query: str, text: str) -> tuple[TermPart, ...]:
        """The terms that make up a text's score, in the order of the query; those it lacks are left out."""
        asked = Counter(word.term for word in words_at(query, self.settings.stop_words))
        words = Counter(word.term for word in words_at(text, self.settings.stop_words))
        length = words.total()
        return tuple(
            self._part(term, repeats, words[term], length)
            for term, repeats in asked.items()
            if words[term] and term in self.statistics.holding
        )

    def search(self, query: str, k: int) -> dict[str, float]:
        """The best passages of the collection that share a term with the query.

        Args:
            query: The question.
            k: Most passages to return.

        Returns:
            bm25s' score by passage id, best first; equal scores stand in the collection's order. Passages
            that share no term are left out, so there can be fewer than ``k``.

        Raises:
            SpecError: If this ranker has no index.
        """
        if self._index is None:
            raise SpecError(f"{self.name} holds no collection, so it can score passages but not search")
        engine, ids = self._index
        terms = [word.term for word in words_at(query, self.settings.stop_words)]
        known = [term for term in terms if term in self.statistics.holding]
        if engine is None or not known:
            return {}
        scores = engine.get_scores(known)
        found = [int(place) for place in (-scores).argsort(kind="stable")[:k] if scores[place] > 0]
        return {ids[place]: float(scores[place]) for place in found}

    def save(self, folder: Path) -> None:
        """Write index and statistics into a folder, which is made."""
        if self._index is None:
            raise SpecError(f"{self.name} holds no collection, so there is nothing to save")
        engine, ids = self._index
        folder.mkdir(parents=True, exist_ok=True)
        if engine is not None:
            engine.save(folder, show_progress=False)
        whole = {"settings": asdict(self.settings), "statistics": asdict(self.statistics), "ids": ids}
        (folder / _FILE).write_text(json.dumps(whole, ensure_ascii=False), encoding="utf-8")

    @classmethod
    def load(cls, folder: Path) -> Bm25Ranker:
        """Read what :meth:`save` wrote.

        Raises:
            InputError: If the folder holds no such index.
            SpecError: If bm25s is not installed.
        """
        file = folder / _FILE
        if not file.is_file():
            raise InputError(f"{folder} holds no BM25 index: {file.name} is missing; make it again")
        whole = json.loads(file.read_text(encoding="utf-8"))
        statistics = Statistics(**whole["statistics"])
        engine = library("bm25s").BM25.load(folder) if statistics.words else None
        return cls(statistics, Bm25Settings(**whole["settings"]), index=(engine, tuple(whole["ids"])))

    def _part(self, term: str, repeats: int, frequency: int, length: int) -> TermPart:
        settings = self.settings
        relative = length / self.statistics.mean_length if self.statistics.words else 1.0
        steep = settings.k1 * (1 - settings.b + settings.b * relative)
        top = settings.k1 + 1 if settings.variant == "atire" else 1.0
        frequency_part = top * frequency / (frequency + settings.k1)
        length_part = (frequency + settings.k1) / (frequency + steep)
        idf = self._idf[term]
        value = repeats * idf * frequency_part * length_part
        return TermPart(term, repeats, frequency, idf, frequency_part, length_part, value)

    @cached_property
    def _idf(self) -> dict[str, float]:
        total, formula = self.statistics.passages, _IDF[self.settings.variant]
        return {term: formula(total, holding) for term, holding in self.statistics.holding.items()}


_IDF: Mapping[Variant, Callable[[int, int], float]] = {
    "lucene": lambda total, holding: math.log(1 + (total - holding + 0.5) / (holding + 0.5)),
    # A term in more than half of the passages would count against them; it counts nothing instead.
    "robertson": lambda total, holding: math.log(max(1.0, (total - holding + 0.5) / (holding + 0.5))),
    "atire": lambda total, holding: math.log(total / holding),
}


def _indexed(rows: list[list[int]], vocabulary: Mapping[str, int], settings: Bm25Settings) -> Any:
    """The index of bm25s; None where there is no word to index, on which it would divide by zero."""
    engine = library("bm25s").BM25(method=settings.variant, k1=settings.k1, b=settings.b)
    if not vocabulary:
        return None
    # Without its own empty token, which would take a real term's place.
    engine.index((rows, dict(vocabulary)), create_empty_token=False, show_progress=False)
    return engine
