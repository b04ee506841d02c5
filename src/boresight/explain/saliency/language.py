"""What is known of English words: stems by Snowball, parts of speech by spaCy; both of the extra ``nlp``."""

from __future__ import annotations

import importlib
import sys
from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from boresight.errors import SpecError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

Tool = TypeVar("Tool")

EXTRA = "pip install 'boresight[nlp]'"
MODEL = "en_core_web_sm"
DOWNLOAD = f"python -m spacy download {MODEL}"
UNUSED = ("parser", "ner", "lemmatizer")  # parts of a pipeline that no part of speech depends on
_PROBE = "The river floods the town."


@dataclass(frozen=True, slots=True)
class Stemmer:
    """Stems of words.

    Attributes:
        name: What makes them, with its version.
        stem: Stem of a lower-case word.
    """

    name: str
    stem: Callable[[str], str]


def english_stemmer() -> Stemmer:
    """The English stemmer of the Snowball project.

    Raises:
        SpecError: snowballstemmer is not installed.

    Source: M. Porter, *The English (Porter2) stemming algorithm*, snowballstem.org.
    """
    from importlib.metadata import version

    library, known = _library("snowballstemmer"), version("snowballstemmer")
    return Stemmer(f"snowballstemmer {known}, English", library.stemmer("english").stemWord)


@dataclass(frozen=True, slots=True)
class Tagger:
    """Parts of speech, as named by Universal Dependencies.

    Attributes:
        name: The spaCy pipeline, with its version.
        pipeline: The pipeline itself.
    """

    name: str
    pipeline: Any

    def labels(self, text: str, starts: Iterable[int]) -> list[str]:
        """Part of speech of the token that each word begins in; ``X`` where the pipeline gives none.

        Args:
            text: The text.
            starts: First character of each word, in order.
        """
        tokens = list(self.pipeline(text))
        places = [token.idx for token in tokens]
        return [str(tokens[max(bisect_right(places, start) - 1, 0)].pos_) or "X" for start in starts]


def spacy_tagger(model: str | None = None) -> Tagger:
    """A spaCy pipeline that gives parts of speech.

    Args:
        model: Its name or folder; by default ``en_core_web_sm``, or else the first installed one by name.

    Raises:
        SpecError: spaCy or a pipeline is not installed, or it gives no parts of speech.
    """
    spacy = _library("spacy")
    name = model or _installed(spacy)
    try:
        pipeline = spacy.load(name, exclude=UNUSED)
    except (OSError, ValueError) as problem:  # spaCy raises ValueError for settings that it does not know
        raise SpecError(f"the spaCy pipeline {name} cannot be loaded; get one anew: {DOWNLOAD}") from problem
    if not pipeline(_PROBE).has_annotation("POS"):
        raise SpecError(f"the spaCy pipeline {name} gives no parts of speech; get one that does: {DOWNLOAD}")
    pipeline.max_length = sys.maxsize  # the limit is for the parts that are left out
    about = pipeline.meta
    return Tagger(f"{about['lang']}_{about['name']} {about['version']}", pipeline)


@dataclass(frozen=True, slots=True)
class Language:
    """Both tools, or why there is none.

    Attributes:
        stemmer: Gives stems.
        tagger: Gives parts of speech.
        no_stemmer: Why there is no stemmer.
        no_tagger: Why there is no tagger.
    """

    stemmer: Stemmer | None = None
    tagger: Tagger | None = None
    no_stemmer: str | None = None
    no_tagger: str | None = None


def english() -> Language:
    """What is installed; what is not has its reason, and nothing fails."""
    stemmer, no_stemmer = _tried(english_stemmer)
    tagger, no_tagger = _tried(spacy_tagger)
    return Language(stemmer, tagger, no_stemmer, no_tagger)


def _tried(make: Callable[[], Tool]) -> tuple[Tool | None, str | None]:
    try:
        return make(), None
    except SpecError as problem:
        return None, str(problem)


def _installed(spacy: Any) -> str:
    found = sorted(spacy.util.get_installed_models())
    if not found:
        raise SpecError(f"spaCy is installed and none of its pipelines: {DOWNLOAD}")
    return MODEL if MODEL in found else str(found[0])


def _library(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as problem:
        more = f" && {DOWNLOAD}" if name == "spacy" else ""
        raise SpecError(f"this needs {name}, which is not installed: {EXTRA}{more}") from problem
