"""Means over what is defined, with all counts."""

import json
import math

import pytest

from boresight.errors import SpecError
from boresight.measure.summary import summarise
from boresight.outcome import Measure
from boresight.stats.bootstrap import mean_interval
from boresight.stats.random import rng_for


def rows(name, *values, chance=None):
    return [(name, Measure.defined(value, chance=chance)) for value in values]


def test_the_mean_is_over_the_defined_and_every_state_is_counted():
    found = summarise(
        [
            *rows("warg@1.5", 1.0, 0.0, 0.5),
            ("warg@1.5", Measure.undefined("there is only one passage")),
            ("warg@1.5", Measure.undefined("no passage has a positive attribution")),
            ("warg@1.5", Measure.failed("the generator gave no value")),
        ],
        seed=0,
    )["warg@1.5"]
    assert found["value"] == 0.5
    assert (found["defined"], found["undefined"], found["failed"]) == (3, 2, 1)
    assert found["unit"] == "index"


def test_the_interval_is_the_bootstrap_over_traces():
    values = [math.sin(number) for number in range(30)]
    found = summarise(rows("spearman", *values), seed=3)["spearman"]
    expected = mean_interval(values, rng_for(3, "summary", "spearman"))
    assert (found["low"], found["high"]) == (expected.low, expected.high)
    assert found["low"] < found["value"] < found["high"]


def test_nothing_defined_has_no_value():
    found = summarise([("kendall", Measure.undefined("there is only one passage"))], seed=0)["kendall"]
    assert found == {
        "value": None,
        "low": None,
        "high": None,
        "defined": 0,
        "undefined": 1,
        "failed": 0,
        "chance": None,
        "unit": "index",
        "reasons": {"there is only one passage": 1},
    }


def test_one_trace_has_a_value_and_no_interval():
    found = summarise(rows("context_gain", -0.5), seed=0)["context_gain"]
    assert (found["value"], found["low"], found["high"], found["unit"]) == (-0.5, None, None, "nats")


def test_the_chance_level_is_the_mean_of_those_that_are_defined():
    both = [*rows("wasted_retrieval@2", 0.0, chance=0.25), *rows("wasted_retrieval@2", 1.0, chance=0.7)]
    undefined = ("wasted_retrieval@2", Measure("undefined", reason="there is no ranking", chance=0.1))
    found = summarise([*both, undefined], seed=0)["wasted_retrieval@2"]
    assert found["chance"] == pytest.approx(0.475)


def test_one_trace_without_chance_level_leaves_the_mean_without():
    mixed = [*rows("warg@1.5", 0.5, chance=0.0), *rows("warg@1.5", 0.5)]
    assert summarise(mixed, seed=0)["warg@1.5"]["chance"] is None


def test_measures_keep_the_order_of_their_first_row_and_do_not_touch_each_other():
    one, other = rows("spearman", 0.1, 0.9), rows("kendall", -1.0, 1.0)
    mixed = summarise([one[0], *other, one[1]], seed=0)
    assert list(mixed) == ["spearman", "kendall"]
    assert mixed["kendall"] == summarise(other, seed=0)["kendall"]


def test_the_order_of_the_traces_changes_no_byte():
    given = rows("pearson", 0.1, 0.7, 0.2, -0.3, 0.9, chance=0.0)
    assert json.dumps(summarise(given, seed=1)) == json.dumps(summarise(given[::-1], seed=1))


def test_another_seed_gives_another_interval():
    given = rows("pearson", *(math.sin(number) for number in range(30)))
    one, other = (summarise(given, seed)["pearson"] for seed in (1, 2))
    assert one["value"] == other["value"]
    assert (one["low"], one["high"]) != (other["low"], other["high"])


def test_no_rows_are_no_summaries():
    assert summarise([], seed=0) == {}


def test_a_name_that_is_no_measure_is_refused():
    with pytest.raises(SpecError, match="There is no measure 'wrag'"):
        summarise(rows("wrag", 1.0), seed=0)
