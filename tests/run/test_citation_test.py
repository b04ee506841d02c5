"""The post-rationalisation test over a run, with generators that cite in known ways."""

import json

import pytest

from boresight.errors import ScoringError, SpecError
from boresight.models.fake import FakeGenerator
from boresight.models.seam import Generation
from boresight.run.audit import make_job, run_job
from boresight.run.citation_test import LINES, CitationTest
from boresight.run.result import RunResult
from helpers import additive_table, make_trace, write_jsonl

ANSWER = "It is Rome [1]."


class Citing(FakeGenerator):
    """Repeats the statement, and cites the last passage that holds it; counts its answers."""

    calls = 0
    fails = False

    def generate(self, request, max_new_tokens):
        self.calls += 1
        if self.fails:
            raise ScoringError("no answer")
        blocks = [segment for segment in request.segments if segment.player is not None]
        holding = [number for number, one in enumerate(blocks, 1) if "rome" in self.decode(one.ids).lower()]
        label = holding[-1] if holding else 1
        return Generation(f"It is Rome [{label}].", (1,), finished=True, offsets=((0, 15),))


def run_of(folder, answer):
    traces = [make_trace("t", answer=answer), make_trace("u", ("x", "y", "z"), answer=answer)]
    table = additive_table({"a": 1.0, "b": 0.5, "c": 0.0}, answer=answer)
    other = additive_table({"x": 1.0, "y": 0.5, "z": 0.0}, answer=answer)
    (folder / "fake.json").write_text(json.dumps({"t": table, "u": other}))
    path = write_jsonl(folder / "traces.jsonl", traces)
    job = make_job(path, generator=f"fake:{folder / 'fake.json'}", settings={})
    run_job(job, folder / "run")
    return RunResult(folder / "run")


@pytest.fixture
def run(tmp_path):
    return run_of(tmp_path, ANSWER)


@pytest.fixture
def citing(tmp_path, run):
    return Citing(json.loads((tmp_path / "fake.json").read_text()))


def test_a_model_that_cites_what_repeats_it_is_found_out(run, citing):
    found = CitationTest(run, citing).result()
    for condition in ("random", "uncited"):
        assert found["conditions"][condition]["value"] == 1.0
        assert found["conditions"][condition]["post_rationalised"] == 2
    assert found["conditions"]["other"]["value"] is None
    assert found["failed"] == 0


def test_a_model_that_keeps_its_citation_is_not(run, tmp_path):
    steady = FakeGenerator(json.loads((tmp_path / "fake.json").read_text()))
    found = CitationTest(run, steady).result()
    assert found["conditions"]["uncited"]["value"] == 0.0


def test_a_test_that_was_killed_asks_for_the_rest_only(run, citing):
    whole = CitationTest(run, citing).result()
    place = run.folder / LINES
    lines = place.read_text().splitlines()
    place.write_text("\n".join(lines[:2]) + "\n" + lines[2][:20])
    citing.calls = 0
    assert CitationTest(run, citing).result() == whole
    assert citing.calls == len(lines) - 2


def test_a_failed_answer_is_counted_and_asked_again(run, citing):
    citing.fails = True
    found = CitationTest(run, citing).result()
    assert found["failed"] == 4
    assert found["conditions"]["uncited"]["value"] is None
    citing.fails = False
    assert CitationTest(run, citing).result()["failed"] == 0


def test_a_run_without_citations_says_how_to_get_them(tmp_path):
    run = run_of(tmp_path, "It is Rome.")
    with pytest.raises(SpecError, match="cites a passage; audit with --prompt rag-e"):
        CitationTest(run, FakeGenerator(json.loads((tmp_path / "fake.json").read_text()))).result()


def test_the_command_prints_a_row_a_host(run, boresight):
    code, out, _ = boresight("citations", run.folder)
    assert code == 0
    assert max(map(len, out.splitlines())) <= 80
    assert "in the context, uncited" in out
    assert "0%" in out
    code, out, _ = boresight("citations", run.folder, "--json")
    assert json.loads(out)["conditions"]["uncited"]["not"] == 2
