"""Stand-ins spell their text again, and no text becomes a turn."""

from hypothesis import given
from hypothesis import strategies as st

from boresight.models.http.turns import TurnParts, as_text, folded, messages_of, text_ids, turn_id
from boresight.models.prompts import BORESIGHT, RAG_E
from boresight.trace import Passage, Trace, Turn

TEXTS = st.text(st.characters(exclude_categories=["Cs"]))


@given(st.lists(st.tuples(st.sampled_from(["system", "user", "assistant"]), st.lists(TEXTS)), min_size=1))
def test_turns_are_spelled_again(turns):
    ids = [
        token for role, texts in turns for token in (turn_id(role), *(i for t in texts for i in text_ids(t)))
    ]
    assert messages_of(ids) == [{"role": role, "content": "".join(texts)} for role, texts in turns]


@given(TEXTS)
def test_no_text_has_the_stand_in_of_a_turn(text):
    assert all(token > 0 for token in text_ids(text))
    assert len(text_ids(text)) == -(-len(text.encode()) // 4)


def conversation(**fields):
    return Trace(
        id="t",
        query="And now?",
        passages=(Passage("a", "First."), Passage("b", "Second.")),
        context=("a", "b"),
        history=(
            Turn("user", "Hello"),
            Turn("assistant", "<think>hm</think>\n\nHi"),
            Turn("system", "Be kind."),
        ),
        **fields,
    )


def turns(trace, style, *blocks):
    parts = TurnParts(trace, style, None)
    segments = (parts.header, *(parts.block(name, label) for name, label in blocks), parts.tail)
    return messages_of([token for segment in segments for token in segment.ids])


def test_history_stands_before_the_question_and_reasoning_is_left_out():
    assert turns(conversation(), BORESIGHT, ("a", 1), ("b", 2)) == [
        {"role": "system", "content": "Answer the question briefly, using the passages.\nBe kind."},
        {"role": "user", "content": "Hello"},
        {"role": "assistant", "content": "Hi"},
        {"role": "user", "content": "Passage 1: First.\nPassage 2: Second.\nQuestion: And now?"},
    ]


def test_an_instruction_in_the_users_turn_stands_there():
    from dataclasses import replace

    style = replace(RAG_E, instruction_place="user")
    content = turns(conversation(), style, ("b", 1))[-1]["content"]
    assert content == f"{RAG_E.instruction}\nDocument 1: Second.\nQuery: And now?"


def test_closed_book_mentions_no_passage():
    parts = TurnParts(conversation(), BORESIGHT, None)
    assert "assage" not in str(messages_of(parts.closed_book.ids))


def test_a_folded_system_text_opens_the_first_users_turn():
    messages = turns(conversation(), BORESIGHT)
    assert folded(messages)[0]["content"].endswith("Be kind.\nHello")
    assert all(one["role"] != "system" for one in folded(messages))


def test_lines_end_with_the_cue():
    text = as_text([{"role": "user", "content": "Hi"}, {"role": "user", "content": "Question: now?"}])
    assert text == "User: Hi\nQuestion: now?\nAnswer:\n"
