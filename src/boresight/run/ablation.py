"""Change one stage of a pipeline, run it again, and ask a generator what that does to the answer."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from boresight.errors import ScoringError, WindowError
from boresight.game.context_game import ContextGame
from boresight.game.targets import known_target
from boresight.measure.funnel import Answered, good_passages
from boresight.measure.funnel import ablate as ablate_with
from boresight.models.prompts import style_named
from boresight.models.registry import load_generator
from boresight.run.audit import TraceInput, phrases, read_input
from boresight.run.funnel import check_good, named_in
from boresight.run.plan import check_window

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any, Literal

    from boresight.measure.funnel import Ablation, Change, Pipeline
    from boresight.models.prompts import PromptStyle
    from boresight.models.seam import Generator, Target
    from boresight.trace import Trace


def ablate(
    pipeline: Pipeline,
    traces: TraceInput | Iterable[Trace | Mapping[str, Any]],
    changes: Iterable[Change],
    *,
    generator: str | Generator | None = None,
    good: Sequence[str] = (),
    least_grade: float | None = None,
    answers: bool = True,
    max_new_tokens: int = 128,
    style: str = "boresight",
    labels: Literal["keep", "renumber"] = "keep",
    seed: int = 0,
) -> tuple[Ablation, ...]:
    """Change one stage of a pipeline at a time, and read what that does to context, references and answer.

    Args:
        pipeline: The pipeline, a callable a stage.
        traces: Whose queries are asked: a JSONL file, traces, or their JSON objects. Stages, context and
            answer that they record are not read.
        changes: The changes, each tried alone: ``inject``, ``decoy``, ``skip``, ``recut``.
        generator: Spec or object. Without one only the contexts are compared.
        good: Ids of passages that ought to carry the answer, ``ID`` or ``TRACE=ID``, beside those that are
            labelled or hold a reference.
        least_grade: The lowest label of a good passage; any above 0 by default.
        answers: Whether the generator also answers each context, greedily; the references' log-probability
            costs one prompt, an answer many more.
        max_new_tokens: Limit of such an answer.
        style: Prompt style.
        labels: Whether passages keep their labels in the prompt, or are renumbered.
        seed: Seed of the decoys and the intervals.

    Returns:
        One result a change, with paired intervals over the traces.

    Raises:
        SpecError: The pipeline cannot make a change, or a named passage is about no trace.
        InputError: The traces cannot be read, or a stage gives no sound ranking.
    """
    found, _ = read_input(traces)
    named = phrases(good)
    if named:
        check_good(named, found)
    loaded = load_generator(generator) if isinstance(generator, str) else generator
    prompt = replace(style_named(style), labels=labels)
    return ablate_with(
        pipeline,
        found,
        changes,
        answer_of=None
        if loaded is None
        else GeneratorAnswers(loaded, style=prompt, max_new_tokens=max_new_tokens if answers else 0),
        good_of=lambda trace: [
            one.passage for one in good_passages(trace, named_in(trace, named, found), least_grade)
        ],
        seed=seed,
    )


@dataclass(slots=True)
class GeneratorAnswers:
    """What a generator makes of the context of a trace; the same context is asked about once.

    Attributes:
        generator: The generator.
        style: Prompt style.
        max_new_tokens: Limit of a generated answer; 0 generates none.
    """

    generator: Generator
    style: PromptStyle = field(default_factory=lambda: style_named("boresight"))
    max_new_tokens: int = 128
    _known: dict[tuple[str, tuple[str, ...]], Answered] = field(default_factory=dict)

    def __call__(self, trace: Trace) -> Answered:
        """The references' log-probability under the prompt of the trace's context, and the greedy answer.

        Returns:
            Of several references the likeliest one counts. None for what the generator cannot give: a
            log-probability where it scores no text, or where no reference is known.

        Raises:
            ScoringError: The trace cannot be scored, or its prompt is longer than the window.
        """
        key = (trace.id, trace.context)
        if key not in self._known:
            self._known[key] = self._ask(trace)
        return self._known[key]

    def _ask(self, trace: Trace) -> Answered:
        game = ContextGame(self.generator, trace, style=self.style)
        try:
            return Answered(self._reference(game), self._answer(game))
        except WindowError as error:
            raise ScoringError(str(error).partition(";")[0]) from error  # its advice is about audits

    def _reference(self, game: ContextGame) -> float | None:
        can = self.generator.capabilities()
        targets = self._references(game.trace) if can.scores_text and can.value_kind == "logprob" else []
        if not targets:
            return None
        check_window(game, targets)
        (scored,) = self.generator.score([replace(game.generation_request(), targets=tuple(targets))])
        return max(float(np.sum(row, dtype=np.float64)) for row in scored.logprobs.values())

    def _references(self, trace: Trace) -> list[Target]:
        """The references as targets, without the reasoning that one may hold."""
        names = (f"reference:{number}" for number in range(len(trace.references)))
        found = [known_target(self.generator, trace, name) for name in names]
        return [replace(target, thoughts=None) for target in found if target and target.token_ids]

    def _answer(self, game: ContextGame) -> str | None:
        if not self.max_new_tokens:
            return None
        check_window(game, (), self.max_new_tokens)
        return self.generator.generate(game.generation_request(), self.max_new_tokens).text
