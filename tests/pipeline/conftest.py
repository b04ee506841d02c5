"""A small collection and its index."""

import pytest

from boresight.pipeline.build import build_index
from boresight.pipeline.index import Index, IndexSettings
from helpers import write_jsonl
from pipeline_toys import ToyEncoder

LINES = (
    {"_id": "a", "title": "Boat", "text": "The ferry crosses in 25 minutes", "metadata": {"year": 1987}},
    {"_id": "b", "title": "", "text": "The lamp of the lighthouse is electric"},
    {"_id": "c", "text": "Divers raised the bell from the water"},
    {"_id": "d", "text": "water water water"},
    {"_id": "e", "text": ""},
)
SETTINGS = IndexSettings(encoder="toy")


@pytest.fixture
def encoder():
    return ToyEncoder()


@pytest.fixture
def corpus(tmp_path):
    """A corpus in BEIR layout, as a folder."""
    folder = tmp_path / "beir"
    folder.mkdir()
    write_jsonl(folder / "corpus.jsonl", LINES)
    return folder


@pytest.fixture
def index(corpus, tmp_path, encoder):
    """The corpus, indexed with BM25 and vectors, and opened."""
    build_index(corpus, tmp_path / "index", SETTINGS, encoder=encoder)
    with Index(tmp_path / "index", encoder) as opened:
        yield opened
