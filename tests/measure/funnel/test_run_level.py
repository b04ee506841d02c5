"""Where a run loses its good passages."""

import pytest

from boresight.measure.funnel import Generation, Good, funnel, summarise_funnel
from boresight.measure.funnel.run_level import was_retrieved
from boresight.stats.wilson import wilson_interval

GOODS = tuple(Good(key, ("labelled",)) for key in ("g", "h", "i", "j"))


@pytest.fixture
def rows(stage, trace):
    """Four good passages: one used, one unused, one cut by the reranker, one never retrieved."""
    given = trace(
        stage("bm25", "retrieve", *"ghia"), stage("ce", "rerank", *"gahi", cut=3),
        stage("pack", "pack", *"gah"), context="gah",
    )  # fmt: skip
    return funnel(given, GOODS, Generation({"g": 2.0, "h": 0.0, "a": 1.0}, 0.1, {"g": True, "h": False}))


def test_the_way_of_the_run_in_rates(rows):
    found = summarise_funnel(rows, traces_without_good=3)
    assert (found["good"], found["traces"], found["traces_without_good"]) == (4, 1, 3)
    assert found["good_by"] == {"labelled": 4}
    way = {
        name: (found[name]["count"], found[name]["of"])
        for name in ("retrieved", "in_context", "used", "cited")
    }
    assert way == {"retrieved": (3, 4), "in_context": (2, 4), "used": (1, 2), "cited": (1, 2)}


def test_rates_carry_wilson_intervals(rows):
    rate, known = summarise_funnel(rows)["retrieved"], wilson_interval(3, 4)
    assert (rate["value"], rate["low"], rate["high"]) == (known.value, known.low, known.high)


def test_losses_by_stage_in_the_order_of_the_stages(rows):
    stages = summarise_funnel(rows)["stages"]
    lost = [(one["stage"], one["lost"]["count"], one["of_entered"]["of"], one["kinds"]) for one in stages]
    assert lost == [
        ("bm25", 1, 4, {"never_retrieved": 1}),
        ("ce", 1, 3, {"cut": 1}),
        ("pack", 0, 2, {}),
        ("context", 0, 2, {}),
        ("generator", 1, 2, {"unused": 1}),
    ]


def test_kinds_are_out_of_all_good_passages(rows):
    kinds = summarise_funnel(rows)["kinds"]
    assert {kind: (rate["count"], rate["of"]) for kind, rate in kinds.items()} == {
        "never_retrieved": (1, 4), "cut": (1, 4), "unused": (1, 4),
    }  # fmt: skip


def test_an_unknown_stage_comes_last_and_retrievers_together_first(stage, trace):
    both = funnel(trace(stage("a", "retrieve", "x"), stage("b", "retrieve", "y")), GOODS[:1])
    unknown = funnel(trace(stage("ce", "rerank", "x"), context="x"), GOODS[:1])
    names = [one["stage"] for one in summarise_funnel([*unknown, *both])["stages"]]
    assert (names[0], names[-1]) == ("a + b", None)


def test_a_loss_that_hung_on_a_tie_is_counted(stage, trace):
    given = trace(stage("r", "retrieve", ("a", 1.0), ("g", 1.0), cut=1))
    assert summarise_funnel(funnel(given, GOODS[:1]))["stages"][0]["unsure"] == 1


def test_retrieved_is_unknown_where_the_source_is(stage, trace):
    known = funnel(trace(stage("r", "retrieve", "a"), context="a"), GOODS[:1])[0]
    unknown = funnel(trace(stage("r", "retrieve", "a"), context="x"), GOODS[:1])[0]
    assert (was_retrieved(known), was_retrieved(unknown)) == (False, None)


def test_a_run_without_good_passages_has_no_rates():
    found = summarise_funnel([], 2)
    assert (found["good"], found["retrieved"]["value"], found["stages"]) == (0, None, [])
