"""What an encoder's own sentence-transformers files say: modules, pooling, prompts, length, similarity.

The files are read directly, so that the library need not be installed. Anything that is not understood is
refused by name: a vector that is nearly right is worse than none.

Source: the saved format of sentence-transformers, https://sbert.net/docs/sentence_transformer/usage/custom_models.html.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from boresight.errors import ModelError

Similarity = Literal["cosine", "dot"]
Side = Literal["query", "passage"]
ReadJson = Callable[[str], Any]  # file name -> parsed JSON, or None if there is no such file

_POOLING_FLAGS = {  # in the order in which sentence-transformers joins their vectors
    "pooling_mode_cls_token": "cls",
    "pooling_mode_max_tokens": "max",
    "pooling_mode_mean_tokens": "mean",
    "pooling_mode_mean_sqrt_len_tokens": "mean_sqrt_len",
    "pooling_mode_weightedmean_tokens": "weightedmean",
    "pooling_mode_lasttoken": "last",
}
_POOLING_NAMES = {"lasttoken": "last", "mean_sqrt_len_tokens": "mean_sqrt_len"}
_SUPPORTED_POOLING = frozenset({"cls", "max", "mean", "mean_sqrt_len", "last"})
_TRANSFORMER_FILES = tuple(
    f"sentence_{kind}_config.json"
    for kind in ("bert", "roberta", "distilbert", "camembert", "albert", "xlm-roberta", "xlnet")
)
_PROMPT_NAMES: Mapping[Side, tuple[str, ...]] = {
    "query": ("query",),
    "passage": ("document", "passage", "corpus"),
}


@dataclass(frozen=True, slots=True)
class SentenceConfig:
    """How token vectors become the vector of a text.

    Attributes:
        found: Whether the model brings this configuration; if not, mean pooling is an assumption.
        transformer_path: Subfolder of the transformer, often empty.
        pooling: ``cls``, ``mean``, ``max``, ``mean_sqrt_len`` or ``last``; several are joined end to end.
        include_prompt: Whether the prompt's tokens are pooled too.
        normalize: Whether vectors are scaled to length 1.
        max_tokens: Most tokens that are read, control tokens included; None leaves it to the transformer.
        lower_case: Whether texts are lower-cased first.
        prompts: Text put before the input, by name.
        default_prompt: Name of the prompt for texts of no stated side, or None.
        similarity: ``cosine`` or ``dot``.
    """

    found: bool = False
    transformer_path: str = ""
    pooling: tuple[str, ...] = ("mean",)
    include_prompt: bool = True
    normalize: bool = False
    max_tokens: int | None = None
    lower_case: bool = False
    prompts: Mapping[str, str] = field(default_factory=dict)
    default_prompt: str | None = None
    similarity: Similarity = "cosine"

    def prompt(self, side: Side | None) -> str:
        """The text that goes before a query, a passage, or a text of no stated side."""
        names = [*_PROMPT_NAMES[side]] if side else []
        if self.default_prompt is not None:
            names.append(self.default_prompt)
        return next((self.prompts[name] for name in names if name in self.prompts), "")


def read_sentence_config(read: ReadJson, name: str) -> SentenceConfig:
    """Read an encoder's configuration.

    Args:
        read: Gives the JSON of a file of the model, or None.
        name: The model's name, for messages.

    Raises:
        ModelError: If a module, a pooling mode or the similarity is not supported; the message names it.
    """
    paths = _module_paths(read("modules.json"), name)
    if paths is None:
        return SentenceConfig(**_transformer(read, "", name))
    pooling = read(joined_path(paths["Pooling"], "config.json"))
    if pooling is None:
        raise ModelError(f"The encoder {name} lacks the file {joined_path(paths['Pooling'], 'config.json')}.")
    return SentenceConfig(
        found=True,
        transformer_path=paths["Transformer"],
        pooling=_pooling_modes(pooling, name),
        include_prompt=pooling.get("include_prompt", True),
        normalize="Normalize" in paths,
        **_transformer(read, paths["Transformer"], name),
        **_prompts_and_similarity(read("config_sentence_transformers.json") or {}, name),
    )


def _module_paths(modules: Any, name: str) -> dict[str, str] | None:
    """Path of each module, checked to be a transformer, a pooling and at most a normalisation."""
    if modules is None:
        return None
    # Older files say sentence_transformers.models.Pooling, newer ones name the defining module too.
    kinds = [entry["type"].rsplit(".", 1)[-1] for entry in modules]
    for kind in kinds:
        if kind not in ("Transformer", "Pooling", "Normalize"):
            raise ModelError(
                f"The encoder {name} has a module {kind!r}, and only Transformer, Pooling and Normalize are "
                "supported; choose another encoder."
            )
    if kinds not in (["Transformer", "Pooling"], ["Transformer", "Pooling", "Normalize"]):
        raise ModelError(
            f"The encoder {name} has the modules {', '.join(kinds)}, and only Transformer, Pooling and then "
            "perhaps Normalize are supported; choose another encoder."
        )
    return {kind: entry.get("path", "") for kind, entry in zip(kinds, modules, strict=True)}


def _pooling_modes(settings: Mapping[str, Any], name: str) -> tuple[str, ...]:
    named = settings.get("pooling_mode")  # newer files: one name or a list
    if named is not None:
        listed = [named] if isinstance(named, str) else list(named)
        modes = tuple(_POOLING_NAMES.get(mode, mode) for mode in listed)
    else:
        modes = tuple(mode for flag, mode in _POOLING_FLAGS.items() if settings.get(flag))
    for mode in modes:
        if mode not in _SUPPORTED_POOLING:
            raise ModelError(
                f"The encoder {name} pools by {mode!r}, and only {', '.join(sorted(_SUPPORTED_POOLING))} are "
                "supported; choose another encoder."
            )
    return modes or ("mean",)


def _transformer(read: ReadJson, path: str, name: str) -> dict[str, Any]:
    files = (read(joined_path(path, file)) for file in _TRANSFORMER_FILES)
    settings: Mapping[str, Any] = next((found for found in files if found is not None), {})
    task = settings.get("transformer_task", "feature-extraction")
    if task != "feature-extraction":
        raise ModelError(f"The encoder {name} is made for the task {task!r}, not for feature extraction.")
    return {
        "max_tokens": settings.get("max_seq_length"),
        "lower_case": bool(settings.get("do_lower_case", False)),
    }


def _prompts_and_similarity(settings: Mapping[str, Any], name: str) -> dict[str, Any]:
    similarity = settings.get("similarity_fn_name") or "cosine"
    if similarity not in ("cosine", "dot"):
        raise ModelError(
            f"The encoder {name} compares vectors by {similarity!r}, and only cosine and dot are supported; "
            "choose another encoder."
        )
    return {
        "prompts": settings.get("prompts") or {"query": "", "document": ""},
        "default_prompt": settings.get("default_prompt_name"),
        "similarity": similarity,
    }


def joined_path(path: str, file: str) -> str:
    """A file within a module of a sentence-transformers folder; the module of the root has no path."""
    return f"{path}/{file}" if path else file
