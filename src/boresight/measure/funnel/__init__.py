"""The funnel: at which stage a good passage was lost, from the first retrieval to the citation.

``walk.py`` follows one trace, ``loss.py`` holds the rules of the kinds, ``ablation.py`` re-runs a pipeline
with one stage changed, ``by_stage.py`` compares each stage's order with what the generator uses.
"""

from boresight.measure.funnel.ablation import Ablation, Answered, Effect, ablate, retrieval_values
from boresight.measure.funnel.by_stage import StageAlignment, align_stages, summarise_alignment
from boresight.measure.funnel.derive import TraceFunnel, derive_funnel
from boresight.measure.funnel.good import Good, good_passages
from boresight.measure.funnel.pipeline import Change, Pipeline, PipelineStage, decoy, inject, recut, skip
from boresight.measure.funnel.run_level import FunnelSummary, summarise_funnel
from boresight.measure.funnel.types import LOSS_KINDS, FunnelRow, Generation, Loss, LossKind, Step
from boresight.measure.funnel.walk import funnel
from boresight.measure.funnel.words import answer_is_right

__all__ = [
    "LOSS_KINDS",
    "Ablation",
    "Answered",
    "Change",
    "Effect",
    "FunnelRow",
    "FunnelSummary",
    "Generation",
    "Good",
    "Loss",
    "LossKind",
    "Pipeline",
    "PipelineStage",
    "StageAlignment",
    "Step",
    "TraceFunnel",
    "ablate",
    "align_stages",
    "answer_is_right",
    "decoy",
    "derive_funnel",
    "funnel",
    "good_passages",
    "inject",
    "recut",
    "retrieval_values",
    "skip",
    "summarise_alignment",
    "summarise_funnel",
]
