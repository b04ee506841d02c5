"""Every query of Cranfield, every passage that it returns."""

import json

import pytest

from boresight.explain.lexical import Bm25Explainer
from boresight.models.rankers.bm25 import VARIANTS, Bm25Ranker, Bm25Settings

pytest.importorskip("bm25s", reason="bm25s is not installed")

RETURNED = 10


def lines(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_bm25_explanations_sum_to_the_scores_of_bm25s(shared_data):
    folder = shared_data / "cranfield"
    if not folder.is_dir():
        pytest.skip("Cranfield is not beside this repository")
    texts = {row["_id"]: f"{row['title']}\n{row['text']}" for row in lines(folder / "corpus.jsonl")}
    queries = [row["text"] for row in lines(folder / "queries.jsonl")]
    for variant in VARIANTS:
        ranker = Bm25Ranker.fit(texts, Bm25Settings(variant=variant))
        gaps = [gap for query in queries for gap in gaps_of(ranker, query, texts)]
        assert len(gaps) > 0.9 * RETURNED * len(queries)
        assert max(gaps) <= 1e-5


def gaps_of(ranker, query, texts):
    """How far the parts of each returned passage are from the score of bm25s."""
    returned = ranker.search(query, RETURNED)
    found = Bm25Explainer(ranker).explain(query, {key: texts[key] for key in returned})
    return [abs(sum(part.value for part in found[key].parts) - score) for key, score in returned.items()]
