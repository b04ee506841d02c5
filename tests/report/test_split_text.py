"""Split passages on a terminal."""

import pytest
from rich.console import Console

from boresight.api import audit
from boresight.models.transformers_generator import TransformersGenerator
from boresight.report.split_text import reduced_lines
from boresight.report.terminal import trace_view
from boresight.run.plan import TracePlan
from boresight.run.split import Split
from boresight.testing.toy_models import tiny_model, toy_tokenizer
from helpers import make_trace


@pytest.fixture(scope="module")
def generator():
    tokenizer = toy_tokenizer("bytes")
    return TransformersGenerator(
        tiny_model("llama", vocabulary=len(tokenizer), window=8192), tokenizer, name="toy"
    )


def shown(generator, text, **settings):
    trace = make_trace(names=("a", "b"), answer="in Rome")
    trace["passages"][0]["text"] = text
    result = audit([trace], generator=generator, split=["a"], placebo=0, **settings)
    screen = Console(width=80, markup=False, highlight=False, record=True, file=None)
    with screen.capture() as capture:
        screen.print(trace_view(result, result.traces["t"]))
    return capture.get()


def test_each_sentence_has_its_line_below_the_sum(generator):
    text = shown(generator, "It is Rome. Or \u202enot.")
    assert "a by sentences: sum" in text
    assert "over 2 outer coalitions" in text
    assert "difference" in text
    assert [line.split()[1:] for line in text.splitlines()[-3:-1]] == [["It", "is", "Rome."], ["Or", "�not."]]
    assert "\u202e" not in text
    assert max(map(len, text.splitlines())) <= 80


def test_the_cap_is_named(generator):
    assert "the token cap leaves" in shown(
        generator, "It is. Or not. Or so. And on.", max_tokens_per_trace=1_000
    )


def test_a_blank_text_is_said(generator):
    assert "a by sentences: its text is blank" in shown(generator, "")


def test_the_plan_names_what_the_cap_took():
    plans = [
        TracePlan("t", "score", splits=(Split("p", 9, reduced="the token cap leaves 4 of 32"), Split("q", 2)))
    ]
    assert list(reduced_lines(plans)) == ["t, p by sentences: the token cap leaves 4 of 32"]
    assert len(list(reduced_lines(plans * 30))) == 21
