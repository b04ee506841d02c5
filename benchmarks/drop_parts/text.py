"""Paragraphs of the results."""

import textwrap


def wrapped(text: str) -> list[str]:
    """One paragraph in lines."""
    return textwrap.wrap(" ".join(text.split()), 110)
