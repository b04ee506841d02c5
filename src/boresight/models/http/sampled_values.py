"""Values where an endpoint gives no log-probabilities: answers generated anew, compared with the target.

v(S) is the mean cosine similarity between the target and several answers sampled under S, by a named local
encoder. It is no log-probability; the noise of sampling is carried as an interval of each row, and repeated
rows (the numeric floor's) draw other answers, so that the floor is the noise of sampling.
"""

from __future__ import annotations

import hashlib
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from boresight.errors import CallError
from boresight.models.http.answers import text_of
from boresight.models.http.checks import require_count, require_length
from boresight.models.http.prompt_values import refuse_end
from boresight.models.http.rows import Row
from boresight.models.reasoning import without_reasoning
from boresight.stats.random import rng_for
from boresight.stats.t import t_interval

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from boresight.models.http.client import Client
    from boresight.models.http.prompts import Prompts
    from boresight.models.http.rows import Ids, Pair, Spans
    from boresight.models.http.spec import EndpointSpec, ValueKind
    from boresight.models.seam import Request

LARGEST_SEED = 2**31 - 1


class SimilarityEncoder(Protocol):
    """What compares two texts."""

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Vectors of texts; float32, shape (m, d)."""


class SampledValues:
    """Mean similarity of sampled answers to the target; the whole target counts as one token.

    Args:
        client: The endpoint.
        spec: Model, number of samples, temperature and length.
        prompts: Makes the prompts.
        encoder: Gives what compares answers; called when it is first needed.
        per_token: Characters a token at this endpoint, or None where it does not count.
    """

    kind: ValueKind = "regenerate"

    def __init__(
        self,
        client: Client,
        spec: EndpointSpec,
        prompts: Prompts,
        encoder: Callable[[], SimilarityEncoder],
        per_token: float | None,
    ) -> None:
        self._client, self._spec, self._prompts = client, spec, prompts
        self._encoder, self._per_token = encoder, per_token
        self._vectors: dict[str, NDArray[np.float64]] = {}

    def encode(self, trace_id: str, text: str, *, end: bool) -> tuple[Ids, Spans]:
        """The whole text as one token."""
        refuse_end(trace_id, end=end)
        return (0,), ((0, len(text)),)

    def calls(self, request: Request) -> int:  # noqa: ARG002 - all targets share the answers
        """One a sample."""
        return self._spec.samples

    def score(self, pairs: Sequence[Pair], repeat: int) -> list[Row | CallError]:
        """As many calls a prompt as there are samples; targets of one prompt share them."""
        prompts = list(dict.fromkeys(request.prompt_ids for request, _ in pairs))
        jobs = [
            (ids, self._seed(ids, index, repeat)) for ids in prompts for index in range(self._spec.samples)
        ]
        found = self._client.ask_all([partial(self._answer, *job) for job in jobs])
        size = self._spec.samples
        answers = {ids: found[place * size : (place + 1) * size] for place, ids in enumerate(prompts)}
        return [self._row(answers[request.prompt_ids], target.text) for request, target in pairs]

    def _answer(self, ids: Ids, seed: int) -> str:
        body = {
            "model": self._spec.model,
            **self._prompts.body(ids),
            "max_tokens": self._spec.max_new,
            "temperature": self._spec.temperature,
            "seed": seed,
            **self._prompts.ending(),
        }

        def read(answer: dict[str, Any]) -> str:
            require_read(self._prompts, ids, answer, self._per_token)
            return without_reasoning(text_of(answer))

        return self._client.ask(self._prompts.path, body, read)

    def _row(self, answers: Sequence[str | CallError], target: str) -> Row | CallError:
        texts: list[str] = []
        for answer in answers:
            if isinstance(answer, CallError):
                return answer
            texts.append(answer)
        interval = t_interval([[self._similarity(text, target)] for text in texts])
        mean = interval.value.astype(np.float32)
        if interval.low is None or interval.high is None:
            return Row(mean)
        low, high = (np.clip(end, -1.0, 1.0).astype(np.float32) for end in (interval.low, interval.high))
        return Row(mean, low, high)  # a cosine has ends

    def _similarity(self, answer: str, target: str) -> float:
        """Cosine of the two texts' vectors; an empty answer has nothing in common with any target."""
        if not answer.strip():
            return 0.0
        return float(self._vector(answer) @ self._vector(target))

    def _vector(self, text: str) -> NDArray[np.float64]:
        if text not in self._vectors:
            vector = np.asarray(self._encoder().encode([text])[0], np.float64)
            length = float(np.linalg.norm(vector))
            self._vectors[text] = vector / length if length else vector
        return self._vectors[text]

    @staticmethod
    def _seed(ids: Ids, index: int, repeat: int) -> int:
        """A seed that depends on the prompt, not on the order of calls; servers may honour it or not."""
        prompt = hashlib.sha256(repr(ids).encode()).hexdigest()
        return int(rng_for(0, "regenerate", prompt, str(index), str(repeat)).integers(LARGEST_SEED))


def require_read(
    prompts: Prompts, ids: Sequence[int], answer: dict[str, Any], per_token: float | None
) -> None:
    """The server must have read the whole prompt, as far as that can be known.

    Raises:
        TryAgainError: It read another number of tokens than the tokenizer counts, or clearly too few.
    """
    own = prompts.count(ids)
    if own is None:
        require_length(answer, len(prompts.decode(ids)), per_token)
    else:
        require_count(answer, own)
