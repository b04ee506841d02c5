"""The documents of a collection: text and Markdown files of a folder, or the lines of a BEIR corpus.

One document is held at a time. Spans count in the text as it is read here: UTF-8, without a byte-order mark,
line ends as they are in the file.
"""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from boresight.errors import InputError
from boresight.trace.check import as_id, as_mapping, as_optional_text, as_text, located
from boresight.trace.readers.source import Source
from boresight.trace.readers.trec_files import decode_object

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

Form = Literal["text", "markdown", "jsonl"]

CORPUS = "corpus.jsonl"
FORMS: dict[str, Form] = {
    ".txt": "text", ".text": "text", ".md": "markdown", ".markdown": "markdown", ".jsonl": "jsonl",
}  # fmt: skip
_ID = ("_id", "id")
_KNOWN = {*_ID, "title", "text", "metadata"}


@dataclass(frozen=True, slots=True)
class Document:
    """A text of the collection.

    Attributes:
        id: The line's id, or the path of the file below the folder, with ``/``.
        text: The whole text; may be empty.
        title: Its title, or None.
        form: How it is split: Markdown by its headings first, lines of JSON not at all unless asked for.
        source: File below the folder that holds it.
        place: File and line, for errors.
        metadata: Further JSON values.
        size: Bytes of the source that it stands for, for the progress.
    """

    id: str
    text: str
    title: str | None
    form: Form
    source: str
    place: str
    metadata: Mapping[str, Any]
    size: int


@dataclass(slots=True)
class Collection:
    """The files of a collection.

    Attributes:
        root: The folder, or the folder of the one file.
        files: The files, by path.
        skipped: How many files of other kinds there are, by suffix.
    """

    root: Path
    files: tuple[Path, ...]
    skipped: Counter[str] = field(default_factory=Counter)

    @property
    def size(self) -> int:
        """Bytes of all files."""
        return sum(path.stat().st_size for path in self.files)

    def documents(self) -> Iterator[Document]:
        """Every document, file by file in the order of their paths.

        Raises:
            InputError: A file or line cannot be read; names it and the fix.
        """
        for path in self.files:
            name = path.relative_to(self.root).as_posix()
            if FORMS[path.suffix.lower()] == "jsonl":
                yield from _lines(path, name)
            else:
                yield _file(path, name)


def collection(source: Path) -> Collection:
    """Find the files of a collection.

    A folder that holds ``corpus.jsonl`` is in BEIR layout: only that file holds passages. Of other folders
    the text and Markdown files are taken, at any depth; hidden ones and links to folders are not followed.

    Raises:
        InputError: There is nothing to index.
    """
    if source.is_file():
        if source.suffix.lower() not in FORMS:
            raise InputError(f"{source} is none of {', '.join(FORMS)}; rename it or convert it to text")
        return Collection(source.parent, (source,))
    if not source.is_dir():
        raise InputError(f"{source} does not exist; name a folder, a text file or a JSONL file")
    if (source / CORPUS).is_file():
        return Collection(source, (source / CORPUS,))
    found, skipped = [], Counter[str]()
    for path in _walk(source):
        if FORMS.get(path.suffix.lower(), "jsonl") != "jsonl":
            found.append(path)
        else:
            skipped[path.suffix.lower() or "no suffix"] += 1
    if not found:
        raise InputError(f"{source} holds no .txt or .md file and no {CORPUS}; name another folder")
    return Collection(source, tuple(found), skipped)


def _walk(folder: Path) -> Iterator[Path]:
    for place, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        yield from (Path(place) / name for name in sorted(files) if not name.startswith("."))


def _file(path: Path, name: str) -> Document:
    data = path.read_bytes()
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: byte {error.start + 1} is not UTF-8; save the file as UTF-8") from None
    return Document(name, text, None, FORMS[path.suffix.lower()], name, str(path), {}, len(data))


def _lines(path: Path, name: str) -> Iterator[Document]:
    with path.open("rb") as lines:
        for line_place, line in Source(str(path), iter(lines)).lines():
            place = f"{path}, {line_place}"
            item = decode_object(line, place)
            with located(f"{place}: "):
                document = _of_line(item, name, place, len(line))
            yield document


def _of_line(item: dict[str, Any], source: str, place: str, size: int) -> Document:
    key = next((item[name] for name in _ID if item.get(name) is not None), None)
    if "text" not in item:
        raise InputError('a passage needs a "text"; write {"_id": ..., "title": ..., "text": ...}')
    own = item.get("metadata")
    metadata = dict(as_mapping(own, "metadata")) if own is not None else {}
    return Document(
        as_id(key, "_id"),
        as_text(item["text"] if item["text"] is not None else "", "text"),
        as_optional_text(item.get("title"), "title") or None,
        "jsonl",
        source,
        place,
        {**{name: held for name, held in item.items() if name not in _KNOWN}, **metadata},
        size,
    )
