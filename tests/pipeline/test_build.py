import json
import stat

import pytest

from boresight.errors import InputError, SpecError
from boresight.pipeline.build import build_index
from boresight.pipeline.index import DEFAULT_ENCODER, Index, IndexSettings, settings_for
from boresight.pipeline.splitter import Splitter
from helpers import write_jsonl
from pipeline_toys import ToyEncoder

SPLIT = IndexSettings(Splitter(36, 0))
PAGE = "# Boats\n\nThe ferry is white. She is slow but safe.\n\n## Ice\n\nIn winter she rests."


def build(source, out, settings=SPLIT, **options):
    return build_index(source, out, settings, **options)


@pytest.fixture
def folder(tmp_path):
    place = tmp_path / "texts"
    place.mkdir()
    (place / "boats.md").write_text(PAGE)
    (place / "lamp.txt").write_text("The lamp is lit.")
    return place


def test_each_passage_is_the_slice_of_its_source_that_its_span_says(folder, tmp_path):
    build(folder, tmp_path / "index")
    with Index(tmp_path / "index") as index:
        found = [index.passage(key) for key, _ in index.store.texts()]
    assert [(one.id, one.title, one.text) for one in found] == [
        ("boats.md:9-28", "Boats", "The ferry is white."),
        ("boats.md:29-50", "Boats", "She is slow but safe."),
        ("boats.md:60-80", "Boats > Ice", "In winter she rests."),
        ("lamp.txt", None, "The lamp is lit."),
    ]
    for one in found:
        span = one.metadata["span"]
        assert (folder / span["source"]).read_text()[span["start"] : span["end"]] == one.text
        assert one.id.startswith(span["document"])


def test_the_same_collection_again_adds_nothing_and_encodes_nothing(corpus, tmp_path, encoder):
    settings = IndexSettings(encoder="toy")
    first = build(corpus, tmp_path / "index", settings, encoder=encoder)
    assert (first.documents, first.passages, first.added, first.known) == (5, 5, 5, 0)
    encoder.encoded.clear()
    again = build(corpus, tmp_path / "index", settings, encoder=encoder)
    assert (again.documents, again.passages, again.added, again.known) == (5, 5, 0, 5)
    assert encoder.encoded == []


def test_another_collection_is_added_and_found_by_both_searches(corpus, tmp_path, encoder):
    settings = IndexSettings(encoder="toy")
    build(corpus, tmp_path / "index", settings, encoder=encoder)
    encoder.encoded.clear()
    more = write_jsonl(tmp_path / "more.jsonl", [{"_id": "new", "text": "puffin colony"}])
    report = build(more, tmp_path / "index", settings, encoder=encoder)
    assert (report.documents, report.added) == (6, 1)
    assert encoder.encoded == ["puffin colony"]
    with Index(tmp_path / "index", encoder) as index:
        assert list(index.lexical().search("puffin", 5)) == ["new"]
        assert next(iter(index.dense().search("puffin", 5))) == "new"


def test_vectors_can_be_added_to_an_index_without(corpus, tmp_path, encoder):
    build(corpus, tmp_path / "index", IndexSettings())
    with Index(tmp_path / "index") as index, pytest.raises(SpecError, match="has no vectors"):
        index.dense()
    build(corpus, tmp_path / "index", IndexSettings(encoder="toy"), encoder=encoder)
    with Index(tmp_path / "index", encoder) as index:
        assert next(iter(index.dense().search("bell", 1))) == "c"


def test_a_changed_document_is_refused_by_place(corpus, tmp_path):
    build(corpus, tmp_path / "index")
    write_jsonl(corpus / "corpus.jsonl", [{"_id": "a", "text": "other"}])
    with pytest.raises(InputError, match=r"corpus\.jsonl, line 1: 'a' is in the index with another text"):
        build(corpus, tmp_path / "index")


def test_two_lines_of_one_id_and_text_are_one_document_of_other_texts_an_error(tmp_path):
    twice = write_jsonl(tmp_path / "twice.jsonl", [{"_id": "a", "text": "x"}] * 2)
    assert build(twice, tmp_path / "index").documents == 1
    other = write_jsonl(tmp_path / "other.jsonl", [{"_id": "b", "text": "x"}, {"_id": "b", "text": "y"}])
    with pytest.raises(InputError, match="line 2"):
        build(other, tmp_path / "index")


def test_two_ids_of_one_text_stay_two_passages(tmp_path):
    twins = write_jsonl(tmp_path / "twins.jsonl", [{"_id": name, "text": "the bell"} for name in "ab"])
    build(twins, tmp_path / "index")
    with Index(tmp_path / "index") as index:
        assert list(index.lexical().search("bell", 5)) == ["a", "b"]


def test_lines_are_split_only_when_asked_for(tmp_path):
    lines = write_jsonl(tmp_path / "long.jsonl", [{"_id": "a", "title": "T", "text": "One two. " * 10}])
    assert build(lines, tmp_path / "whole").passages == 1
    build(lines, tmp_path / "split", IndexSettings(Splitter(20, 0), split_lines=True))
    with Index(tmp_path / "split") as index:
        assert index.passage("a:0-17").title == "T"
        assert index.passage("a:0-17").text == "One two. One two."


def test_an_index_keeps_its_settings(corpus, tmp_path):
    build(corpus, tmp_path / "index")
    with pytest.raises(SpecError, match="was made with size 36, not 40; give the same, or another --out"):
        build(corpus, tmp_path / "index", IndexSettings(Splitter(40, 0)))


def test_an_encoder_of_other_weights_is_refused(corpus, tmp_path, encoder):
    settings = IndexSettings(encoder="toy")
    build(corpus, tmp_path / "index", settings, encoder=encoder)
    other = ToyEncoder("two")
    with pytest.raises(SpecError, match="the encoder's fingerprint was 'one' and is now 'two'"):
        build(corpus, tmp_path / "index", settings, encoder=other)
    with Index(tmp_path / "index", other) as index, pytest.raises(SpecError, match="fingerprint"):
        index.dense()


def test_settings_not_given_are_those_of_the_index_or_the_defaults(corpus, tmp_path):
    out = tmp_path / "index"
    assert settings_for(out) == IndexSettings(Splitter(1000, 100), encoder=DEFAULT_ENCODER)
    assert settings_for(out, size=300, encoder="none") == IndexSettings(Splitter(300, 30))
    build(corpus, out, IndexSettings(Splitter(40, 5), stop_words="none"))
    assert settings_for(out) == IndexSettings(Splitter(40, 5), stop_words="none")


def test_a_passage_longer_than_the_encoder_reads_is_marked(tmp_path, encoder):
    long = write_jsonl(tmp_path / "long.jsonl", [{"_id": "a", "text": "word " * 20 + "bell"}])
    report = build(long, tmp_path / "index", IndexSettings(encoder="toy"), encoder=encoder)
    assert report.truncated == 1
    with Index(tmp_path / "index", encoder) as index:
        metadata = index.passage("a").metadata
        assert (metadata["tokens_read"], metadata["tokens"]) == (12, 21)


def test_an_empty_text_file_gives_no_passage_and_is_counted(folder, tmp_path):
    (folder / "empty.txt").write_text("  \n")
    report = build(folder, tmp_path / "index")
    assert (report.documents, report.empty, report.passages) == (3, 1, 4)


def test_the_index_is_private(corpus, tmp_path, encoder):
    build(corpus, tmp_path / "index", IndexSettings(encoder="toy"), encoder=encoder)
    assert stat.S_IMODE((tmp_path / "index").stat().st_mode) == 0o700
    assert stat.S_IMODE((tmp_path / "index" / "passages.sqlite").stat().st_mode) == 0o600


def test_an_index_of_another_version_or_none_is_refused(corpus, tmp_path):
    with pytest.raises(SpecError, match="holds no index"):
        Index(tmp_path / "absent")
    build(corpus, tmp_path / "index")
    record = json.loads((tmp_path / "index" / "index.json").read_text())
    (tmp_path / "index" / "index.json").write_text(json.dumps({**record, "format": 99}))
    with pytest.raises(SpecError, match="another version"):
        Index(tmp_path / "index")
