"""The passages of an index: one SQLite file, so that every addition is whole or absent.

A document and its passages are written in one transaction; what a killed process left half done is rolled
back by SQLite when the file is opened again. A passage's row number, from 0 without gaps, is its place in
BM25 and among the vectors.
"""

from __future__ import annotations

import json
import os
import sqlite3
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from boresight.errors import InputError, SpecError
from boresight.run.execute import passage_text
from boresight.store.files import PRIVATE_FILE, to_json
from boresight.trace import Passage

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path
    from types import TracebackType

FILE = "passages.sqlite"
_BLOCK = 500  # rows that are asked for at once

_SCHEMA = """
CREATE TABLE IF NOT EXISTS documents (id TEXT PRIMARY KEY, digest TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS passages (
  row INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, title TEXT, text TEXT NOT NULL, metadata TEXT NOT NULL,
  document TEXT NOT NULL, source TEXT NOT NULL, start INTEGER NOT NULL, "end" INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS truncated (
  row INTEGER PRIMARY KEY, read INTEGER NOT NULL, tokens INTEGER NOT NULL
);
"""
_INSERT = "INSERT INTO passages SELECT coalesce(max(row) + 1, 0), ?, ?, ?, ?, ?, ?, ?, ? FROM passages"
_COLUMNS = 'id, title, text, metadata, document, source, start, "end", read, tokens'


class NewPassage(NamedTuple):
    """A passage to add: its place in the source, and what it holds."""

    id: str
    title: str | None
    text: str
    metadata: dict[str, Any]
    document: str
    source: str
    start: int
    end: int


class PassageStore:
    """The passages on disk.

    Args:
        folder: The index.
        create: Whether to make the file if there is none.

    Raises:
        SpecError: There is no index, or the file is damaged.
    """

    def __init__(self, folder: Path, *, create: bool = False) -> None:
        path = folder / FILE
        if create:
            os.close(os.open(path, os.O_CREAT | os.O_WRONLY, PRIVATE_FILE))
        elif not path.is_file():
            raise SpecError(f"{folder} holds no index; make one with `boresight index FOLDER --out {folder}`")
        self._path = path
        self._file = sqlite3.connect(path)
        try:
            self._file.executescript(_SCHEMA)  # also rolls back what a killed writer left
        except sqlite3.DatabaseError as error:
            raise SpecError(f"{path} is damaged ({error}); index the collection again") from error

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file; what was not committed is gone."""
        self._file.close()

    def __len__(self) -> int:
        return int(self._file.execute("SELECT count(*) FROM passages").fetchone()[0])

    @property
    def documents(self) -> int:
        """How many documents there are."""
        return int(self._file.execute("SELECT count(*) FROM documents").fetchone()[0])

    def digest(self, document: str) -> str | None:
        """The digest under which a document was added, None if it was not."""
        found = self._file.execute("SELECT digest FROM documents WHERE id = ?", (document,)).fetchone()
        return None if found is None else str(found[0])

    def add(self, document: str, digest: str, passages: Sequence[NewPassage]) -> None:
        """Add a document and its passages; they stay once :meth:`commit` is called.

        Raises:
            InputError: The index holds a passage of the same id.
        """
        self._file.execute("INSERT INTO documents VALUES (?, ?)", (document, digest))
        for one in passages:
            values = (one.id, one.title, one.text, to_json(one.metadata), *one[4:])
            try:
                self._file.execute(_INSERT, values)
            except sqlite3.IntegrityError:
                raise InputError(
                    f"the index holds a passage {one.id!r} already; give this one another id"
                ) from None

    def note_truncated(self, row: int, read: int, tokens: int) -> None:
        """Record that an encoder reads only the first ``read`` of the ``tokens`` of a passage."""
        self._file.execute("INSERT OR REPLACE INTO truncated VALUES (?, ?, ?)", (row, read, tokens))

    @property
    def truncated(self) -> int:
        """How many passages are longer than the encoder reads."""
        return int(self._file.execute("SELECT count(*) FROM truncated").fetchone()[0])

    def commit(self) -> None:
        """Write what was added, whole."""
        self._file.commit()

    def ids(self, rows: Sequence[int]) -> list[str]:
        """Ids of passages by row, in the given order."""
        found: dict[int, str] = {}
        for start in range(0, len(rows), _BLOCK):
            block = [int(row) for row in rows[start : start + _BLOCK]]
            marks = ",".join("?" * len(block))
            found.update(self._file.execute(f"SELECT row, id FROM passages WHERE row IN ({marks})", block))  # noqa: S608 - question marks only
        return [found[int(row)] for row in rows]

    def texts(self, start: int = 0) -> Iterator[tuple[str, str]]:
        """Id of every passage and what rankers read of it (title and text), by row from ``start`` on."""
        query = "SELECT id, text, title FROM passages WHERE row >= ? ORDER BY row"
        for found in self._file.execute(query, (start,)):
            yield found[0], passage_text(Passage(*found))

    def text(self, passage_id: str) -> str:
        """What rankers read of one passage."""
        return passage_text(self.passage(passage_id))

    def passage(self, passage_id: str) -> Passage:
        """A passage; ``metadata["span"]`` says where its text stands in the source.

        Raises:
            InputError: There is none of that id.
        """
        query = f"SELECT {_COLUMNS} FROM passages LEFT JOIN truncated USING (row) WHERE id = ?"  # noqa: S608
        found = self._file.execute(query, (passage_id,)).fetchone()
        if found is None:
            raise InputError(f"the index {self._path.parent} holds no passage {passage_id!r}")
        return _passage(found)

    def document_of(self, passage_id: str) -> str:
        """The document that a passage is part of."""
        found = self._file.execute("SELECT document FROM passages WHERE id = ?", (passage_id,)).fetchone()
        return str(found[0])


def _passage(found: tuple[Any, ...]) -> Passage:
    key, title, text, metadata, document, source, start, end, read, tokens = found
    span = {"document": document, "source": source, "start": start, "end": end}
    seen = {} if read is None else {"tokens_read": read, "tokens": tokens}
    return Passage(key, text, title, {**json.loads(metadata), "span": span, **seen})
