"""What will be scored, decided from the spec and token counts alone, before anything is spent."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from boresight.errors import WindowError
from boresight.game.batches import as_batch, cost, grouped, tokens_of
from boresight.game.coalitions import (
    all_but_one,
    all_coalitions,
    coalition_of,
    from_masks,
    singletons,
)
from boresight.game.floor import floor_pairs
from boresight.game.placebo import Placebo
from boresight.game.query_game import QUERY, QueryGame
from boresight.game.sentence_game import split_passage_of
from boresight.run.design import EXACT, NONE, choose_method, design_for
from boresight.run.query import query_coalitions
from boresight.run.split import Split, plan_splits, split_requests
from boresight.stats.random import rng_for

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from boresight.game.context_game import ContextGame
    from boresight.game.floor import FloorPair
    from boresight.game.needs import Needs
    from boresight.models.seam import Capabilities, Request, Target
    from boresight.run.spec import RunSpec

Status = Literal["score", "closed_book_only", "nothing_to_score", "failed"]

NO_COALITION = ""  # closed book is a prompt of its own, not a coalition
PASSAGES, CLOSED, FLOOR, PLACEBO = "passages", "closed_book", "numeric_floor", "placebo"


@dataclass(frozen=True, slots=True)
class Batch:
    """Prompts that are scored in one call.

    Attributes:
        games: Coalitions by game, in the order of scoring. Games are ``passages``, ``closed_book`` (whose
            coalition is the empty string), ``placebo``, and ``numeric_floor``, which is alone in its batch:
            values scored a second time, the other way; ``query``, ``sentences:ID`` and the games of
            :mod:`boresight.run.extra`, each in batches of its own.
        tokens: Tokens that the engine computes.
    """

    games: Mapping[str, tuple[str, ...]]
    tokens: int

    @property
    def calls(self) -> int:
        """Number of prompts."""
        return sum(len(coalitions) for coalitions in self.games.values())

    @property
    def rows(self) -> list[tuple[str, str]]:
        """Game and coalition of each prompt, in the order of scoring."""
        return [(game, coalition) for game, coalitions in self.games.items() for coalition in coalitions]


class Row(NamedTuple):
    """One prompt of the plan: game, coalition, and the request that scores it."""

    game: str
    coalition: str
    request: Request


@dataclass(frozen=True, slots=True)
class TracePlan:
    """The work of one trace.

    Attributes:
        trace: Trace id.
        status: What happens to the trace.
        reason: Why it is not scored in full, or None.
        method: How attributions are computed.
        players: Number of passages in the context.
        target_tokens: Tokens of each target.
        longest: Tokens of the longest prompt with its longest target.
        exact_tokens: What all coalitions of the answer would cost.
        tokens: What the planned coalitions of the answer cost.
        extra_tokens: Closed book, numeric floor and other targets.
        batches: Batches in the order of scoring.
        placebo: The guest passage of another trace, in the traces that have one.
        splits: How passages are split into sentences, and what the token cap took away from it.
    """

    trace: str
    status: Status
    method: str = NONE
    reason: str | None = None
    players: int = 0
    target_tokens: dict[str, int] = field(default_factory=dict)
    longest: int = 0
    exact_tokens: int = 0
    tokens: int = 0
    extra_tokens: int = 0
    batches: tuple[Batch, ...] = ()
    placebo: Placebo | None = None
    splits: tuple[Split, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """JSON values."""
        plain = asdict(self)
        plain["batches"] = [
            {"games": {game: list(names) for game, names in batch.games.items()}, "tokens": batch.tokens}
            for batch in self.batches
        ]
        return plain

    @classmethod
    def from_json(cls, stored: dict[str, Any]) -> TracePlan:
        """The inverse of :meth:`to_json`."""
        batches = tuple(
            Batch({game: tuple(names) for game, names in batch["games"].items()}, batch["tokens"])
            for batch in stored["batches"]
        )
        guest = stored.get("placebo")
        splits = tuple(Split(**split) for split in stored.get("splits", ()))
        return cls(**{**stored, "batches": batches, "placebo": guest and Placebo(**guest), "splits": splits})


def plan_trace(
    game: ContextGame, targets: Sequence[Target], needs: Needs, spec: RunSpec, *, has_floor: bool
) -> TracePlan:
    """Lay out the batches of one trace.

    Args:
        game: The trace's context game.
        targets: The targets to score behind every coalition; the first is the answer.
        needs: What the chosen measures read.
        spec: The run's settings.
        has_floor: Whether the generator's numbers carry rounding noise to measure.

    Raises:
        WindowError: A prompt with its target is longer than the model's window.
        SpecError: All coalitions of more than 16 passages were asked for.
    """
    scored = [target for target in targets if target.token_ids]
    n, trace_id = len(game.players), game.trace.id
    if not scored or not targets[0].token_ids:
        return TracePlan(trace_id, "nothing_to_score", reason="the answer is empty", players=n)
    check_window(game, scored)
    counts = {target.id: len(target.token_ids) for target in scored}
    able = game.generator.capabilities()
    closed = _rows(game, scored, CLOSED, [NO_COALITION])
    if n == 0:
        batches = batches_of(closed, able)
        return TracePlan(
            trace_id, "closed_book_only", reason="the context is empty", target_tokens=counts,
            longest=longest_prompt(game, scored), extra_tokens=_tokens(batches), batches=batches,
        )  # fmt: skip
    exact_tokens = exact_cost(game, scored[0])
    method = choose_method(spec, trace_id, n, exact_tokens) if needs.table else NONE
    pairs = floor_pairs(n, rng_for(spec.seed, trace_id, FLOOR)) if has_floor else []
    wanted = _coalitions(spec, trace_id, n, method, needs)
    wanted = list(dict.fromkeys([*wanted, *(pair.coalition for pair in pairs)]))
    main = batches_of(_rows(game, scored, PASSAGES, wanted) + (closed if needs.closed_book else []), able)
    answer_tokens = cost([game.request(coalition, scored[:1]) for coalition in wanted], able)
    splits = plan_splits(game, scored[0], spec)
    batches = main + _floor_batches(game, scored[0], pairs) + _second_games(game, scored, spec, splits)
    return TracePlan(
        trace_id, "score", method=method, players=n, target_tokens=counts,
        longest=longest_prompt(game, scored), exact_tokens=exact_tokens, tokens=answer_tokens,
        extra_tokens=_tokens(batches) - answer_tokens, batches=batches, splits=splits,
    )  # fmt: skip


def _second_games(
    game: ContextGame, targets: Sequence[Target], spec: RunSpec, splits: Sequence[Split]
) -> tuple[Batch, ...]:
    """The batches of the query's words and of split passages, which no other game shares."""
    played = {split.name: split.coalitions(game) for split in splits if split.sentences}
    if QUERY in spec.players:
        played = {QUERY: query_coalitions(game, targets[0], spec)} | played
    able = game.generator.capabilities()
    return tuple(
        batch
        for name, wanted in played.items()
        for batch in batches_of(_rows(game, targets, name, wanted), able)
    )


def exact_cost(game: ContextGame, target: Target) -> int:
    """Tokens of all coalitions of one target, as the engine in use computes them.

    Read whole, each passage is in half of the 2^n prompts. In the tree, passage j (from 0) continues the 2^j
    coalitions of the passages before it; beginnings that batches repeat are not counted.
    """
    n = len(game.players)
    parts = game.parts(target.thoughts)
    blocks = [len(parts.block(passage, place + 1).ids) for place, passage in enumerate(game.players)]
    header, ending = len(parts.header.ids), len(parts.tail.ids) + len(target.token_ids)
    if game.generator.capabilities().packs is None:
        return (1 << n) * (header + ending) + (sum(blocks) << n) // 2
    return header + sum(block << place for place, block in enumerate(blocks)) + (1 << n) * (ending - 1)


def longest_prompt(game: ContextGame, targets: Sequence[Target]) -> int:
    """Tokens of the longest prompt with its longest target."""
    n = len(game.players)
    request = game.request(coalition_of(range(n), n), targets) if n else game.closed_book_request(targets)
    prompts = [request.prompt_length, game.closed_book_request(targets).prompt_length]
    return max(prompts) + max((len(target.token_ids) for target in targets), default=0)


def check_window(game: ContextGame, targets: Sequence[Target], new_tokens: int = 0) -> None:
    """Refuse a prompt that does not fit, before anything is spent.

    Args:
        game: The trace's context game.
        targets: Known targets; none for an answer that is still to be generated.
        new_tokens: Room to keep for a generated answer.

    Raises:
        WindowError: Names the trace and both numbers.
    """
    window = game.parts(targets[0].thoughts if targets else None).window
    length = longest_prompt(game, targets) + new_tokens
    if window is not None and length > window:
        room = f" ({new_tokens} of them kept for the answer, --max-new-tokens)" if new_tokens else ""
        raise WindowError(
            f"trace {game.trace.id!r} needs {length} tokens for prompt and answer{room} and the model's "
            f"window holds {window}; shorten its context, or pass --too-long skip to go on without it"
        )


def _coalitions(spec: RunSpec, trace_id: str, n: int, method: str, needs: Needs) -> list[str]:
    if method == EXACT:
        return all_coalitions(n)
    if method == NONE:
        wanted = [coalition_of([], n), coalition_of(range(n), n)]
    else:
        wanted = from_masks(design_for(spec, trace_id, method, n).coalitions)
    wanted += singletons(n) if needs.singletons else []
    return wanted + (all_but_one(n) if needs.leave_one_out else [])


def batches_of(rows: Sequence[Row], able: Capabilities) -> tuple[Batch, ...]:
    """The rows in batches, grouped as the engine in use shares them."""
    groups = grouped([row.request for row in rows], able)
    return tuple(batch_of([rows[index] for index in sorted(group)], able) for group in groups)


def batch_of(rows: Sequence[Row], able: Capabilities, guests: Sequence[Row] = ()) -> Batch:
    """A batch of prompts; the guests stand last."""
    games: dict[str, list[str]] = {}
    for row in (*rows, *guests):
        games.setdefault(row.game, []).append(row.coalition)
    batch = as_batch([row.request for row in rows], able, [row.request for row in guests])
    return Batch({game: tuple(names) for game, names in games.items()}, tokens_of(batch))


def _floor_batches(game: ContextGame, target: Target, pairs: Sequence[FloorPair]) -> tuple[Batch, ...]:
    """Second scorings: padded with a shorter prompt, or alone where the table's values come from packs."""
    names: list[tuple[str, ...]] = [(pair.coalition, pair.companion) for pair in pairs]
    if game.generator.capabilities().packs is not None:
        names = [(name,) for name in dict.fromkeys(name for pair in names for name in pair)]
    tokens = [[game.request(name, (target,)).tokens for name in group] for group in names]
    return tuple(
        Batch({FLOOR: group}, len(group) * max(each)) for group, each in zip(names, tokens, strict=True)
    )


def requests_of(
    game: ContextGame, targets: Sequence[Target], batch: Batch, guest: ContextGame | None = None
) -> Sequence[Request]:
    """The batch as the generator scores it, one request a row of the plan, in its order.

    Args:
        game: The trace's game.
        targets: The targets, the answer first.
        batch: A planned batch.
        guest: The game with the placebo; needed by a batch that holds rows of it.
    """
    own = [row.request for row in rows_of(game, targets, batch)]
    guests = [guest.request(name, targets[:1]) for name in batch.games.get(PLACEBO, ()) if guest]
    if FLOOR in batch.games:
        return own
    return as_batch(own, game.generator.capabilities(), guests)


def rows_of(game: ContextGame, targets: Sequence[Target], batch: Batch) -> list[Row]:
    """The trace's own rows of a batch, those of the placebo left out."""
    own = [(name, coalitions) for name, coalitions in batch.games.items() if name != PLACEBO]
    return [row for name, coalitions in own for row in _rows(game, targets, name, coalitions)]


def _rows(game: ContextGame, targets: Sequence[Target], name: str, coalitions: Sequence[str]) -> list[Row]:
    """The rows of some coalitions of one game."""
    passage = split_passage_of(name)
    if passage is not None and coalitions:
        requests = split_requests(game, targets, passage, coalitions)
    else:
        requests = [_request(game, targets, name, coalition) for coalition in coalitions]
    return [Row(name, *pair) for pair in zip(coalitions, requests, strict=True)]


def _request(game: ContextGame, targets: Sequence[Target], name: str, coalition: str) -> Request:
    if name == QUERY:
        return QueryGame.of(game).request(coalition, targets[:1])
    if name == CLOSED:
        return game.closed_book_request(targets)
    return game.request(coalition, targets[:1] if name == FLOOR else targets)


def _tokens(batches: Sequence[Batch]) -> int:
    return sum(batch.tokens for batch in batches)
