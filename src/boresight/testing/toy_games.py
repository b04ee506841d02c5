"""Games whose Shapley values are known in closed form, and tables that let a fake generator play them."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

Coalitions = NDArray[np.bool_]  # shape (m, n)
Values = NDArray[np.float64]  # shape (m,)


@dataclass(frozen=True, slots=True)
class ToyGame:
    """A value function and the Shapley values that it has.

    Attributes:
        name: What the game is about.
        players: Number of players.
        value: Maps coalitions, bool (m, n), to values, float (m,).
        shapley: Shapley value of each player, in the same unit.
    """

    name: str
    players: int
    value: Callable[[Coalitions], Values]
    shapley: tuple[float, ...]


def additive(weights: Sequence[float]) -> ToyGame:
    """Every player adds its own weight, whoever else is there."""
    return ToyGame("additive", len(weights), _weighted(weights), tuple(float(weight) for weight in weights))


def constant(players: int, value: float = 0.0) -> ToyGame:
    """Nothing matters: every attribution is 0."""
    return ToyGame("constant", players, lambda z: np.full(len(z), value), (0.0,) * players)


def duplicate_pair(players: int, gain: float = 1.0) -> ToyGame:
    """The first two players hold the same fact: either one is enough, so each has half the credit."""
    _require_two(players)
    shapley = (gain / 2, gain / 2, *(0.0,) * (players - 2))
    return ToyGame("duplicate pair", players, _rewarded(lambda z: z[:, :2].any(axis=1), gain), shapley)


def two_hop(players: int, gain: float = 1.0) -> ToyGame:
    """The first two players help only together: each has half the credit, and nothing when alone."""
    _require_two(players)
    shapley = (gain / 2, gain / 2, *(0.0,) * (players - 2))
    return ToyGame("two hops", players, _rewarded(lambda z: z[:, :2].all(axis=1), gain), shapley)


def harmful(players: int, gain: float = 1.0, harm: float = 2.0) -> ToyGame:
    """The first player helps by ``gain``, the second hurts by ``harm``, the rest do nothing."""
    _require_two(players)
    weights = (gain, -harm, *(0.0,) * (players - 2))
    return ToyGame("harmful passage", players, _weighted(weights), weights)


def any_helps(players: int, gain: float = 1.0) -> ToyGame:
    """One player is as good as all: each has an equal share of the gain."""
    shapley = (gain / players,) * players
    return ToyGame("any helps", players, _rewarded(lambda z: z.any(axis=1), gain), shapley)


def _weighted(weights: Sequence[float]) -> Callable[[Coalitions], Values]:
    """The value function that adds the weights of a coalition's members."""
    added: Values = np.asarray(weights, dtype=np.float64)

    def value(coalitions: Coalitions) -> Values:
        total: Values = np.where(coalitions, added, 0.0).sum(axis=1)
        return total

    return value


def _rewarded(
    condition: Callable[[Coalitions], NDArray[np.bool_] | np.bool_], gain: float
) -> Callable[[Coalitions], Values]:
    """The value function that pays ``gain`` to coalitions that meet a condition."""

    def value(coalitions: Coalitions) -> Values:
        return np.where(condition(coalitions), np.float64(gain), np.float64(0.0))

    return value


def _require_two(players: int) -> None:
    if players < 2:  # noqa: PLR2004 - a pair
        raise ValueError(f"this game needs at least two players, got {players}")


def all_coalitions(players: int) -> Coalitions:
    """Every coalition once, shape (2^n, n), the empty one first, the grand one last."""
    numbers = np.arange(2**players)[:, None]
    return ((numbers >> np.arange(players)) & 1).astype(bool)


def fake_table(
    answer: str,
    values: Mapping[tuple[str, ...], Sequence[float]],
    *,
    closed_book: Sequence[float] | None = None,
    orders: Mapping[tuple[str, ...], Sequence[float]] | None = None,
    window: int | None = None,
) -> dict[str, Any]:
    """An entry for :class:`boresight.models.fake.FakeGenerator`.

    Args:
        answer: The answer.
        values: Token log-probabilities by tuple of passage ids, in any order.
        closed_book: Token log-probabilities without passages and without mention of them.
        orders: Token log-probabilities by tuple of passage ids in prompt order.
        window: Most words of prompt and target together.

    Returns:
        The entry, as it stands in a ``fake:`` file.
    """
    entry: dict[str, Any] = {
        "answer": answer,
        "values": {",".join(sorted(ids)): list(row) for ids, row in values.items()},
    }
    if closed_book is not None:
        entry["closed_book"] = list(closed_book)
    if orders is not None:
        entry["orders"] = {",".join(ids): list(row) for ids, row in orders.items()}
    if window is not None:
        entry["window"] = window
    return entry


def game_table(
    game: ToyGame,
    passages: Sequence[str],
    *,
    answer: str = "yes",
    closed_book: float | None = None,
    base: float | None = None,
) -> dict[str, Any]:
    """A one-token table in which passages play a toy game.

    Args:
        game: The game, in nats.
        passages: Passage ids, one per player.
        answer: The answer.
        closed_book: Log-probability in closed book; by default that of the empty coalition.
        base: What is added to every value; by default just enough to keep all log-probabilities at most -0.1.

    Returns:
        An entry for :class:`boresight.models.fake.FakeGenerator`.

    Raises:
        ValueError: If the passages are not as many as the players, or a value would be positive.
    """
    if len(passages) != game.players:
        raise ValueError(f"{game.name} has {game.players} players, got {len(passages)} passages")
    coalitions = all_coalitions(game.players)
    values = game.value(coalitions)
    shift = -0.1 - float(values.max()) if base is None else base
    if float(values.max()) + shift > 0:
        raise ValueError(f"base {base} makes a log-probability positive")
    rows = {
        tuple(passage for passage, inside in zip(passages, row, strict=True) if inside): [
            float(value) + shift
        ]
        for row, value in zip(coalitions, values, strict=True)
    }
    return fake_table(answer, rows, closed_book=[rows[()][0] if closed_book is None else closed_book])


def subsets(passages: Iterable[str]) -> list[tuple[str, ...]]:
    """Every set of passage ids once, smallest first."""
    ids = tuple(passages)
    return [chosen for size in range(len(ids) + 1) for chosen in combinations(ids, size)]
