"""Tok-RAG's criterion: is the token that the passages bring a benefit or a detriment?

In the theory (arXiv 2406.00944) a token benefits when the distribution with passages p is nearer to the
distribution of the retrieved text than to the closed-book one q. The distribution of retrieved text is never
seen, so the paper puts similarity of word embeddings in the place of distances.

What is *published code* (its token-level test): ``w_p`` is the sum of the three likeliest tokens of p, each
its probability times its input embedding; ``w_q`` likewise; of the ten passage tokens that the predicting
position attends to most (mean over heads of one layer) those of ranks 3 to 7 count; benefit is said when the
largest cosine of ``w_p`` with their input embeddings exceeds the cosine of ``w_p`` and ``w_q``.

What is *paper*: the layer, where fusion of the passages starts, is the first at which the Jensen-Shannon
divergence between the output distributions of neighbouring layers is larger with passages than without. The
code of its question-answering test looks for it above layer 10 of 32 with a bar of 5e-7, takes the layer
before, and layer 20 where there is none. (Its token-level test reads layer 16 of 32, fixed by hand.)

What is *our reading*: ranks count from 0; passage tokens are all tokens of the passages' blocks; for models
of another depth 10 and 20 of 32 stand for the same share of the layers; the rule is applied at the first
token of the target, and its layer serves all of them; the distribution of a layer is the model's final norm
and head on its output; where the norm is not found, the head alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from boresight.models.two_streams import TwoStreams, jensen_shannon

if TYPE_CHECKING:
    from collections.abc import Sequence

LIKELIEST = 3  # tokens whose embeddings stand for a distribution
RANKS = slice(3, 8)  # attended passage tokens that count
FEWEST_TOKENS = RANKS.start + 1  # passage tokens below which there is no criterion
BAR = 5e-7  # nats by which the divergence with passages must be larger
FIRST, FALLBACK = 10 / 32, 20 / 32  # of the layers

_NORMS = ("norm", "ln_f", "final_layer_norm", "final_layernorm")


def met(p: torch.Tensor, attention: torch.Tensor, seen: torch.Tensor, embed: torch.Tensor) -> torch.Tensor:
    """Left side of the criterion.

    Args:
        p: Log-probabilities with passages, shape (S, V).
        attention: Attention of each predicting position to the P passage tokens, shape (S, P).
        seen: Ids of the passage tokens, shape (P,).
        embed: Input embeddings, shape (V, d).

    Returns:
        The largest cosine of ``w_p`` with the embedding of an attended token of the ranks that count, shape
        (S,), from -1 to 1.
    """
    ranked = attention.argsort(dim=-1, descending=True, stable=True)[:, RANKS]  # (S, up to 5)
    tokens = embed[seen[ranked]].float()  # (S, up to 5, d)
    likeliest = weighted_embedding(p, embed).unsqueeze(1)
    return torch.cosine_similarity(likeliest, tokens, dim=-1).max(-1).values


def apart(p: torch.Tensor, q: torch.Tensor, embed: torch.Tensor) -> torch.Tensor:
    """Right side of the criterion: the cosine of ``w_p`` and ``w_q``, shape (S,)."""
    return torch.cosine_similarity(weighted_embedding(p, embed), weighted_embedding(q, embed), dim=-1)


def weighted_embedding(logprobs: torch.Tensor, embed: torch.Tensor) -> torch.Tensor:
    """Sum of the likeliest tokens' embeddings, each times its probability; shape (S, d)."""
    top = logprobs.topk(min(LIKELIEST, logprobs.shape[-1]), dim=-1)
    return torch.einsum("sk,skd->sd", top.values.exp(), embed[top.indices].float())


def fusion_layer(with_passages: Sequence[float], without: Sequence[float]) -> int:
    """The layer at which fusion starts, counted from 0.

    Args:
        with_passages: Divergence between the output distributions of layers l and l - 1, for l = 1 and on,
            nats; one less than there are layers.
        without: The same without passages.
    """
    layers = len(with_passages) + 1
    for layer in range(int(FIRST * layers) + 1, layers):
        if with_passages[layer - 1] - without[layer - 1] > BAR:
            return layer - 1
    return int(FALLBACK * layers)


def layer_shifts(model: Any, states: torch.Tensor) -> list[float]:
    """Divergence between the output distributions of neighbouring layers at one position.

    Args:
        model: A causal model of ``transformers`` that has a head.
        states: Output of each of its L layers at the position, the last one after the final norm, as
            ``hidden_states`` holds them; shape (L, d).

    Returns:
        L - 1 numbers, nats.
    """
    norm, head = _final_norm(model), model.get_output_embeddings()
    earlier = states[:-1] if norm is None else norm(states[:-1])
    logits = head(torch.cat([earlier, states[-1:]]).to(head.weight.device)).float().log_softmax(-1)  # (L, V)
    pairs = TwoStreams(logits[1:], logits[:-1], torch.zeros(len(logits) - 1), 0.0)
    return [float(value) for value in jensen_shannon(pairs)]


def _final_norm(model: Any) -> Any:
    """The norm before the head, wherever the architecture keeps it."""
    body = model.base_model
    for place in (body, getattr(body, "decoder", None)):
        for name in _NORMS:
            if place is not None and getattr(place, name, None) is not None:
                return getattr(place, name)
    return None
