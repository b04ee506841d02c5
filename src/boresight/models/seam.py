"""The generator seam: what the game asks of a language model, and nothing more.

A prompt is a sequence of :class:`Segment`; a request puts one or more :class:`Target` texts behind it. The
plain engine joins the segments, the tree engine shares them; neither changes these types or the stored rows.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from boresight.models.packing import PackLimits
    from boresight.models.prompts import PromptStyle
    from boresight.trace import Trace

TargetKind = Literal["generated", "recorded", "reference", "abstention"]
Engine = Literal["auto", "plain"]
GameName = str  # "passages", "closed_book"; later "sentences:ID", "query"

MAX_BATCH_ROWS = 16
MAX_BATCH_TOKENS = 4096


@dataclass(frozen=True, slots=True)
class Segment:
    """A run of token ids that always appears whole.

    Attributes:
        key: Stable name within the trace: ``header``, ``tail``, ``closed_book`` or ``passage:ID:LABEL``.
        ids: Token ids.
        player: Passage id if the segment is a player of the game, else None.
    """

    key: str
    ids: tuple[int, ...]
    player: str | None = None


@dataclass(frozen=True, slots=True)
class Target:
    """A fixed text whose log-probability is the value of a coalition.

    Attributes:
        id: ``answer``, ``reference:0`` and on, or ``abstention``.
        kind: Where the text comes from.
        text: The text that the tokens spell.
        token_ids: Token ids, without end-of-turn unless ``--score-end`` asked for it.
        offsets: Character span in ``text`` of each token, for display only.
        thoughts: Recorded reasoning that stands before the target in every prompt, or None.
    """

    id: str
    kind: TargetKind
    text: str
    token_ids: tuple[int, ...]
    offsets: tuple[tuple[int, int], ...]
    thoughts: str | None = None


@dataclass(frozen=True, slots=True)
class Request:
    """One prompt and the targets to score after it.

    Attributes:
        trace: Trace id (fakes look their table up by it).
        game: The game that the prompt belongs to.
        segments: The prompt, in reading order.
        targets: The targets, each scored as if it stood alone behind the prompt.
        order: Context positions of the players, in prompt order.
    """

    trace: str
    game: GameName
    segments: tuple[Segment, ...]
    targets: tuple[Target, ...]
    order: tuple[int, ...] = ()

    @property
    def prompt_ids(self) -> tuple[int, ...]:
        """All prompt token ids."""
        return tuple(token for segment in self.segments for token in segment.ids)

    @property
    def prompt_length(self) -> int:
        """Number of prompt tokens."""
        return sum(len(segment.ids) for segment in self.segments)

    @property
    def lengths(self) -> tuple[int, ...]:
        """Prompt length and target lengths; equal lengths may share a batch."""
        return (self.prompt_length, *(len(target.token_ids) for target in self.targets))

    @property
    def tokens(self) -> int:
        """Tokens that the plain engine computes: the prompt again for each target."""
        return sum(self.prompt_length + len(target.token_ids) for target in self.targets)


@dataclass(frozen=True, slots=True)
class Scored:
    """The answer to one request.

    Attributes:
        request: The request.
        logprobs: Per target id, the log-probability in nats of each target token; float32, shape (T,).
        value_kind: What the numbers are.
        lower: Per target id, lower bounds; no entry where the values are exact.
        upper: The same from above.
    """

    request: Request
    logprobs: Mapping[str, NDArray[np.float32]]
    value_kind: str = "logprob"
    lower: Mapping[str, NDArray[np.float32]] = field(default_factory=dict)
    upper: Mapping[str, NDArray[np.float32]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Generation:
    """A greedy answer.

    Attributes:
        text: Decoded text without end-of-turn.
        token_ids: Exactly the generated ids, without end-of-turn.
        finished: Whether the model ended by itself, not by the token limit.
        offsets: Character span in ``text`` of each token.
        thoughts: Reasoning that the model wrote before the answer, or None.
    """

    text: str
    token_ids: tuple[int, ...]
    finished: bool
    offsets: tuple[tuple[int, int], ...]
    thoughts: str | None = None


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What a generator can do.

    Attributes:
        scores_text: It returns log-probabilities of a given text.
        value_kind: What the returned numbers are: ``logprob``, or a kind that an endpoint allows.
        exact_repeats: The same request always gives the same numbers.
        has_floor: Its numbers carry rounding noise that a numeric floor should measure.
        packs: How large a pack may be; None for an engine that reads every prompt whole.
        any_target: It scores any text, not its recorded answer alone.
        side_by_side: Requests of any lengths that one batch may hold, since each is a call of its own; 0
            where only equal lengths share a batch.
    """

    scores_text: bool = True
    value_kind: str = "logprob"
    exact_repeats: bool = True
    has_floor: bool = True
    packs: PackLimits | None = None
    side_by_side: int = 0
    any_target: bool = True


class PromptParts(Protocol):
    """The pieces of one trace's prompts; ids are made once per piece."""

    @property
    def header(self) -> Segment:
        """What stands before the first passage."""

    @property
    def tail(self) -> Segment:
        """What stands between the last passage and the target."""

    @property
    def closed_book(self) -> Segment:
        """The whole closed-book prompt: the plain question, no mention of passages."""

    @property
    def window(self) -> int | None:
        """Most tokens that prompt and target may have together; None when there is no limit."""

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a person should know about this trace's text, such as control tokens in a passage."""

    def block(self, passage_id: str, label: int) -> Segment:
        """The segment of one passage under the given label (counted from 1)."""


class Generator(Protocol):
    """A language model, as the context game sees it. One thread uses it at a time."""

    def capabilities(self) -> Capabilities:
        """What this generator can do."""

    def describe(self) -> dict[str, Any]:
        """Identity for the record: model, revision, dtype, device, template, engine; JSON values."""

    def prepare(self, trace: Trace, style: PromptStyle, thoughts: str | None = None) -> PromptParts:
        """Tokenise the pieces of a trace's prompts."""

    def encode_target(
        self, trace_id: str, text: str, *, end: bool = False
    ) -> tuple[tuple[int, ...], tuple[tuple[int, int], ...]]:
        """Token ids and character offsets of a target text; ``end`` adds end-of-turn."""

    def generate(self, request: Request, max_new_tokens: int) -> Generation:
        """Answer the request's prompt greedily (its targets are ignored)."""

    def score(self, requests: Sequence[Request]) -> list[Scored]:
        """Score each request: packs as laid out, else equal lengths in a batch and the rest alone."""

    def score_together(self, requests: Sequence[Request]) -> list[Scored]:
        """Score requests of unequal lengths in one padded batch, to measure the numeric floor."""

    def decode(self, ids: Sequence[int]) -> str:
        """The text that the ids spell, control tokens included."""


@runtime_checkable
class Metered(Protocol):
    """A generator whose prompts are calls of its own counting, tries included."""

    @property
    def meter(self) -> Any:
        """Tells ``on_call`` of every call before it is sent."""

    @property
    def usage(self) -> Any:
        """What was spent so far; ``to_json()`` gives it as JSON values."""

    def calls_for(self, request: Request) -> int:
        """How many calls it takes to score a request, tries aside."""


def equal_length_batches(lengths: Iterable[tuple[int, ...]]) -> list[list[int]]:
    """Group requests of equal lengths; a pure function of token counts.

    Padding costs more than it saves on a CPU and changes the numbers a little, so only equal lengths share a
    batch, up to ``MAX_BATCH_ROWS`` rows and ``MAX_BATCH_TOKENS`` tokens.

    Args:
        lengths: Per request, the prompt length and each target's length.

    Returns:
        Index groups, ordered by their first member; each index appears once.
    """
    groups: list[list[int]] = []
    open_group: dict[tuple[int, ...], list[int]] = {}
    for index, shape in enumerate(lengths):
        row_tokens = shape[0] + max(shape[1:], default=0)
        room = max(1, min(MAX_BATCH_ROWS, MAX_BATCH_TOKENS // max(row_tokens, 1)))
        group = open_group.get(shape)
        if group is None or len(group) >= room:
            group = open_group[shape] = []
            groups.append(group)
        group.append(index)
    return groups
