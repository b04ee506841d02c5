"""Reads the patterns of hostile text from ``hostile_patterns.txt``, which says how they are written."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

_CASED = "control token"


@cache
def hostile_patterns() -> dict[str, re.Pattern[str]]:
    """What is looked for, by the words that a finding uses for it."""
    lines = files("boresight.findings").joinpath("hostile_patterns.txt").read_text(encoding="utf-8")
    return {
        sign: re.compile("|".join(patterns), re.MULTILINE | (0 if _CASED in sign else re.IGNORECASE))
        for sign, patterns in _sections(lines).items()
    }


def _sections(text: str) -> dict[str, list[str]]:
    names: dict[str, str] = {}
    sections: dict[str, list[str]] = {}
    for line in text.splitlines():
        definition = re.fullmatch(r"([A-Z]+) = (.+)", line)
        heading = re.fullmatch(r"\[([a-z ]+)\]", line)
        if definition:
            names[definition[1]] = definition[2]
        elif heading:
            sections[heading[1]] = []
        elif line and not line.startswith("#"):
            list(sections.values())[-1].append(_filled(line, names))
    return sections


def _filled(pattern: str, names: dict[str, str]) -> str:
    return "(?:" + re.sub(r"\{([A-Z]+)\}", lambda found: names[found[1]], pattern) + ")"
