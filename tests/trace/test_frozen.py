from __future__ import annotations

import copy
import json
import pickle
from datetime import UTC, datetime

import cloudpickle
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boresight.errors import InputError
from boresight.trace import FrozenDict
from boresight.trace.frozen import MAX_DEPTH, freeze, thaw

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
)


def nested(depth):
    value = {}
    for _ in range(depth):
        value = {"a": value}
    return value


@given(JSON)
def test_thaw_undoes_freeze(value):
    assert thaw(freeze(value, "v")) == value


@given(JSON)
def test_a_frozen_value_hashes_writes_as_json_and_survives_both_pickles(value):
    frozen = freeze(value, "v")
    assert json.dumps(frozen) == json.dumps(value)
    for copied in (
        pickle.loads(pickle.dumps(frozen)),  # noqa: S301  our own bytes
        cloudpickle.loads(cloudpickle.dumps(frozen)),
        copy.copy(frozen),
        copy.deepcopy(frozen),
    ):
        assert (copied, type(copied), hash(copied)) == (frozen, type(frozen), hash(frozen))


@pytest.mark.parametrize(
    "change",
    [
        lambda d: d.__setitem__("b", 1),
        lambda d: d.__delitem__("a"),
        lambda d: d.__ior__({"b": 1}),
        lambda d: d.clear(),
        lambda d: d.pop("a"),
        lambda d: d.popitem(),
        lambda d: d.setdefault("b", 1),
        lambda d: d.update(b=1),
    ],
)
def test_a_frozen_dict_refuses_every_change(change):
    frozen = FrozenDict(a=1)
    with pytest.raises(TypeError, match="cannot be changed"):
        change(frozen)
    assert frozen == {"a": 1}


def test_freezing_copies_so_that_the_source_may_change_later():
    source = {"a": [1, {"b": 2}]}
    frozen = freeze(source, "v")
    source["a"][1]["b"] = 3
    assert frozen == {"a": (1, {"b": 2})}


@pytest.mark.parametrize(("scalar", "plain"), [(np.int64(3), 3), (np.float32(0.5), 0.5), (np.str_("x"), "x")])
def test_numpy_scalars_become_plain_values(scalar, plain):
    frozen = freeze(scalar, "v")
    assert (frozen, type(frozen)) == (plain, type(plain))


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"a": [float("nan")]}, "v.a[0] must be a finite number, got the number nan"),
        ({1: 2}, "v must have text keys, got the number 1"),
        ({"a": {1, 2}}, "v.a must be a JSON value, got a value of type set"),
        (b"x", "v must be a JSON value, got a value of type bytes"),
        (datetime(2026, 1, 1, tzinfo=UTC), "v must be a JSON value, got a value of type datetime"),
        (10**400, "v is an integer too large to work with; write it as a string"),
        ({"a": "\ud800"}, "v.a holds a lone surrogate, which no UTF-8 file can hold; replace it by U+FFFD"),
        (
            {"\ud800": 1},
            "a key of v holds a lone surrogate, which no UTF-8 file can hold; replace it by U+FFFD",
        ),
    ],
)
def test_what_json_cannot_hold_is_refused_by_name(value, message):
    with pytest.raises(InputError) as error:
        freeze(value, "v")
    assert str(error.value) == message


def test_nesting_has_a_limit_that_also_stops_circles():
    assert thaw(freeze(nested(MAX_DEPTH), "v")) == nested(MAX_DEPTH)
    circle = {}
    circle["a"] = circle
    for value in (nested(MAX_DEPTH + 1), circle):
        with pytest.raises(InputError, match="is nested deeper than 100 levels"):
            freeze(value, "v")
