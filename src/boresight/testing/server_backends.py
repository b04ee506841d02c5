"""What the test server puts behind its API: a ``transformers`` model, or the table of a fake generator."""

from __future__ import annotations

import re
from itertools import accumulate
from threading import Lock
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from boresight.models.prompts import BORESIGHT
from boresight.models.seam import Request, Segment, Target

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from boresight.models.fake import FakeGenerator
    from boresight.models.prompts import PromptStyle
    from boresight.trace import Trace

    Next = tuple[NDArray[np.int64], NDArray[np.float64]]  # ids, and their log-probabilities

UNLIKELY = -20.0  # nats of what a table does not know
END = "<end>"
# What a table says of texts that no trace has: words of its own, with numbers that differ from word to word.
STRANGER_WORDS = ("one", "day", "it", "rained", "on", "all", "the", "towns")
STRANGER_VALUES = (-0.2, -1.7, -0.4, -2.5, -0.1, -3.0, -0.9, -2.2)


class Backend(Protocol):
    """A language model as a server sees it."""

    @property
    def stops(self) -> frozenset[int]:
        """Ids that end an answer."""

    def encode(self, text: str) -> list[int]:
        """Ids of a text, control tokens parsed."""

    def render(self, messages: Sequence[Mapping[str, str]], *, go_on: bool) -> list[int]:
        """Ids of a conversation; ``go_on`` leaves the last turn open."""

    def piece(self, token: int) -> str:
        """What a token spells."""

    def given(self, ids: Sequence[int]) -> list[float]:
        """Log-probability of each id but the first, behind those before it; shape (len(ids) - 1,)."""

    def following(self, ids: Sequence[int]) -> Next:
        """The tokens that may come next, each with its log-probability."""


class ModelBackend:
    """A causal model of ``transformers``.

    Args:
        model: The model; :attr:`TransformersGenerator.model` gives one.
        tokenizer: Its tokenizer.
    """

    def __init__(self, model: Any, tokenizer: Any) -> None:
        self._model, self._tokenizer = model, tokenizer
        self._lock = Lock()  # neither models nor tokenizers are made for several threads
        control = {"<|im_end|>", "<end_of_turn>", "<|eot_id|>", str(tokenizer.eos_token)}
        known = tokenizer.get_vocab()
        self.stops = frozenset(known[text] for text in control if text in known)

    def encode(self, text: str) -> list[int]:
        """Ids of a text, control tokens parsed, with what the tokenizer puts before any text."""
        with self._lock:
            return [int(token) for token in self._tokenizer(text)["input_ids"]]

    def render(self, messages: Sequence[Mapping[str, str]], *, go_on: bool) -> list[int]:
        """Ids of a conversation under the tokenizer's chat template."""
        turns = [dict(message) for message in messages]
        with self._lock:
            if not go_on:
                text = self._tokenizer.apply_chat_template(turns, add_generation_prompt=True, tokenize=False)
            else:
                text = self._tokenizer.apply_chat_template(turns, continue_final_message=True, tokenize=False)
            return [int(token) for token in self._tokenizer(text, add_special_tokens=False)["input_ids"]]

    def piece(self, token: int) -> str:
        """What a token spells."""
        return str(self._tokenizer.decode([token], clean_up_tokenization_spaces=False))

    def given(self, ids: Sequence[int]) -> list[float]:
        """Log-probabilities of the ids."""
        rows = self._rows(ids)
        return [float(rows[place, token]) for place, token in enumerate(ids[1:])]

    def following(self, ids: Sequence[int]) -> Next:
        """The whole vocabulary."""
        row = self._rows(ids)[-1]
        return np.arange(len(row)), row

    def _rows(self, ids: Sequence[int]) -> NDArray[np.float64]:
        """Log-probabilities behind each id, shape (len(ids), V)."""
        import torch

        with self._lock, torch.no_grad():
            logits = self._model(torch.tensor([list(ids)])).logits[0]
            rows: NDArray[np.float64] = logits.float().log_softmax(-1).double().numpy()
        return rows


class TableBackend:
    """The table of a fake generator: a prompt's passages are found by their text, the rest is looked up.

    A word is a token. Only the answer has numbers of its own; a prompt's other words have -1 each.

    Args:
        generator: The table.
        traces: The traces that will be asked about.
        style: The words around passages and question.
    """

    def __init__(
        self, generator: FakeGenerator, traces: Sequence[Trace], style: PromptStyle = BORESIGHT
    ) -> None:
        self._generator, self._traces, self._style = generator, traces, style
        self._ids: dict[str, int] = {}
        self._pieces: list[str] = []
        self._lock = Lock()
        self.stops = frozenset({self._id(END)})

    def encode(self, text: str) -> list[int]:
        """One id a word with the blanks before it."""
        return [self._id(piece) for piece in re.findall(r"\s*\S+|\s+\Z", text)]

    def render(self, messages: Sequence[Mapping[str, str]], *, go_on: bool) -> list[int]:
        """The turns, a line each."""
        open_turn = messages[-1]["content"] if go_on else ""
        closed = messages[:-1] if go_on else messages
        lines = "".join(f"{one['role']}: {one['content']}\n" for one in closed)
        return [*self.encode(f"{lines}assistant:"), *self.encode(open_turn and f" {open_turn}")]

    def piece(self, token: int) -> str:
        """The word."""
        return self._pieces[token]

    def given(self, ids: Sequence[int]) -> list[float]:
        """The table's numbers for the words of the answer that the text ends with."""
        known = self._answer_begun(ids)
        row = self._row(ids)[: len(known)]
        return [*[-1.0] * (len(ids) - 1 - len(row)), *(float(value) for value in row)]

    def following(self, ids: Sequence[int]) -> Next:
        """The answer's next word or its end, and words that nobody says."""
        answer, place = self._answer(ids), len(self._answer_begun(ids))
        names = [answer[place] if place < len(answer) else END, " ?", " !", " -"]
        value = float(self._row(ids)[place]) if place < len(answer) else -0.5
        return np.asarray([self._id(name) for name in names]), np.asarray([value, *[UNLIKELY] * 3])

    def _id(self, piece: str) -> int:
        with self._lock:
            if piece not in self._ids:
                self._ids[piece] = len(self._pieces)
                self._pieces.append(piece)
            return self._ids[piece]

    def _text(self, ids: Sequence[int]) -> str:
        return "".join(self._pieces[token] for token in ids)

    def _trace(self, ids: Sequence[int]) -> Trace | None:
        text = self._text(ids)
        return next((one for one in self._traces if self._style.question_line(one.query) in text), None)

    def _answer(self, ids: Sequence[int]) -> list[str]:
        """The words of the trace's answer, each with a blank before it."""
        trace = self._trace(ids)
        if trace is None:
            return [f" {word}" for word in STRANGER_WORDS]
        text = trace.answer or self._generator.generate(Request(trace.id, "passages", (), ()), 1).text
        return [f" {word}" for word in text.split()]

    def _answer_begun(self, ids: Sequence[int]) -> list[str]:
        """The longest beginning of the answer that the text ends with."""
        words = [self._pieces[token].strip() for token in ids]
        answer = [word.strip() for word in self._answer(ids)]
        lengths = (count for count in range(len(answer), 0, -1) if words[-count:] == answer[:count])
        return answer[: next(lengths, 0)]

    def _row(self, ids: Sequence[int]) -> NDArray[np.float32]:
        trace, text = self._trace(ids), self._text(ids)
        if trace is None:
            return np.asarray(STRANGER_VALUES, np.float32)
        places = {one.id: text.find(one.text.strip()) for one in trace.context_passages}
        present = sorted((name for name, place in places.items() if place >= 0), key=places.__getitem__)
        players = tuple(Segment(name, (), name) for name in present)
        game = "passages" if self._style.instruction in text else "closed_book"
        answer = "".join(self._answer(ids)).strip()
        token_ids, spans = self._generator.encode_target(trace.id, answer)
        target = Target("answer", "recorded", answer, token_ids, spans)
        request = Request(trace.id, game, players if game == "passages" else (), (target,))
        return self._generator.score([request])[0].logprobs["answer"]


def starts(pieces: Sequence[str]) -> list[int]:
    """Where each piece begins in the text that they spell together."""
    return list(accumulate((len(piece) for piece in pieces), initial=0))[:-1]
