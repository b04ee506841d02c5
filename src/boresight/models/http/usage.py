"""What was spent at an endpoint, and the caps on it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from threading import Lock
from typing import TYPE_CHECKING, Any

from boresight.models.http.errors import CapError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from boresight.models.http.limits import Limits


@dataclass(frozen=True, slots=True)
class Usage:
    """What was spent.

    Attributes:
        calls: Requests sent, tries included.
        retries: Requests that repeated a failed one.
        failed: Calls that gave no answer in the end; their values are missing.
        prompt_tokens: As the endpoint counts them; 0 where it does not.
        completion_tokens: The same for what it generated.
    """

    calls: int = 0
    retries: int = 0
    failed: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0

    @property
    def tokens(self) -> int:
        """All tokens."""
        return self.prompt_tokens + self.completion_tokens

    def to_json(self) -> dict[str, int]:
        """JSON values."""
        return asdict(self)


class Meter:
    """Counts calls and tokens from several threads, and stops at the caps.

    Args:
        limits: The caps.
        spent: What an interrupted run has spent already.

    Attributes:
        on_call: Told of every request before it is sent, one at a time, so that a kill hides none.
    """

    def __init__(self, limits: Limits, spent: Usage | None = None) -> None:
        self._limits = limits
        self._lock = Lock()
        self._spent = spent or Usage()
        self.on_call: Callable[[], None] | None = None

    @property
    def spent(self) -> Usage:
        """What was spent so far."""
        return self._spent

    def start(self, *, retry: bool) -> None:
        """A request is about to be sent.

        Raises:
            CapError: A cap is reached.
        """
        with self._lock:
            self._check("calls", self._spent.calls, self._limits.max_calls)
            self._check("tokens", self._spent.tokens, self._limits.max_tokens)
            self._add(calls=1, retries=int(retry))
            if self.on_call is not None:
                self.on_call()

    def answered(self, usage: Any) -> None:
        """An answer came; ``usage`` is what it says about tokens, if anything."""
        if not isinstance(usage, dict):
            return
        with self._lock:
            self._add(
                prompt_tokens=_count(usage, "prompt_tokens"),
                completion_tokens=_count(usage, "completion_tokens"),
            )

    def gave_up(self) -> None:
        """A call failed for good."""
        with self._lock:
            self._add(failed=1)

    def _add(self, **more: int) -> None:
        self._spent = Usage(**{name: old + more.get(name, 0) for name, old in asdict(self._spent).items()})

    @staticmethod
    def _check(what: str, spent: int, cap: int | None) -> None:
        if cap is not None and spent >= cap:
            raise CapError(
                f"the cap of {cap:,} {what} is reached; what was scored is kept: raise "
                f"BORESIGHT_HTTP_MAX_{what.upper()} and run the same command again to go on"
            )


def _count(usage: Mapping[str, Any], name: str) -> int:
    count = usage.get(name)
    return count if isinstance(count, int) and count > 0 else 0
