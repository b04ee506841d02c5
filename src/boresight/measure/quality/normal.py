"""The form in which answers are compared."""

from __future__ import annotations

import re
import unicodedata

_ARTICLES = re.compile(r"\b(a|an|the)\b")
_WORD = re.compile(r"\w+")


def normal_form(text: str) -> str:
    """Lower case, without punctuation and English articles, blanks as one.

    Punctuation is every character of Unicode's category P, and the ASCII signs that SQuAD's rule names too.

    Source: P. Rajpurkar et al., *SQuAD: 100,000+ Questions for Machine Comprehension of Text*, EMNLP 2016,
    its evaluation script, here for all scripts.
    """
    lower = "".join(one for one in text.casefold() if not _is_mark(one))
    return " ".join(_ARTICLES.sub(" ", lower).split())


def words(text: str) -> list[str]:
    """Words of the normal form."""
    return normal_form(text).split()


def plain_words(text: str) -> list[str]:
    """Runs of letters and digits, lower case, articles kept."""
    return _WORD.findall(text.casefold())


def _is_mark(character: str) -> bool:
    return unicodedata.category(character).startswith("P") or character in "$+<=>^`|~"
