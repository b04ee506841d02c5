"""What the retriever looks at, over a run: shares of its saliency on the passages' words, beside chance."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from boresight.run.retriever_saliency import side_of
from boresight.stats.bootstrap import mean_interval
from boresight.stats.random import rng_for

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from boresight.explain.saliency.words import WordSaliency
    from boresight.stats.interval import Interval

    Line = dict[str, Any]

NEGATIVE = "negative"


class Looks:
    """Collects what :mod:`boresight.explain.saliency.looks` counts, trace by trace.

    Args:
        seed: Seed of the intervals.
    """

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._shares: dict[str, dict[str, tuple[float, float]]] = {}
        self._negative: list[float] = []
        self._tenths: list[dict[str, float]] = []

    def add(self, query: str, texts: Mapping[str, str], line: Line) -> None:
        """Count one trace.

        Args:
            query: The question.
            texts: What the ranker read of each passage, by id.
            line: The stored explanations.
        """
        from boresight.explain.saliency.looks import query_matches

        matches = {name: cache(match) for name, match in query_matches(query).items()}
        for passage in line["passages"]:
            words = _words(side_of(passage, "passage")["tokens"], texts[passage["passage"]])
            self._add(f"{line['trace']}\n{passage['passage']}", words, matches)

    def _add(
        self, key: str, words: Sequence[WordSaliency], matches: Mapping[str, Callable[[str], bool]]
    ) -> None:
        from boresight.explain.saliency.looks import negative_share, share_by_position, share_on

        for name, match in matches.items():
            share = share_on(words, match)
            if share is not None:
                self._shares.setdefault(name, {})[key] = share
        negative, tenths = negative_share(words), share_by_position(words)
        self._negative += [] if negative is None else [negative]
        self._tenths += [tenths] if tenths else []

    def to_json(self) -> Line:
        """Means over passages with intervals; empty where no passage has positive saliency."""
        if not self._shares:
            return {}
        from boresight.explain.saliency.looks import TENTHS, over_run

        found: Line = {}
        for name, shares in self._shares.items():
            look = over_run(shares, self._seed, name)
            found[name] = {
                "share": _ends(look.share), "over_random": _ends(look.over_random), "passages": look.passages,
            }  # fmt: skip
        found[NEGATIVE] = _ends(mean_interval(self._negative, rng_for(self._seed, "look", NEGATIVE, "share")))
        found["by_tenth"] = [
            sum(one.get(str(tenth), 0.0) for one in self._tenths) / len(self._tenths)
            for tenth in range(TENTHS)
        ]
        return found


def _words(tokens: Sequence[Sequence[Any]], text: str) -> list[WordSaliency]:
    from boresight.explain.saliency.result import Saliency, TokenSaliency
    from boresight.explain.saliency.words import words_of

    read = tuple(TokenSaliency(word, start, end, value, "text") for _, word, start, end, value in tokens)
    return words_of(Saliency("passage", "", "approximate", "", read, 0.0), text)


def _ends(interval: Interval[float]) -> Line:
    return {"value": interval.value, "low": interval.low, "high": interval.high}
