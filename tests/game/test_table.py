"""Values are looked up by passage id."""

import numpy as np
import pytest

from boresight.game.table import ValueTable

ROWS = {
    "00": np.float32([-2, -2]),
    "10": np.float32([-1, -2]),
    "01": np.float32([-2, -1]),
    "11": np.float32([-0.5, -0.5]),
}


@pytest.fixture
def table():
    return ValueTable(("a", "b"), "answer", ROWS)


def test_a_value_is_the_sum_over_tokens(table):
    assert table.value(["a"]) == -3
    assert table.value([]) == -4


def test_the_order_of_ids_does_not_matter(table):
    assert table.value(["b", "a"]) == table.value(["a", "b"]) == -1


def test_an_unknown_passage_is_an_error(table):
    with pytest.raises(KeyError, match="z"):
        table.value(["z"])


def test_the_lattice_is_in_bit_mask_order(table):
    assert table.lattice().sum(axis=1).tolist() == [-4, -3, -3, -1]
    assert table.complete


def test_totals_are_keyed_by_the_bit_mask_of_what_is_stored(table):
    assert table.totals == {0: -4.0, 1: -3.0, 2: -3.0, 3: -1.0}
    assert ValueTable(("a", "b"), "answer", {"01": ROWS["01"]}).totals == {2: -3.0}
    assert ValueTable((), "answer", {"": ROWS["00"]}).totals == {0: -4.0}
    assert ValueTable(("a",), "answer", {}).totals == {}


def test_an_incomplete_table_has_no_lattice():
    table = ValueTable(("a", "b"), "answer", {"00": ROWS["00"]})
    assert not table.complete
    with pytest.raises(KeyError):
        table.lattice()


def test_the_lattice_on_the_probability_scale(table):
    assert table.lattice("probability")[1] == pytest.approx([np.exp(-1), np.exp(-2)])
