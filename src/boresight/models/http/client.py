"""One endpoint over HTTP: time-outs, tries with pauses, a limit of concurrency, and no word about the key."""

from __future__ import annotations

import json
import re
import time
import weakref
from concurrent.futures import ThreadPoolExecutor
from threading import Event, Lock
from typing import TYPE_CHECKING, Any, TypeVar

from boresight.errors import CallError, ModelError
from boresight.models.http.backoff import pause, retry_after
from boresight.models.http.errors import RefusedError, TryAgainError
from boresight.models.http.limits import Limits
from boresight.models.http.usage import Meter

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import httpx

    from boresight.models.http.limits import Key

    Job = Callable[[], "Answer"]
Answer = TypeVar("Answer")

PASSING = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 520, 522, 524, 529})
CONTENT_ATTEMPTS = 2  # a wrong answer may come from one of several servers behind a gateway, but seldom does
_SHOWN = 200  # characters of a server's message
_UNAUTHORISED = (401, 403)
_BUSY = 429
_SUCCESS = range(200, 300)


class Client:
    """Asks one endpoint; safe for several threads.

    Args:
        url: Base address.
        key: The key, or None.
        limits: Limits of all calls together.
        meter: Where calls and tokens are counted.
        trust_environment: Whether proxies of the environment are used; not for this machine itself.
        sleep: Waits for so many seconds; by default until :meth:`close`, at the longest.

    Raises:
        ModelError: httpx is not installed.
    """

    def __init__(
        self,
        url: str,
        *,
        key: Key | None = None,
        limits: Limits | None = None,
        meter: Meter | None = None,
        trust_environment: bool = True,
        sleep: Callable[[float], object] | None = None,
    ) -> None:
        self.limits = limits or Limits()
        self.meter = meter or Meter(self.limits)
        self._key = key
        self._closed = Event()
        self._sleep = sleep or self._closed.wait
        self._lock = Lock()
        self._not_before = 0.0  # set by a busy endpoint, for all threads
        self._url = url
        self._http = _open(url, key, self.limits, trust_environment=trust_environment)
        weakref.finalize(self, self._http.close)  # for those who never close it

    def close(self) -> None:
        """Close all connections and end all pauses."""
        self._closed.set()
        self._http.close()

    def ask(self, path: str, body: dict[str, Any], read: Callable[[dict[str, Any]], Answer]) -> Answer:
        """Send one request, as often as needed.

        Args:
            path: Path behind the base address.
            body: JSON body.
            read: Reads the answer; raises :class:`TryAgainError` if it cannot be used.

        Raises:
            CallError: It failed for good.
            ModelError: The endpoint wants another key, or more money.
            CapError: A cap is reached.
        """
        wrong = 0
        for attempt in range(1, self.limits.attempts + 1):
            try:
                return read(self._send(path, body, retry=attempt > 1))
            except TryAgainError as problem:
                reason, asked = str(problem), problem.wait
                wrong += problem.content
            if attempt == self.limits.attempts or wrong == CONTENT_ATTEMPTS or self._closed.is_set():
                break
            if asked is not None and asked > self.limits.patience:
                reason += f" and asks to wait {asked:,.0f} seconds"
                break
            self._wait(pause(attempt, asked, self.limits), everyone=asked is not None)
        self.meter.gave_up()
        raise CallError(f"{self._url}/{path} failed at attempt {attempt}: {reason}")

    def ask_all(self, jobs: Sequence[Job[Answer]]) -> list[Answer | CallError]:
        """Run jobs that each make calls, so many at a time as the limits allow.

        Returns:
            Per job, its result or the error of the call that failed.

        Raises:
            ModelError: As :meth:`ask`; what was not begun is left out.
            CapError: As :meth:`ask`.
        """
        pool = ThreadPoolExecutor(min(self.limits.concurrency, max(len(jobs), 1)))
        try:
            return list(pool.map(_outcome, jobs))
        finally:
            pool.shutdown(wait=True, cancel_futures=True)

    def _wait(self, seconds: float, *, everyone: bool) -> None:
        if everyone:
            with self._lock:
                self._not_before = max(self._not_before, time.monotonic() + seconds)
        self._sleep(seconds)

    def _send(self, path: str, body: dict[str, Any], *, retry: bool) -> dict[str, Any]:
        import httpx

        ahead = self._not_before - time.monotonic()
        if ahead > 0:
            self._sleep(ahead)
        self.meter.start(retry=retry)
        deadline = time.monotonic() + self.limits.timeout
        try:
            with self._http.stream("POST", path, content=json.dumps(body, allow_nan=False)) as response:
                content = b"".join(_until(deadline, response))
        except httpx.TimeoutException:
            raise TryAgainError(f"no whole answer within {self.limits.timeout:g} seconds") from None
        except httpx.TransportError as error:  # its request holds headers, so it is not passed on
            raise TryAgainError(f"the connection broke ({type(error).__name__})") from None
        return self._accepted(response, content)

    def _accepted(self, response: httpx.Response, content: bytes) -> dict[str, Any]:
        try:
            answer = json.loads(content)
        except ValueError:
            answer = None
        if response.status_code not in _SUCCESS:
            self._raise(response, answer)
        if not isinstance(answer, dict):
            raise TryAgainError("the answer is no JSON object")
        self.meter.answered(answer.get("usage"))
        return answer

    def _raise(self, response: httpx.Response, answer: Any) -> None:
        """Say what a status means.

        Raises:
            TryAgainError: It may pass.
            RefusedError: This request will never be taken.
            ModelError: No request will be taken.
        """
        status, said = response.status_code, self._said(answer)
        if status in _UNAUTHORISED:
            wants = f"refuses the key in {self._key.variable}" if self._key else "wants a key"
            raise ModelError(f"{self._url} {wants} (status {status}){said}; set BORESIGHT_API_KEY")
        if status == _BUSY and "insufficient_quota" in json.dumps(answer):
            raise ModelError(f"{self._url} has no quota left for this key{said}")
        if status in PASSING:
            raise TryAgainError(f"status {status}{said}", wait=retry_after(response.headers))
        raise RefusedError(f"{self._url} refuses the request with status {status}{said}", status)

    def _said(self, answer: Any) -> str:
        """The server's own words, in brackets, without anything like a key."""
        error = answer.get("error", answer) if isinstance(answer, dict) else ""
        message = error.get("message", "") if isinstance(error, dict) else error
        text = " ".join(str(message or "").split())
        text = self._key.scrub(text) if self._key else text
        text = re.sub(r"\b(sk|pk|key|hf)[-_][\w*.-]+", "***", text)
        return f" ({text[:_SHOWN]})" if text else ""


def _outcome(job: Job[Answer]) -> Answer | CallError:
    try:
        return job()
    except CallError as error:
        return error


def _until(deadline: float, response: httpx.Response) -> Any:
    """The parts of a body; a server that drips for ever is stopped at the deadline."""
    for part in response.iter_bytes():
        yield part
        if time.monotonic() > deadline:
            raise TryAgainError("the answer comes too slowly")


def _open(url: str, key: Key | None, limits: Limits, *, trust_environment: bool) -> httpx.Client:
    try:
        import httpx
    except ModuleNotFoundError as error:
        raise ModelError('a generator behind an API needs httpx: pip install "boresight[http]"') from error

    def authorise(request: httpx.Request) -> httpx.Request:
        # Put in at the last moment, so that no object of ours holds a header with the key.
        if key is not None:
            request.headers["authorization"] = key.header()
        return request

    return httpx.Client(
        base_url=url.rstrip("/") + "/",
        auth=authorise,
        headers={"content-type": "application/json"},
        timeout=limits.timeout,
        limits=httpx.Limits(max_connections=limits.concurrency),
        trust_env=trust_environment,
        follow_redirects=False,  # a redirect would carry the key elsewhere
    )
