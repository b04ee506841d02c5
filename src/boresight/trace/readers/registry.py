"""The formats that can be read, and how one is told from another by its content."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from boresight.errors import InputError, SpecError
from boresight.trace.readers import (
    alce,
    beir,
    boresight,
    langchain,
    langsmith,
    llama_index,
    open_rag_eval,
    openinference,
    ragas,
    ragchecker,
    table,
    trec,
    trulens,
)
from boresight.trace.readers.gaps import with_gaps

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from boresight.trace.readers.source import Found, Source


@dataclass(frozen=True, slots=True)
class Format:
    """One format.

    Attributes:
        name: As the command line knows it.
        title: What writes it.
        fits: Whether a source looks like it, from its first record, header or file names.
        read: Its traces, each an object in the short or long form.
    """

    name: str
    title: str
    fits: Callable[[Source], bool]
    read: Callable[[Source], Iterator[Found]]


_OWN = Format("boresight", "Boresight JSON Lines", boresight.fits, boresight.read)

FORMATS: tuple[Format, ...] = (
    _OWN,
    Format("beir", "a BEIR folder: corpus, queries, judgements, runs", beir.fits, beir.read),
    Format(
        "openinference",
        "OpenInference or OpenTelemetry spans: Phoenix exports, OTLP JSON",
        openinference.fits,
        openinference.read,
    ),
    Format("trulens", "TruLens OpenTelemetry events", trulens.fits, trulens.read),
    Format("langsmith", "LangChain run trees, as LangSmith exports them", langsmith.fits, langsmith.read),
    Format("langchain", "results of a LangChain retrieval chain", langchain.fits, langchain.read),
    Format("llama-index", "LlamaIndex responses with their nodes", llama_index.fits, llama_index.read),
    Format("ragchecker", "RAGChecker inputs and checked outputs", ragchecker.fits, ragchecker.read),
    Format("open-rag-eval", "open-rag-eval rows, one a passage", open_rag_eval.fits, open_rag_eval.read),
    Format("ragas", "Ragas data sets", ragas.fits, ragas.read),
    Format("alce", "ALCE and MIRAGE: questions, docs, cited answers", alce.fits, alce.read),
    Format("trec", "TREC topics, runs and judgements: a folder or one file", trec.fits, trec.read),
    Format("csv", "a table with named columns", table.fits, table.read),
)
"""In the order in which they are tried: what is told by more signs comes first."""


def format_named(name: str) -> Format:
    """The format of a name.

    Raises:
        SpecError: There is none of that name.
    """
    for one in FORMATS:
        if one.name == name:
            return one
    known = ", ".join(one.name for one in FORMATS)
    raise SpecError(f"there is no format {name!r}; the formats are {known}")


def detect(source: Source) -> Format:
    """The first format that fits; a file that none fits is read as Boresight's, which says what is missing.

    Raises:
        InputError: The source is a folder of no known kind.
    """
    for one in FORMATS:
        if one.fits(source):
            return one
    if source.folder is not None:
        raise InputError(f"{source.name} is a directory; name a file of traces in it")
    return _OWN


def found_in(source: Source, form: Format) -> Iterator[Found]:
    """The traces of a source, with what its format does not record noted in each.

    Args:
        source: File or folder.
        form: Its format. Boresight's own traces are left as they are.

    Raises:
        InputError: The source does not hold what its format has to.
    """
    found = form.read(source)
    return found if form is _OWN else map(with_gaps, found)
