"""What the retriever looks at, over a run: shares of its saliency on the passages' words, beside chance."""

from __future__ import annotations

from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

from boresight.run.retriever_saliency import side_of
from boresight.stats.random import rng_for

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from boresight.explain.saliency.language import Language
    from boresight.explain.saliency.reading import Reading
    from boresight.stats.interval import Interval

    Line = dict[str, Any]
    Pairs = dict[str, list[tuple[float, float]]]

QUERY_WORDS = ("exact", "stem", "soft")
NEGATIVE, NEGATIVE_EXACT = "negative", "negative_exact"
BY_TENTH, PART_OF_SPEECH, BIGRAM = "by_tenth", "part_of_speech", "bigram"
LABELLED = (PART_OF_SPEECH, BIGRAM)
BIGRAMS_KEPT = 10
NOTHING = "no passage was explained with saliency on its words"
NO_NEGATIVE = "no passage was explained with negative saliency"


class Looks:
    """Collects what :mod:`boresight.explain.saliency.looks` counts, trace by trace.

    Args:
        seed: Seed of shuffles and intervals.
        language: Gives stems and parts of speech, asked for at the first trace; by default what is installed
            for English.
    """

    def __init__(self, seed: int, language: Callable[[], Language] | None = None) -> None:
        self._seed = seed
        self._make = language
        self._single: dict[str, Pairs] = {}
        self._groups: dict[str, dict[str, Pairs]] = {}
        self._counted: dict[str, dict[str, int]] = {}

    def add(self, query: str, texts: Mapping[str, str], line: Line) -> None:
        """Count one trace.

        Args:
            query: The question.
            texts: What the ranker read of each passage, by id.
            line: The stored explanations.
        """
        if not line["passages"]:
            return
        from boresight.explain.saliency.looks import query_matches

        stemmer = self._language.stemmer
        found = query_matches(query, stemmer.stem if stemmer else None)
        matches = {name: cache(match) for name, match in found.items()}
        for passage in line["passages"]:
            read = self._read(line["trace"], passage, texts[passage["passage"]])
            self._count_words(line["trace"], read, matches)
            self._count_places(line["trace"], read)

    def _read(self, trace: str, passage: Line, text: str) -> Reading:
        from boresight.explain.saliency.reading import reading

        side = side_of(passage, "passage")
        tokens = [(start, end, value) for _, _, start, end, value in side["tokens"]]
        rng = rng_for(self._seed, "look", trace, passage["passage"])
        return reading(text, tokens, rng, whole=side["read"] is None)

    def _count_words(self, trace: str, read: Reading, matches: Mapping[str, Callable[[str], bool]]) -> None:
        from boresight.explain.saliency.looks import negative_on, negative_share, share_on

        chosen = {name: [match(word) for word in read.words] for name, match in matches.items()}
        found = {name: share_on(read, flags) for name, flags in chosen.items()}
        found[NEGATIVE] = negative_share(read)
        found[NEGATIVE_EXACT] = negative_on(read, chosen["exact"])
        for name, pair in found.items():
            if pair is not None:
                self._single.setdefault(name, {}).setdefault(trace, []).append(pair)

    def _count_places(self, trace: str, read: Reading) -> None:
        from boresight.explain.saliency.looks import share_by, share_by_bigram, share_by_tenth

        found, tagger = {BY_TENTH: share_by_tenth(read)}, self._language.tagger
        if tagger is not None:
            labels = tagger.labels(read.text, [start for start, _ in read.spans])
            found |= {PART_OF_SPEECH: share_by(read, labels), BIGRAM: share_by_bigram(read, labels)}
        for group, shares in found.items():
            if shares is None:
                continue
            counted = self._counted.setdefault(group, {})
            counted[trace] = counted.get(trace, 0) + 1
            for label, pair in shares.items():
                place = self._groups.setdefault(group, {}).setdefault(label, {})
                place.setdefault(trace, []).append(pair)

    @cached_property
    def _language(self) -> Language:
        from boresight.explain.saliency.language import english

        return (self._make or english)()

    def _absent(self, name: str) -> str | None:
        """Why a number that needs more than the saliency cannot be given; asked after a trace was counted."""
        if name == "stem":
            return self._language.no_stemmer
        return self._language.no_tagger if name in LABELLED else None

    def to_json(self) -> Line:
        """Means over passages with control and intervals over traces, or the reason why there is none."""
        found: Line = {name: self._one(name, NOTHING) for name in (*QUERY_WORDS, NEGATIVE)}
        found[NEGATIVE_EXACT] = self._one(NEGATIVE_EXACT, NO_NEGATIVE)
        found |= {group: self._group(group) for group in (BY_TENTH, *LABELLED)}
        stemmer, tagger = self._language.stemmer, self._language.tagger
        found["tools"] = {"stem": stemmer and stemmer.name, PART_OF_SPEECH: tagger and tagger.name}
        return found

    def _one(self, name: str, otherwise: str) -> Line:
        pairs = self._single.get(name)
        if not pairs:
            return {"state": "undefined", "reason": self._absent(name) or otherwise}
        return {"state": "defined", "reason": None, **self._summed(pairs, name)}

    def _group(self, group: str) -> Line:
        """All labels of a group; where a passage has nothing of a label, its share there is 0."""
        found, counted = self._groups.get(group), self._counted.get(group, {})
        if not found:
            return {"state": "undefined", "reason": self._absent(group) or NOTHING, "rows": []}
        filled = {
            label: {trace: _filled(pairs.get(trace, []), count) for trace, count in counted.items()}
            for label, pairs in _kept(group, found).items()
        }
        rows = [
            {"label": label, **self._summed(pairs, f"{group} {label}")} for label, pairs in filled.items()
        ]
        return {"state": "defined", "reason": None, "rows": rows}

    def _summed(self, pairs: Pairs, purpose: str) -> Line:
        from boresight.explain.saliency.looks import over_run

        look = over_run(pairs, self._seed, purpose)
        return {
            "share": _ends(look.share), "control": look.control, "over_random": _ends(look.over_random),
            "passages": look.passages, "traces": look.traces,
        }  # fmt: skip


def _kept(group: str, found: dict[str, Pairs]) -> dict[str, Pairs]:
    """The labels to tell of: all tenths in order, parts of speech by share, of bigrams the largest ten."""
    if group == BY_TENTH:
        from boresight.explain.saliency.looks import TENTHS

        return {str(tenth): found.get(str(tenth), {}) for tenth in range(TENTHS)}
    sums = {label: sum(share for own in pairs.values() for share, _ in own) for label, pairs in found.items()}
    ordered = sorted(found, key=lambda label: (-sums[label], label))
    return {label: found[label] for label in ordered[: BIGRAMS_KEPT if group == BIGRAM else None]}


def _filled(pairs: list[tuple[float, float]], count: int) -> list[tuple[float, float]]:
    return [*pairs, *[(0.0, 0.0)] * (count - len(pairs))]


def _ends(interval: Interval[float]) -> Line:
    return {"value": interval.value, "low": interval.low, "high": interval.high}
