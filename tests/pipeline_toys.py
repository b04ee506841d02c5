"""An encoder whose vectors can be worked out by hand: counts of a few words."""

from __future__ import annotations

import numpy as np

WORDS = ("ferry", "lamp", "bell", "water", "puffin")
LIMIT = 12  # words that it reads of a passage


class ToyEncoder:
    """Counts of five words in the first twelve; the cosine of counts."""

    name = "toy"
    score_name = "cosine"

    def __init__(self, fingerprint="one"):
        self.fingerprint = fingerprint
        self.encoded = []

    def describe(self):
        return {"name": self.name, "fingerprint": self.fingerprint, "score": self.score_name}

    def encode(self, texts, side=None):
        self.encoded += [text for text in texts if side == "passage"]
        read = [text.lower().split()[:LIMIT] for text in texts]
        return np.array([[words.count(word) for word in WORDS] for words in read], dtype=np.float32)

    def truncation(self, text):
        total = len(text.split())
        return min(total, LIMIT), total

    def score(self, query, passages):
        asked = self.encode([query], "query")[0]
        return {key: cosine(asked, self.encode([text])[0]) for key, text in passages.items()}


def cosine(left, right):
    lengths = np.linalg.norm(left) * np.linalg.norm(right)
    return float(left @ right / lengths) if lengths else 0.0
