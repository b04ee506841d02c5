"""What a run records of an endpoint whose values are no exact log-probabilities, or whose calls fail."""

import pandas as pd
import pytest

import boresight as bs
from boresight.errors import CallError, SpecError

QUIET = {"placebo": 0, "closed_book_answers": False}


@pytest.fixture
def answered(trace):
    return [
        bs.Trace(trace.id, trace.query, trace.passages, context=trace.context, answer="Paris of the river")
    ]


def stored(run):
    return pd.concat(map(pd.read_parquet, (run.folder / "values").glob("*.parquet")))


def test_bounds_are_stored_and_counted(opened, answered):
    generator, _ = opened("top=40", shape="legacy", named=True, ignore_echo=True, cap=5)
    run = bs.audit(answered, generator=generator, **QUIET)
    rows = stored(run)
    assert set(rows["value_kind"]) == {"generated_logprobs"}
    assert rows["upper"].notna().all()
    assert any("are upper bounds" in warning for warning in run.run["warnings"])


def test_similarities_are_labelled_and_have_no_probability(opened, answered):
    generator, server = opened("samples=2&max_new=8", shape="legacy", ignore_echo=True)
    run = bs.audit(answered, generator=generator, **QUIET)
    assert set(stored(run)["value_kind"]) == {"regenerate"}
    assert any("similarities" in warning for warning in run.run["warnings"])
    states = run.measures.reset_index().set_index("measure")["state"]
    assert states["warg_prob@1.5"] == "undefined"
    assert run.run["floors"]["numeric"]["probability"]["largest"] is None
    assert run.run["usage"]["calls"] == server.calls


def test_the_scale_of_similarities_is_their_own(opened, answered):
    generator, _ = opened("samples=2&max_new=8", shape="legacy", ignore_echo=True)
    with pytest.raises(SpecError, match="needs log-probabilities"):
        bs.audit(answered, generator=generator, scale="probability")


def test_batches_whose_calls_fail_are_missing_and_asked_for_again(opened, answered, tmp_path, monkeypatch):
    generator, _ = opened(named=True)
    true_score, broken = generator.score, []

    def failing(requests):
        if not broken:
            broken.append(len(requests))
            raise CallError("the server hung up")
        return true_score(requests)

    monkeypatch.setattr(generator, "score", failing)
    first = bs.audit(answered, generator=generator, out=tmp_path / "run", **QUIET)
    assert "batches lack values" in first.failures["q1"]
    second = bs.audit(answered, generator=generator, out=tmp_path / "run", **QUIET)
    assert second.failures == {}
    assert second.passages["attribution"].notna().all()


def test_no_paid_call_is_made_to_measure_speed(opened, answered):
    from boresight.run.audit import make_job, plan_job

    generator, server = opened(named=True)
    before = server.calls
    cost, _ = plan_job(make_job(answered, generator=generator))
    assert (server.calls - before, cost.seconds) == (0, None)
    assert cost.calls >= 5
