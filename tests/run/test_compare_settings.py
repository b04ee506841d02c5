"""What differs between two records, the weightiest first."""

from boresight.run.compare_settings import MISSING, setting_differences


def record(**changes):
    return {
        "generator": {"name": "small", "revision": "1"},
        "prompt": {"name": "boresight", "instruction": "Answer."},
        "retriever": None,
        "versions": {"torch": "2.13.0"},
        "environment": {"cores": 2},
        "spec": {
            "generator": "hf:org/small", "retriever": None, "traces_sha256": "ab", "dtype": "fp32", "seed": 0,
            "labels": "keep",
        },
    } | changes  # fmt: skip


def fields(first, second):
    return [one.field for one in setting_differences(first, second)]


def test_equal_records_do_not_differ():
    assert fields(record(), record()) == []


def test_model_then_template_then_number_format_come_first_and_the_machine_last():
    spec = record()["spec"] | {"seed": 1, "dtype": "bf16", "traces_sha256": "cd", "labels": "renumber"}
    other = record(
        spec=spec,
        environment={"cores": 8},
        versions={"torch": "2.6.0"},
        prompt={"name": "rag-e", "instruction": "Answer."},
        generator={"name": "large", "revision": "1"},
    )
    assert fields(record(), other) == [
        "generator.name", "prompt.name", "dtype", "traces_sha256", "labels", "seed", "versions.torch",
        "environment.cores",
    ]  # fmt: skip


def test_two_spellings_of_one_model_are_no_difference():
    other = record(spec=record()["spec"] | {"generator": "/models/small"})
    assert fields(record(), other) == []


def test_the_spelling_counts_where_no_identity_was_recorded():
    old, new = (
        record(generator=None, spec=record()["spec"] | {"generator": name}) for name in ("hf:a", "hf:b")
    )
    assert fields(old, new) == ["generator"]


def test_a_retriever_that_joins_is_named_and_what_is_absent_says_so():
    other = record(
        retriever={"name": "minilm"}, spec=record()["spec"] | {"retriever": "pypi:minilm", "budget": 8}
    )
    (joined, name, budget) = setting_differences(record(), other)
    assert (joined.field, joined.first, joined.second) == ("retriever", None, MISSING)
    assert (name.field, name.first, name.second) == ("retriever.name", MISSING, "minilm")
    assert (budget.field, budget.first) == ("budget", MISSING)
