"""Loading a causal model and its tokenizer from a folder or the hub, with errors that say what to do.

Code that comes with a checkpoint is never run, and a checkpoint is only trusted if all its weights are there.
"""

from __future__ import annotations

import json
import os
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from boresight.errors import ModelError, SpecError

if TYPE_CHECKING:
    import torch

DTYPES = {"fp32": "float32", "bf16": "bfloat16", "fp16": "float16", "auto": "auto"}
_BYTES = {"float32": 4, "bfloat16": 2, "float16": 2}
_STORED_BYTES = {"F64": 8, "F32": 4, "F16": 2, "BF16": 2, "F8_E4M3": 1, "F8_E5M2": 1, "I8": 1, "U8": 1}
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
        dtype: A key of ``DTYPES``.
        device: As in :func:`boresight.models.registry.load_generator`.
        revision: Branch, tag or commit on the hub.

    Raises:
        SpecError: If the dtype is unknown.
        ModelError: If it is missing, gated, not causal, incomplete, too large, or needs code of its own.
    """
    from safetensors import SafetensorError
    from transformers import AutoConfig, AutoModelForCausalLM, AutoTokenizer

    from boresight.models.device import single_device
    from boresight.models.quiet import quiet_transformers

    if dtype not in DTYPES:
        raise SpecError(f"there is no dtype {dtype!r}; choose one of {', '.join(DTYPES)}")
    where = {"revision": revision, "trust_remote_code": False}
    place = "auto" if device == "auto" else single_device(device)
    try:
        config = AutoConfig.from_pretrained(source, **where)
        _require_causal_config(config, source)
        tokenizer = AutoTokenizer.from_pretrained(source, **where)
        _require_memory(source, revision, DTYPES[dtype], place)
        with quiet_transformers():
            model, report = AutoModelForCausalLM.from_pretrained(
                source, **where, dtype=DTYPES[dtype], output_loading_info=True, **_placement(place)
            )
    except (OSError, ValueError, KeyError, ImportError, SafetensorError) as error:
        raise ModelError(_explain(error, source)) from error
    if report["missing_keys"]:
        missing = sorted(report["missing_keys"])
        raise ModelError(
            f"{source} lacks {len(missing)} weights ({missing[0]}, ...); fetch the whole checkpoint"
        )
    if place != "auto":
        model = model.to(place)
    require_causal(model, source)
    return Loaded(model.eval(), tokenizer, getattr(config, "_commit_hash", None))


def require_causal(model: Any, name: str) -> None:
    """Make sure that a later token cannot change what was predicted before it.

    Raises:
        ModelError: If it does, as in an encoder.
    """
    import torch

    if getattr(model.config, "is_encoder_decoder", False):
        raise ModelError(f"{name} is an encoder-decoder; Boresight needs a causal (decoder-only) model")
    device = model.get_input_embeddings().weight.device
    texts = [[0, 1, 2, 0, 1, 2], [0, 1, 2, 1, 2, 0]]  # alike up to the third token
    with torch.no_grad():
        first, second = (
            model(input_ids=torch.tensor([ids], device=device)).logits[0, :3].float() for ids in texts
        )
    if not torch.allclose(first, second, rtol=1e-3, atol=1e-3):
        raise ModelError(f"{name} looks ahead, as encoders do; Boresight needs a causal (decoder-only) model")


def _require_causal_config(config: Any, source: str) -> None:
    from transformers import AutoModelForCausalLM

    if getattr(config, "is_encoder_decoder", False):
        raise ModelError(f"{source} is an encoder-decoder; Boresight needs a causal (decoder-only) model")
    if type(config) not in AutoModelForCausalLM._model_mapping:  # noqa: SLF001 - no public way to ask
        kind = getattr(config, "model_type", "?")
        raise ModelError(f"{source} ({kind}) is not a causal language model; give a generator")


def _placement(place: str) -> dict[str, str]:
    return {"device_map": "auto"} if place == "auto" else {}


def _explain(error: BaseException, source: str) -> str:
    """One sentence about why a model did not load, with the way out."""
    from huggingface_hub import errors as hub

    causes = _causes(error)
    if any(isinstance(cause, hub.GatedRepoError) for cause in causes):
        return f"{source} is gated: accept its terms on its page on the hub, then log in with `hf auth login`"
    if any(isinstance(cause, hub.RevisionNotFoundError) for cause in causes):
        return f"{source} has no such revision on the hub; give a branch, tag or commit of it"
    if any(isinstance(cause, hub.RepositoryNotFoundError) for cause in causes):
        return (
            f"the hub has no model {source}, or it is private; check the name, or log in with `hf auth login`"
        )
    text = str(error)
    if "trust_remote_code" in text:
        return (
            f"{source} needs code of its own (remote code), which Boresight never runs; choose another model"
        )
    offline = (hub.LocalEntryNotFoundError, hub.OfflineModeIsEnabled, ConnectionError)
    if any(isinstance(cause, offline) for cause in causes) or "couldn't connect" in text:
        return (
            f"{source} is not on this machine and the hub cannot be reached; go online once, or give a folder"
        )
    first = next((line.strip() for line in text.splitlines() if line.strip()), type(error).__name__)
    return f"{source} cannot be loaded: {first}"


def _causes(error: BaseException) -> list[BaseException]:
    """An error and what it came from."""
    causes: list[BaseException] = []
    step: BaseException | None = error
    while step is not None and step not in causes:
        causes.append(step)
        step = step.__cause__ or step.__context__
    return causes


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


def weight_bytes(path: Path, dtype: str) -> int:
    """Bytes that the tensors of a safetensors file take once loaded, read from its header alone.

    Args:
        path: The file.
        dtype: ``float32``, ``bfloat16``, ``float16``, or ``auto`` for the stored one.

    Raises:
        ValueError: If the header is damaged.
    """
    with path.open("rb") as file:
        prefix = file.read(8)
        if len(prefix) < 8:  # noqa: PLR2004 - an unsigned 64-bit length
            raise ValueError(f"{path.name} is cut short; fetch it again")
        (size,) = struct.unpack("<Q", prefix)
        header = json.loads(file.read(size))
    total = 0
    for name, tensor in header.items():
        if name == "__metadata__":
            continue
        count = 1
        for length in tensor["shape"]:
            count *= length
        total += count * _BYTES.get(dtype, _STORED_BYTES.get(tensor["dtype"], 4))
    return total


def available_memory(place: str) -> int | None:
    """Bytes free on a device; None where that cannot be known."""
    import torch

    if place == "auto":
        return None
    device: torch.device = torch.device(place)
    if device.type == "cuda":
        return int(torch.cuda.mem_get_info(device)[0])
    return _free_ram()


def _free_ram() -> int | None:
    """Free main memory: what the kernel says is available, within the control group's limit."""
    meminfo = Path("/proc/meminfo")
    if meminfo.exists():
        lines = dict(line.split(":", 1) for line in meminfo.read_text(encoding="ascii").splitlines())
        free = int(lines["MemAvailable"].split()[0]) * 1024
        return min(free, _group_limit() or free)
    if "SC_PHYS_PAGES" in getattr(os, "sysconf_names", {}):
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return None


def _group_limit() -> int | None:
    """What a container's memory limit leaves free."""
    limit, used = (Path("/sys/fs/cgroup") / name for name in ("memory.max", "memory.current"))
    if not limit.exists() or not used.exists():
        return None
    text = limit.read_text(encoding="ascii").strip()
    return None if text == "max" else max(0, int(text) - int(used.read_text(encoding="ascii")))
