"""Measurements against other ways to do the same work; not tests."""
