"""Passages that try to steer the model: control tokens of chat templates, forged turns, orders."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

from boresight.findings.hostile_patterns import hostile_patterns
from boresight.findings.types import Finding, Number
from boresight.findings.words import joined, nats

if TYPE_CHECKING:
    from boresight.findings.case import Case

# Invisible, and used to hide a word from a filter: soft hyphen, zero-width characters, marks of direction.
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]")
_LINE_ENDS = re.compile(r"[\r\n]\s*")
_BLANKS = re.compile(r"[^\S\n]+")
# Invisible letters; the flag of a region spells its code in up to six of them.
_TAG_CHARACTERS = re.compile("[\U000e0020-\U000e007e]{7,}")
_TAGS = "invisible characters that spell a text"


def is_asked(case: Case) -> bool:
    """Whether the case has passages' texts."""
    return bool(case.texts)


def signs_of_hostility(text: str) -> tuple[str, ...]:
    """What in a text would steer a model, in words; empty for an ordinary text.

    Args:
        text: Title and text of a passage.
    """
    plain = _plain(text)
    found = [name for name, pattern in hostile_patterns().items() if pattern.search(plain)]
    return (*found, _TAGS) if _TAG_CHARACTERS.search(text) else tuple(found)


def hostile_passage(case: Case) -> list[Finding]:
    """Passages whose text or title would steer a model; each says whether it moved the answer."""
    signs = {passage: signs_of_hostility(text) for passage, text in case.texts.items()}
    return [_finding(case, passage, found) for passage, found in signs.items() if found]


def _finding(case: Case, passage: str, signs: tuple[str, ...]) -> Finding:
    moved = _moved(case, passage)
    sentence = f"Passage {passage} holds {joined(signs)}; {_effect(case, passage, moved=moved)}."
    evidence = {"signs": Number(float(len(signs)))}
    if case.attribution is not None:
        evidence |= {"attribution": case.share(passage), "floor": Number(case.floor)}
    score = abs(case.share(passage).value) if moved else 0.0
    return Finding(case.trace, "hostile_passage", (passage,), sentence, score, evidence, "sanitise")


def _moved(case: Case, passage: str) -> bool:
    known = case.attribution is not None and case.numeric_floor is not None
    return known and (case.helps(passage) or case.hurts(passage))


def _effect(case: Case, passage: str, *, moved: bool) -> str:
    if case.attribution is None or case.numeric_floor is None:
        return "whether it moved the answer was not measured"
    share = nats(case.share(passage).value)
    if moved:
        return f"it moved the answer ({share})"
    return f"no effect on the answer beyond the floor was seen ({share}, floor {nats(case.floor)})"


def _plain(text: str) -> str:
    """Compatibility form without invisible characters, blanks as one space, line ends as one."""
    visible = _INVISIBLE.sub("", unicodedata.normalize("NFKC", text))
    return _BLANKS.sub(" ", _LINE_ENDS.sub("\n", visible))
