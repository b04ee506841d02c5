"""Many queries over an index, as a TREC run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from boresight.pipeline.run_file import write_run
from boresight.run.progress import Progress, Silent

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from boresight.models.rankers.seam import Searcher
    from boresight.pipeline.index import Index


def retrieve_run(
    index: Index,
    searcher: Searcher,
    queries: Mapping[str, str],
    path: Path,
    *,
    k: int,
    documents: bool = False,
    progress: Progress | None = None,
) -> int:
    """Rank for each query and write the run.

    Args:
        index: The index.
        searcher: The search.
        queries: Text by query id.
        path: The run to write.
        k: Most lines a query.
        documents: Whether documents are ranked, each by its best passage, instead of passages.
        progress: Told what happens.

    Returns:
        Number of lines.
    """
    shown = progress or Silent()

    def rankings() -> Iterator[tuple[str, Mapping[str, float]]]:
        shown.phase("queries", len(queries))
        for name, text in queries.items():
            yield name, best_documents(index, searcher, text, k) if documents else searcher.search(text, k)
            shown.advance()

    return write_run(path, rankings(), searcher.name)


def best_documents(index: Index, searcher: Searcher, query: str, k: int) -> dict[str, float]:
    """Documents by the score of their best passage, best first.

    Args:
        index: The index.
        searcher: The search.
        query: The question.
        k: Most documents. The search goes deeper until there are as many, or no more passages.

    Source: Z. Dai and J. Callan, Deeper text understanding for IR with contextual neural language modeling,
    SIGIR 2019 (MaxP).
    """
    depth = k
    while True:
        found = searcher.search(query, depth)
        best: dict[str, float] = {}
        for passage, score in found.items():
            best.setdefault(index.store.document_of(passage), score)
        if len(best) >= k or len(found) < depth:
            return dict(list(best.items())[:k])
        depth *= 2
