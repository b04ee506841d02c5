"""Targets: the fixed texts whose log-probability is the value."""

from __future__ import annotations

from typing import TYPE_CHECKING

from boresight.errors import SpecError
from boresight.models.reasoning import split_reasoning
from boresight.models.seam import Generation, Generator, Target, TargetKind

if TYPE_CHECKING:
    from collections.abc import Collection

    from boresight.trace import Trace

ANSWER = "answer"
ABSTENTION = "abstention"
REFERENCE = "reference"
ABSTENTION_TEXT = "NO-RESPONSE"


def is_named(target_id: str, names: Collection[str]) -> bool:
    """Whether names hold a target; ``reference`` names every reference."""
    kind = target_id.partition(":")[0]
    return target_id in names or (kind == REFERENCE and REFERENCE in names)


def named_targets(names: Collection[str], trace: Trace) -> list[str]:
    """The ids that names stand for in a trace, in a fixed order; ``reference`` is every reference."""
    references = [f"{REFERENCE}:{number}" for number in range(len(trace.references))]
    found = [name for name in sorted(names) if name != REFERENCE]
    return found + [one for one in references if REFERENCE in names and one not in names]


def text_target(
    generator: Generator, trace: Trace, target_id: str, kind: TargetKind, text: str, *, end: bool = False
) -> Target:
    """A target from a given text: stripped, special tokens split, reasoning set apart."""
    thoughts, answer = split_reasoning(text)
    answer = answer.strip()
    token_ids, offsets = generator.encode_target(trace.id, answer, end=end) if answer else ((), ())
    return Target(target_id, kind, answer, token_ids, offsets, thoughts)


def generated_target(generator: Generator, trace: Trace, generation: Generation, *, end: bool) -> Target:
    """The answer exactly as generated; ``end`` appends the end-of-turn that the model would write."""
    ids, offsets = generation.token_ids, generation.offsets
    if end:
        with_end, _ = generator.encode_target(trace.id, generation.text, end=True)
        without, _ = generator.encode_target(trace.id, generation.text)
        tail = with_end[len(without) :]
        ids, offsets = ids + tail, offsets + ((len(generation.text),) * 2,) * len(tail)
    return Target(ANSWER, "generated", generation.text, ids, offsets, generation.thoughts)


def known_target(generator: Generator, trace: Trace, target_id: str, *, end: bool = False) -> Target | None:
    """A target that needs no generation, or None where the trace does not hold its text.

    Raises:
        SpecError: The id names no kind of target.
    """
    if target_id == ANSWER:
        if trace.answer is None:
            return None
        return text_target(generator, trace, ANSWER, "recorded", trace.answer, end=end)
    if target_id == ABSTENTION:
        return text_target(generator, trace, ABSTENTION, "abstention", ABSTENTION_TEXT, end=end)
    kind, _, number = target_id.partition(":")
    if kind != REFERENCE or not number.isdecimal():
        raise SpecError(
            f"no target is called {target_id!r}; there are answer, reference:0 and on, abstention"
        )
    if int(number) >= len(trace.references):
        return None
    return text_target(generator, trace, target_id, "reference", trace.references[int(number)], end=end)
