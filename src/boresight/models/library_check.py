"""The start-up check of an encoder: its vectors equal those of sentence-transformers to 1e-5.

The check needs the library (extra ``retrieval``) and loads the model a second time, so a passed check is
noted in the cache and not repeated for the same weights, settings, tokens and versions.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import importlib.util
import json
import warnings
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from boresight.errors import ModelError
from boresight.models.cache import cache_dir
from boresight.models.foreign import foreign_code, reason
from boresight.models.quiet import quiet_transformers

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from boresight.models.sentence_config import Side
    from boresight.models.text_tokens import TextTokens

TOLERANCE = 1e-5
SIDES: tuple[Side, ...] = ("query", "passage")
PROBES = (
    "Where was Marie Curie born?",
    "  Ünïcode é 👩‍👩‍👧, نص عربي and 東京.\n",
    "a long passage of many words, which goes on. " * 150,
)


class Checked(Protocol):
    """What the check asks of an encoder."""

    @property
    def name(self) -> str:
        """Its name."""

    @property
    def dimension(self) -> int:
        """Length of a vector."""

    def describe(self) -> dict[str, Any]:
        """Its identity."""

    def encode(self, texts: Sequence[str], side: Side | None = None) -> NDArray[np.float32]:
        """Vectors of texts."""

    def tokens(self, text: str, side: Side | None = None) -> TextTokens:
        """What is read of a text."""


def require_library_vectors(encoder: Checked, location: str, revision: str | None = None) -> bool:
    """Compare an encoder's vectors with the library's.

    Args:
        encoder: The encoder, fp32.
        location: Folder or hub id that it came from.
        revision: Branch, tag or commit on the hub.

    Returns:
        Whether the comparison holds, now or by an earlier run; False where the library is not installed or
        cannot read the model.

    Raises:
        ModelError: If a vector differs by more than ``TOLERANCE``; the message says by how much.
    """
    if importlib.util.find_spec("sentence_transformers") is None:
        return False
    note = _note(encoder)
    if note.is_file():
        return True
    try:
        difference = _largest_difference(encoder, location, revision)
    except _UncomparableError as problem:
        warnings.warn(
            f"Vectors of {encoder.name} were not compared with those of sentence-transformers, which cannot "
            f"read the model ({problem}).",
            stacklevel=2,
        )
        return False
    if difference > TOLERANCE:
        raise ModelError(
            f"Vectors of {encoder.name} differ from those of sentence-transformers by {difference:.1e}, and "
            f"{TOLERANCE:.0e} is allowed; please report the model, or choose another encoder."
        )
    note.parent.mkdir(parents=True, exist_ok=True)
    note.write_text(json.dumps({"encoder": encoder.name, "largest_difference": difference}), encoding="utf-8")
    return True


def _note(encoder: Checked) -> Path:
    """File whose name holds all that decides a vector."""
    settings = {key: value for key, value in encoder.describe().items() if key not in ("spec", "device")}
    tokens = [list(encoder.tokens(text, side).ids) for text in PROBES for side in SIDES]
    versions = [
        importlib.metadata.version(package)
        for package in ("boresight", "sentence-transformers", "transformers", "torch")
    ]
    whole = json.dumps([settings, tokens, versions], sort_keys=True)
    return cache_dir() / "encoder-checks" / f"{hashlib.sha256(whole.encode()).hexdigest()[:24]}.json"


def _largest_difference(encoder: Checked, location: str, revision: str | None) -> float:
    ours = np.stack([encoder.encode(PROBES, side) for side in SIDES])
    with foreign_code(_uncomparable), quiet_transformers():
        from sentence_transformers import SentenceTransformer

        library = SentenceTransformer(
            location, device="cpu", revision=revision, truncate_dim=encoder.dimension, trust_remote_code=False
        )
        # The prompts are ours: the library's encode_document never looks at a prompt named "passage".
        prompts = [encoder.describe()[f"{side}_prompt"] for side in SIDES]
        theirs = [library.encode(list(PROBES), prompt=text, show_progress_bar=False) for text in prompts]
    return float(np.abs(ours - np.stack(theirs)).max())


class _UncomparableError(ModelError):
    """The library cannot load or run the model."""


def _uncomparable(problem: Exception) -> _UncomparableError:
    return _UncomparableError(reason(problem))
