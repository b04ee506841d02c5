"""The main job as one call, and its result as one object: ``boresight.audit`` and ``boresight.Audit``."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from boresight.errors import SpecError
from boresight.report.notebook import notebook_view
from boresight.report.terminal import show_run
from boresight.report.text import console
from boresight.run.audit import TraceInput, make_job, phrases, run_job
from boresight.run.measures import chosen_measures
from boresight.run.result import RunResult
from boresight.run.reuse import reuse as reuse_values
from boresight.trace import Passage, Trace, quick_trace

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from boresight.game.scales import Scale
    from boresight.models.rankers.seam import Ranker
    from boresight.models.seam import Generator
    from boresight.run.progress import Progress


class Audit(RunResult):
    """A finished audit: tables keyed by ids, the summary, and the run on disk.

    Args:
        folder: The run directory.

    Raises:
        SpecError: No finished run lies there.
    """

    def show(self, traces: int | None = 5) -> None:
        """Print the run: the first traces, then the summary.

        Args:
            traces: How many traces to print; all if None.
        """
        show_run(self, console(), traces)

    def _repr_html_(self) -> str:
        return notebook_view(self)


def audit(
    traces: TraceInput | Iterable[Trace | Mapping[str, Any]] | None = None,
    *,
    generator: str | Generator,
    retriever: str | Ranker | None = None,
    query: str | None = None,
    passages: Sequence[str | Mapping[str, Any] | Passage] | None = None,
    answer: str | None = None,
    out: str | Path | None = None,
    overwrite: bool = False,
    by: Sequence[str] = (),
    measures: Sequence[str] | None = None,
    preset: str | None = None,
    limit: int | None = None,
    stage: str | None = None,
    labels: Literal["keep", "renumber"] | None = None,
    scale: Scale | None = None,
    spans: Sequence[str] = (),
    max_new_tokens: int | None = None,
    score_end: bool | None = None,
    closed_book_answers: bool | None = None,
    exact: bool | None = None,
    method: str | None = None,
    max_tokens_per_trace: int | None = None,
    budget: int | None = None,
    too_long: Literal["refuse", "skip"] | None = None,
    placebo: int | None = None,
    seed: int | None = None,
    dtype: str | None = None,
    device: str | None = None,
    revision: str | None = None,
    threads: int | None = None,
    engine: Literal["auto", "plain"] | None = None,
    players: Sequence[str] = (),
    explain: Sequence[str] = (),
    split: Sequence[str] = (),
    good: Sequence[str] = (),
    least_grade: float | None = None,
    progress: Progress | None = None,
) -> Audit:
    """Audit traces: exact attribution of every passage, and the alignment of retriever and generator.

    Args:
        traces: A JSONL file, traces, or their JSON objects; or leave it out for ``query`` and ``passages``.
        generator: ``hf:org/name``, a path, ``pypi:NAME``, ``fake:FILE.json``, or a generator object.
        retriever: A ranker (spec or object) that scores all passages as a new stage: an encoder, or any other
            (``bm25:INDEX``, ``sparse:MODEL``, ...).
        query: The question of a single trace.
        passages: Its passages in rank order: texts, JSON objects or :class:`Passage`.
        answer: Its answer; generated if None.
        out: Run directory; a temporary one by default (see :meth:`Audit.save`). An earlier run with the same
            settings is resumed.
        overwrite: Delete an earlier run in ``out``.
        by: Fields of ``meta`` (``meta.topic``) to slice the run-level numbers by.
        measures: Names of the measures; by default those that need only the answer table and closed book.
        preset: ``rag-e`` for that paper's choices.
        limit: Use only the first so many traces.
        stage: Stage that counts as the retriever.
        labels: ``keep`` (default) or ``renumber`` the passages when others are removed.
        scale: Value scale of the passage and token tables: ``nats``, ``probability`` or ``log_odds``.
        spans: Phrases of the answer to attribute on their own.
        max_new_tokens: Limit of a generated answer, 128 by default.
        score_end: Whether end-of-turn belongs to the target.
        closed_book_answers: Whether the model also answers each question without passages (default), to be
            shown beside the answer.
        exact: Score all coalitions whatever they cost.
        method: ``auto`` (default: exact, or the best sampler), or a name in
            ``boresight.explain.shapley.ESTIMATORS``.
        max_tokens_per_trace: Exact up to so many planned tokens (60,000 by default), sampled beyond.
        budget: Coalitions of a sampled trace, 8 a passage by default.
        too_long: ``refuse`` (default) or ``skip`` a prompt that does not fit the window.
        placebo: Traces (8 by default) in which a passage of another trace joins as one more player, to
            measure how far any text moves the model.
        seed: Seed of every random draw, 0 by default.
        dtype: ``fp32`` (default), ``bf16``, ``fp16``, or ``auto``: bf16 where the device has it natively.
        device: Where the models run, ``cpu`` by default.
        revision: Revision of hub weights.
        threads: Torch threads.
        engine: ``auto`` (default) reads what prompts share once, where the model is fit for it; ``plain``
            reads every prompt whole.
        players: ``query`` also attributes the answer to the words of the query (:attr:`Audit.saliency`).
        explain: ``retriever`` also explains its scores on the words of query and passages
            (:attr:`Audit.saliency`, ``summary["retriever"]``).
        split: Passages whose sentences are attributed too (:attr:`Audit.saliency`, ``summary["split"]``):
            ids, or ``top`` or ``top:N`` for the best of the context by the retriever's ranking.
        good: Ids of passages that ought to carry the answer, for the funnel (:attr:`Audit.funnel`): an id
            is good in every trace that holds it, ``TRACE=ID`` in that one alone. May change on resume.
        least_grade: The lowest label of a good passage, any above 0 by default. May change on resume.
        progress: Told what happens.

    Returns:
        The result: DataFrames keyed by ids, the summary, and the run on disk.

    Raises:
        BoresightError: In one sentence, what is wrong and what to do.
    """
    if (traces is None) == (query is None):
        raise SpecError("give either traces, or query and passages")
    if traces is None:
        traces = quick_trace(query=query or "", passages=passages or (), answer=answer)
    elif passages is not None or answer is not None:
        raise SpecError("passages and answer go with query; traces bring their own")
    settings = {
        "stage": stage, "labels": labels, "scale": scale, "spans": phrases(spans), "score_end": score_end,
        "closed_book_answers": closed_book_answers,
        "max_new_tokens": max_new_tokens, "exact": exact, "method": method,
        "max_tokens_per_trace": max_tokens_per_trace, "budget": budget, "too_long": too_long,
        "placebo": placebo, "seed": seed, "dtype": dtype,
        "device": device, "revision": revision, "threads": threads, "engine": engine,
        "players": tuple(players), "explain": phrases(explain),
        "split": phrases(split), "good": phrases(good), "least_grade": least_grade,
    }  # fmt: skip
    job = make_job(
        traces, generator=generator, retriever=retriever, measures=measures, preset=preset, limit=limit,
        settings=settings, progress=progress,
    )  # fmt: skip
    folder = Path(out) if out is not None else Path(tempfile.mkdtemp(prefix="boresight-"))
    run_job(job, folder, overwrite=overwrite, by=by, progress=progress)
    result = Audit(folder)
    if out is None:
        result.forget_on_exit(shutil.rmtree)
    return result


def reuse(
    run: str | Path,
    *,
    out: str | Path | None = None,
    overwrite: bool = False,
    by: Sequence[str] = (),
    method: str | None = None,
    measures: Sequence[str] | None = None,
    stage: str | None = None,
    scale: Scale | None = None,
    spans: Sequence[str] = (),
) -> Audit:
    """Look at the stored values of a run in another way, without a call to any model.

    Args:
        run: A run directory.
        out: Directory of the new run; a temporary one by default.
        overwrite: Delete an earlier run in ``out``.
        by: Fields of ``meta`` to slice the run-level numbers by.
        method: Another method whose coalitions are stored; of an exact trace that is every method.
        measures: Names of measures.
        stage: Stage that counts as the retriever.
        scale: Value scale of the passage and token tables.
        spans: Phrases of the answer to attribute on their own.

    Returns:
        The result; its counts of calls and coalitions are 0.

    Raises:
        BoresightError: In one sentence, what is wrong and what to do.
    """
    chosen = None if measures is None else chosen_measures(measures)
    settings = {
        "method": method, "measures": chosen, "stage": stage, "scale": scale, "spans": phrases(spans),
    }  # fmt: skip
    folder = Path(out) if out is not None else Path(tempfile.mkdtemp(prefix="boresight-"))
    reuse_values(Path(run), folder, settings, by=by, overwrite=overwrite)
    result = Audit(folder)
    if out is None:
        result.forget_on_exit(shutil.rmtree)
    return result
