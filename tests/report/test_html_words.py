"""Plain words: every measure says what is good, and a setting says what it does."""

import pytest

from boresight.measure.attribution_faithfulness.families import attribution_faithfulness_families
from boresight.measure.registry import default_measures
from boresight.measure.retrieval.families import retrieval_families
from boresight.report.html.words import SETTINGS, measure_words

ON_DEMAND = (*attribution_faithfulness_families(), *retrieval_families())
NAMES = [
    *(str(measure) for measure in default_measures()),
    *(str(measure) for family in ON_DEMAND for measure in family.bound()),
]


@pytest.mark.parametrize("name", NAMES)
def test_every_measure_says_which_direction_is_good(name):
    said = measure_words(name)["help"].lower()
    assert any(words in said for words in ("higher is better", "lower is better", "neither direction"))


@pytest.mark.parametrize("name", [name for name in NAMES if "@" in name])
def test_every_setting_is_explained_with_its_own_number(name):
    family, at = name.split("@")
    assert family in SETTINGS
    explained = measure_words(name)["help"].split(f"@{at}: ")[1]
    assert at in explained
    assert "{" not in explained


def test_the_setting_of_warg_is_a_multiple_of_an_even_share():
    assert measure_words("warg@1.5")["help"].endswith(
        "@1.5: a passage counts when it holds more than 1.5 times an even share."
    )


def test_an_unknown_measure_goes_by_its_own_name():
    assert measure_words("of_tomorrow@9") | {"range": None} == {
        "name": "of_tomorrow@9", "label": "of_tomorrow@9", "help": "", "headline": False, "unit": "index",
        "range": None,
    }  # fmt: skip
