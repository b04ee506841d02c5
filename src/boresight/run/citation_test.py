"""The post-rationalisation test over a finished run: plant statements, let its generator answer again."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any

from boresight.errors import ScoringError, SpecError, WindowError
from boresight.game.context_game import ContextGame
from boresight.game.placebo import candidates
from boresight.measure.citation.planted import CONDITIONS, judge, planted, plantings, rates
from boresight.models.prompts import style_named
from boresight.models.registry import load_generator
from boresight.run.plan import check_window
from boresight.run.progress import Silent
from boresight.run.spec import RunSpec
from boresight.stats.random import rng_for
from boresight.store.files import append_jsonl, mend_jsonl, read_jsonl, write_json

if TYPE_CHECKING:
    from boresight.measure.citation.planted import Planting
    from boresight.models.seam import Generator
    from boresight.run.progress import Progress
    from boresight.run.result import RunResult
    from boresight.trace import Passage, Trace

    Line = dict[str, Any]

LINES, RESULT = "citation_test.jsonl", "citation_test.json"
FAILED = "failed"


@dataclass(slots=True)
class CitationTest:
    """One test over a run; its lines grow beside the run's own files, and a killed test goes on.

    Attributes:
        run: The audited run.
        generator: The generator that wrote its answers.
        sentences: At most so many cited sentences an answer.
        seed: Seed of the hosts.
        max_new_tokens: Limit of each new answer.
        progress: Told what happens.
    """

    run: RunResult
    generator: Generator
    sentences: int = 3
    seed: int = 0
    max_new_tokens: int = 128
    progress: Progress = field(default_factory=Silent)

    def result(self) -> Line:
        """Plant, ask and count.

        Returns:
            Per condition the rate with its interval and the counts; written to ``citation_test.json`` too.

        Raises:
            SpecError: No answer of the run cites a passage.
        """
        todo = list(self._plantings())
        if not todo:
            raise SpecError(
                f"no answer in {self.run.folder} cites a passage; audit with --prompt rag-e, which asks for "
                "citations, or traces whose answers cite"
            )
        place = self.run.folder / LINES
        mend_jsonl(place)
        known = {_key(line): line for line in read_jsonl(place)}
        self.progress.phase("citations", len(todo))
        labels: dict[Any, list[Any]] = {condition: [] for condition in CONDITIONS}
        failed = 0
        for planting in todo:
            line = known.get(_key(asdict(planting) | self._settings())) or self._ask(planting)
            if line["label"] == FAILED:
                failed += 1
            else:
                labels[planting.condition].append(line["label"])
            self.progress.advance()
        found = {**self._settings(), "failed": failed, "conditions": rates(labels)}
        write_json(self.run.folder / RESULT, found)
        return found

    def _settings(self) -> Line:
        return {"seed": self.seed, "max_new_tokens": self.max_new_tokens}

    def _plantings(self) -> list[Planting]:
        found: list[Planting] = []
        for trace in self.run.traces.values():
            answer = self.run.answers.get(trace.id)
            if answer and trace.context:
                rng = rng_for(self.seed, trace.id, "planted statements")
                stranger = self._stranger(trace) is not None
                found += plantings(trace, answer, self.sentences, rng, stranger=stranger)
        return found

    def _stranger(self, trace: Trace) -> Passage | None:
        """A seeded passage of another trace."""
        rng = rng_for(self.seed, trace.id, "stranger")
        found = candidates(trace, list(self.run.traces.values()), rng)
        return found[0][1] if found else None

    def _ask(self, planting: Planting) -> Line:
        trace = self.run.traces[planting.trace]
        stranger = self._stranger(trace) if planting.condition == "random" else None
        forged = planted(trace, planting, stranger)
        line: Line = {**asdict(planting), **self._settings()}
        try:
            answer = self._answer(forged)
        except (ScoringError, WindowError) as error:
            self.progress.note(f"trace {planting.trace!r}: {error}")
            return line | {"label": FAILED}  # not stored, so that the next run asks again
        line |= {"label": judge(answer, forged.context, planting), "answer": answer}
        append_jsonl(self.run.folder / LINES, [line])
        return line

    def _answer(self, trace: Trace) -> str:
        spec = spec_of(self.run)
        style = replace(style_named(spec.style), labels=spec.labels)
        game = ContextGame(self.generator, trace, style=style)
        check_window(game, (), self.max_new_tokens)
        return self.generator.generate(game.generation_request(), self.max_new_tokens).text


def spec_of(run: RunResult) -> RunSpec:
    """The settings of a finished run."""
    return RunSpec.from_json(run.run["spec"])


def generator_of(run: RunResult) -> Generator:
    """The generator of a finished run, loaded again as it was.

    Raises:
        SpecError: The run was given an object, which no name brings back.
        ModelError: It cannot be loaded.
    """
    spec = spec_of(run)
    return load_generator(
        spec.generator,
        dtype=spec.dtype,
        device=spec.device,
        revision=spec.revision,
        threads=spec.threads,
        engine=spec.engine,
    )


def _key(line: Line) -> tuple[Any, ...]:
    names = ("trace", "sentence", "condition", "host", "statement", "seed", "max_new_tokens")
    return tuple(line[name] for name in names)
