"""Probes on disk, so that an endpoint is probed once a day and not once a command; they hold no key."""

from __future__ import annotations

import hashlib
import json
import time
from typing import TYPE_CHECKING

from boresight.models.cache import cache_dir
from boresight.models.http.probe import Probe
from boresight.store.files import make_private_folder, write_json

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from boresight.models.http.spec import EndpointSpec

FORMAT = 1
LIFETIME = 24 * 3600.0  # seconds; servers are updated


def probe_file(spec: EndpointSpec, folder: Path | None = None) -> Path:
    """Where the probe of an endpoint is kept: one file for URL, model, tokenizer and top-k."""
    parts = [FORMAT, spec.url, spec.model, spec.tokenizer, spec.top]
    digest = hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:24]
    return (folder or cache_dir() / "endpoints") / f"{digest}.json"


def cached_probe(
    spec: EndpointSpec,
    make: Callable[[], Probe],
    folder: Path | None = None,
    now: Callable[[], float] = time.time,
) -> Probe:
    """The stored probe of an endpoint; made and stored if there is none of the last day.

    Args:
        spec: The endpoint.
        make: Probes it.
        folder: Where probes are kept; by default in the user's cache.
        now: The present, in seconds since 1970.
    """
    path = probe_file(spec, folder)
    found = _read(path, now())
    if found is None:
        found = make()
        make_private_folder(path.parent)
        write_json(path, {"made": now(), "endpoint": spec.name, "probe": found.to_json()})
    return found


def _read(path: Path, now: float) -> Probe | None:
    """A probe that is whole and young, else None: it costs six calls to make another."""
    try:
        stored = json.loads(path.read_text(encoding="utf-8"))
        fresh = 0 <= now - stored["made"] < LIFETIME
        return Probe.from_json(stored["probe"]) if fresh else None
    except (OSError, ValueError, KeyError, TypeError):
        return None
