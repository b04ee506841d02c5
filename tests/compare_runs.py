"""Pairs of runs whose differences are written down, for the tests of comparison and gate."""

import json

from boresight.run.audit import make_job, run_job
from helpers import additive_table, make_trace

BEFORE = {"a": 1.0, "b": 0.5, "c": 0.25}
AFTER = {"a": 0.25, "b": 0.5, "c": 1.0}
BETTER = {"a": 1.25, "b": 0.5, "c": 0.25}
TRACES = 12


def lines_of(traces=TRACES, names=("a", "b", "c")):
    """Traces ``t0, t1, ...`` that are alike but for their id and question."""
    made = (make_trace(f"t{k}", names, answer="in Rome") for k in range(traces))
    return [line | {"query": f"Where is {line['id']}?"} for line in made]


def weighted_run(folder, weights, lines=None, *, measures=None, broken=(), **settings):
    """Audit traces that differ in the weight of ``a`` alone: trace k adds k / 20 to it.

    The first token gains the weights of the passages that are there, the second half of them. So an
    attribution is 1.5 times the weight, the gain over closed book 1.5 times their sum minus 4. Broken traces
    lack a value.
    """
    lines = lines or lines_of()
    tables = {}
    for k, line in enumerate(lines):
        table = additive_table({**weights, "a": weights["a"] + k / 20}, answer=line["answer"])
        if line["id"] in broken:
            del table["values"]["a,b"]
        tables[line["id"]] = table
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "table.json").write_text(json.dumps(tables))
    job = make_job(lines, generator=f"fake:{folder / 'table.json'}", measures=measures, settings=settings)
    run_job(job, folder / "run")
    return folder / "run"
