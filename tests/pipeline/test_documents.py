import pytest

from boresight.errors import InputError
from boresight.pipeline.documents import collection
from helpers import write_jsonl


def documents(path):
    return list(collection(path).documents())


def test_a_folder_gives_text_and_markdown_by_path_and_counts_the_rest(tmp_path):
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "note.md").write_text("# N")
    (tmp_path / "a.txt").write_text("text")
    (tmp_path / "picture.png").write_bytes(b"\x89")
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "hidden.txt").write_text("hidden")
    found = collection(tmp_path)
    assert [(one.id, one.form, one.text) for one in found.documents()] == [
        ("a.txt", "text", "text"),
        ("b/note.md", "markdown", "# N"),
    ]
    assert dict(found.skipped) == {".png": 1}


def test_a_beir_folder_gives_the_lines_of_its_corpus_alone(corpus):
    (corpus / "readme.md").write_text("not a passage")
    assert [one.id for one in documents(corpus)] == ["a", "b", "c", "d", "e"]


def test_a_line_keeps_title_and_metadata_and_an_empty_title_is_none(corpus):
    first, second, *_ = documents(corpus)
    assert (first.title, first.metadata) == ("Boat", {"year": 1987})
    assert (second.title, second.metadata) == (None, {})


def test_a_byte_order_mark_is_no_part_of_the_text(tmp_path):
    (tmp_path / "a.txt").write_bytes(b"\xef\xbb\xbfone\r\n")
    assert documents(tmp_path)[0].text == "one\r\n"


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ({"_id": "x"}, 'line 2: a passage needs a "text"'),
        ({"_id": "x", "text": 3}, "line 2: text must be a string"),
        ({"text": "no id"}, "line 2: _id must be"),
        ([1], "line 2: expected an object"),
    ],
)
def test_a_malformed_line_is_named(tmp_path, line, words):
    path = write_jsonl(tmp_path / "corpus.jsonl", [{"_id": "ok", "text": ""}, line])
    with pytest.raises(InputError, match=words):
        documents(path)


def test_a_file_that_is_not_utf8_is_named(tmp_path):
    (tmp_path / "latin.txt").write_bytes("caf\u00e9".encode("latin-1"))
    with pytest.raises(InputError, match=r"latin\.txt: byte 4 is not UTF-8"):
        documents(tmp_path)


def test_what_holds_nothing_to_index_is_refused(tmp_path):
    (tmp_path / "a.pdf").write_bytes(b"%PDF")
    for source, words in (
        (tmp_path, "holds no .txt or .md"),
        (tmp_path / "a.pdf", "is none of"),
        (tmp_path / "absent", "does not exist"),
    ):
        with pytest.raises(InputError, match=words):
            collection(source)
