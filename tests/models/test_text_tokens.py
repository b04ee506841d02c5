"""Spans rebuild the text, with fast and slow tokenizers, for nasty text."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from transformers import ByT5Tokenizer, PreTrainedTokenizer

from boresight.models.text_tokens import tokens_of
from boresight.testing.toy_models import toy_tokenizer
from boresight.trace import read_traces
from toy_encoders import tokenizer

UNKNOWN = "<unk>"
UNICODE = (
    "Ünïcode é e\u0301 👩‍👩‍👧 flags 🇩🇪 naïve",
    "نص عربي with 123 Latin digits",
    "東京は日本の首都です。",
    "  leading and trailing  \n",
    "tabs\tand\r\nlines",
    "İstanbul and ﬁne ligatures",
    "",
    "   ",
)


class SlowWords(PreTrainedTokenizer):
    """Whole words in pure Python, without offsets; any word is known."""

    def __init__(self):
        self.known = {UNKNOWN: 0}
        super().__init__(unk_token=UNKNOWN)

    @property
    def vocab_size(self):
        return len(self.known)

    def get_vocab(self):
        return dict(self.known)

    def _tokenize(self, text):
        return re.findall(r"\w+|[^\w\s]", text)

    def _convert_token_to_id(self, token):
        return self.known.setdefault(token, len(self.known))

    def _convert_id_to_token(self, index):
        return list(self.known)[index]


TOKENIZERS = {
    "fast bytes": toy_tokenizer("bytes"),
    "fast unigram": toy_tokenizer("unigram"),
    "fast words": toy_tokenizer("words", bos=True),
    "slow bytes": ByT5Tokenizer(extra_ids=5),
    "slow words": SlowWords(),
}


def rebuilt(tokens, text):
    """The text from the spans of its tokens, repeats left out."""
    spans = list(dict.fromkeys(span for span in tokens.spans if span is not None))
    return "".join(text[start:stop] for start, stop in spans)


@pytest.mark.parametrize("text", UNICODE)
@pytest.mark.parametrize("kind", TOKENIZERS)
def test_spans_rebuild_the_text(kind, text):
    tokens = tokens_of(TOKENIZERS[kind], text)
    if tokens.read is None:  # a slow tokenizer that cannot be followed shows no span rather than a wrong one
        assert kind.startswith("slow")
        assert all(span is None for span in tokens.spans)
    elif any(tokens.content):
        assert rebuilt(tokens, text) == text
        assert tokens.read == (0, len(text))


@pytest.mark.parametrize("kind", TOKENIZERS)
def test_most_of_the_unicode_can_be_placed(kind):
    placed = [tokens_of(TOKENIZERS[kind], text).read is not None for text in UNICODE]
    assert sum(placed) >= len(UNICODE) - 1


@pytest.mark.parametrize("kind", TOKENIZERS)
def test_spans_rebuild_the_hostile_passages(kind):
    for trace in read_traces(Path(__file__).parents[1] / "data" / "hostile.jsonl"):
        for passage in trace.passages:
            tokens = tokens_of(TOKENIZERS[kind], passage.text)
            if tokens.read is not None and any(tokens.content):
                assert rebuilt(tokens, passage.text) == passage.text


@given(st.text(max_size=40), st.sampled_from(sorted(TOKENIZERS)), st.integers(2, 12))
def test_what_a_limit_leaves_is_a_beginning_of_the_text(text, kind, limit):
    tokens = tokens_of(TOKENIZERS[kind], text, limit=limit)
    whole = tokens_of(TOKENIZERS[kind], text)
    assert len(tokens.ids) == min(limit, tokens.total)
    assert tokens.total == len(whole.ids)
    if tokens.read is not None and any(tokens.content):
        assert rebuilt(tokens, text) == text[: tokens.read[1]]
    assert tokens.read == whole.read or tokens.truncated


def test_a_prompt_belongs_to_no_character_of_the_text():
    tokens = tokens_of(tokenizer(), "red blue", prompt="query : ")
    assert tokens.texts == ("[CLS]", "query", ":", "red", "blue", "[SEP]")
    assert tokens.spans[1:3] == (None, None)
    assert tokens.control == (True, False, False, False, False, True)


def test_a_slow_tokenizer_tells_prompt_and_text_apart_too():
    tokens = tokens_of(SlowWords(), "Marie was born", prompt="query: ")
    assert tokens.content == (False, False, True, True, True)
    assert tokens.spans == (None, None, (0, 5), (5, 9), (9, 14))


def test_tokens_of_one_word_share_it_where_only_words_are_placed():
    tokens = tokens_of(SlowWords(), "was she born?")
    assert tokens.spans == ((0, 3), (3, 7), (7, 13), (7, 13))


def test_lower_casing_that_changes_the_length_is_followed_back():
    tokens = tokens_of(toy_tokenizer("bytes"), "İ Paris", lower=True)
    assert rebuilt(tokens, "İ Paris") == "İ Paris"


def test_a_cut_from_the_left_keeps_the_end():
    cutting = toy_tokenizer("words")
    cutting.truncation_side = "left"
    tokens = tokens_of(cutting, "the town of Paris", limit=2)
    assert tokens.texts == ("of", "Paris")
    assert "the town of Paris"[slice(*tokens.read)] == "of Paris"
