"""What the retriever looks at over a run, and both sides at the words of a question, in a browser."""

import json

import pytest

pytestmark = pytest.mark.browser
OVER_RUN = "section[aria-labelledby=s-what-the-retriever-looks-at]"
ASKED = "section[aria-labelledby=s-words-of-the-question-retriever-and-generator]"


@pytest.fixture
def data(files):
    page = files["looks"].read_text(encoding="utf-8")
    return json.loads(page.split('id="data">')[1].split("</script>")[0])


def percent(value):
    digits = 1 if 0 < value < 0.1 else 0
    return f"{100 * value:.{digits}f}\N{NO-BREAK SPACE}%"


def number(text):
    return float(text.split("\n")[0].replace("\N{MINUS SIGN}", "-"))


def test_a_share_stands_beside_what_chance_gives_and_their_difference(report, files, data):
    page = report(files["looks"]).view("#overview")
    exact = data["looks"]["looks"]["exact"]
    row = page.locator(f"{OVER_RUN} tr", has_text="As written")
    cells = [cell.split("\n")[0] for cell in row.locator("td.num").all_inner_texts()]
    assert cells[:2] == [percent(exact["share"]["value"]), percent(exact["control"])]
    assert number(cells[2].split("\N{NO-BREAK SPACE}")[0]) == pytest.approx(
        100 * exact["over_random"]["value"], abs=0.06
    )
    width = page.evaluate(
        "row => row.querySelector('rect.share').width.baseVal.valueAsString", row.element_handle()
    )
    assert float(width.rstrip("%")) > 0


def test_what_is_not_installed_is_a_word_with_its_remedy(report, files, data):
    page = report(files["looks"]).view("#overview")
    speech = data["looks"]["looks"]["part_of_speech"]
    words = page.locator(OVER_RUN).inner_text()
    if speech["state"] == "undefined":
        assert f"By part of speech: undefined {speech['reason']}" in words
    else:
        assert "Tagged by" in words


def test_the_folds_hold_a_row_a_tenth(report, files):
    page = report(files["looks"]).view("#overview")
    fold = page.locator(f"{OVER_RUN} details", has_text="By place in the passage")
    fold.locator("summary").click()
    assert fold.locator("tbody tr:not(.group)").count() == 10


def test_a_run_without_explanations_says_nothing_of_them(report, files):
    assert report(files["small"]).view("#overview").locator(OVER_RUN).count() == 0
    assert report(files["small"]).view("#trace=first").locator(ASKED).count() == 0


def test_both_sides_stand_at_each_word_of_the_question(report, files, data):
    page = report(files["looks"]).view("#trace=t")
    asked = data["traces"][0]["asked"]
    rows = page.locator(f"{ASKED} tbody tr")
    assert rows.locator("th").all_inner_texts() == ["where", "is", "the", "copper", "harbour?"]
    values = [number(text) for text in rows.locator("td.num").all_inner_texts()]
    assert values[::2] == pytest.approx(asked["retriever"], abs=6e-4)
    assert values[1::2] == pytest.approx([cells[0] for cells in asked["generator"]], abs=6e-4)
    assert "Spearman, ranks" in page.locator(f"{ASKED} .facts").inner_text()


def test_a_side_that_was_not_asked_for_and_a_measure_of_both_have_their_reason(report, files):
    words = report(files["retriever"]).view("#trace=t").locator(ASKED).inner_text()
    assert "the words were no players: --players query" in words
    assert "undefined: the words of the query were no players; --players query makes them" in words


def test_an_empty_question_has_no_words_to_compare(report, files):
    words = report(files["looks"]).view("#trace=none").locator(ASKED).inner_text()
    assert "undefined the question has no word" in words
