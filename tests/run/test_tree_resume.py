"""A run on a real tiny model that stops between or inside packs goes on, and ends in the same bytes."""

import pandas as pd
import pytest

from boresight.api import audit
from boresight.models import transformers_generator
from boresight.models.transformers_generator import TransformersGenerator
from boresight.models.tree_scorer import TreeScorer
from boresight.testing.toy_models import tiny_model, toy_tokenizer
from helpers import make_trace


@pytest.fixture(scope="module")
def generator():
    tokenizer = toy_tokenizer()
    made = TransformersGenerator(tiny_model("mistral", vocabulary=len(tokenizer)), tokenizer, name="tiny")
    assert made.describe()["engine"].startswith("tree")  # the start-up check is done from here on
    return made


@pytest.fixture(autouse=True)
def small_packs(monkeypatch):
    monkeypatch.setitem(transformers_generator.PACK_TOKENS, "cpu", 32)


def traces():
    made = [make_trace(f"t{place}", answer="in Rome, the capital") for place in range(3)]
    for place, trace in enumerate(made):
        trace["passages"][place]["text"] += " by the river and the bridge" * (place + 1)
    return made


def contents(folder):
    files = (
        path for path in folder.rglob("*") if path.is_file() and path.name not in ("run.json", "run.lock")
    )
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def stop_after(patch, name, calls):
    """Let a method of the tree engine work so often, then stop the run as a person would."""
    method, left = getattr(TreeScorer, name), [calls]

    def stopping(*given):
        if not left[0]:
            raise KeyboardInterrupt
        left[0] -= 1
        return method(*given)

    patch.setattr(TreeScorer, name, stopping)
    return left


@pytest.mark.parametrize(
    ("method", "step"), [("score", 2), ("_run", 25)], ids=["between batches", "in a batch"]
)
def test_an_interrupted_run_ends_in_the_same_bytes(generator, tmp_path, method, step):
    def run(folder):
        return audit(traces(), generator=generator, placebo=1, out=folder)

    with pytest.MonkeyPatch.context() as patch:
        left = stop_after(patch, method, 10**6)
        whole = run(tmp_path / "whole")
    calls = 10**6 - left[0]
    assert calls >= 2 * step
    for stop in range(step - 1, calls, step):
        folder = tmp_path / str(stop)
        with pytest.MonkeyPatch.context() as patch:
            stop_after(patch, method, stop)
            with pytest.raises(KeyboardInterrupt):
                run(folder)
        again = run(folder)
        assert contents(folder) == contents(whole.folder)
        assert again.run["tokens"]["planned"] == whole.run["tokens"]["planned"]


def test_the_same_run_twice_gives_the_same_bytes(generator, tmp_path):
    folders = [audit(traces(), generator=generator, out=tmp_path / name).folder for name in "ab"]
    assert contents(folders[0]) == contents(folders[1])


def test_stored_values_of_both_engines_agree(generator):
    tokenizer = toy_tokenizer()
    plain = TransformersGenerator(generator.model, tokenizer, name="tiny", engine="plain")
    tables = []
    for one in (generator, plain):
        result = audit(traces(), generator=one, placebo=1)
        rows = pd.concat(pd.read_parquet(file) for file in (result.folder / "values").glob("*.parquet"))
        rows = rows[rows["game"] != "numeric_floor"]
        tables.append(rows.set_index(["trace", "game", "target", "coalition"])["logprobs"].to_dict())
    assert tables[0].keys() == tables[1].keys()
    for key, row in tables[0].items():
        assert row == pytest.approx(tables[1][key], abs=1e-4)
