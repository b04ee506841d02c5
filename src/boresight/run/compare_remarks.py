"""What of two runs cannot be compared, or only with care; one sentence each."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from boresight.run.compare_pairing import Pairing
    from boresight.run.compare_settings import SettingDifference
    from boresight.run.result import RunResult

FEWEST = 6  # of five pairs, two of 32 patterns of signs are as far out as all alike: p is never below 0.0625


def remarks(
    first: RunResult, second: RunResult, pairing: Pairing, settings: Sequence[SettingDifference]
) -> tuple[str, ...]:
    """Say what a comparison leaves out, and where its numbers are about different things."""
    return (*_traces(first, second, pairing), *_texts(pairing), *_rulers(first, second, settings))


def _traces(first: RunResult, second: RunResult, pairing: Pairing) -> Iterator[str]:
    common, strangers = len(pairing.common), len(pairing.other_question)
    if not common:
        yield "no trace is in both runs, so nothing can be paired"
    elif common < FEWEST:
        yield (
            f"{_some(common, 'trace is', 'traces are')} in both runs: below {FEWEST} pairs no test can tell "
            "a change from chance"
        )
    if strangers:
        ids = _some(strangers, "id that stands", "ids that stand")
        yield f"not compared: {ids} for another question in the second run"
    for name, run in (("first", first), ("second", second)):
        failed = len(run.failures)
        if failed:
            yield f"{_some(failed, 'trace', 'traces')} of the {name} run failed and cannot be paired"


def _texts(pairing: Pairing) -> Iterator[str]:
    answers, contexts = len(pairing.other_answer), len(pairing.other_context)
    if answers:
        yield (
            f"{_some(answers, 'answer differs', 'answers differ')}: there, numbers in nats are about another "
            "text, and passages are not compared"
        )
    if contexts:
        yield (
            f"{_some(contexts, 'context differs', 'contexts differ')} in passages or their order: there, "
            "measures of ranking are about other passages"
        )


def _rulers(first: RunResult, second: RunResult, settings: Sequence[SettingDifference]) -> Iterator[str]:
    parts = {one.field.partition(".")[0] for one in settings}
    if parts & {"retriever", "stage"}:
        yield "the retriever differs: measures of alignment hold the generator against another ranking"
    if first.summary["scale"] != second.summary["scale"]:
        yield (
            f"attributions are on two scales ({first.summary['scale']} and {second.summary['scale']}): "
            "passages are not compared"
        )


def _some(count: int, one: str, many: str) -> str:
    return f"{count:,} {one if count == 1 else many}"
