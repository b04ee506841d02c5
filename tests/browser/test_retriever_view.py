"""The retriever's explanations in the trace view, as a browser shows them."""

import pytest

pytestmark = pytest.mark.browser


def numbers(cells):
    return [float(cell.replace("\N{MINUS SIGN}", "-").replace("+", "")) for cell in cells]


def test_the_words_that_made_the_score_are_highlighted(report, files):
    page = report(files["retriever"]).view("#trace=t")
    assert page.locator("#look .hl").all_inner_texts() == ["copper", "copper", "copper"]
    page.locator("#look-above").select_option("1")
    assert page.locator("#look .hl").all_inner_texts() == ["harbour", "harbour"]


def test_the_tables_say_the_same_and_sum_to_the_score(report, files):
    page = report(files["retriever"]).view("#trace=t")
    page.locator("#look summary").click()
    for caption in ("Words of the question", "Words of the passage"):
        found = page.locator("#look table", has=page.locator("caption", has_text=caption)).first
        values = numbers(found.locator("tbody td").all_inner_texts())
        assert sum(values[:-1]) == pytest.approx(values[-1], abs=2e-3)
        assert values[-1] > 0


def test_two_chosen_passages_are_compared_and_swapping_flips_the_signs(report, files):
    page = report(files["retriever"]).view("#trace=t")
    page.locator("#look-below").select_option("1")
    there = numbers(page.locator("#look table").first.locator("tbody tr td:last-child").all_inner_texts())
    page.locator("#look-above").select_option("1")
    page.locator("#look-below").select_option("0")
    back = numbers(page.locator("#look table").first.locator("tbody tr td:last-child").all_inner_texts())
    assert sorted(there[:2]) == sorted(-one for one in back[:2])
    assert there[-1] == -back[-1] != 0
    assert sum(there[:-1]) == pytest.approx(there[-1], abs=2e-3)
