import pytest

from boresight.errors import ModelError, ScoringError
from boresight.models.chat import TEMPLATE_DATE, ChatTemplate, Slot
from boresight.models.plain_text import TextEncoder
from boresight.testing.toy_models import TEMPLATES, toy_tokenizer


def chat(template):
    return ChatTemplate(toy_tokenizer(template=template))


def slots(layout):
    return [part.name for part in layout.parts if isinstance(part, Slot)]


@pytest.mark.parametrize("template", ["gemma", "inst"])
def test_a_template_that_refuses_a_system_turn_gets_it_in_the_first_user_turn(template):
    layout = chat(template).layout((), system=True)
    assert slots(layout) == ["system", "question"]
    assert layout.folded
    assert chat(template).describe()["system"] == "folded into the first user turn"


def test_a_template_that_leaves_the_system_turn_out_without_a_word_is_found_out():
    layout = chat("silent").layout((), system=True)
    assert layout.folded
    assert slots(layout) == ["system", "question"]


def test_a_system_turn_that_the_template_takes_stays_one():
    layout = chat("chatml").layout((), system=True)
    assert not layout.folded
    assert layout.parts[0] == "<|im_start|>system\n"


def test_without_system_text_nothing_is_folded():
    assert not chat("gemma").layout((), system=False).folded


def test_a_folded_system_text_goes_into_the_first_turn_of_a_conversation():
    layout = chat("gemma").layout(("user", "assistant"), system=True)
    assert slots(layout) == ["system", "turn0", "turn1", "question"]


def test_neighbouring_turns_of_one_role_are_merged_where_roles_must_alternate():
    layout = chat("gemma").layout(("user", "user", "assistant"), system=True)
    assert (layout.merged, layout.folded) == (True, True)
    assert (
        "".join(part if isinstance(part, str) else "#" for part in layout.parts).count("<start_of_turn>user")
        == 2
    )


def test_a_history_that_ends_with_a_user_turn_is_merged_with_the_question():
    layout = chat("gemma").layout(("user",), system=False)
    assert slots(layout) == ["turn0", "question"]
    assert layout.merged


def test_roles_that_need_not_alternate_are_left_alone():
    assert not chat("chatml").layout(("user", "user"), system=True).merged


def test_a_conversation_that_the_template_never_takes_is_an_error_with_its_words():
    with pytest.raises(ScoringError, match="roles must alternate"):
        chat("gemma").layout(("assistant",), system=False)


def test_a_template_that_drops_history_is_an_error():
    last_only = "{{ '<|im_start|>' + messages[-1]['content'] + '<|im_end|>' }}"
    with pytest.raises(ScoringError, match="leaves out, repeats or moves turn0"):
        chat(last_only).layout(("user", "assistant"), system=False)


def test_a_template_that_holds_no_question_is_unusable():
    with pytest.raises(ModelError, match="unusable"):
        chat("{{ 'Hello' }}").describe()


def test_a_base_model_has_lines_of_text_and_says_so():
    template = chat(None)
    layout = template.layout(("user", "assistant"), system=True, answer_cue="Answer:")
    shown = "".join(part if isinstance(part, str) else f"[{part.name}]" for part in layout.parts)
    assert shown == "[system]\nUser: [turn0]\nAssistant: [turn1]\n[question]\nAnswer:\n"
    assert template.describe() == {"kind": "plain", "reason": "the tokenizer has no chat template"}


def test_a_thinking_template_is_told_not_to_think_and_the_record_says_so():
    template = chat("thinking")
    assert template.options == {"enable_thinking": False}
    assert template.describe()["thinking"] == "enable_thinking=False"
    assert template.layout((), system=True).parts[-1].endswith("<think>\n\n</think>\n\n")


def test_a_template_that_opens_reasoning_is_recorded_as_closed():
    assert chat("opened").describe()["thinking"] == "opened by the template, closed at once"
    assert chat("chatml").describe()["thinking"] is None


DATED = [
    ("{{ strftime_now('%d %b %Y') }}", TEMPLATE_DATE),
    ("{{ strftime_now('%Y-%m-%d') }}", "2024-07-26"),
    ("{{ strftime_now('%A, %B %-d, %Y %H:%M') }}", "Friday, July 26, 2024 00:00"),
    ("{{ strftime_now('%Y-%m-%d').split('-')[0] | int + 1 }}", "2025"),
    ("\n\n {{ strftime_now('%Y') }}", "\n\n 2024"),
    ("{% macro now() %}{{ strftime_now('%Y') }}{% endmacro %}{{ now() }}", "2024"),
    ("{% if strftime_now is defined %}{{ strftime_now('%Y') }}{% endif %}", "2024"),
]


@pytest.mark.parametrize(("source", "shown"), DATED)
def test_a_template_that_prints_the_date_always_prints_the_same(source, shown):
    template = chat(source + TEMPLATES["chatml"])
    assert template.layout((), system=False).parts[0] == f"{shown}<|im_start|>user\n"
    assert template.describe()["date"] == TEMPLATE_DATE


@pytest.mark.parametrize(
    "broken", ["{{ 1/0 }}", "{{ messages[9]['content'] + 1 }}", "{% for m in %}", "{{ x.y.z }}"]
)
def test_whatever_fails_inside_a_template_is_one_sentence(broken):
    with pytest.raises(ModelError, match="chat template is unusable") as caught:
        chat(broken + TEMPLATES["chatml"]).describe()
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("opening", "closed"),
    [
        ("<think>\n", "<think>\n\n</think>\n\n"),
        ("[THINK]", "[THINK][/THINK]"),
        ("<reasoning>\n", "<reasoning>\n\n</reasoning>\n\n"),
        ("<thinking>", "<thinking>\n\n</thinking>\n\n"),
    ],
)
def test_a_template_that_opens_reasoning_of_any_kind_is_found_out(opening, closed):
    template = chat(TEMPLATES["chatml"] + "{% if add_generation_prompt %}" + opening + "{% endif %}")
    last = template.layout((), system=False).parts[-1]
    assert template.describe()["thinking"] == "opened by the template, closed at once"
    assert template.tags(last).closed(last).endswith("assistant\n" + closed)


def test_a_template_of_channels_gets_its_answer_channel_opened():
    source = TEMPLATES["chatml"] + "{% if false %}<|channel|>analysis<|message|>{% endif %}"
    template = chat(source)
    last = template.layout((), system=False).parts[-1]
    assert template.tags(last).closed(last).endswith("assistant\n<|channel|>final<|message|>")
    assert template.describe()["thinking"] == "the answer is opened instead"


DROPS = "{{ m['content'].split('</think>')[-1].lstrip('\n') if m['role'] == 'assistant' else m['content'] }}"
QWEN = (
    "{% for m in messages %}<|im_start|>{{ m['role'] + '\n' }}" + DROPS + "<|im_end|>{{ '\n' }}{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant{{ '\n' }}{% endif %}"
)


def test_reasoning_in_an_earlier_answer_goes_where_the_template_drops_it():
    recorded = "<think>\nthe town\n</think>\n\nParis"
    assert chat(QWEN).shown_turn(recorded) == "Paris"
    assert chat(QWEN).shown_turn("Paris") == "Paris"
    assert chat("thinking").shown_turn(recorded) == recorded  # its template shows all


def test_the_template_is_identified_by_its_hash():
    first, second = (chat(name).describe()["sha256"] for name in ("chatml", "bos"))
    assert len(first) == 16
    assert first != second


@pytest.mark.parametrize(
    ("template", "end"),
    [("chatml", "<|im_end|>"), ("gemma", "<end_of_turn>"), ("inst", "</s>"), (None, "</s>")],
)
def test_end_of_turn_is_the_templates_own_or_end_of_sequence(template, end):
    tokenizer = toy_tokenizer(template=template)
    found = ChatTemplate(tokenizer).end_of_turn(TextEncoder(tokenizer))
    assert found == tokenizer.convert_tokens_to_ids(end)


def test_without_a_default_among_several_templates_the_model_is_unusable():
    tokenizer = toy_tokenizer()
    tokenizer.chat_template = {"tool_use": TEMPLATES["chatml"]}
    with pytest.raises(ModelError, match="none is the default"):
        ChatTemplate(tokenizer)


def test_a_template_that_shows_no_finished_answer_ends_at_end_of_sequence():
    tokenizer = toy_tokenizer(template="{{ messages[0]['content'] }}")
    assert ChatTemplate(tokenizer).end_of_turn(TextEncoder(tokenizer)) == tokenizer.eos_token_id


@pytest.mark.parametrize("use", ["m.thinking", "m['thinking']", "rethinking"])
def test_a_word_that_is_no_variable_of_the_template_is_no_switch(use):
    template = "{% for m in messages %}{{ m['content'] }}{% if " + use + " %}{% endif %}{% endfor %}"
    assert chat(template).options == {}
