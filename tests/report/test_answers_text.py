"""Tables about the answers of a run, in 80 columns."""

from rich.console import Console

from boresight.report.answers_text import knowledge_view, prediction_view

ENDS = {"value": 0.75, "low": 0.5, "high": 0.9}
NOTHING = {"value": None, "low": None, "high": None}
LINE = {"traces": 3, "share": 0.75, "low": 0.3, "high": 0.95, "right": 2, "wrong": 1, "no_reference": 0}


def shown(view):
    screen = Console(width=80, force_terminal=False)
    with screen.capture() as text:
        screen.print(view)
    assert max(map(len, text.get().splitlines())) <= 80
    return text.get()


def test_sources_with_answers_are_rows_with_an_example():
    empty = LINE | {"traces": 0, "share": 0.0, "examples": {}}
    sources = dict.fromkeys(("memory", "context", "both", "against_context", "neither"), empty)
    sources["context"] = LINE | {"examples": {"right": ["t1"], "wrong": ["t3"]}}
    text = shown(knowledge_view({"knowledge": {"known": 4, "unknown": 0, "sources": sources}}))
    assert "from the context" in text
    assert "30% .. 95%" in text
    assert "t1" in text
    assert "from memory" not in text


def test_nothing_known_is_no_table():
    assert knowledge_view({"knowledge": {"known": 0, "unknown": 3, "sources": {}}}) is None
    assert knowledge_view({}) is None


def test_predictors_have_area_interval_and_what_is_undefined():
    line = {"auroc": ENDS, "auroc_retrieval_fixed": NOTHING, "rank_correlation": ENDS, "reason": None}
    found = {"warg@1.5": line, "kendall": {"traces": 3, "reason": "fewer than 5"}}
    names = {"warg@1.5": "WARG", "kendall": "Kendall"}
    text = shown(prediction_view({"prediction": {"measures": found}}, names))
    assert "0.75" in text
    assert "undefined" in text
    assert "Kendall" not in text


def test_too_few_answers_are_no_table():
    found = {"warg@1.5": {"traces": 3, "reason": "fewer than 5"}}
    assert prediction_view({"prediction": {"measures": found}}, {"warg@1.5": "WARG"}) is None
    assert prediction_view({}, {}) is None
