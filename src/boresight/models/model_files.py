"""Read a model's own JSON files, from a folder or from the hub's cache and the hub.

A file that a model does not have and a file that cannot be reached are two things: the first means a default,
the second must stop, or a broken network would quietly change how texts are encoded.
"""

from __future__ import annotations

import codecs
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from huggingface_hub import hf_hub_download, try_to_load_from_cache
from huggingface_hub.errors import EntryNotFoundError, LocalEntryNotFoundError, RepositoryNotFoundError

from boresight.errors import ModelError
from boresight.models.memory import weight_bytes

if TYPE_CHECKING:
    from collections.abc import Callable


_START = 64  # bytes; enough to see past blanks
_OBJECTS = ("config.json", "tokenizer.json", "tokenizer_config.json", "special_tokens_map.json")


def require_sound_files(location: str) -> None:
    """Look at the start of a folder's JSON files and weights; a hub id is left to its library.

    Raises:
        ModelError: If one of the first is no JSON object, as after a broken download.
        ValueError: If one of the others is no safetensors file.
    """
    for path in sorted(Path(location).glob("*.safetensors")):
        weight_bytes(path, "auto")
    for path in (Path(location) / name for name in _OBJECTS):
        if path.is_file():
            with path.open("rb") as file:
                start = file.read(_START)
            if not start.removeprefix(codecs.BOM_UTF8).lstrip().startswith(b"{"):
                raise ModelError(f"{location} cannot be loaded: {path.name} is damaged; fetch the file again")


def json_reader(location: str, revision: str | None = None) -> Callable[[str], Any]:
    """A function from file name to parsed JSON; None if the model has no such file.

    Args:
        location: A folder, or a model id on the hub.
        revision: Branch, tag or commit on the hub.

    Returns:
        The reader; it raises :class:`ModelError` if the hub has no such model or cannot be asked.
    """

    def read(file: str) -> Any:
        folder = Path(location)
        found = folder / file if folder.is_dir() else _from_hub(location, file, revision)
        return json.loads(found.read_text(encoding="utf-8")) if found and found.is_file() else None

    return read


def _from_hub(location: str, file: str, revision: str | None) -> Path | None:
    try:
        return Path(hf_hub_download(location, file, revision=revision))
    except LocalEntryNotFoundError as problem:
        cached = try_to_load_from_cache(location, file, revision=revision)
        if cached is not None:  # neither a path nor None: the hub once said that there is no such file
            return None
        raise ModelError(
            f"The model hf:{location} is not in the local hub cache and the hub cannot be reached; "
            "connect once, or give a folder."
        ) from problem
    except EntryNotFoundError:
        return None
    except RepositoryNotFoundError as problem:
        raise ModelError(
            f"The hub shows no model {location}; check the name, and for a private or gated model run "
            "`hf auth login`."
        ) from problem
