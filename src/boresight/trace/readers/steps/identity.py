"""Which passage is which over the steps of one trace: by id where one is recorded, else by text."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from boresight.trace.ids import FreshIds, passage_id
from boresight.trace.mend import mend_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from boresight.trace.readers.documents import Document

_NO_PASSAGE_ID = (
    "an id stands for several texts, so it names no passage; "
    "ids are made from the texts and it is kept as metadata.document_id"
)

Place = dict[str, Any]
"""A place of a ranking: id, and the score if there is one."""


class Passages:
    """All passages of one trace; the first step that names a passage fixes its id.

    Attributes:
        remarks: What a person should know, without repeats.
        made_ids: Whether an id had to be made for a passage.
    """

    def __init__(self) -> None:
        self.remarks: dict[str, None] = {}
        self.made_ids = False
        self._passages: dict[str, Document] = {}
        self._by_text: dict[tuple[str, str], list[str]] = defaultdict(list)
        self._ids = FreshIds()

    def ranking(self, documents: Sequence[Document]) -> list[Place]:
        """The places of one ranking; a passage that it holds twice keeps its best place."""
        mended: list[str] = []
        documents = [mend_text(document, mended) for document in documents]
        if mended:
            self.remarks["lone surrogates in passages were replaced by U+FFFD"] = None
        named = _passage_names(documents)
        if named != [document.get("id") for document in documents]:
            self.remarks[_NO_PASSAGE_ID] = None
        places: dict[str, Place] = {}
        for document, name in zip(documents, named, strict=True):
            key = self._known(document, name, places)
            if key in places:
                self.remarks["a ranking holds a passage more than once; it keeps its best place"] = None
                continue
            score = document.get("score")
            places[key] = {"id": key} if score is None else {"id": key, "score": score}
        return list(places.values())

    def all(self) -> list[Document]:
        """Every passage in the fields of the long form, in the order in which they were first named."""
        return list(self._passages.values())

    def text(self, key: str) -> str:
        """The text of a passage."""
        return str(self._passages[key]["text"])

    def _known(self, document: Document, name: object, taken: dict[str, Place]) -> str:
        content = (document.get("title") or "", document["text"])
        if name is None:
            same = [key for key in self._by_text[content] if key not in taken]
            self.made_ids |= not same
            key = same[0] if same else self._ids.fresh(passage_id(*content))
        else:
            key = str(name)
            before = self._passages.get(key)
            if before is not None and before["text"] != document["text"]:
                self.remarks["a later step changed the text of a passage; its last text is kept"] = None
        self._keep(key, document, content)
        return key

    def _keep(self, key: str, document: Document, content: tuple[str, str]) -> None:
        self._ids.take(key)
        if key not in self._by_text[content]:
            self._by_text[content].append(key)
        fields: dict[str, Any] = {
            field: document[field] for field in ("text", "title", "metadata") if field in document
        }
        metadata = {**self._passages.get(key, {}).get("metadata", {}), **fields.pop("metadata", {})}
        if document.get("id") is not None and str(document["id"]) != key:
            metadata["document_id"] = document["id"]
        self._passages[key] = {"id": key, **fields, **({"metadata": metadata} if metadata else {})}


def _passage_names(documents: Sequence[Document]) -> list[object]:
    """The recorded ids, None in the place of each that stands for different texts (it names a document)."""
    texts: dict[object, set[str]] = defaultdict(set)
    for document in documents:
        texts[document.get("id")].add(document["text"])
    names = (document.get("id") for document in documents)
    return [name if name is None or len(texts[name]) == 1 else None for name in names]
