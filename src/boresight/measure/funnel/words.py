"""Does a text hold a reference answer? One normalised containment test, with its rule.

A text is a sequence of words: runs of letters, digits and underscores, case folded under NFKC; each Chinese,
Japanese or Korean character is a word of its own, since those scripts put no space between words. Punctuation
parts words, and the English articles are left out (as in SQuAD: Rajpurkar et al. 2016, arXiv 1606.05250). A
text holds a reference when the words of the reference stand in it next to each other, in order.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_UNSPACED = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
_WORD = re.compile(rf"[{_UNSPACED}]|[^\W{_UNSPACED}]+")
_ARTICLES = frozenset({"a", "an", "the"})
_VERDICTS = frozenset({"yes", "no", "true", "false"})
_REMEMBERED = 4096


class Word(NamedTuple):
    """A normalised word and where its original ends in the text."""

    text: str
    end: int


def words(text: str) -> list[Word]:
    """The normalised words of a text, articles left out."""
    found = (Word(_normal(match.group()), match.end()) for match in _WORD.finditer(text))
    return [word for word in found if word.text not in _ARTICLES]


@lru_cache(_REMEMBERED)
def reference_words(reference: str) -> tuple[str, ...]:
    """The words of a reference; empty when it is punctuation and articles only."""
    return tuple(word.text for word in words(reference))


def sought(references: Iterable[str]) -> tuple[tuple[str, ...], ...]:
    """The references that a passage can be searched for.

    A verdict such as "yes" stands in no passage as an answer, and a reference without words nowhere.
    """
    found = dict.fromkeys(reference_words(reference) for reference in references)
    return tuple(one for one in found if one and not (len(one) == 1 and one[0] in _VERDICTS))


def reference_end(text: str, references: Sequence[tuple[str, ...]]) -> int | None:
    """Where in the text the first whole reference ends, in characters.

    Args:
        text: The text of a passage.
        references: Words of each reference, from :func:`sought`.

    Returns:
        The smallest end of any occurrence of any reference; None when the text holds none.
    """
    have = words(text) if references else []
    plain = [word.text for word in have]
    ends = [have[place].end for one in references if (place := _last_word(plain, one)) is not None]
    return min(ends, default=None)


def answer_is_right(answer: str | None, references: Sequence[str]) -> bool | None:
    """Whether the answer holds a reference by the rule of this module; None without answer or references.

    The usual substring accuracy of open question answering: lenient to long answers, deaf to "not".
    """
    wanted = [one for one in map(reference_words, references) if one]
    if answer is None or not wanted:
        return None
    have = [word.text for word in words(answer)]
    return any(_last_word(have, one) is not None for one in wanted)


def _normal(word: str) -> str:
    return word.casefold() if word.isascii() else unicodedata.normalize("NFKC", word).casefold()


def _last_word(have: Sequence[str], one: tuple[str, ...]) -> int | None:
    """Index of the last word of the first occurrence."""
    size = len(one)
    for start in range(len(have) - size + 1):
        if have[start] == one[0] and tuple(have[start : start + size]) == one:
            return start + size - 1
    return None
