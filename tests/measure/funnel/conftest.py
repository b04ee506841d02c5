"""Small traces written out by hand."""

import pytest

from boresight.trace import Passage, Ranked, Stage, Trace


@pytest.fixture
def stage():
    """A stage of ids, or of pairs of id and score."""

    def make(name, kind, *places, cut=None):
        ranked = tuple(Ranked(*place) if isinstance(place, tuple) else Ranked(place) for place in places)
        return Stage(name, kind, ranked, cut)

    return make


@pytest.fixture
def trace():
    """A trace of stages whose passage ``g`` is labelled relevant."""

    def make(*stages, context=(), texts=None, **fields):
        known = {place.id for one in stages for place in one.ranking} | set(context)
        passages = tuple(Passage(key, (texts or {}).get(key, f"text of {key}")) for key in sorted(known))
        fields.setdefault("relevance", {"g": 1})
        return Trace("q", "why?", passages, tuple(context), tuple(stages), **fields)

    return make
