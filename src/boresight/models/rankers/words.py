"""Words of a text with their places, as lexical rankers count them.

A word is a run of at least two letters or digits, as bm25s splits; a Chinese, Japanese or Korean character is
a word of its own, since those scripts put no space between words. Terms are case folded under NFKC, so that
both spellings of an accent are one term.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import cache
from typing import Literal

StopWords = Literal["none", "english"]
_UNSPACED = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
_WORD = re.compile(rf"[{_UNSPACED}]|(?:[^\W{_UNSPACED}][\u0300-\u036f]*){{2,}}")


@dataclass(frozen=True, slots=True)
class WordAt:
    """One occurrence of a term.

    Attributes:
        term: The word, normalised.
        start: First character in the text.
        end: Behind the last character.
    """

    term: str
    start: int
    end: int


def words_at(text: str, stop_words: StopWords = "english") -> tuple[WordAt, ...]:
    """The words of a text that count, in reading order.

    Args:
        text: Any text.
        stop_words: ``english`` leaves out the short list of bm25s; ``none`` keeps every word.
    """
    stop = _stop_words(stop_words)
    found = (WordAt(_term(match[0]), *match.span()) for match in _WORD.finditer(text))
    return tuple(word for word in found if word.term not in stop)


def _term(word: str) -> str:
    return unicodedata.normalize("NFKC", word).casefold()


@cache
def _stop_words(name: StopWords) -> frozenset[str]:
    if name == "none":
        return frozenset()
    from boresight.models.rankers.extras import library

    return frozenset(library("bm25s.stopwords").STOPWORDS_EN)
