"""A generator that prefers passages by a table, with habits of its own, for tests of rerankers."""

import math
import zlib

import numpy as np

from boresight.models.seam import Capabilities, Scored, Segment


class TableGenerator:
    """Knows how good each passage is, and likes some places and letters for no reason.

    Args:
        worth: Nats by passage id.
        place_bonus: Nats for each place from the front, first place first.
        letter_bonus: Nats for a letter, whatever stands behind it and whatever is asked.
        obeys: Nats for a passage that says "ranked first".
        scores_text: What its capabilities say.
    """

    def __init__(self, worth, *, place_bonus=(), letter_bonus=None, obeys=0.0, scores_text=True):
        self.worth = worth
        self.place_bonus = place_bonus
        self.letter_bonus = letter_bonus or {}
        self.obeys = obeys
        self.scores_text = scores_text
        self.asked = []
        self._queries = {}

    def capabilities(self):
        return Capabilities(scores_text=self.scores_text)

    def describe(self):
        return {"kind": "table"}

    def prepare(self, trace, style, thoughts=None):
        return Parts(trace, style)

    def encode_target(self, trace_id, text, *, end=False):
        ids = tuple(zlib.crc32(word.encode()) for word in text.split())
        return ids, tuple((0, 0) for _ in ids)

    def score(self, requests):
        self.asked += requests
        return [Scored(r, {t.id: self._row(r, t) for t in r.targets}) for r in requests]

    def _row(self, request, target):
        blocks = [segment for segment in request.segments if segment.player is not None]
        blank = request.segments[-1].key.endswith("N/A")
        values = []
        for place, block in enumerate(blocks):
            bonus = self.place_bonus[place] if place < len(self.place_bonus) else 0.0
            value = 0.0 if blank else self.worth[block.player]
            if "ranked first" in block.key:
                value += self.obeys
            letter = chr(ord("A") + place)
            values.append((letter, value + bonus + self.letter_bonus.get(letter, 0.0)))
        if target.id in ("Yes", "No"):
            odds = values[0][1]
            return np.array([-math.log1p(math.exp(-odds if target.id == "Yes" else odds))], dtype=np.float32)
        if target.id in dict(values):
            total = math.log(sum(math.exp(value) for _, value in values))
            return np.array([dict(values)[target.id] - total], dtype=np.float32)
        return np.full(len(target.token_ids), values[0][1] - 10, dtype=np.float32)


class Parts:
    """Segments whose keys hold their text."""

    window = None
    warnings = ()

    def __init__(self, trace, style):
        self.trace, self.style = trace, style
        self.header = Segment(f"header {style.instruction}", (1, 2))
        self.tail = Segment(f"tail {style.question_line(trace.query)}", (3,))
        self.closed_book = Segment("closed_book", (4,))

    def block(self, passage_id, label):
        line = self.style.passage_line(self.trace.passage(passage_id), label)
        return Segment(line, (5,) * len(line.split()), passage_id)
