"""What explanations cost is said before anything is spent."""

import json

import pytest

from boresight.cli.audit import ASK_ABOVE_SECONDS, _confirm
from boresight.models.fake import FakeGenerator
from boresight.models.rankers.bm25 import Bm25Ranker
from boresight.report.text import cost_lines
from boresight.run.audit import make_job, plan_job, run_job
from boresight.run.cost import total_cost
from boresight.run.explain_cost import most_rankings
from boresight.run.progress import Silent
from boresight.trace import trace_from_dict
from helpers import additive_table

TEXTS = {"a": "The copper bridge stands. It is old.", "b": "A bridge of stone.", "c": "Bread and cheese."}
TRACES = [
    {
        "id": name,
        "query": "copper bridge",
        "passages": [{"id": key, "text": text} for key, text in TEXTS.items()],
        "context": ["a", "b"],
    }
    for name in ("t", "u")
]
GENERATOR = FakeGenerator({"*": additive_table({"a": 1.0, "b": 0.5})})


class Counted(Bm25Ranker):
    calls = 0

    def score(self, query, passages):
        self.calls += 1
        return super().score(query, passages)


def job_of(*explain, traces=TRACES):
    ranker = Counted(Bm25Ranker.fit(TEXTS).statistics)
    return make_job(traces, generator=GENERATOR, retriever=ranker, settings={"explain": explain})


def test_passages_of_the_contexts_are_counted_and_timed():
    cost, _ = plan_job(job_of("retriever"))
    assert cost.explained == 4
    assert cost.explaining_seconds > 0
    assert (cost.rankings, cost.ranking_seconds) == (0, None)


def test_nothing_asked_costs_nothing():
    cost, _ = plan_job(job_of())
    assert (cost.explained, cost.rankings, cost.known_seconds) == (0, 0, 0.0)


def test_sets_of_words_and_sentences_bound_the_rankings():
    # 3 sets of two words (whole, less one, less the other) for three passages; 3 + 1 + 1 of sentences
    assert most_rankings(trace_from_dict(TRACES[0])) == (9, 5)
    cost, _ = plan_job(job_of("removals"))
    assert cost.rankings == 2 * (9 + 5)
    assert cost.ranking_seconds > 0


def test_long_questions_are_bounded_by_the_budget():
    long = TRACES[0] | {"query": "word " * 30}
    assert most_rankings(trace_from_dict(long))[0] == 3 * 90
    assert most_rankings(trace_from_dict(TRACES[0] | {"query": "word " * 8}))[0] == 3 * 60


def test_the_search_keeps_to_the_bound(tmp_path):
    job = job_of("removals")
    run_job(job, tmp_path / "run")
    assert 0 < job.encoder.calls <= 2 * (9 + 5) + len(TRACES)  # and one that ranks each trace


def test_what_is_stored_is_not_priced_again_and_what_is_added_later_is(tmp_path):
    run_job(job_of("retriever"), tmp_path / "run")
    said = []
    run_job(job_of("retriever", "removals"), tmp_path / "run", confirm=lambda cost: said.append(cost) or True)
    assert said[0].explained == 0
    assert said[0].rankings == 28


def test_both_are_said_in_lines():
    free = total_cost([], generations=0, calls=0, at_most=False, tokens_per_second=None, memory_mib=None)
    cost, _ = plan_job(job_of("retriever", "removals"))
    said = [line for line in cost_lines(cost) if line not in cost_lines(free)]
    assert any("the retriever's scores of 4 passages to explain, about 0 s" in line for line in said)
    assert any("what moves passages across the cut: at most 28 rankings, 0 s" in line for line in said)


@pytest.mark.parametrize(("seconds", "asked"), [(ASK_ABOVE_SECONDS + 1, True), (1.0, False)])
def test_explanations_alone_can_raise_the_question(monkeypatch, seconds, asked):
    cost, _ = plan_job(job_of("retriever"))
    object.__setattr__(cost, "explaining_seconds", seconds)
    object.__setattr__(cost, "seconds", None)  # as of an endpoint, whose speed is not measured
    for stream in ("stdin", "stderr"):
        monkeypatch.setattr(f"sys.{stream}.isatty", lambda: True)
    questions = []
    monkeypatch.setattr("typer.confirm", lambda text, **_: questions.append(text))
    _confirm(Silent(), yes=False)(cost)
    assert bool(questions) == asked


def test_a_price_is_json():
    cost, _ = plan_job(job_of("retriever", "removals"))
    assert json.loads(json.dumps(cost.to_json()))["rankings"] == 28
