"""Errors that a person can act on; each message is one sentence.

BoresightError          exit code 2 unless said otherwise
+-- InputError          the traces are wrong: names file, line and fix
+-- SpecError           an option or a resumed run contradicts itself
+-- ModelError          a model cannot be found, loaded or trusted
+-- WindowError         prompt and target do not fit the model's window
+-- ScoringError        one trace could not be scored; the run goes on (exit code 3)
    +-- CallError       a call to an endpoint failed for good; its values are missing, the trace goes on
"""

from __future__ import annotations


class BoresightError(Exception):
    """Base of every error that Boresight raises on purpose."""


class InputError(BoresightError):
    """The input cannot be read as traces."""


class SpecError(BoresightError):
    """Options that cannot hold together, or a run directory made with others."""


class ModelError(BoresightError):
    """A model or its weights are missing, unfit or unsound."""


class WindowError(BoresightError):
    """Prompt and target are longer than the model's window."""


class ScoringError(BoresightError):
    """The generator gave no value for a request of one trace."""


class CallError(ScoringError):
    """A call to an endpoint gave no usable answer, however often it was tried; another may."""
