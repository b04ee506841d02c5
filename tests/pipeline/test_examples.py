"""The collection in examples/ and the commands of the page on it."""

import json
import sys

import pytest

from boresight.errors import SpecError
from boresight.pipeline.build import build_index
from boresight.pipeline.index import Index, IndexSettings
from boresight.pipeline.splitter import Splitter


def test_the_answer_of_each_example_question_is_among_the_first_passages_of_bm25(root, tmp_path):
    examples = root / "examples"
    build_index(examples / "notes", tmp_path / "index", IndexSettings(Splitter(400, 40)))
    questions = [json.loads(line) for line in (examples / "notes.queries.jsonl").read_text().splitlines()]
    with Index(tmp_path / "index") as index:
        for question in questions:
            found = index.texts(index.lexical().search(question["text"], 3))
            texts = [" ".join(text.split()) for text in found.values()]
            assert any(question["answers"][0] in text for text in texts), question["_id"]


def test_without_the_extra_the_error_names_it(corpus, tmp_path, monkeypatch, encoder):
    monkeypatch.setitem(sys.modules, "faiss", None)
    with pytest.raises(SpecError, match=r"faiss.*pip install 'boresight\[retrieval\]'"):
        build_index(corpus, tmp_path / "index", IndexSettings(encoder="toy"), encoder=encoder)
