"""Measures: pure functions of stored rows; none of them calls a model."""
