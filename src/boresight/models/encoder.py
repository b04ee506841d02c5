"""Dense encoders: text to vector, and a query's score for each passage.

An encoder follows its own sentence-transformers files (``sentence_config.py``), so that its vectors equal
those of ``SentenceTransformer.encode``. Texts are encoded one at a time: nothing is padded, so neither the
padding side nor the neighbours of a text can change its vector.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol

import numpy as np
import torch
from transformers import AutoModel, AutoTokenizer

from boresight.errors import ModelError, SpecError
from boresight.models.carriers import ensure, weights_sha256
from boresight.models.device import single_device
from boresight.models.embedding_path import EmbeddingPath, fillers_of
from boresight.models.fingerprint import weights_fingerprint
from boresight.models.foreign import foreign_code
from boresight.models.library_check import require_library_vectors
from boresight.models.load_errors import explain
from boresight.models.model_files import json_reader, require_sound_files
from boresight.models.quiet import quiet_transformers
from boresight.models.random_weights import random_weights
from boresight.models.registry import hint
from boresight.models.sentence_config import SentenceConfig, Side, Similarity, read_sentence_config
from boresight.models.text_tokens import TextTokens, tokens_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

Dtype = Literal["fp32", "bf16", "fp16"]
_TORCH_NAMES: Mapping[str, str] = {"fp32": "float32", "bf16": "bfloat16", "fp16": "float16"}


class Encoder(Protocol):
    """Scores passages for a query by their vectors."""

    @property
    def name(self) -> str:
        """The name that a stage made by this encoder gets."""

    @property
    def score_name(self) -> Similarity:
        """What the scores are: ``cosine`` or ``dot``."""

    def describe(self) -> dict[str, Any]:
        """Identity for the record; JSON values."""

    def score(self, query: str, passages: Mapping[str, str]) -> dict[str, float]:
        """The query's score of each passage text, by passage id."""

    def encode(self, texts: Sequence[str], side: Side | None = None) -> NDArray[np.float32]:
        """Vectors of texts; float32, shape (m, d)."""

    def truncation(self, text: str) -> tuple[int, int]:
        """How many tokens of a passage are read, and how many it has; control tokens included."""


def load_encoder(
    spec: str,
    *,
    device: str | None = "cpu",
    dtype: Dtype = "fp32",
    revision: str | None = None,
    threads: int | None = None,
    progress: Callable[[str], None] | None = None,
    config: SentenceConfig | None = None,
    dimension: int | None = None,
    check: bool = True,
) -> DenseEncoder:
    """Load an encoder.

    Args:
        spec: ``pypi:NAME``, ``hf:ORG/NAME`` or the path of a folder.
        device: A torch device; None or ``auto`` takes a CUDA device if there is one.
        dtype: ``fp32``, ``bf16`` or ``fp16``; vectors are fp32 in any case.
        revision: Branch, tag or commit for ``hf:``.
        threads: Torch threads of the whole process; None leaves them.
        progress: Receives a line for each step of fetching a ``pypi:`` model.
        config: Replaces the model's own configuration, for models that bring none.
        dimension: Leading numbers of each vector to keep (Matryoshka cut); None keeps all.
        check: Compare a few vectors with those of sentence-transformers, where it is installed.

    Raises:
        SpecError: If the spec is of no known kind, or the dimension does not exist.
        ModelError: In one sentence, if the model is missing, incomplete, of an unsupported kind, or gives
            other vectors than the library.
    """
    name, location = resolve(spec, progress)
    if dtype not in _TORCH_NAMES:
        raise SpecError(f"an encoder's dtype is one of {', '.join(_TORCH_NAMES)}, not {dtype!r}")
    place = single_device(device)
    if threads is not None:
        torch.set_num_threads(threads)
    with (
        foreign_code(lambda problem: ModelError(explain(problem, f"The encoder {spec}"))),
        quiet_transformers(),
    ):
        own = config is not None
        config = config or read_sentence_config(json_reader(location, revision), name)
        require_sound_files(str(Path(location) / config.transformer_path))
        tokenizer, model = _load(name, location, config, getattr(torch, _TORCH_NAMES[dtype]), revision)
        model.to(place)
    if not config.found and not own:
        warnings.warn(
            f"The encoder {name} brings no sentence-transformers configuration; mean pooling is assumed.",
            stacklevel=2,
        )
    source = {"spec": spec, "dtype": dtype, **origin(location, model)}
    encoder = DenseEncoder(name, tokenizer, model, config, source=source, dimension=dimension)
    if check and config.found and not own and dtype == "fp32":  # without one, the library assumes too
        require_library_vectors(encoder, location, revision)
    return encoder


class DenseEncoder:
    """One transformer with pooling, as its own configuration says; made by :func:`load_encoder`."""

    def __init__(
        self,
        name: str,
        tokenizer: Any,
        model: Any,
        config: SentenceConfig,
        *,
        source: Mapping[str, Any],
        dimension: int | None = None,
    ) -> None:
        self.name = name
        self.config = config
        self._tokenizer = tokenizer
        self._model = model
        self._source = {**source, "fingerprint": weights_fingerprint(model)}
        self.max_tokens = config.max_tokens or _window(model, tokenizer)
        self.dimension = self._full_dimension if dimension is None else dimension
        if not 1 <= self.dimension <= self._full_dimension:
            raise SpecError(
                f"vectors of {name} have {self._full_dimension} numbers and cannot be cut to {dimension}"
            )

    @property
    def score_name(self) -> Similarity:
        """What the scores are: ``cosine`` or ``dot``."""
        return self.config.similarity

    @property
    def _full_dimension(self) -> int:
        return int(self._model.config.get_text_config().hidden_size) * len(self.config.pooling)

    def describe(self) -> dict[str, Any]:
        """Identity for the record; JSON values."""
        config = self.config
        return {
            "name": self.name,
            **self._source,
            "device": str(self._model.device),
            "configuration": "sentence-transformers" if config.found else "none, mean pooling assumed",
            "pooling": list(config.pooling),
            "normalize": config.normalize,
            "score": config.similarity,
            "max_tokens": self.max_tokens,
            "dimension": self.dimension,
            "query_prompt": config.prompt("query"),
            "passage_prompt": config.prompt("passage"),
        }

    def score(self, query: str, passages: Mapping[str, str]) -> dict[str, float]:
        """Score passages for a query.

        Args:
            query: The question.
            passages: Text by passage id.

        Returns:
            Cosine or dot product by passage id, in the given order; 0 where a text has no token at all.

        Raises:
            ModelError: If the model gives a number that is not finite.
        """
        if not passages:
            return {}
        asked = self._vector(query, "query")
        return {
            passage_id: similarity(asked, self._vector(text, "passage"), self.score_name)
            for passage_id, text in passages.items()
        }

    def encode(self, texts: Sequence[str], side: Side | None = None) -> NDArray[np.float32]:
        """Vectors of texts.

        Args:
            texts: Any number of texts.
            side: ``query`` or ``passage`` puts that side's prompt first; None the default prompt, if any.

        Returns:
            Float32, shape (m, d).

        Raises:
            ModelError: If the model gives a number that is not finite.
        """
        if not texts:
            return np.zeros((0, self.dimension), dtype=np.float32)
        return np.stack([self._vector(text, side) for text in texts])

    def truncation(self, text: str) -> tuple[int, int]:
        """How many tokens of a passage are read, and how many it has; prompt and control tokens included."""
        total = len(self._tokens(self._prompted(text, "passage"), cut=False)["input_ids"])
        return min(total, self.max_tokens or total), total

    def tokens(self, text: str, side: Side | None = None) -> TextTokens:
        """The tokens that are read of a text, with their places in it and the part that was seen."""
        return tokens_of(
            self._tokenizer,
            text,
            prompt=self.config.prompt(side),
            lower=self.config.lower_case,
            limit=self.max_tokens,
        )

    def token_vectors(self, text: str, side: Side | None = None) -> tuple[TextTokens, NDArray[np.float32]]:
        """The tokens that are read of a text, and the vector of each before pooling.

        Returns:
            The tokens, and float32 of shape (tokens, hidden size).

        Raises:
            ModelError: If the model gives a number that is not finite.
        """
        tokens = self.tokens(text, side)
        if not tokens.ids:
            return tokens, np.zeros((0, int(self._model.config.get_text_config().hidden_size)), np.float32)
        with torch.no_grad():
            states = self._states(tokens.inputs)
        self._require_finite(states)
        return tokens, states.cpu().numpy()

    def embedding_path(self, text: str, side: Side | None = None) -> EmbeddingPath:
        """The vector of a text as a differentiable function of its tokens' input embeddings."""
        start = self._pooled_from(side)
        return EmbeddingPath(
            self._model,
            self.tokens(text, side),
            fillers_of(self._tokenizer),
            lambda found: torch.stack([self._finished(states, start) for states in found.last_hidden_state]),
        )

    def randomised(self, seed: int) -> DenseEncoder:
        """The same encoder with random weights of the same spread, for sanity checks of explanations."""
        source = {**self._source, "random_weights": seed}
        return DenseEncoder(
            f"{self.name}-random",
            self._tokenizer,
            random_weights(self._model, seed),
            self.config,
            source=source,
            dimension=self.dimension,
        )

    def _vector(self, text: str, side: Side | None) -> NDArray[np.float32]:
        tokens = self._tokens(self._prompted(text, side))
        if not tokens["input_ids"]:
            return np.zeros(self.dimension, dtype=np.float32)
        with torch.no_grad():  # not inference mode: gradients may be asked of the same weights later
            vector = self._finished(self._states(tokens), self._pooled_from(side))
        self._require_finite(vector)
        result: NDArray[np.float32] = vector.cpu().numpy()
        return result

    def _finished(self, states: torch.Tensor, start: int) -> torch.Tensor:
        """The vector of a text from its token vectors; shape (d,)."""
        vector = _pool(states, start, self.config.pooling)
        if self.config.normalize:
            vector = torch.nn.functional.normalize(vector, dim=0)
        return vector[: self.dimension]  # as the library cuts: behind the normalisation

    def _states(self, inputs: Mapping[str, Sequence[int]]) -> torch.Tensor:
        """Token vectors, shape (tokens, hidden size)."""
        batch = {key: torch.tensor([list(ids)], device=self._model.device) for key, ids in inputs.items()}
        states: torch.Tensor = self._model(**batch).last_hidden_state[0].float()
        return states

    def _prompted(self, text: str, side: Side | None) -> str:
        return self._clean(self.config.prompt(side) + text)

    def _clean(self, text: str) -> str:
        stripped = text.strip()  # as sentence-transformers does
        return stripped.lower() if self.config.lower_case else stripped

    def _tokens(self, text: str, *, cut: bool = True) -> dict[str, list[int]]:
        limit = self.max_tokens if cut else None
        return dict(
            self._tokenizer(
                text, padding=False, truncation=limit is not None, max_length=limit, verbose=False
            )
        )

    def _pooled_from(self, side: Side | None) -> int:
        """Index of the first pooled token: behind the prompt, for models that do not pool it."""
        prompt = self.config.prompt(side)
        if self.config.include_prompt or not prompt:
            return 0
        ids = self._tokens(self._clean(prompt))["input_ids"]
        closes = bool(ids) and ids[-1] in self._tokenizer.all_special_ids
        return len(ids) - int(closes)

    def _require_finite(self, vector: torch.Tensor) -> None:
        if not bool(vector.isfinite().all()):
            raise ModelError(
                f"The encoder {self.name} gave NaN or infinity on {self._model.device} in "
                f"{self._source.get('dtype')}; try fp32, or run `boresight doctor`."
            )


def _pool(states: torch.Tensor, start: int, modes: Sequence[str]) -> torch.Tensor:
    """Pool token vectors of one unpadded text.

    Args:
        states: Shape (tokens, d).
        start: First token that counts.
        modes: Pooling modes; their vectors are joined.
    """
    kept = states[start:]
    pools: dict[str, Callable[[], torch.Tensor]] = {
        "cls": lambda: states[0],
        "last": lambda: states[-1],
        "max": lambda: kept.amax(dim=0),
        "mean": lambda: kept.mean(dim=0),
        "mean_sqrt_len": lambda: kept.sum(dim=0) / len(kept) ** 0.5,
    }
    return torch.cat([pools[mode]() for mode in modes])


def similarity(a: NDArray[np.float32], b: NDArray[np.float32], kind: Similarity) -> float:
    """Dot product or cosine of two vectors, in float64; a cosine with a vector of zeros is 0."""
    left, right = a.astype(np.float64), b.astype(np.float64)
    product = float(left @ right)
    if kind == "dot":
        return product
    lengths = float(np.linalg.norm(left) * np.linalg.norm(right))
    return product / lengths if lengths else 0.0


def resolve(spec: str, progress: Callable[[str], None] | None) -> tuple[str, str]:
    """Name of a model, and the folder or hub id to load it from.

    Raises:
        SpecError: If the spec is of no known kind.
    """
    kind, _, rest = spec.partition(":")
    if kind == "pypi" and rest:
        return rest, str(ensure(rest, progress))
    if kind == "hf" and rest:
        return rest, rest
    folder = Path(spec).expanduser()
    if folder.is_dir():
        return folder.resolve().name, str(folder)
    raise SpecError(f"{spec!r} names no encoder: give pypi:NAME, hf:ORG/NAME or a model folder{hint(spec)}")


def _load(
    name: str, location: str, config: SentenceConfig, dtype: torch.dtype, revision: str | None
) -> tuple[Any, Any]:
    # trust_remote_code is False so that transformers neither asks nor runs a model's own code.
    where = {"subfolder": config.transformer_path, "revision": revision, "trust_remote_code": False}
    tokenizer = AutoTokenizer.from_pretrained(location, **where)
    model, report = AutoModel.from_pretrained(location, dtype=dtype, output_loading_info=True, **where)
    absent = sorted(key for key in report["missing_keys"] if not key.startswith("pooler."))
    if absent:
        others = f" and {len(absent) - 1} more" if len(absent) > 1 else ""
        raise ModelError(f"The weights of {name} lack {absent[0]}{others}, so it is no encoder.")
    if model.config.is_encoder_decoder:
        raise ModelError(
            f"{name} is an encoder-decoder model, which gives no vector of a text; choose another."
        )
    return tokenizer, model.eval().requires_grad_(
        requires_grad=False
    )  # gradients are only ever asked of inputs


def _window(model: Any, tokenizer: Any) -> int | None:
    """Most tokens that transformer and tokenizer agree to read, where the configuration does not say."""
    limits = (getattr(model.config, "max_position_embeddings", None), tokenizer.model_max_length)
    known = [limit for limit in limits if limit and limit < 10**9]  # tokenizers say 1e30 for "no limit"
    return min(known) if known else None


def origin(location: str, model: Any) -> dict[str, str | None]:
    """Checksum of a folder's weights, or the commit on the hub."""
    folder = Path(location)
    if folder.is_dir():
        return {"weights_sha256": weights_sha256(folder)}
    return {"revision": getattr(model.config, "_commit_hash", None)}
