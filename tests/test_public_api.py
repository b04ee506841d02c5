"""The public names, and how light importing them is."""

import subprocess
import sys
import time

import cloudpickle
import pytest

import boresight
from boresight.outcome import Measure
from helpers import additive_table, make_trace

HEAVY = ("torch", "transformers", "pandas", "scipy", "pyarrow", "numpy", "typer", "pydantic")


def test_the_list_of_public_names_is_complete_and_sorted_and_loads():
    assert list(boresight.__all__) == sorted(boresight.__all__)
    assert set(boresight.__all__) == {*boresight._HOMES, "__version__"}
    for name in boresight.__all__:
        assert getattr(boresight, name) is not None


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="nosuch"):
        boresight.nosuch  # noqa: B018 - the access is the point


def test_importing_boresight_loads_nothing_heavy_and_takes_under_300_ms():
    script = f"import sys, boresight; print([m for m in {HEAVY} if m in sys.modules])"
    begin = time.perf_counter()
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
    bare = time.perf_counter()
    subprocess.run([sys.executable, "-c", "pass"], check=True)
    end = time.perf_counter()
    assert (bare - begin) - (end - bare) < 0.3


def test_no_sub_package_is_hidden_by_a_public_function():
    import pkgutil

    modules = {module.name for module in pkgutil.iter_modules(boresight.__path__)}
    assert modules.isdisjoint(boresight.__all__)


def test_public_objects_pickle():
    values = [
        Measure.defined(1.0, low=0.5),
        boresight.attribute(lambda z: z.sum(axis=1).astype(float), 3),
        boresight.Trace("t", "q", (boresight.Passage("p", "text", metadata={"a": [1]}),), context=("p",)),
    ]
    for value in values:
        again = cloudpickle.loads(cloudpickle.dumps(value))
        assert repr(again) == repr(value)
        assert again is not None


def test_a_value_table_pickles():
    from boresight.models.fake import FakeGenerator
    from boresight.trace import trace_from_dict

    generator = FakeGenerator({"*": additive_table({"a": 1.0, "b": 2.0, "c": 0.0})})
    trace = trace_from_dict(make_trace(answer="in Rome"))
    table = boresight.ContextGame(cloudpickle.loads(cloudpickle.dumps(generator)), trace).table()
    assert cloudpickle.loads(cloudpickle.dumps(table)).value(["a"]) == table.value(["a"])
