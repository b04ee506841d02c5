"""What the page knows about the answers of a run."""

from boresight.report.html.answers_data import knowledge, prediction

ENDS = {"value": 0.75, "low": 0.5, "high": 0.9}


def test_examples_are_places_of_traces():
    line = {
        "traces": 1,
        "share": 1.0,
        "low": 0.2,
        "high": 1.0,
        "right": 1,
        "wrong": 0,
        "examples": {"right": ["u"]},
    }
    found = knowledge(
        {"knowledge": {"known": 1, "unknown": 0, "sources": {"context": line}}}, {"t": 0, "u": 1}
    )
    assert found["sources"]["context"]["examples"] == {"right": [1]}
    assert found["sources"]["context"]["share"] == 1.0


def test_an_older_run_has_none():
    assert knowledge({}, {}) is None
    assert prediction({}, ["spearman"]) == []


def test_only_measures_with_an_area_are_shown_in_the_order_of_the_page():
    line = {"auroc": ENDS, "auroc_retrieval_fixed": ENDS, "rank_correlation": ENDS, "reason": None}
    found = {"kendall": line, "warg@1.5": line, "spearman": {"reason": "fewer"}}
    shown = prediction({"prediction": {"measures": found}}, ["warg@1.5", "spearman", "kendall"])
    assert len(shown) == 2
    assert shown[0]["title"].endswith(", 1.5")
    assert shown[0]["auroc"]["value"] == 0.75
