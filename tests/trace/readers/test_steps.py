"""Which passage is which, what stands in a prompt, and how steps become stages."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from boresight.trace import passage_id
from boresight.trace.readers.steps import Step, assemble
from boresight.trace.readers.steps.identity import Passages
from boresight.trace.readers.steps.prompt import context_in


def ids(places):
    return [place["id"] for place in places]


def docs(names):
    return [{"id": name, "text": f"text {name}"} for name in names]


def stages(*steps):
    item, _ = assemble(steps)
    return [(stage["name"], stage["kind"], "".join(ids(stage["ranking"]))) for stage in item["stages"]]


def test_text_without_id_is_the_passage_with_that_text():
    passages = Passages()
    passages.ranking([{"id": "a", "text": "one"}, {"text": "two"}])
    assert ids(passages.ranking([{"text": "two"}, {"text": "one"}])) == [passage_id(None, "two"), "a"]
    assert passages.made_ids


def test_equal_texts_without_ids_stay_two_in_every_ranking():
    passages = Passages()
    base = passage_id(None, "same")
    for _ in range(2):
        assert ids(passages.ranking([{"text": "same"}, {"text": "same"}])) == [base, f"{base}#2"]
    assert len(passages.all()) == 2


def test_equal_texts_under_two_ids_stay_two():
    passages = Passages()
    assert ids(passages.ranking([{"id": "a", "text": "same"}, {"id": "b", "text": "same"}])) == ["a", "b"]
    assert ids(passages.ranking([{"text": "same"}, {"text": "same"}])) == ["a", "b"]


def test_a_passage_that_a_ranking_holds_twice_keeps_its_best_place():
    passages = Passages()
    twice = [
        {"id": "a", "text": "one", "score": 2},
        {"id": "b", "text": "two"},
        {"id": "a", "text": "one", "score": 1},
    ]
    assert passages.ranking(twice) == [{"id": "a", "score": 2}, {"id": "b"}]
    assert list(passages.remarks) == ["a ranking holds a passage more than once; it keeps its best place"]


def test_a_text_that_a_later_step_changed_is_the_last_one():
    passages = Passages()
    passages.ranking([{"id": "a", "text": "short", "metadata": {"window": "long"}}])
    passages.ranking([{"id": "a", "text": "long"}])
    assert passages.all() == [{"id": "a", "text": "long", "metadata": {"window": "long"}}]
    assert list(passages.remarks) == ["a later step changed the text of a passage; its last text is kept"]


def test_a_postprocessor_filters_if_it_only_takes_out_and_reranks_if_order_or_scores_change():
    def after(left):
        given = [{**one, "score": 1.0} for one in docs("abc")]
        return stages(
            Step("r", "retrieve", documents=given), Step("p", "postprocess", given=given, documents=left)
        )[1]

    scored = [{**one, "score": 1.0} for one in docs("abc")]
    assert after(scored[1:]) == ("p", "filter", "bc")
    assert after(scored[::-1]) == ("p", "rerank", "cba")
    assert after([{**one, "score": 2.0} for one in docs("ab")]) == ("p", "rerank", "ab")


def test_names_that_come_again_get_a_number():
    assert stages(Step("r", "retrieve", documents=docs("a")), Step("r", "retrieve", documents=docs("b"))) == [
        ("r", "retrieve", "a"),
        ("r#2", "retrieve", "b"),
    ]


def test_steps_that_hold_each_other_do_not_hang():
    one = Step("one", "retrieve", id="1", parent="2", documents=docs("a"))
    other = Step("other", "other", id="2", parent="1")
    assert stages(one, other) == [("one", "retrieve", "a")]


def test_steps_without_passages_are_no_trace():
    assert assemble([Step("chat", "generate", prompts=["hello"], answer="hi")]) is None


def test_a_longer_passage_is_not_hidden_by_one_that_is_part_of_it():
    prompt = "intro: the lamp was lit. Then: the lamp was lit by Anna."
    texts = {"part": "the lamp was lit", "whole": "the lamp was lit by Anna."}
    assert context_in([prompt], texts) == ["part", "whole"]
    assert context_in(["only: the lamp was lit by Anna."], texts) == ["whole"]


def test_twins_need_two_places_and_empty_texts_have_none():
    assert context_in(["a same b same"], {"x": "same", "y": "same"}) == ["x", "y"]
    assert context_in(["a same b"], {"x": "same", "y": "same", "z": " "}) == ["x"]


def test_white_space_and_printed_escapes_do_not_matter():
    assert context_in(
        ["[Document(page_content='Anna\\'s lamp\\nwas lit')]"], {"x": "Anna's  lamp\nwas lit"}
    ) == ["x"]


@given(st.lists(st.integers(100, 999), unique=True, max_size=6), st.randoms(use_true_random=False))
def test_the_context_is_the_order_of_the_prompt(numbers, random):
    texts = {str(number): f"passage {number} ends." for number in numbers}
    order = list(texts)
    random.shuffle(order)
    assert context_in(["\n\n".join(texts[key] for key in order)], texts) == order
