"""What a late-interaction model's own files say: markers, lengths, expansion, skipped tokens, projections.

Source: the saved format of PyLate (https://lightonai.github.io/pylate/), itself that of ColBERT v2 (Santhanam
et al., 2022, arXiv 2112.01488).
"""

from __future__ import annotations

import string
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from boresight.errors import ModelError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from boresight.models.sentence_config import ReadJson

_IDENTITY = "torch.nn.modules.linear.Identity"


@dataclass(frozen=True, slots=True)
class LateConfig:
    """How a text becomes vectors of its tokens.

    Attributes:
        transformer_path: Subfolder of the transformer, often empty.
        projections: Subfolders of the linear layers behind it, in order.
        query_marker: Token put behind the first token of a query; empty for none.
        passage_marker: The same for a passage.
        query_length: Most tokens of a query, marker included; None for the transformer's own limit.
        passage_length: The same for a passage.
        expands: Whether a query is filled up to its length with mask tokens, which are matched too.
        attends_to_expansion: Whether the other tokens see those masks.
        skipped: Tokens of a passage that are not matched, such as punctuation.
        control_counts: Whether control tokens are matched.
    """

    transformer_path: str = ""
    projections: tuple[str, ...] = ()
    query_marker: str = ""
    passage_marker: str = ""
    query_length: int | None = None
    passage_length: int | None = None
    expands: bool = False
    attends_to_expansion: bool = False
    skipped: tuple[str, ...] = ()
    control_counts: bool = False


def read_late_config(read: ReadJson, name: str) -> LateConfig:
    """Read a model's configuration.

    Args:
        read: Gives the JSON of a file of the model, or None.
        name: The model's name, for messages.

    Returns:
        That of a PyLate model, or for any other encoder plain token vectors without control tokens.

    Raises:
        ModelError: If a PyLate model has a part that is not supported; the message names it.
    """
    modules = read("modules.json") or []
    kinds = [entry["type"].rsplit(".", 1)[-1] for entry in modules]
    paths = [str(entry.get("path", "")) for entry in modules]
    settings = read("config_sentence_transformers.json") or {}
    if "query_prefix" not in settings and settings.get("similarity_fn_name") != "MaxSim":
        return LateConfig(transformer_path=paths[0] if paths else "")
    if kinds[:1] != ["Transformer"] or any(kind != "Dense" for kind in kinds[1:]):
        raise ModelError(
            f"{name} has the modules {', '.join(kinds)}, and a late-interaction ranker is a Transformer and "
            "then Dense layers; choose another model."
        )
    for path in paths[1:]:
        _require_plain_layer(read(f"{path}/config.json") or {}, name)
    return LateConfig(paths[0], tuple(paths[1:]), **_settings(settings), control_counts=True)


def _require_plain_layer(layer: Mapping[str, Any], name: str) -> None:
    if layer.get("activation_function", _IDENTITY) != _IDENTITY or layer.get("use_residual"):
        raise ModelError(f"{name} projects with an activation or a residual, which is not supported.")


def _settings(settings: Mapping[str, Any]) -> dict[str, Any]:
    """PyLate's settings with its defaults."""
    expands = _given(settings, "do_query_expansion", otherwise=True)
    return {
        "query_marker": _given(settings, "query_prefix", otherwise="[Q] "),
        "passage_marker": _given(settings, "document_prefix", otherwise="[D] "),
        "query_length": _given(settings, "query_length", otherwise=32),
        "passage_length": _given(settings, "document_length", otherwise=180),
        "expands": expands,
        "attends_to_expansion": expands and bool(settings.get("attend_to_expansion_tokens")),
        "skipped": tuple(_given(settings, "skiplist_words", otherwise=list(string.punctuation))),
    }


def _given(settings: Mapping[str, Any], name: str, *, otherwise: Any) -> Any:
    value = settings.get(name)
    return otherwise if value is None else value
