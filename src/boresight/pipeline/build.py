"""Make an index, add to it, or go on where a killed run stopped: the three are the same.

Each step brings its part up to date with the one before: passages with the collection, BM25 and vectors with
the passages. A document that is there already is passed over by its digest.
"""

from __future__ import annotations

import hashlib
import shutil
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from boresight.errors import InputError, SpecError
from boresight.pipeline.documents import Collection, Document, collection
from boresight.pipeline.index import (
    FORMAT,
    SETTINGS,
    IndexSettings,
    open_encoder,
    read_record,
    require_same_encoder,
)
from boresight.pipeline.lexical import build_bm25
from boresight.pipeline.markdown import Section, sections
from boresight.pipeline.passages import NewPassage, PassageStore
from boresight.run.progress import Progress, Silent
from boresight.store.files import TEMPORARY_PREFIX, make_private_folder, to_json, write_json
from boresight.store.lock import locked

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from boresight.models.encoder import Encoder

COMMIT_EVERY = 256  # documents
_KIB = 1024


@dataclass(slots=True)
class IndexReport:
    """What an index holds after a run, and what the run did.

    Attributes:
        documents: Documents in the index.
        passages: Passages in the index.
        added: Documents that this run added.
        known: Documents that were there already.
        empty: Documents without any text, which gave no passage.
        skipped: Files of other kinds that were passed over, by suffix.
        truncated: Passages that are longer than the encoder reads.
    """

    documents: int = 0
    passages: int = 0
    added: int = 0
    known: int = 0
    empty: int = 0
    skipped: dict[str, int] | None = None
    truncated: int = 0

    def to_json(self) -> dict[str, Any]:
        """The report as JSON values."""
        return asdict(self)


def build_index(
    source: Path,
    out: Path,
    settings: IndexSettings,
    *,
    encoder: Encoder | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> IndexReport:
    """Index a collection; the same call goes on after an interruption, another collection is added.

    Args:
        source: A folder of text and Markdown, a folder in BEIR layout, or one file.
        out: The index.
        settings: How; an index keeps the settings that it was made with.
        encoder: The encoder, if it is loaded already; else it is loaded from ``settings.encoder``.
        threads: Torch threads; None leaves torch's choice.
        progress: Told what happens.

    Raises:
        InputError: The collection cannot be read, or a document changed since it was added.
        SpecError: The index was made with other settings.
        ModelError: A library or the encoder is missing.
    """
    shown = progress or Silent()
    files = collection(source)
    make_private_folder(out)
    with locked(out):
        _clean(out)
        _open(out, settings)
        loaded = _loaded(settings, encoder, out, threads, shown)
        with PassageStore(out, create=True) as store:
            report = _add(files, store, settings, shown)
            shown.phase("BM25", len(store))
            build_bm25(out, store, settings.stop_words, shown.advance)
            if loaded is not None:
                _encode(out, store, loaded, shown)
            report.documents, report.passages = store.documents, len(store)
            report.truncated = store.truncated
    return report


def _clean(out: Path) -> None:
    """Remove what a killed run was about to write."""
    for path in list(out.rglob(TEMPORARY_PREFIX + "*")):
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()


def _open(out: Path, settings: IndexSettings) -> None:
    """Write the settings of a new index first of all; check those of an old one."""
    record = read_record(out) if (out / SETTINGS).is_file() else None
    wanted = settings.to_json()
    stored = wanted if record is None else record["settings"]
    for name, value in wanted.items():
        added = name == "encoder" and stored[name] is None  # vectors may be added to an index without
        if stored[name] != value and not added:
            raise SpecError(
                f"{out} was made with {name} {stored[name]!r}, not {value!r}; give the same, or another --out"
            )
    if record is None or stored != wanted:
        write_json(out / SETTINGS, {"format": FORMAT, "settings": wanted, "encoder": None})


def _loaded(
    settings: IndexSettings, encoder: Encoder | None, out: Path, threads: int | None, progress: Progress
) -> Encoder | None:
    """The encoder, on record before its first vector."""
    if settings.encoder is None:
        return None
    if encoder is None:
        encoder = open_encoder(settings.encoder, threads=threads, progress=progress.note)
    record = read_record(out)
    require_same_encoder(record["encoder"], encoder, out)
    if record["encoder"] is None:
        write_json(out / SETTINGS, {**record, "encoder": encoder.describe()})
    return encoder


def _add(files: Collection, store: PassageStore, settings: IndexSettings, progress: Progress) -> IndexReport:
    report = IndexReport(skipped=dict(sorted(files.skipped.items())))
    progress.phase("reading, KiB", -(-files.size // _KIB))
    done = shown = 0
    for number, document in enumerate(files.documents(), start=1):
        _add_one(document, store, settings, report)
        done += document.size
        progress.advance(done // _KIB - shown)
        shown = done // _KIB
        if number % COMMIT_EVERY == 0:
            store.commit()
    store.commit()
    return report


def _add_one(document: Document, store: PassageStore, settings: IndexSettings, report: IndexReport) -> None:
    digest = _digest(document)
    before = store.digest(document.id)
    if before is not None and before != digest:
        raise InputError(
            f"{document.place}: {document.id!r} is in the index with another text; give it a new id, or "
            "index the collection into another folder"
        )
    if before is not None:
        report.known += 1
        return
    passages = list(_passages(document, settings))
    store.add(document.id, digest, passages)
    report.added += 1
    report.empty += not passages


def _digest(document: Document) -> str:
    content = to_json([document.title, document.text, dict(document.metadata)])
    return hashlib.sha256(content.encode()).hexdigest()


def _passages(document: Document, settings: IndexSettings) -> Iterator[NewPassage]:
    """The passages of a document; one that is not split keeps the document's id."""
    whole = document.form == "jsonl" and not settings.split_lines
    parts = [(document.title, 0, len(document.text))] if whole else list(_parts(document, settings))
    for title, start, end in parts:
        alone = len(parts) == 1
        yield NewPassage(
            document.id if alone else f"{document.id}:{start}-{end}",
            title,
            document.text[start:end],
            dict(document.metadata),
            document.id,
            document.source,
            start,
            end,
        )


def _parts(document: Document, settings: IndexSettings) -> Iterator[tuple[str | None, int, int]]:
    """Title and span of each passage of a document that is split."""
    text = document.text
    found: Iterable[Section] = (Section(document.title, 0, len(text)),)
    if document.form == "markdown":
        found = sections(text)
    for section in found:
        for start, end in settings.splitter.spans(text, section.start, section.end):
            yield section.title, start, end


def _encode(out: Path, store: PassageStore, encoder: Encoder, progress: Progress) -> None:
    from boresight.pipeline.dense import VectorShards, encode_missing

    shards = VectorShards(out)
    progress.phase("vectors", len(store))
    progress.advance(len(shards))
    encode_missing(store, shards, encoder, progress.advance)
