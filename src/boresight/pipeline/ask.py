"""Ask a question of an index: retrieve, pack, generate, audit, with the whole way on record."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from boresight.game.context_game import ContextGame
from boresight.game.targets import known_target
from boresight.measure.funnel import Answered, decoy, good_passages, inject, recut, skip
from boresight.measure.funnel import ablate as ablate_stages
from boresight.pipeline.stages import BELOW
from boresight.run.audit import make_job, run_job
from boresight.run.result import RunResult
from boresight.run.retriever_removals import REMOVALS
from boresight.run.spec import DEFAULT_NEW_TOKENS
from boresight.trace import Trace
from boresight.trace.ids import trace_id

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from boresight.measure.funnel import Ablation, Change
    from boresight.models.seam import Generator
    from boresight.pipeline.stages import IndexPipeline
    from boresight.run.progress import Progress


@dataclass(frozen=True, slots=True)
class Asked:
    """A question that was asked and audited.

    Attributes:
        trace: The way to the prompt; its answer is in the result.
        result: The audit.
        ablations: What each changed stage would have done, if that was asked for.
    """

    trace: Trace
    result: RunResult
    ablations: tuple[Ablation, ...] = ()


def ask(
    pipeline: IndexPipeline,
    question: str,
    *,
    generator: str | Generator,
    out: Path,
    references: Sequence[str] = (),
    good: Sequence[str] = (),
    ablate: bool = False,
    settings: Mapping[str, Any] | None = None,
    overwrite: bool = False,
    command: str | None = None,
    progress: Progress | None = None,
) -> Asked:
    """Ask, audit the answer, and if wanted change each stage and ask again.

    Args:
        pipeline: An index with its recipe.
        question: The question.
        generator: Spec or object.
        out: Run directory; an earlier run with the same settings is resumed.
        references: Correct answers, if they are known.
        good: Ids of passages that ought to be used, for the ablation.
        ablate: Whether to try :func:`usual_changes`.
        settings: Further settings of the audit, as :func:`boresight.audit` has them. ``explain`` explains the
            ranker whose scores decided what reached packing.
        overwrite: Delete an earlier run in ``out``.
        command: The command line that started it, for the record.
        progress: Told what happens.

    Raises:
        BoresightError: In one sentence, what is wrong and what to do.
    """
    explain = (settings or {}).get("explain") or ()
    ranker = pipeline.last_ranker() if explain else None
    trace = way(pipeline, question, references=references, below=REMOVALS in explain)
    job = make_job(
        [trace], generator=generator, retriever=ranker, settings=settings, progress=progress, ranked=True
    )
    run_job(job, out, overwrite=overwrite, command=command, progress=progress)
    found: tuple[Ablation, ...] = ()
    if ablate:
        limit = (settings or {}).get("max_new_tokens") or DEFAULT_NEW_TOKENS
        answer_of = answering(job.generator, max_new_tokens=limit)
        found = changed(pipeline, [trace], answer_of=answer_of, good=good, seed=job.spec.seed)
    return Asked(trace, RunResult(out), found)


def way(
    pipeline: IndexPipeline, question: str, *, references: Sequence[str] = (), below: bool = False
) -> Trace:
    """The trace of a question up to the prompt: every stage with its ranking and cut, and no answer yet.

    It holds the text of every passage that some stage passed on.

    Args:
        pipeline: An index with its recipe.
        question: The question.
        references: Correct answers, if they are known.
        below: Whether to hold also those that the last ranking places down to twice its cut.
    """
    trace = pipeline.run(Trace(trace_id(question), question, references=tuple(references)))
    kept = dict.fromkeys(one.id for stage in trace.stages for one in stage.ranking[: stage.cut])
    last = trace.last_ranking()
    if below and last is not None:
        kept |= dict.fromkeys(one.id for one in last.ranking[: BELOW * (last.cut or 0)])
    passages = tuple(pipeline.index.passage(key) for key in kept)
    return replace(trace, passages=passages, meta={"pipeline": pipeline.describe()})


def changed(
    pipeline: IndexPipeline,
    traces: Sequence[Trace],
    changes: Iterable[Change] | None = None,
    *,
    answer_of: Callable[[Trace], Answered] | None = None,
    good: Sequence[str] = (),
    seed: int = 0,
) -> tuple[Ablation, ...]:
    """Change one stage of the pipeline at a time, and compare (:func:`boresight.measure.funnel.ablate`).

    Args:
        pipeline: An index with its recipe.
        traces: Traces from :func:`way`, or any whose queries are to be asked.
        changes: The changes; the usual ones if None.
        answer_of: From a trace with its new context to the answer; see :func:`answering`.
        good: Ids of passages that ought to be used, beside those with a label or a reference answer.
        seed: Seed of intervals and decoys.
    """
    wanted = usual_changes(pipeline) if changes is None else tuple(changes)
    return ablate_stages(
        pipeline.pipeline,
        traces,
        wanted,
        answer_of=answer_of,
        good_of=lambda trace: [one.passage for one in good_passages(trace, good)],
        seed=seed,
    )


def usual_changes(pipeline: IndexPipeline) -> tuple[Change, ...]:
    """Oracle and control at each ranking stage, later stages skipped, the last cut halved and doubled."""
    ranking = [stage for stage in pipeline.pipeline.stages if stage.kind != "pack"]
    last = ranking[-1]
    cuts = () if last.cut is None else (max(1, last.cut // 2), 2 * last.cut)
    return (
        *(make(stage.name) for stage in ranking for make in (inject, decoy)),
        *(skip(stage.name) for stage in pipeline.pipeline.stages[1:]),
        *(recut(last.name, cut) for cut in cuts if cut != last.cut),
    )


def answering(
    generator: Generator, *, max_new_tokens: int = DEFAULT_NEW_TOKENS
) -> Callable[[Trace], Answered]:
    """How a generator answers a changed context.

    Args:
        generator: The generator.
        max_new_tokens: Limit of an answer.

    Returns:
        A function from a trace to the answer and the log-probability, in nats, of the likeliest reference
        (None where the generator scores no given text).
    """

    def answer(trace: Trace) -> Answered:
        game = ContextGame(generator, trace, max_new_tokens=max_new_tokens)
        text = generator.generate(game.generation_request(), max_new_tokens).text
        scores = generator.capabilities().scores_text
        return Answered(_likeliest_reference(generator, game) if scores else None, text)

    return answer


def _likeliest_reference(generator: Generator, game: ContextGame) -> float | None:
    """The largest log-probability of a reference under the full context, in nats; None without references."""
    ids = (f"reference:{number}" for number in range(len(game.trace.references)))
    targets = [known_target(generator, game.trace, name) for name in ids]
    whole = "1" * len(game.players)
    scored = [
        float(generator.score([game.request(whole, (target,))])[0].logprobs[target.id].sum())
        for target in targets
        if target is not None and target.token_ids
    ]
    return max(scored, default=None)
