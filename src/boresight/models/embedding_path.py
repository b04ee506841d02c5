"""A model's output for one sequence of tokens as a differentiable function of their input embeddings.

Saliency needs two things of a model: to read embeddings that belong to no token, and gradients with respect
to them. Rows of one call are variants of one sequence, all of one length, so nothing is ever padded.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import torch

from boresight.models.attention_choice import attending

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from boresight.models.text_tokens import TextTokens

Filler = Literal["unk", "mask", "pad"]


@dataclass(frozen=True)
class EmbeddingPath:
    """One sequence of tokens and the model that reads it.

    Attributes:
        model: A ``transformers`` model.
        tokens: The tokens as the model reads them.
        fillers: Token ids that can stand for "no word"; None where the tokenizer has no such token.
        read: Output rows, shape (m, d), from what the model returns.
    """

    model: Any
    tokens: TextTokens
    fillers: dict[Filler, int | None]
    read: Callable[[Any], torch.Tensor]

    def embeddings(self) -> torch.Tensor:
        """Input embeddings of the tokens, positions not added; fp32, shape (tokens, h)."""
        return self._looked_up(self.tokens.ids)

    def filler(self, name: Filler) -> torch.Tensor | None:
        """Input embedding of a filler, fp32, shape (h,); None where the tokenizer has no such token."""
        token = self.fillers[name]
        return None if token is None else self._looked_up((token,))[0]

    def outputs(self, embeddings: torch.Tensor, places: Sequence[int] | None = None) -> torch.Tensor:
        """Outputs of variants of the sequence; gradients flow back to the embeddings.

        Args:
            embeddings: Shape (m, tokens, h).
            places: The tokens that the columns stand for, where some were deleted; None for all.

        Returns:
            Fp32, shape (m, d).
        """
        return self.read(self._run(embeddings, places)).float()

    def outputs_and_attention(
        self, embeddings: torch.Tensor
    ) -> tuple[torch.Tensor, tuple[torch.Tensor, ...]]:
        """Outputs, shape (m, d), and the attention behind them, per layer (m, heads, tokens, tokens)."""
        with attending(self.model, "eager"):
            found = self._run(embeddings, None, output_attentions=True)
        return self.read(found).float(), tuple(found.attentions)

    def _run(self, embeddings: torch.Tensor, places: Sequence[int] | None, **options: bool) -> Any:
        rows = len(embeddings)
        others = {
            name: torch.tensor(
                [values if places is None else [values[place] for place in places]], device=embeddings.device
            ).expand(rows, -1)
            for name, values in self.tokens.inputs.items()
            if name != "input_ids"
        }
        return self.model(inputs_embeds=embeddings.to(self.model.dtype), **others, **options)

    def _looked_up(self, ids: Sequence[int]) -> torch.Tensor:
        with torch.no_grad():
            table = self.model.get_input_embeddings()
            found: torch.Tensor = table(
                torch.tensor(list(ids), dtype=torch.long, device=self.model.device)
            ).float()
        return found


def fillers_of(tokenizer: Any) -> dict[Filler, int | None]:
    """The filler tokens that a tokenizer has."""
    return {"unk": tokenizer.unk_token_id, "mask": tokenizer.mask_token_id, "pad": tokenizer.pad_token_id}
