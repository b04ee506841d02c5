"""Rankers of every kind behind one seam; a file a ranker.

Nothing is imported here: each ranker loads its own library on first use.
"""
