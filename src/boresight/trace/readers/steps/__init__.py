"""From the recorded steps of a pipeline to a trace; shared by span readers and live capture."""

from boresight.trace.readers.steps.assemble import assemble
from boresight.trace.readers.steps.step import Step, StepKind

__all__ = ["Step", "StepKind", "assemble"]
