"""How the test server misbehaves: the faults of real endpoints, one by one, and seeded."""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, Literal

from boresight.stats.random import rng_for

if TYPE_CHECKING:
    import numpy as np

Passing = Literal["busy", "broken", "hang", "cut"]


@dataclass(frozen=True, slots=True)
class Faults:
    """What goes wrong.

    Attributes:
        busy: Share of requests that get status 429.
        broken: Share that get status 500.
        hang: Share that get no answer at all.
        cut: Share whose answer ends in the middle.
        retry_after: Value of ``Retry-After`` with status 429, or None.
        ignore_echo: Prompt log-probabilities are left out in silence, by either way of asking.
        cap: Most log-probabilities listed for a token, whatever is asked for.
        null: Log-probabilities are null.
        off_by_one: The prompt's log-probabilities stand one token too late.
        truncate: Most prompt tokens that are read; the first ones go, in silence.
        drop_system: System turns are left out in silence.
        jitter: Standard deviation of noise on every log-probability, in nats.
        refuse_ids: Token ids as a prompt are refused.
        refuse: Paths that do not exist.
        no_usage: Tokens are not counted.
        seed: Seed of everything drawn.
    """

    busy: float = 0.0
    broken: float = 0.0
    hang: float = 0.0
    cut: float = 0.0
    retry_after: float | None = None
    ignore_echo: bool = False
    cap: int | None = None
    null: bool = False
    off_by_one: bool = False
    truncate: int | None = None
    drop_system: bool = False
    jitter: float = 0.0
    refuse_ids: bool = False
    refuse: tuple[str, ...] = ()
    no_usage: bool = False
    seed: int = 0


class FaultSource:
    """Decides, for each request, what goes wrong.

    The draw depends on the request and on how often it came, not on the order of requests: a client that asks
    again is answered in the end, and threads change nothing.
    """

    def __init__(self, faults: Faults) -> None:
        self.faults = faults
        self._seen: Counter[str] = Counter()
        self._lock = Lock()

    def passing(self, body: bytes) -> Passing | None:
        """The fault of one request that may be gone at the next try."""
        shares: dict[Passing, float] = {
            "busy": self.faults.busy,
            "broken": self.faults.broken,
            "hang": self.faults.hang,
            "cut": self.faults.cut,
        }
        draw = self._draw(body, "passing").random()
        for name, share in shares.items():
            if draw < share:
                return name
            draw -= share
        return None

    def noise(self, body: bytes, count: int) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        """Noise on so many log-probabilities, another for each request."""
        return self._draw(body, "jitter").normal(0.0, self.faults.jitter, count)

    def _draw(self, body: bytes, purpose: str) -> np.random.Generator:
        digest = purpose + hashlib.sha256(body).hexdigest()
        with self._lock:
            self._seen[digest] += 1
            time = self._seen[digest]
        return rng_for(self.faults.seed, digest, str(time))
