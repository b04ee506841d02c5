"""What can go wrong on the way to an endpoint.

BoresightError
+-- CapError            the calls or tokens that the user allows are used up; the run can be resumed
+-- ScoringError
    +-- CallError       one call failed for good; its value is missing and counted
        +-- RefusedError    the endpoint refuses this very request, so asking again would not help
"""

from __future__ import annotations

from boresight.errors import BoresightError, CallError


class CapError(BoresightError):
    """The cap on calls or tokens is reached."""


class RefusedError(CallError):
    """The endpoint refuses a request.

    Attributes:
        status: HTTP status code.
    """

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


class TryAgainError(Exception):
    """One attempt failed in a way that may pass; never leaves the client.

    Attributes:
        wait: Seconds that the endpoint asks to wait, or None.
        content: Whether an answer came and was wrong; such a fault seldom passes.
    """

    def __init__(self, reason: str, *, wait: float | None = None, content: bool = False) -> None:
        super().__init__(reason)
        self.wait = wait
        self.content = content
