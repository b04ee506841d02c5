"""Intervals and seeded draws, in one place."""
