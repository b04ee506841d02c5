"""How much memory a model's weights take, and how much there is."""

from __future__ import annotations

import json
import math
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch

_BYTES = {"float32": 4, "bfloat16": 2, "float16": 2}
_STORED_BYTES = {"F64": 8, "F32": 4, "F16": 2, "BF16": 2, "F8_E4M3": 1, "F8_E5M2": 1, "I8": 1, "U8": 1}
_GROUP = Path("/sys/fs/cgroup")


def weight_bytes(path: Path, dtype: str) -> int:
    """Bytes that the tensors of a safetensors file take once loaded, read from its header alone.

    Args:
        path: The file.
        dtype: ``float32``, ``bfloat16``, ``float16``, or ``auto`` for the stored one.

    Raises:
        ValueError: If it is no safetensors file, or its header is damaged.
    """
    tensors = {name: tensor for name, tensor in _header(path).items() if name != "__metadata__"}
    try:
        return sum(
            math.prod(tensor["shape"]) * _BYTES.get(dtype, _STORED_BYTES.get(tensor["dtype"], 4))
            for tensor in tensors.values()
        )
    except (TypeError, KeyError) as error:
        raise ValueError(f"the header of {path.name} is damaged; fetch the file again") from error


def _header(path: Path) -> dict[str, Any]:
    """The table of tensors at the start of a safetensors file."""
    with path.open("rb") as file:
        start = file.read(8)
        if start.startswith(b"version "):
            raise ValueError(
                f"{path.name} is a git-lfs pointer, not the weights; run `git lfs pull` in the folder"
            )
        if start.lstrip().startswith(b"<"):
            raise ValueError(f"{path.name} is a web page, not the weights; fetch the file again")
        size = int.from_bytes(start, "little")
        if not 0 < size <= path.stat().st_size - len(start):
            raise ValueError(f"{path.name} is cut short or no safetensors file; fetch it again")
        header = json.loads(file.read(size))
    if not isinstance(header, dict):
        raise ValueError(f"the header of {path.name} is damaged; fetch the file again")  # noqa: TRY004 - a file's
    return header


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
        free = _table(meminfo)["MemAvailable:"] * 1024
        group = group_memory(_GROUP)
        return free if group is None else min(free, group)
    if "SC_PHYS_PAGES" in getattr(os, "sysconf_names", {}):
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return None


def group_memory(folder: Path) -> int | None:
    """Bytes that a control group's limit leaves free, file cache that can be dropped included.

    Args:
        folder: The group's folder; None comes back where it sets no limit.
    """
    limit, used, stat = (folder / name for name in ("memory.max", "memory.current", "memory.stat"))
    if not limit.exists() or not used.exists():
        return None
    text = limit.read_text(encoding="ascii").strip()
    if text == "max":
        return None
    droppable = _table(stat).get("inactive_file", 0) if stat.exists() else 0
    return max(0, int(text) - int(used.read_text(encoding="ascii")) + droppable)


def _table(path: Path) -> dict[str, int]:
    """Name and number of each line of a kernel table."""
    lines = (line.split() for line in path.read_text(encoding="ascii").splitlines())
    return {words[0]: int(words[1]) for words in lines if len(words) > 1}
