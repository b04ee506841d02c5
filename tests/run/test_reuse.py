"""Other methods and measures on stored values, without a call."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import boresight as bs
from boresight.errors import SpecError
from boresight.explain.shapley import ESTIMATORS
from boresight.models.fake import FakeGenerator
from boresight.models.rankers.bm25 import Bm25Ranker
from boresight.run.reuse import reuse
from helpers import additive_table, make_trace

WEIGHTS = {"a": 1.0, "b": -0.5, "c": 0.25, "d": 0.0, "e": 2.0}


class Counting(FakeGenerator):
    """A fake that refuses to be asked once it is sealed."""

    sealed = False

    def score(self, requests):
        assert not self.sealed
        return super().score(requests)


@pytest.fixture
def generator():
    return Counting({"*": additive_table(WEIGHTS, base=-6.0)})


@pytest.fixture
def exact(generator, tmp_path):
    trace = make_trace(names=tuple(WEIGHTS), answer="in Rome")
    run = bs.audit([trace], generator=generator, out=tmp_path / "exact", exact=True)
    generator.sealed = True
    return run.folder


def test_reuse_makes_no_call_and_says_so(exact):
    again = bs.reuse(exact, method="leverage")
    assert again.run["counts"] == {"coalitions_scored": 0, "calls": 0}
    assert again.run["tokens"] == {"planned": 0, "spent": 0}
    assert again.run["from"] == str(exact)


@pytest.mark.parametrize("method", [name for name, one in ESTIMATORS.items() if one.estimand == "shapley"])
def test_every_shapley_method_reads_an_exact_table(exact, method):
    found = bs.reuse(exact, method=method).passages.reset_index().set_index("passage")
    assert set(found["method"]) == {method}
    if method not in ("mcshap", "pmcshap"):  # these draw too few coalitions for an exact answer
        np.testing.assert_allclose(
            [found["attribution"][name] for name in WEIGHTS],
            [1.5 * weight for weight in WEIGHTS.values()],
            atol=1e-4,
        )


def test_leave_one_out_is_the_column_of_that_name(exact):
    found = bs.reuse(exact, method="loo").passages
    np.testing.assert_allclose(found["attribution"], found["leave_one_out"], atol=1e-6)


def test_contextcite_reads_log_probabilities_whatever_the_scale(exact):
    found = [bs.reuse(exact, method="contextcite", scale=scale).passages for scale in ("nats", "log_odds")]
    slopes = found[0].reset_index().set_index("passage")["attribution"]
    assert slopes.idxmax() == "e"
    assert slopes["b"] < 0 == slopes["d"]
    np.testing.assert_array_equal(found[0]["attribution"], found[1]["attribution"])


def test_contextcite_has_no_probability(exact):
    with pytest.raises(SpecError, match="contextcite explains log-odds"):
        bs.reuse(exact, method="contextcite", scale="probability")


def test_a_scale_can_be_set_back_to_the_default(exact, tmp_path):
    bs.reuse(exact, scale="probability", out=tmp_path / "probability")
    again = bs.reuse(tmp_path / "probability", scale="nats")
    assert again.summary["scale"] == "nats"
    np.testing.assert_allclose(again.passages["attribution"], bs.reuse(exact).passages["attribution"])


def test_the_same_settings_give_the_same_tables(exact, tmp_path):
    again = bs.reuse(exact, out=tmp_path / "again")
    for name in ("passages", "tokens", "measures", "pairs"):
        first, second = (Path(run) / f"{name}.parquet" for run in (exact, again.folder))
        assert first.read_bytes() == second.read_bytes()


def test_other_measures_and_spans_need_no_call(exact):
    again = bs.reuse(exact, measures=["warg@2"], spans=["Rome"])
    assert again.measures.reset_index()["measure"].tolist() == ["warg@2"]
    assert "span:Rome" in set(again.passages.reset_index()["target"])


def test_a_method_whose_coalitions_are_not_stored_gives_no_attribution(generator, tmp_path):
    names = tuple("abcdefgh")
    table = {"*": additive_table(dict.fromkeys(names, 0.5), base=-6.0)}
    trace = make_trace(names=names, answer="in Rome")
    run = bs.audit(
        [trace], generator=FakeGenerator(table), out=tmp_path / "r", budget=20, max_tokens_per_trace=1
    )
    again = bs.reuse(run.folder, method="exact")
    assert again.passages["attribution"].isna().all()
    assert "coalitions that the run does not hold" in " ".join(again.run["warnings"])


def test_a_setting_that_needs_new_values_is_refused(exact, tmp_path):
    from boresight.run.reuse import reuse

    with pytest.raises(SpecError, match="--budget needs new values"):
        reuse(exact, tmp_path / "new", {"budget": 12})


def test_a_folder_without_values_is_refused(tmp_path):
    with pytest.raises(SpecError, match="holds no values"):
        bs.reuse(tmp_path)


def test_an_unfinished_run_is_refused(exact):
    (exact / "summary.json").unlink()
    with pytest.raises(SpecError, match="not finished"):
        bs.reuse(exact)


def test_a_run_is_not_reused_onto_itself(exact):
    with pytest.raises(SpecError, match="the same folder"):
        bs.reuse(exact, out=exact)


def test_a_killed_copy_is_taken_up_by_the_same_call(exact, tmp_path, monkeypatch):
    whole = bs.reuse(exact, method="kernel", out=tmp_path / "whole")
    with monkeypatch.context() as patch:
        patch.setattr("boresight.run.reuse.shutil.copytree", lambda *_, **__: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            bs.reuse(exact, method="kernel", out=tmp_path / "killed")
    again = bs.reuse(exact, method="kernel", out=tmp_path / "killed")
    pd.testing.assert_frame_equal(again.passages, whole.passages)


def test_a_repeated_call_repeats_no_warning(exact, tmp_path):
    found = [bs.reuse(exact, spans=["Paris"], out=tmp_path / "again").run["warnings"] for _ in range(2)]
    assert found[0] == found[1]
    assert len(found[0]) == 1


def test_the_original_run_is_left_alone(exact):
    before = {path: path.read_bytes() for path in exact.rglob("*") if path.is_file()}
    bs.reuse(exact, method="kernel")
    assert before == {path: path.read_bytes() for path in exact.rglob("*") if path.is_file()}
    assert json.loads((exact / "run.json").read_text())["spec"]["method"] == "auto"


def test_findings_rest_on_shapley_values_only(exact):
    assert not bs.reuse(exact, method="exact").findings.empty
    kinds = set(bs.reuse(exact, method="contextcite").findings["kind"])
    assert not kinds & {
        "wasted_retrieval",
        "noise_distraction",
        "harmful_passage",
        "twins",
        "need_each_other",
    }


def explained(generator, tmp_path, explain=("retriever",)):
    trace = make_trace(names=tuple(WEIGHTS), answer="in Rome")
    settings = {"retriever": Bm25Ranker.fit({one["id"]: one["text"] for one in trace["passages"]})}
    settings |= {"explain": list(explain), "out": tmp_path / "why"}
    run = bs.audit([trace], generator=generator, **settings)
    generator.sealed = True
    return run.folder


def test_explanations_that_the_run_holds_come_along(generator, tmp_path):
    source, out = explained(generator, tmp_path), tmp_path / "again"
    reuse(source, out, {"explain": ("retriever",), "method": "leverage"})
    assert (out / "explanations.jsonl").read_bytes() == (source / "explanations.jsonl").read_bytes()
    assert bs.Audit(out).summary["retriever"]["passages"] == len(WEIGHTS)


def test_explanations_that_it_lacks_are_refused_in_one_sentence(exact, tmp_path):
    with pytest.raises(SpecError, match="the run holds no explanations, and --from calls no retriever"):
        reuse(exact, tmp_path / "again", {"explain": ("retriever",)})


def test_fewer_explanations_than_the_run_holds_may_be_named(generator, tmp_path):
    source = explained(generator, tmp_path, explain=("retriever", "removals"))
    reuse(source, tmp_path / "again", {"explain": ("retriever",)})
    assert bs.Audit(tmp_path / "again").run["spec"]["explain"] == ["retriever", "removals"]


def test_more_explanations_than_the_run_holds_are_refused(generator, tmp_path):
    source = explained(generator, tmp_path)
    with pytest.raises(SpecError, match=r"explanations of retriever only.*--explain retriever,removals"):
        reuse(source, tmp_path / "again", {"explain": ("retriever", "removals")})
