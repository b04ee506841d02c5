import pytest
from hypothesis import given
from hypothesis import strategies as st

from boresight.errors import SpecError
from boresight.models.prompts import BORESIGHT, RAG_E, STYLES, PromptStyle, style_named
from boresight.trace import Passage


def test_a_titled_passage_is_one_labelled_line():
    line = BORESIGHT.passage_line(Passage("p", " A river. \n", " The town "), 2)
    assert line == "Passage 2: The town. A river.\n"


@pytest.mark.parametrize("title", [None, "", "  "])
def test_a_passage_without_title_shows_none(title):
    assert BORESIGHT.passage_line(Passage("p", "A river.", title), 1) == "Passage 1: A river.\n"


@pytest.mark.parametrize("text", ["", "  ", "\n\t"])
def test_an_empty_passage_still_has_its_labelled_line(text):
    assert BORESIGHT.passage_line(Passage("p", text), 3) == "Passage 3:\n"


@given(st.text(alphabet="{}label texqusion0!%$\\", min_size=1).filter(str.strip))
def test_braces_and_placeholders_in_user_text_are_only_text(text):
    assert BORESIGHT.passage_line(Passage("p", text, text), 1) == (
        f"Passage 1: {text.strip()}. {text.strip()}\n"
    )
    assert BORESIGHT.question_line(text) == f"Question: {text.strip()}"


def test_rag_e_numbers_documents_and_renumbers_them():
    assert RAG_E.passage_line(Passage("p", "A river."), 1) == "Document 1: A river.\n"
    assert RAG_E.question_line("Which?") == "Query: Which?"
    assert (RAG_E.labels, BORESIGHT.labels) == ("renumber", "keep")


@pytest.mark.parametrize("style", STYLES.values(), ids=STYLES)
def test_closed_book_never_mentions_passages(style):
    words = style.closed_instruction.lower()
    assert "passage" not in words
    assert "document" not in words


def test_styles_are_found_by_name_and_unknown_ones_listed():
    assert style_named("rag-e") is RAG_E
    with pytest.raises(SpecError, match="boresight, rag-e"):
        style_named("nope")


@pytest.mark.parametrize(
    "change",
    [{"passage": "Passage {label}"}, {"question": "Q"}, {"labels": "none"}, {"instruction_place": "tool"}],
)
def test_a_style_that_cannot_work_is_refused(change):
    with pytest.raises(SpecError, match="prompt style 'own'"):
        PromptStyle(**({"name": "own", "instruction": "a", "closed_instruction": "b"} | change))
