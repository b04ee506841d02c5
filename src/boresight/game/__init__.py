"""The context game: passages are the players, the target's log-probability is the value."""

from boresight.game.context_game import ContextGame, Prompt
from boresight.game.needs import Needs
from boresight.game.table import ValueTable

__all__ = ["ContextGame", "Needs", "Prompt", "ValueTable"]
