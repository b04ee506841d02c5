"""Vectors of all passages of an index, in flat FAISS indexes of fixed size, searched one after the other.

A shard is an ``IndexFlatIP`` that any FAISS reads: inner products with every vector, no approximation. Where
the encoder's score is the cosine, vectors have length 1, so that the inner product is the cosine. Only the
last shard grows; it is replaced whole every few hundred passages, so a killed run repeats those at most.
Shards are mapped, not read, so memory holds one while it is made and none while it is searched.

Source: J. Johnson, M. Douze and H. Jegou, Billion-scale similarity search with GPUs, arXiv 1702.08734.
"""

from __future__ import annotations

import warnings
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from boresight.models.rankers.extras import library
from boresight.store.files import make_private_folder, move_into_place, temporary_beside

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from boresight.models.encoder import Encoder
    from boresight.pipeline.passages import PassageStore

FOLDER = "dense"
SHARD_ROWS = 4096
SAVE_EVERY = 256  # passages; some seconds of a small encoder on a CPU


class VectorShards:
    """The vectors on disk, row by row as the passages.

    Args:
        folder: The index.
        shard_rows: Vectors a shard.
    """

    def __init__(self, folder: Path, shard_rows: int = SHARD_ROWS) -> None:
        self._faiss = _faiss()
        self._folder = folder / FOLDER
        self._shard_rows = shard_rows

    def __len__(self) -> int:
        files = self._files()
        return 0 if not files else (len(files) - 1) * self._shard_rows + int(self._open(files[-1]).ntotal)

    def append(self, vectors: NDArray[np.float32]) -> None:
        """Add vectors behind the last one; shape (m, d), float32."""
        make_private_folder(self._folder)
        while len(vectors):
            files, have = self._files(), len(self)
            room = self._shard_rows - have % self._shard_rows
            full = room == self._shard_rows
            shard = (
                self._faiss.IndexFlatIP(vectors.shape[1]) if full else self._faiss.read_index(str(files[-1]))
            )
            shard.add(vectors[:room])
            self._save(shard, self._folder / f"{have // self._shard_rows:06d}.faiss")
            vectors = vectors[room:]

    def search(self, query: NDArray[np.float32], k: int) -> list[tuple[int, float]]:
        """The k rows of the highest inner product, best first; equal ones in row order.

        Args:
            query: Shape (d,).
            k: At most so many rows.
        """
        found: list[tuple[float, int]] = []
        for number, path in enumerate(self._files()):
            shard = self._open(path)
            scores, rows = shard.search(query[None, :], min(k, shard.ntotal))
            first = number * self._shard_rows
            places = zip(scores[0].tolist(), rows[0].tolist(), strict=True)
            found += [(-score, first + row) for score, row in places]
            found = sorted(found)[:k]
        return [(row, -score) for score, row in found]

    def _files(self) -> list[Path]:
        return sorted(self._folder.glob("*.faiss"))

    def _open(self, path: Path) -> Any:
        return self._faiss.read_index(str(path), getattr(self._faiss, "IO_FLAG_MMAP_IFC", 0))

    def _save(self, shard: Any, path: Path) -> None:
        temporary = temporary_beside(path)
        self._faiss.write_index(shard, str(temporary))
        move_into_place(temporary, path)


class DenseSearcher:
    """Finds passages by the vectors of an encoder.

    Args:
        shards: The vectors.
        store: The passages.
        encoder: The encoder that made the vectors.
    """

    name = "dense"

    def __init__(self, shards: VectorShards, store: PassageStore, encoder: Encoder) -> None:
        self._shards = shards
        self._store = store
        self._encoder = encoder

    def describe(self) -> dict[str, Any]:
        """Identity for the record; JSON values."""
        return {"name": self.name, "score": self._encoder.score_name, "encoder": self._encoder.describe()}

    def search(self, query: str, k: int) -> Mapping[str, float]:
        """The best passages, best first, by the encoder's own score (cosine or dot); equal ones as indexed.

        Args:
            query: The question.
            k: Most passages to return.
        """
        vector = prepared(self._encoder.encode([query], "query"), self._encoder)[0]
        found = self._shards.search(vector, k)
        names = self._store.ids([row for row, _ in found])
        return {name: score for name, (_, score) in zip(names, found, strict=True)}


def encode_missing(
    store: PassageStore, shards: VectorShards, encoder: Encoder, advance: Callable[[int], None]
) -> None:
    """Encode the passages that have no vector yet, and record which the encoder reads only in part.

    Args:
        store: The passages.
        shards: The vectors so far.
        encoder: The encoder.
        advance: Told how many passages were encoded.
    """
    start = len(shards)
    for texts in _blocks((text for _, text in store.texts(start)), SAVE_EVERY):
        for row, text in enumerate(texts, start):
            read, total = encoder.truncation(text)
            if read < total:
                store.note_truncated(row, read, total)
        vectors = []
        for text in texts:
            vectors.append(encoder.encode([text], "passage")[0])
            advance(1)
        store.commit()
        shards.append(prepared(np.stack(vectors), encoder))
        start += len(texts)


def prepared(vectors: NDArray[np.float32], encoder: Encoder) -> NDArray[np.float32]:
    """Vectors whose inner product is the encoder's score; one without length keeps its zeros.

    Args:
        vectors: Shape (m, d).
        encoder: Says whether its score is ``cosine`` or ``dot``.
    """
    if encoder.score_name == "dot":
        return vectors
    lengths = np.linalg.norm(vectors.astype(np.float64), axis=1, keepdims=True)
    return (vectors / np.where(lengths > 0, lengths, 1.0)).astype(np.float32)


def _faiss() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of the wrappers that are generated for it
        return library("faiss")


def _blocks(items: Iterator[str], size: int) -> Iterator[list[str]]:
    while block := list(islice(items, size)):
        yield block
