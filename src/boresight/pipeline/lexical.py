"""BM25 over all passages of an index: a folder beside them, made anew when passages were added.

Inverse document frequencies change with every passage, so there is nothing to append to. Texts are read one
by one while it is made; what is held is the numbers of their words.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Mapping, ValuesView
from pathlib import Path
from typing import TYPE_CHECKING

from boresight.models.rankers.bm25 import Bm25Ranker, Bm25Settings
from boresight.store.files import TEMPORARY_PREFIX, sync_folder

if TYPE_CHECKING:
    from collections.abc import Callable

    from boresight.models.rankers.words import StopWords
    from boresight.pipeline.passages import PassageStore

_PREFIX = "bm25-"


def bm25_folder(index: Path, passages: int) -> Path:
    """Where the BM25 of so many passages lies; one of another number is out of date."""
    return index / f"{_PREFIX}{passages}"


def build_bm25(
    index: Path, store: PassageStore, stop_words: StopWords, advance: Callable[[int], None]
) -> None:
    """Bring BM25 up to date with the passages.

    Args:
        index: The index.
        store: Its passages.
        stop_words: ``english`` or ``none``.
        advance: Told how many passages were read.
    """
    number = len(store)
    place = bm25_folder(index, number)
    if place.is_dir():
        advance(number)
    else:
        ranker = Bm25Ranker.fit(_Texts(store, advance), Bm25Settings(stop_words=stop_words))
        temporary = Path(tempfile.mkdtemp(prefix=TEMPORARY_PREFIX, dir=index))
        ranker.save(temporary)
        temporary.replace(place)
        sync_folder(index)
    for old in [old for old in index.glob(_PREFIX + "*") if old != place]:
        shutil.rmtree(old)


def open_bm25(index: Path, store: PassageStore) -> Bm25Ranker:
    """The BM25 of a finished index."""
    return Bm25Ranker.load(bm25_folder(index, len(store)))


class _Texts(Mapping[str, str]):
    """What rankers read of every passage, by id, never all at once."""

    def __init__(self, store: PassageStore, advance: Callable[[int], None]) -> None:
        self._store = store
        self._advance = advance

    def __getitem__(self, passage_id: str) -> str:
        return self._store.text(passage_id)

    def __iter__(self) -> Iterator[str]:
        return (key for key, _ in self._store.texts())

    def __len__(self) -> int:
        return len(self._store)

    def values(self) -> ValuesView[str]:
        """The texts in row order, read as they are asked for."""
        return _Values(self)

    def stream(self) -> Iterator[str]:
        """The texts in row order, with progress."""
        for _, text in self._store.texts():
            yield text
            self._advance(1)


class _Values(ValuesView[str]):
    """The values of :class:`_Texts` in one pass, not one look-up each."""

    def __init__(self, texts: _Texts) -> None:
        super().__init__(texts)
        self._texts = texts

    def __iter__(self) -> Iterator[str]:
        return self._texts.stream()
