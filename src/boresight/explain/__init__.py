"""Explanations: which player carries how much of a value, and how sure we are.

:mod:`boresight.explain.shapley` holds the attributions of a context game. The function ``shapley`` is not
exported here, since it would hide that sub-package.
"""
