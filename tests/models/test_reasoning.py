import pytest

from boresight.errors import ScoringError
from boresight.models.reasoning import REASONING_TAGS, THINK, split_reasoning, tags_of, without_reasoning

HARMONY = REASONING_TAGS[-1]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Paris", (None, "Paris")),
        ("<think>It is France.</think>Paris", ("It is France.", "Paris")),
        ("<think>\nIt is France.\n</think>\n\n Paris ", ("It is France.", "Paris")),
        (" \n<think>It is France.</think>Paris", ("It is France.", "Paris")),
        ("It is France.</think>Paris", ("It is France.", "Paris")),
        ("<think>\n\n</think>\n\nParis", (None, "Paris")),
        ("<think>a</think>Close it with </think>.", ("a", "Close it with </think>.")),
        ("[THINK]a[/THINK]Paris", ("a", "Paris")),
        ("<thinking>a</thinking>Paris", ("a", "Paris")),
        ("<reasoning>a</reasoning>Paris", ("a", "Paris")),
        (
            "<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>final<|message|>Paris",
            ("a", "Paris"),
        ),
        ("", (None, "")),
    ],
)
def test_a_recorded_answer_is_split_into_reasoning_and_answer(text, expected):
    assert split_reasoning(text) == expected


@pytest.mark.parametrize(
    "text", ["Use the <think> tag.", "Write <think> first, then </think>.", "[/INST] <b>"]
)
def test_an_answer_that_speaks_of_tags_is_an_answer(text):
    assert split_reasoning(text) == (None, text)


@pytest.mark.parametrize("tags", REASONING_TAGS, ids=lambda tags: tags.opening)
def test_every_kind_of_reasoning_can_be_put_before_an_answer_and_split_off_again(tags):
    assert split_reasoning("".join(tags.around("It is France.")) + "Paris") == ("It is France.", "Paris")


@pytest.mark.parametrize("tags", REASONING_TAGS, ids=lambda tags: tags.opening)
def test_reasoning_that_never_closes_is_refused(tags):
    with pytest.raises(ScoringError, match="never closes"):
        split_reasoning(f"{tags.opening} It is")


def test_tags_that_a_model_does_not_know_are_text():
    assert split_reasoning("<think>It is", ()) == (None, "<think>It is")
    assert split_reasoning("[THINK]a[/THINK]b", (THINK,)) == (None, "[THINK]a[/THINK]b")


def test_a_text_without_its_reasoning_never_fails():
    assert without_reasoning("<think>a</think> Paris") == "Paris"
    assert without_reasoning("<think>a") == "<think>a"


def test_opened_reasoning_is_closed_and_closed_reasoning_left_alone():
    assert THINK.closed("assistant\n<think>\n") == "assistant\n<think>\n\n</think>\n\n"
    assert THINK.closed("<think>\n\n</think>\n\n") == "<think>\n\n</think>\n\n"
    assert THINK.closed("assistant\n") == "assistant\n"
    assert HARMONY.closed("assistant") == "assistant<|channel|>final<|message|>"


def test_the_prompts_reasoning_block_can_be_taken_away():
    assert THINK.removed("assistant\n<think>\n\n</think>\n\n") == "assistant\n"
    assert THINK.removed("assistant\n<think>\n") == "assistant\n"
    assert THINK.removed("assistant\n") == "assistant\n"


def test_a_model_knows_the_tags_of_its_template_first_and_then_those_of_its_vocabulary():
    found = tags_of("... [/THINK] ...", ["<think>", "</think>", "<reasoning>"])
    assert [tags.opening for tags in found] == ["[THINK]", "<think>"]  # half a pair is none
    assert tags_of("", ()) == ()
