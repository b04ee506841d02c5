"""A server that puts a model of ours behind an OpenAI-compatible API, and misbehaves when told to.

It speaks ``/v1/completions`` and ``/v1/chat/completions``, in the shape of the legacy API (``echo``) or of
vLLM (``prompt_logprobs``, ``continue_final_message``). For tests of clients; it listens on this machine only.
"""

from __future__ import annotations

import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Lock, Thread
from typing import TYPE_CHECKING, Any, Literal, Self

from boresight.testing.server_answers import Answerer, UnknownFieldError
from boresight.testing.server_faults import Faults, FaultSource

if TYPE_CHECKING:
    from types import TracebackType

    from boresight.testing.server_backends import Backend

Shape = Literal["legacy", "vllm"]
PATHS = ("/v1/completions", "/v1/chat/completions")
_STATUS = {"busy": 429, "broken": 500}
_LONGEST_HANG = 60.0  # seconds; the server's end cuts it short


class EndpointServer:
    """A running server; a context manager.

    Args:
        backend: The model.
        shape: How log-probabilities of prompts are asked for and given.
        faults: What goes wrong.
        key: Key that every request must bring, or None for none.

    Attributes:
        received: Bodies of the requests that came, in order, with their path as ``path``.
    """

    def __init__(
        self,
        backend: Backend,
        *,
        shape: Shape = "vllm",
        faults: Faults | None = None,
        key: str | None = None,
    ) -> None:
        self.source = FaultSource(faults or Faults())
        self.answerer = Answerer(backend, shape, self.source)
        self.key = key
        self.received: list[dict[str, Any]] = []
        self.closing = Event()
        self.lock = Lock()
        self._server = _Listener(self)
        self._thread = Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)

    @property
    def url(self) -> str:
        """Base address, ``http://127.0.0.1:PORT/v1``."""
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    @property
    def calls(self) -> int:
        """Requests that came."""
        return len(self.received)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _Listener(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False  # clients keep connections open

    def __init__(self, owner: EndpointServer) -> None:
        self.owner = owner
        super().__init__(("127.0.0.1", 0), _Handler)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients that hang up in the middle are what the server is for."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Listener

    def do_POST(self) -> None:
        owner = self.server.owner
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        request = json.loads(body)
        with owner.lock:
            owner.received.append({**request, "path": self.path})
        if owner.key is not None and self.headers.get("authorization") != f"Bearer {owner.key}":
            said = f"Incorrect API key provided: {self.headers.get('authorization', '')}"
            self._error(401, said)
        elif self.path not in PATHS or self.path in owner.source.faults.refuse:
            self._error(404, "not found")
        else:
            self._answer(request, body)

    def _answer(self, request: dict[str, Any], body: bytes) -> None:
        owner = self.server.owner
        fault = owner.source.passing(body)
        if fault == "hang":
            owner.closing.wait(_LONGEST_HANG)
            self.close_connection = True
        elif fault in _STATUS:
            self._error(_STATUS[fault], f"told to be {fault}")
        else:
            try:
                answer = owner.answerer.answer(self.path, request, body)
            except UnknownFieldError as error:
                self._error(400, str(error))
            else:
                self._send(200, answer, cut=fault == "cut")

    def _error(self, status: int, message: str) -> None:
        wait = self.server.owner.source.faults.retry_after
        headers = {"Retry-After": f"{wait:g}"} if status == _STATUS["busy"] and wait is not None else {}
        self._send(status, {"error": {"message": message, "code": status}}, headers)

    def _send(
        self, status: int, answer: dict[str, Any], headers: dict[str, str] | None = None, *, cut: bool = False
    ) -> None:
        data = json.dumps(answer).encode()
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", **(headers or {})}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data[: len(data) // 2] if cut else data)
        self.close_connection = self.close_connection or cut

    def log_message(self, *_: Any) -> None:
        """Nothing is logged."""
