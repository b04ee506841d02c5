"""Fakes, toy games and toy models, for our tests and yours.

``toy_models`` builds tiny tokenizers and causal models, ``toy_games`` builds games with known Shapley values,
and tables for ``FakeGenerator``. Nothing here needs a network; torch loads on use.
"""
