"""Every view of the report, as a browser shows it."""

import json
import re
from urllib.parse import quote

import pytest

from boresight.store.values import ValueStore

pytestmark = pytest.mark.browser

NAMES = (
    "small",
    "hostile",
    "sampled",
    "empty",
    "single",
    "colours",
    "long",
    "undefined",
    "redacted",
    "floors",
    "funnel",
    "retriever",
    "looks",
)
OURS = """
    a b bdi button caption circle dd details div dl dt footer g h1 h2 h3 header input label li line main nav
    noscript ol option p pre rect script section select small span summary svg table tbody td text th thead tr
    ul
"""


def views(file):
    """The hash of every view of a report."""
    page = file.read_text(encoding="utf-8")
    data = json.loads(page.split('id="data">')[1].split("</script>")[0])
    traces = ["#trace=" + quote(trace["id"], safe="!'()*-._~") for trace in data["traces"]]
    return ["#overview", "#traces", "#provenance", *traces]


@pytest.mark.parametrize("name", NAMES)
def test_no_view_fails_fetches_or_makes_an_element_from_data(report, files, name):
    opened = report(files[name])
    for view in views(files[name]):
        page = opened.view(view)
        assert page.locator("h1").count() == 1
        assert page.locator("h1", has_text="No such trace").count() == 0, view
        tags = page.evaluate("[...new Set([...document.body.querySelectorAll('*')].map(e => e.localName))]")
        assert set(tags) <= set(OURS.split()), view
        assert page.locator("script").count() == 2
        words = page.locator("main").inner_text()
        assert not re.search(r"NaN|Infinity|\[object|undefined undefined", words), view


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(report, files, name, scheme):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed").Axe()
    opened = report(files[name], color_scheme=scheme)
    for view in views(files[name])[:12]:
        page = opened.view(view)
        page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
        found = axe.run(page).response["violations"]
        serious = [
            (one["id"], [node["html"][:200] for node in one["nodes"]][:3])
            for one in found
            if one["impact"] in ("serious", "critical")
        ]
        assert serious == [], view


@pytest.mark.parametrize("name", NAMES)
def test_a_phone_needs_no_sideways_scrolling(report, files, name):
    opened = report(files[name], viewport={"width": 390, "height": 844})
    for view in views(files[name])[:12]:
        page = opened.view(view)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390, view


def test_the_switches_show_the_stored_value_of_every_coalition(report, files, run):
    stored = {row.coalition: row for row in ValueStore(run / "values").read(0) if row.game == "passages"}
    page = report(files["small"]).view("#trace=first")
    for coalition, row in stored.items():
        for place, mark in enumerate(coalition):
            page.locator(f"[data-switch='{place}']").set_checked(mark == "1")
        shown = page.locator("#what-if-value").inner_text().replace("\N{MINUS SIGN}", "-").split()[0]
        assert shown == f"{row.logprobs.astype(float).sum():.3f}", coalition


def test_a_focused_token_shows_its_split_over_the_passages(report, files):
    page = report(files["small"]).view("#trace=first")
    page.locator(".token[role=option]").first.focus()
    page.keyboard.press("ArrowRight")
    assert page.locator(".token[aria-selected=true]").inner_text() == "Rome "
    assert page.locator(".split tbody tr").count() == 3
    assert "number 1" in page.locator(".split").inner_text()
    assert "null" not in page.locator(".split").inner_text()


def test_a_pressed_letter_keeps_the_tokens_of_its_passage(report, files):
    page = report(files["small"]).view("#trace=first")
    page.locator(".passages [data-pin='1']").click()
    assert page.locator(".passages [data-pin='1']").get_attribute("aria-pressed") == "true"
    assert page.locator("tr[data-passage='1']").get_attribute("class").split()[-1] == "on"
    assert page.locator("#say").inner_text().startswith("Passage B adds to")


def test_right_to_left_answers_keep_their_digits_in_order(report, files):
    page = report(files["hostile"]).view("#trace=scripts")
    lefts = page.evaluate(
        """() => [...document.querySelectorAll('.token[role=option]')]
                .filter(one => /^\\d+$/.test(one.textContent))
                .map(one => one.getBoundingClientRect().left)"""
    )
    assert len(lefts) > 1
    assert lefts == sorted(lefts)


def test_filters_narrow_the_list(report, files):
    page = report(files["small"]).view("#traces")
    assert page.locator("#traces tbody tr").count() == 2
    page.locator("input[type=search]").fill("question of SECOND")
    assert page.locator("#traces tbody tr").all_inner_texts()[0].startswith("Question of second?")
    assert page.locator("#traces tbody tr").count() == 1
    page.locator("input[type=search]").fill("")
    page.locator("#by-measure").select_option(label="WARG, log scale @1.5")
    page.locator("input[type=number]").first.fill("1000")
    assert page.locator("#traces tbody tr").count() == 0


def test_the_theme_switch_wins_over_the_system(report, files):
    page = report(files["small"], color_scheme="light").view("#overview")
    light = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.locator("#theme").click()
    page.locator("#theme").click()
    assert page.locator("#theme").inner_text() == "Theme: dark"
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != light


def test_undefined_is_a_word_with_its_reason(report, files):
    page = report(files["small"]).view("#overview")
    row = page.locator("tr", has_text="Wasted retrieval @2").first.inner_text()
    assert "undefined" in row
    assert "passages" in row


def test_passages_of_one_title_are_told_apart_by_id(report, files):
    page = report(files["floors"]).view("#trace=first")
    names = page.locator(".switches .name").all_inner_texts()
    assert names == ["a \u00b7 Same title", "b \u00b7 Same title", "Title c"]
    assert page.locator(".legend .name").all_inner_texts() == names[:2]
    assert page.locator(".passages .name").all_inner_texts() == names
    page.locator(".token[role=option]").first.focus()
    assert page.locator(".split .name").all_inner_texts() == names


def test_an_answer_rests_on_a_passage_beyond_both_floors_only(report, files):
    opened = report(files["floors"])
    cells = opened.view("#traces").locator("td[data-label='Rests most on']").all_inner_texts()
    assert [cell.split("\n") for cell in cells] == [
        ["A 74\u00a0%", "a \u00b7 Same title \u00b7 relevant"], ["no passage beyond the floor"],
    ]  # fmt: skip
    first = opened.view("#trace=first")
    assert "rests most on A a \u00b7 Same title, 74\u00a0%, relevant" in first.locator(".facts").inner_text()
    assert first.locator("td[data-label=Share].soft").all_inner_texts() == ["0.260", "0"]
    second = opened.view("#trace=second").locator(".facts").inner_text()
    assert "rests most on no passage beyond the floor" in second


def test_sets_have_a_criterion_and_none_are_shown_where_the_context_does_not_help(report, files):
    opened = report(files["floors"])
    helped = opened.view("#trace=first").locator("section", has_text="Smallest sets").last.inner_text()
    assert "within 0.300 nats of the full context: 0.1 nats a token" in helped
    idle = opened.view("#trace=second").locator("section", has_text="Smallest sets").last.inner_text()
    assert "the context does not help" in idle
    assert "+1 nats" in idle
    assert "try it" not in idle


def test_passages_that_add_alike_share_a_token_and_harm_is_hollow(report, files):
    page = report(files["floors"]).view("#trace=first")
    assert page.locator(".over").all_inner_texts() == ["A/B", "A"]
    page.locator(".passages [data-pin='2']").click()
    assert page.locator(".token.less").count() == 1
    assert "gradient" in page.evaluate(
        "getComputedStyle(document.querySelector('.token.less')).backgroundImage"
    )


def test_the_header_says_what_the_floors_are_and_how_sure(report, files):
    facts = report(files["floors"]).view("#overview").locator(".facts").inner_text()
    assert "placebo floor 1.500 nats, from 2 traces; caution: fewer than 8" in facts
    table = report(files["small"]).view("#overview").locator(".facts").inner_text()
    assert "no placebo floor: a table of values has no noise" in table
    assert "numeric floor 0: the generator is a table" in table


def test_a_trace_without_finding_says_what_was_not_looked_at(report, files):
    page = report(files["floors"]).view("#trace=first")
    assert "They do not look at the labels or the reference answers." in page.locator("main").inner_text()


def test_a_stored_command_is_shown_as_it_was_typed(report, files):
    opened = report(files["floors"])
    page = opened.view("#provenance")
    assert page.locator("pre.command").inner_text() == "boresight audit 'my traces.jsonl' --max-new-tokens 3"
    assert "TRACES.jsonl is" not in page.locator("main").inner_text()
    assert "TRACES.jsonl is" in report(files["small"]).view("#provenance").locator("main").inner_text()


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 1280), ("light", 390)])
def test_pictures_are_written(report, files, tmp_path, scheme, width):
    opened = report(files["small"], color_scheme=scheme, viewport={"width": width, "height": 900})
    for number, view in enumerate(views(files["small"])):
        opened.view(view).screenshot(path=tmp_path / f"{number}.png", full_page=True)
    assert len(list(tmp_path.glob("*.png"))) == 5


def test_a_view_prints_to_pdf(report, files, tmp_path):
    report(files["small"]).view("#trace=first").pdf(path=tmp_path / "trace.pdf")
    assert (tmp_path / "trace.pdf").read_bytes().startswith(b"%PDF")


def test_the_funnel_links_a_loss_to_the_traces_that_it_happened_in(report, files):
    page = report(files["funnel"]).view("#overview")
    section = page.locator("section[aria-labelledby=s-funnel]")
    assert "17 good passages" in section.inner_text().replace("\n", " ")
    row = section.locator("tr", has=page.locator("th", has_text="rerank"))
    assert row.locator(".funnel-bar .lost").count() == 1
    row.locator("a", has_text="scored well, cut by top-k").click()
    assert page.locator("#by-loss").input_value() == "cut@rerank"
    assert page.locator("#traces tbody tr").count() == 1
    assert page.locator("#traces tbody tr small").first.inner_text() == "07-0"


def test_a_trace_shows_the_way_of_its_good_passage_up_to_the_stage_that_lost_it(report, files):
    page = report(files["funnel"]).view("#trace=07-0")
    row = page.locator("table.funnel tbody tr").first
    heads = page.locator("table.funnel thead th").all_inner_texts()
    assert [head.split("\n")[0] for head in heads][:3] == ["Good passage", "bm25", "dense"]
    kinds = row.locator(".gate").evaluate_all("all => all.map(one => one.className.split(' ')[1])")
    assert kinds == ["kept", "kept", "kept", "kept", "lost", "gone", "gone"]
    assert "rerank: scored well, cut by top-k" in row.inner_text()


def test_the_measure_of_the_alignment_by_stage_can_be_chosen(report, files):
    page = report(files["funnel"]).view("#overview")
    section = page.locator("section[aria-labelledby=s-alignment-by-stage]")
    assert section.locator("tbody th").count() == 6
    before = section.locator("tbody").inner_text()
    section.locator("select").select_option(label="Spearman, ranks")
    assert section.locator("tbody").inner_text() != before


def test_a_run_of_one_stage_has_no_alignment_by_stage_and_says_what_makes_a_passage_good(report, files):
    page = report(files["small"]).view("#overview")
    assert page.locator("section[aria-labelledby=s-alignment-by-stage]").count() == 0
    assert "no good passage is known" in page.locator("section[aria-labelledby=s-funnel]").inner_text()
