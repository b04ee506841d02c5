"""Loading a causal model and its tokenizer from a folder or the hub, with errors that say what to do.

Code that comes with a checkpoint is never run, and a checkpoint is only trusted if all its weights are there.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from boresight.errors import ModelError, SpecError
from boresight.models.foreign import foreign_code
from boresight.models.load_errors import explain
from boresight.models.memory import available_memory, weight_bytes
from boresight.models.model_files import require_sound_files
from boresight.models.probe import require_causal

DTYPES = {"fp32": "float32", "bf16": "bfloat16", "fp16": "float16"}
_GIB = 2**30


@dataclass(frozen=True, slots=True)
class Loaded:
    """A model, its tokenizer, and the commit that they came from (None for a folder)."""

    model: Any
    tokenizer: Any
    revision: str | None


def load_causal(source: str, *, dtype: str, device: str | None, revision: str | None) -> Loaded:
    """Load a causal language model.

    Args:
        source: Folder or hub id.
        dtype: A key of ``DTYPES``, or ``auto`` for bf16 where the device has it natively, else fp32.
        device: As in :func:`boresight.models.registry.load_generator`.
        revision: Branch, tag or commit on the hub.

    Raises:
        SpecError: If the dtype is unknown.
        ModelError: If it is missing, gated, not causal, incomplete, too large, or needs code of its own.
    """
    from transformers import AutoConfig, AutoModelForCausalLM, AutoTokenizer

    from boresight.models.device import native_dtype, single_device
    from boresight.models.quiet import quiet_transformers

    if dtype not in (*DTYPES, "auto"):
        raise SpecError(f"there is no dtype {dtype!r}; choose one of {', '.join(DTYPES)}, auto")
    where = {"revision": revision, "trust_remote_code": False}
    place = "auto" if device == "auto" else single_device(device)
    with foreign_code(lambda error: ModelError(explain(error, source))), quiet_transformers():
        require_sound_files(source)
        config = AutoConfig.from_pretrained(source, **where)
        _require_causal_config(config, source)
        tokenizer = AutoTokenizer.from_pretrained(source, **where)
        number = native_dtype(place) if dtype == "auto" else DTYPES[dtype]
        _require_memory(source, revision, number, place)
        model, report = AutoModelForCausalLM.from_pretrained(
            source, **where, dtype=number, output_loading_info=True, **_placement(place)
        )
        _require_all_weights(report, source)
        model = model if place == "auto" else model.to(place)
    require_causal(model, source)
    return Loaded(model.eval(), tokenizer, getattr(config, "_commit_hash", None))


def _require_all_weights(report: Any, source: str) -> None:
    missing = sorted(report["missing_keys"])
    if missing:
        raise ModelError(f"{source} lacks {_count(missing, 'weight')}; fetch the whole checkpoint")


def _count(names: list[str], what: str) -> str:
    """How many there are, and the first of them."""
    return f"the {what} {names[0]}" if len(names) == 1 else f"{len(names)} {what}s, {names[0]} among them"


def _require_causal_config(config: Any, source: str) -> None:
    from transformers import AutoModelForCausalLM

    if getattr(config, "is_encoder_decoder", False):
        raise ModelError(f"{source} is an encoder-decoder; Boresight needs a causal (decoder-only) model")
    kind = getattr(config, "model_type", "?")
    mapping = AutoModelForCausalLM._model_mapping  # noqa: SLF001 - no public way to ask
    if type(config) not in mapping:
        raise ModelError(f"{source} ({kind}) is not a causal language model; give a generator")
    if _is_encoder(config):
        raise ModelError(
            f"{source} is an encoder ({kind}), which writes no text; use it as the retriever, and a causal "
            "language model as the generator"
        )


def _is_encoder(config: Any) -> bool:
    """Whether a checkpoint is of a family of encoders and was saved without a causal head."""
    from transformers.models.auto import modeling_auto as auto

    heads = getattr(config, "architectures", None) or ()
    encoders = auto.MODEL_FOR_MASKED_LM_MAPPING_NAMES
    causal = set(auto.MODEL_FOR_CAUSAL_LM_MAPPING_NAMES.values())
    return bool(heads) and config.model_type in encoders and not causal & set(heads)


def _placement(place: str) -> dict[str, str]:
    return {"device_map": "auto"} if place == "auto" else {}


def _require_memory(source: str, revision: str | None, dtype: str, place: str) -> None:
    """Refuse a model whose weights alone are more than the memory that is left."""
    free = available_memory(place)
    files = _weight_files(source, revision)
    if free is None or not files:
        return
    needed = sum(weight_bytes(path, dtype) for path in files)
    if needed > free:
        raise ModelError(
            f"{source} needs {needed / _GIB:.1f} GiB for its weights, but {free / _GIB:.1f} GiB are free "
            f"on {place}; choose a smaller model or --dtype bf16"
        )


def _weight_files(source: str, revision: str | None) -> list[Path]:
    """The safetensors files, fetched if need be; none if the checkpoint has another format."""
    from transformers.utils import cached_file

    if Path(source).is_dir():
        return sorted(Path(source).glob("*.safetensors"))
    quiet = {"_raise_exceptions_for_missing_entries": False, "revision": revision}
    index = cached_file(source, "model.safetensors.index.json", **quiet)
    names = ["model.safetensors"]
    if index is not None:
        names = sorted(set(json.loads(Path(index).read_text(encoding="utf-8"))["weight_map"].values()))
    found = [cached_file(source, name, **quiet) for name in names]
    return [Path(path) for path in found if path is not None]
