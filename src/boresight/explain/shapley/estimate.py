"""The result of an attribution: numbers, how sure they are, and how they were made."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from boresight.explain.shapley.estimator import Floats

SHOWN_PLAYERS = 20


@dataclass(frozen=True, eq=False, repr=False)
class Estimate:
    """Attributions of the players of a game.

    Attributes:
        estimand: The quantity that the method estimates: ``shapley``, ``banzhaf``, ``leave_one_out``,
            ``lime`` or ``contextcite``.
        method: The method that was used.
        values: Float64, shape (n,) or (n, T), in the unit of the value function.
        low: Lower ends of the 95 percent interval, same shape; None when there is no interval.
        high: Upper ends of the interval; None when there is no interval.
        calls: Distinct coalitions that were evaluated, empty and grand included.
        diagnostics: ``budget``, ``seed``, ``interval`` (what it is, or why there is none), of Shapley methods
            ``efficiency_gap`` (largest difference of the summed attributions to v(N) - v(empty)), and counts
            such as ``pairs`` where sampled.
        n_players: Number of players, n.
    """

    estimand: str
    method: str
    values: Floats
    low: Floats | None
    high: Floats | None
    calls: int
    diagnostics: Mapping[str, Any]
    n_players: int

    def __repr__(self) -> str:
        tokens = f", {self.values.shape[1]} tokens" if self.values.ndim > 1 else ""
        return (
            f"<Estimate of {self.estimand} by {self.method}: "
            f"{self.n_players} players{tokens}, {self.calls:,} calls, interval: {self._interval}>"
        )

    def _repr_html_(self) -> str:
        """A small table for notebooks: one row a player, tokens summed."""
        rows = "".join(self._row(player) for player in range(min(self.n_players, SHOWN_PLAYERS)))
        hidden = self.n_players - SHOWN_PLAYERS
        more = f"<p>and {hidden:,} more players</p>" if hidden > 0 else ""
        head = "<tr><th>player</th><th>value</th><th>low</th><th>high</th></tr>"
        return f"<p>{escape(repr(self))}</p><table>{head}{rows}</table>{more}"

    @property
    def _interval(self) -> str:
        return str(self.diagnostics.get("interval", "none"))

    def _row(self, player: int) -> str:
        """One player; a sum over tokens has no interval, since the tokens' intervals do not add up."""
        ends = (self.low, self.high) if self.values.ndim == 1 else (None, None)
        numbers = [float(self.values[player].sum()), *(None if end is None else end[player] for end in ends)]
        cells = "".join(f"<td>{'' if number is None else format(number, '.4g')}</td>" for number in numbers)
        return f"<tr><td>{player}</td>{cells}</tr>"
