"""Rows of the benchmark: two streams over right texts, token by token, with the criterion at every layer."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import torch

from boresight.game import ContextGame
from boresight.game.targets import text_target
from boresight.models.criterion import apart, met
from boresight.models.logprobs import TargetScorer
from boresight.models.stream_scorer import StreamScorer
from boresight.models.streams import CRITERION_KINDS, STREAM_KINDS
from boresight.stats.random import rng_for
from boresight.trace import read_traces

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from boresight.models.seam import Target
    from boresight.models.stream_scorer import Slice
    from boresight.models.transformers_generator import TransformersGenerator
    from boresight.trace import Trace

KINDS = STREAM_KINDS - CRITERION_KINDS
MOST_TOKENS = 3000  # a longer prompt is left out and counted


def chosen(folder: Path, sizes: Mapping[str, int]) -> Iterator[tuple[str, Trace]]:
    """A seeded sample of each data set, the sets in turns, so that an early stop is balanced."""
    samples = []
    for name, size in sizes.items():
        traces = [one for one in read_traces(folder / name / "traces.jsonl").traces if one.references]
        places = rng_for(0, name, "tok_rag").permutation(len(traces))[:size]
        samples.append([(name, traces[place]) for place in places])
    for turn in range(max(map(len, samples))):
        yield from (sample[turn] for sample in samples if turn < len(sample))


def targets_of(generator: TransformersGenerator, trace: Trace) -> dict[str, Target]:
    """Texts that are right: the first reference, and a recorded answer that holds a reference."""
    texts = {"reference": trace.references[0]}
    answer = trace.answer or ""
    if any(reference.lower() in answer.lower() for reference in trace.references):
        texts["answer"] = answer
    return {kind: text_target(generator, trace, kind, "recorded", text) for kind, text in texts.items()}


def rows_of(generator: TransformersGenerator, source: str, trace: Trace) -> Iterator[dict[str, Any]]:
    """One row a target of the trace; one that says so where the prompt is too long."""
    game, targets = ContextGame(generator, trace), targets_of(generator, trace)
    both = (game.request("1" * len(game.players), ()), game.closed_book_request(()))
    head = {"set": source, "trace": f"{source}:{trace.id}"}
    if both[0].prompt_length > MOST_TOKENS:
        yield head | {"kind": "too long", "tokens": both[0].prompt_length}
        return
    scorer = StreamScorer(generator.model, TargetScorer(generator.model))
    prompts = scorer.read(both[0]), scorer.read(both[1])
    for kind, target in targets.items():
        parts = list(scorer.slices(prompts, target.token_ids, 0.5, look=True))
        seen = torch.tensor(list(prompts[0].passages.values()))
        yield head | {"kind": kind, "layer": scorer.layer(parts[0])} | _columns(generator, parts, seen)


def _columns(generator: TransformersGenerator, parts: list[Slice], seen: torch.Tensor) -> dict[str, Any]:
    """Every kind, the right side of the criterion, and its left side by layer."""
    embed = generator.model.get_input_embeddings().weight.detach()
    found: dict[str, Any] = {"apart": _joined([apart(part.pair.p, part.pair.q, embed) for part in parts])}
    for kind in sorted(KINDS):
        found[kind] = _joined([part.pair.values(frozenset({kind}))[kind] for part in parts])
    layers = range(len(parts[0].attention))
    found["met"] = [
        _joined([met(part.pair.p, part.attention[layer], seen, embed) for part in parts]) for layer in layers
    ]
    return found


def _joined(parts: list[torch.Tensor]) -> list[float]:
    return [round(float(value), 6) for value in torch.cat(parts)]


def collect(
    generator: TransformersGenerator, folder: Path, sizes: Mapping[str, int], path: Path
) -> list[dict[str, Any]]:
    """All rows; those of the file are not made again, new ones are appended to it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = (
        [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []
    )
    done = {row["trace"] for row in rows}
    wanted = list(chosen(folder, sizes))
    with path.open("a", encoding="utf-8") as file:
        for count, (source, trace) in enumerate(wanted):
            name = f"{source}:{trace.id}"
            if name in done:
                continue
            new = list(rows_of(generator, source, trace))
            file.writelines(json.dumps(row) + "\n" for row in new)
            file.flush()
            rows += new
            print(f"{count + 1} of {len(wanted)}: {name}", flush=True)
    names = {f"{source}:{trace.id}" for source, trace in wanted}
    return [row for row in rows if row["trace"] in names]
