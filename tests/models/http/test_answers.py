"""Three shapes of log-probabilities become one, and what is none stays none."""

import pytest

from boresight.models.http.alignment import misaligned
from boresight.models.http.answers import (
    Candidate,
    Token,
    finished,
    listed_tokens,
    number,
    prompt_field,
    prompt_part,
    text_of,
)
from boresight.models.http.errors import TryAgainError
from boresight.models.http.forced_values import next_tokens, upper_bound
from boresight.models.http.prompt_values import tail_of


def answer(usage=None, **choice):
    return {"choices": [choice], "usage": usage}


def test_the_chat_shape_is_read():
    top = [{"token": "a", "logprob": -0.5, "id": 7}, {"token": "b", "logprob": None}]
    found = answer(logprobs={"content": [{"token": "a", "logprob": -0.5, "id": 7, "top_logprobs": top}]})
    assert listed_tokens(found) == [Token("a", -0.5, 7, (Candidate("a", -0.5, 7),))]


def test_the_legacy_shape_is_read():
    logprobs = {
        "tokens": ["a", "b"],
        "token_logprobs": [None, -1],
        "top_logprobs": [None, {"b": -1, "c": -2}],
    }
    expected = [Token("a", None), Token("b", -1.0, top=(Candidate("b", -1.0), Candidate("c", -2.0)))]
    assert listed_tokens(answer(logprobs=logprobs)) == expected


def test_vllms_field_is_read_from_choice_or_answer():
    field = [None, {"5": {"logprob": -0.25, "decoded_token": "x"}, "9": {"logprob": -3.0}}]
    expected = [Token("", None), Token("x", -0.25, 5)]
    assert prompt_field(answer(prompt_logprobs=field)) == expected
    assert prompt_field({**answer(), "prompt_logprobs": field}) == expected


def test_null_log_probabilities_are_no_list():
    assert listed_tokens(answer(logprobs=None)) == []
    assert prompt_field(answer(prompt_logprobs=None)) == []


def test_the_prompt_ends_where_the_server_counts():
    tokens = [Token(text, -1.0) for text in "abcd"]
    assert len(prompt_part(answer({"prompt_tokens": 2}), tokens)) == 2
    assert len(prompt_part(answer(), tokens)) == 3


@pytest.mark.parametrize("value", [None, "x", float("nan"), float("-inf"), -9999.0, True])
def test_what_is_no_log_probability_is_none(value):
    assert number(value) is None


def test_a_rounded_certainty_is_zero_and_a_positive_number_an_error():
    assert number(1e-6) == 0.0
    with pytest.raises(TryAgainError, match="positive"):
        number(0.5)


@pytest.mark.parametrize("broken", [{}, {"choices": []}, {"choices": None}, {"choices": ["x"]}])
def test_an_answer_without_a_choice_is_an_error(broken):
    with pytest.raises(TryAgainError, match="holds no choice"):
        text_of(broken)


def test_a_null_text_is_empty():
    assert text_of(answer(message={"content": None})) == ""
    assert finished(answer(finish_reason="stop"))
    assert not finished(answer(finish_reason="length"))


def test_the_tail_of_a_prompt_is_found_by_what_it_spells():
    tokens = [Token(text, -1.0) for text in ("Answer", ":", " War", "saw")]
    assert [one.text for one in tail_of(tokens, "Warsaw")] == [" War", "saw"]
    with pytest.raises(TryAgainError, match="and not the target"):
        tail_of(tokens, "arsaw")


def test_the_bound_is_the_smaller_of_the_least_listed_and_what_is_left():
    assert upper_bound([Candidate("a", -1.0), Candidate("b", -2.0)]) == -2.0
    listed = [Candidate("a", -0.0513)]  # 95 percent, so 5 are left
    assert upper_bound(listed) == pytest.approx(-2.996, abs=0.01)
    assert upper_bound([Candidate("a", 0.0)]) == 0.0


def test_a_chosen_token_outside_the_list_joins_it():
    found = answer(logprobs={"tokens": ["z"], "token_logprobs": [-4.0], "top_logprobs": [{"a": -0.1}]})
    assert next_tokens(found) == [Candidate("a", -0.1), Candidate("z", -4.0)]


GENERATED = [Token(text, value) for text, value in ((" a", -0.1), (" b", -2.0), (" c", -0.9))]
BEFORE = [Token("x", None), Token("y", -1.0)]


def test_values_at_their_own_tokens_are_aligned():
    near = [Token(one.text, one.logprob + 0.1) for one in GENERATED]
    assert misaligned([*BEFORE, *near], GENERATED) is None


def test_values_of_the_neighbour_are_off_by_one():
    shifted = [Token(" a", -1.0), Token(" b", -0.1), Token(" c", -2.0)]
    assert "off by one" in misaligned([*BEFORE, *shifted], GENERATED)


def test_tokens_that_are_too_alike_prove_nothing():
    alike = [Token(one.text, -0.2) for one in GENERATED]
    assert "too alike" in misaligned([*BEFORE, *alike], alike)


def test_other_tokens_prove_nothing():
    assert "too few" in misaligned([*BEFORE, *GENERATED[:2], Token(" d", -0.9)], GENERATED)
