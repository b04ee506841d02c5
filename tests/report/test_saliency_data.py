import json

import pytest

from boresight.api import Audit
from boresight.report.html.data import report_data
from boresight.report.html.looks_data import run_looks
from boresight.report.html.query_data import asked_words
from boresight.report.html.saliency_data import expanded, trace_saliency, unsaid, words_with_values
from boresight.report.saliency_text import looks_view, retriever_lines
from boresight.report.text import WIDTH, console
from html_runs import looks_run, retriever_run, small_run


@pytest.fixture(scope="module")
def both(tmp_path_factory):
    """A run in which the words of the questions are players too."""
    return looks_run(tmp_path_factory.mktemp("looks"))


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return retriever_run(tmp_path_factory.mktemp("retriever"))


def test_pieces_of_a_word_are_summed_and_blanks_belong_to_none():
    tokens = [[1, "cop", 0, 3, 1.0], [2, "per", 3, 6, 0.5], [3, " x", 6, 8, 2.0], [4, "?", 8, 9, 4.0]]
    assert words_with_values(tokens, "copper x?") == [[0, 6, 1.5], [7, 8, 2], [8, 9, 4]]


def test_places_count_the_units_of_the_page():
    assert words_with_values([[0, "b", 2, 3, 1.0]], "\U0001f3f0 b") == [[3, 4, 1]]


def test_characters_of_scripts_without_blanks_stay_apart():
    tokens = [[0, "\u6771", 0, 1, 1.0], [1, "\u4eac", 1, 2, 2.0]]
    assert words_with_values(tokens, "\u6771\u4eac") == [[0, 1, 1], [1, 2, 2]]


def test_passages_stand_by_their_place_and_titles_are_read(run):
    look = report_data(run)["traces"][0]["look"]
    first = look["passages"][0]
    assert (look["kind"], look["method"]) == ("structural", "structural")
    assert [word[:2] for word in first["words"]] == [[5, 11], [21, 27]]
    assert first["query"][0][2] == pytest.approx(first["score"], rel=1e-5)
    assert look["passages"][2] == {**look["passages"][2], "score": 0, "query": [], "words": []}


def test_a_run_without_explanations_has_none(tmp_path):
    assert report_data(small_run(tmp_path))["traces"][0]["look"] is None
    assert trace_saliency(None, {}) is None


def test_a_redacted_page_holds_no_explanation(run):
    data = report_data(run, redact=True)
    assert data["traces"][0]["look"] is None
    assert "copper" not in json.dumps(data["traces"])


def test_the_terminal_names_the_top_words(run):
    audit = Audit(run)
    (line,) = retriever_lines(audit, audit.traces["t"])
    assert line.plain.startswith("bm25 looks at: ")
    assert "copper +" in line.plain
    assert "harbour? +" in line.plain


def test_both_sides_stand_at_the_same_words_of_the_question(both):
    data = report_data(both)
    asked, rows = data["traces"][0]["asked"], Audit(both).saliency.reset_index()
    assert asked["words"] == [[0, 5], [6, 8], [9, 12], [13, 19], [20, 28]]
    own = rows[(rows["trace"] == "t") & (rows["stage"] == "generator")]
    assert [cells[0] for cells in asked["generator"]] == pytest.approx(own["value"].tolist(), rel=1e-5)
    summed = rows[(rows["trace"] == "t") & (rows["stage"] == "bm25") & (rows["side"] == "query")]["value"]
    assert sum(asked["retriever"]) == pytest.approx(summed.sum(), rel=1e-5)
    names = [name for name, _ in asked["measures"]]
    assert names == ["warg@1.5", "spearman"]
    assert data["traces"][2]["asked"]["words"] == []


def test_a_side_that_was_not_asked_for_is_null_and_its_measures_have_a_reason(run):
    data = report_data(run)
    asked = data["traces"][0]["asked"]
    assert asked["generator"] is None
    assert len(asked["retriever"]) == 2
    _, cell = asked["measures"][0]
    assert data["reasons"][int(cell[1:])].startswith("the words of the query were no players")
    assert asked_words("a b", None, ()) is None
    assert report_data(run, redact=True)["traces"][0]["asked"] is None


def test_places_of_words_count_the_units_of_the_page():
    row = {"token": 0, "value": 1.5, "low": None, "high": None, "above_numeric": True}
    found = asked_words("\U0001f3f0 b", None, [row, {**row, "token": 1, "above_numeric": False}])
    assert found["words"] == [[0, 2], [3, 4]]
    assert (found["retriever"], found["generator"][1]) == (None, [1.5, None, None, False])


def test_the_page_knows_shares_and_agreement_of_the_run(both):
    looks = report_data(both, redact=True)["looks"]
    assert (looks["stage"], looks["passages"]) == ("bm25", 9)
    assert looks["looks"]["exact"]["share"]["value"] > looks["looks"]["exact"]["control"]
    assert [one["label"] for one in looks["alignment"]] == ["WARG, log scale", "Spearman, ranks"]


def test_shares_without_a_control_are_of_an_older_version_and_not_shown(both):
    about = Audit(both).summary["retriever"]
    assert run_looks({**about, "looks": {"exact": {"share": {}}}})["looks"] is None
    assert run_looks(None) is None


def test_the_terminal_shows_shares_beside_chance_and_what_is_not_installed(both):
    screen, audit = console(), Audit(both)
    with screen.capture() as found:
        screen.print(looks_view(audit))
    lines = found.get().splitlines()
    assert max(map(len, lines)) <= WIDTH
    (exact,) = [line for line in lines if "question words, as written" in line]
    looks = audit.summary["retriever"]["looks"]
    for value in (looks["exact"]["share"]["value"], looks["exact"]["control"]):
        assert f" {100 * value:.1f} %" in exact
    said = " ".join(lines)
    assert ("undefined (part of speech" in said) == (looks["part_of_speech"]["state"] == "undefined")


def test_the_terminal_names_the_words_of_both_sides_and_their_agreement(both):
    audit = Audit(both)
    lines = [line.plain for line in retriever_lines(audit, audit.traces["t"])]
    assert [line.split(" looks at: ")[0] for line in lines[:2]] == ["bm25", "generator"]
    assert all(len(line) <= WIDTH for line in lines)
    state = audit.query_alignment.loc[("t", "spearman")]["state"]
    assert any("over these words" in line for line in lines)
    assert any("Spearman" in line for line in lines) == (state == "defined")


def test_a_run_without_explanations_has_no_shares(tmp_path):
    assert looks_view(Audit(small_run(tmp_path))) is None


def test_parts_that_the_text_does_not_say_are_named_the_largest_first():
    tokens = [[0, "red", 0, 3, 1.0], [1, "colour", None, None, 0.2], [2, "paint", None, None, -0.5]]
    assert unsaid(tokens) == [["paint", -0.5], ["colour", 0.2]]


def test_expansions_are_named_beside_the_word_that_they_come_from():
    tokens = [
        [0, "red", 0, 3, 1.0],
        [1, "colour", 0, 3, 0.2],
        [2, "auto", 4, 7, 0.9],
        [3, "paint", None, None, 2],
    ]
    assert expanded(tokens, "red car") == [["auto", 0.9, "car"], ["colour", 0.2, "red"]]
