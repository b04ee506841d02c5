"""What the retriever looked at, as lines of text: words of one question, and shares over the run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich import box
from rich.console import Group
from rich.table import Table
from rich.text import Text

from boresight.game.query_game import words_of
from boresight.report.text import WIDTH, counted, cut, plain
from boresight.run.query_words import SPEARMAN, WARG, by_word

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import pandas as pd

    from boresight.run.result import RunResult
    from boresight.trace import Trace

    Row = Mapping[str, Any]

WORDS_SHOWN = 5
NAME_WIDTH = 24
LABELS_SHOWN = 3
SINGLE = {
    "exact": "question words, as written",
    "stem": "question words, by stem",
    "soft": "question words, by spelling",
    "negative": "negative weights, of all",
    "negative_exact": "of these, on question words",
}
GROUPS = {"part_of_speech": "part of speech", "bigram": "neighbours"}
FAITHFULNESS = "saliency_"
MEASURES = {WARG: "WARG", SPEARMAN: "Spearman"}


def retriever_lines(run: RunResult, trace: Trace) -> Iterator[Text]:
    """Top words of the query for the retriever and for the generator, and how far the two agree.

    The retriever's are summed over the passages of the context. None where nothing was explained.

    Args:
        run: The run.
        trace: The trace.
    """
    yield from _moves(run.removals.get(trace.id))
    about = run.summary.get("retriever")  # older runs have none
    if not about or "stage" not in about:
        return
    rows = run.saliency.reset_index()
    asked = rows[(rows["trace"] == trace.id) & (rows["side"] == "query")]
    placed = asked[asked["stage"] == about["stage"]].dropna(subset=["start"])
    if len(placed):
        sums = by_word(words_of(trace.query), placed[["token", "text", "start", "end", "value"]].to_numpy())
        yield _top_words(about["stage"], trace, sums)
    own = asked[(asked["stage"] == "generator") & (asked["target"] == "answer")]
    if len(own):
        yield _top_words("generator", trace, dict(zip(map(str, own["token"]), own["value"], strict=True)))
        yield from _agreement(run.query_alignment, trace.id)


def _moves(line: Row | None) -> Iterator[Text]:
    """What moves the two passages at the cut, and how many more the report shows."""
    if line is None:
        return
    near = [one for one in line["passages"] if line["cut"] - 1 <= one["rank"] <= line["cut"]]
    for sentence in removal_sentences({**line, "passages": near}):
        yield Text(plain(sentence, WIDTH))
    others = {one["passage"] for one in line["passages"]} - {one["passage"] for one in near}
    if others:
        yield Text(f"what moves {counted(len(others), 'other passage')}: in the HTML report")


def removal_sentences(line: Row | None) -> Iterator[str]:
    """What moves passages across the cut, one sentence a passage and side; the first of the smallest sets.

    Args:
        line: The trace's line of ``removals.jsonl``, or None.
    """
    if line is None:
        return
    if line["failed"]:
        yield f"removals: {line['failed']}"
    for found in line["passages"]:
        inside = found["rank"] < found["cut"]
        place = "the first place" if found["cut"] == 1 else f"the first {found['cut']}"
        what = f"{found['passage']} {'leaves' if inside else 'reaches'} {place}"
        where = "the question" if found["side"] == "query" else "its text"
        if found["removals"]:
            first, *others = found["removals"]
            taken = _taken(first["spans"], first["texts"])
            more = f" ({len(others)} more as small)" if others else ""
            yield f'{what} without "{taken}" in {where}{more}'
        else:
            yield f"nothing that was tried in {where} makes it so that {what}"


def _taken(spans: Sequence[tuple[int, int]], texts: Sequence[str]) -> str:
    """Words or sentences that were taken out; dots stand for what stays between them."""
    said = texts[0]
    for (_, end), (start, _), text in zip(spans, spans[1:], texts[1:], strict=False):
        said += f" {text}" if start - end <= 1 else f" … {text}"
    return said


def _top_words(name: str, trace: Trace, values: Mapping[str, float]) -> Text:
    words = words_of(trace.query)
    ordered = sorted(values.items(), key=lambda one: -abs(one[1]))[:WORDS_SHOWN]
    shown = ", ".join(f"{plain(words[int(place)].text)} {value:+.3f}" for place, value in ordered)
    return Text(plain(f"{cut(name, NAME_WIDTH)} looks at: {shown}", WIDTH))


def _agreement(table: pd.DataFrame, trace: str) -> Iterator[Text]:
    """How far both depend on the same words, or why nobody can say."""
    rows = table[table.index.get_level_values("trace") == trace].reset_index()
    found: dict[str, Row] = {row["measure"]: row for row in rows.to_dict("records")}  # type: ignore[misc]
    known = [f"{name} {found[key]['value']:.2f}" for key, name in MEASURES.items() if _defined(found, key)]
    if known:
        yield Text(f"over these words: {', '.join(known)}")
    for reason in dict.fromkeys(row["reason"] for key, row in found.items() if not _defined(found, key)):
        yield Text(plain(f"no agreement over these words: {reason}", WIDTH))


def _defined(found: Mapping[str, Row], key: str) -> bool:
    return key in found and found[key]["state"] == "defined"


def looks_view(run: RunResult) -> Group | None:
    """On which words of the passages the retriever's saliency lies, beside chance; None if nobody asked.

    Args:
        run: The run.
    """
    about = run.summary.get("retriever")
    if not about or "tools" not in about.get("looks", ()):
        return None  # nothing was explained, or by an older version
    looks = about["looks"]
    table = Table(box=box.SIMPLE_HEAD, width=WIDTH, title_justify="left")
    table.title = plain(f"What {cut(about['stage'], NAME_WIDTH)} looks at, in {about['passages']} passages")
    table.add_column("share of saliency", no_wrap=True, ratio=1, overflow="ellipsis")
    for name in ("share", "by chance", "difference, 95 %"):
        table.add_column(name, justify="right", no_wrap=True)
    for name, one in _looked(looks):
        table.add_row(name, *_cells(one))
    return Group(table, *_absent(looks), *_over_run(about["query_alignment"]), *_faithful(run.summary))


def _looked(looks: Row) -> Iterator[tuple[str, Row]]:
    for key, name in SINGLE.items():
        if looks[key]["state"] == "defined":
            yield name, looks[key]
    if looks["by_tenth"]["rows"]:
        yield "first tenth of the passage", looks["by_tenth"]["rows"][0]
    for key, name in GROUPS.items():
        for row in looks[key]["rows"][:LABELS_SHOWN]:
            yield f"{name}: {plain(row['label'])}", row


def _cells(one: Row) -> tuple[str, str, str]:
    over = one["over_random"]
    ends = "one trace" if over["low"] is None else f"{100 * over['low']:+.1f} .. {100 * over['high']:+.1f}"
    return (
        f"{100 * one['share']['value']:.1f} %", f"{100 * one['control']:.1f} %",
        f"{100 * over['value']:+.1f} ({ends})",
    )  # fmt: skip


def _absent(looks: Row) -> Iterator[Text]:
    """What could not be told, and why; one line a reason."""
    reasons: dict[str, list[str]] = {}
    for key, name in {**SINGLE, "by_tenth": "place in the passage", **GROUPS}.items():
        if looks[key]["state"] != "defined":
            reasons.setdefault(looks[key]["reason"], []).append(name)
    for reason, names in reasons.items():
        yield Text(f"undefined ({'; '.join(names)}): {plain(reason)}")


def _over_run(summaries: Mapping[str, Row]) -> Iterator[Text]:
    """Mean agreement over the words of the questions, if there is one."""
    known = [_mean(name, summaries[key]) for key, name in MEASURES.items() if _has_mean(summaries, key)]
    if known:
        yield Text(f"same words of the question as the generator: {', '.join(known)}")


def _faithful(summary: Row) -> Iterator[Text]:
    """Means of the measures of faithfulness that were asked for; their reasons stand where all others do."""
    for name, one in summary["measures"].items():
        if name.startswith(FAITHFULNESS) and one["value"] is not None:
            yield Text(f"faithful to its scores: {_mean(name.removeprefix(FAITHFULNESS), one)}")


def _has_mean(summaries: Mapping[str, Row], key: str) -> bool:
    return key in summaries and summaries[key]["value"] is not None


def _mean(name: str, one: Row) -> str:
    ends = "" if one["low"] is None else f" ({one['low']:.2f} .. {one['high']:.2f})"
    return f"{name} {one['value']:.2f}{ends}"
