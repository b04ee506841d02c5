"""The judged documents of TREC CAsT 2021 in three recorded runs."""

from pathlib import Path

import pytest

from boresight.measure.funnel import funnel, good_passages, summarise_funnel
from boresight.trace import read_traces

CAST = Path(__file__).parents[4] / "shared/data/cast"

pytestmark = pytest.mark.skipif(not CAST.exists(), reason="the CAsT files are not here")


def test_losses_agree_with_a_plain_count():
    runs, good = {}, set()
    for path in sorted(CAST.glob("run_*.trec")):
        for line in path.read_text(encoding="utf-8").splitlines():
            turn, _, document, *_ = line.split()
            runs.setdefault(turn, set()).add(document)
    for path in CAST.glob("qrels_*.txt"):
        for line in path.read_text(encoding="utf-8").splitlines():
            turn, _, document, grade = line.split()
            if int(grade) > 0:
                good.add((turn, document))
    missed = sum(turn in runs and document not in runs[turn] for turn, document in good)
    found = summarise_funnel(
        row for trace in read_traces(CAST) for row in funnel(trace, good_passages(trace))
    )
    assert found["good"] == len(good)
    assert found["kinds"]["never_retrieved"]["count"] == missed
    assert found["kinds"]["not_recorded"]["count"] == sum(turn not in runs for turn, _ in good)
    assert set(found["kinds"]) == {"never_retrieved", "not_recorded"}
