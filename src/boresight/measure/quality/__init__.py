"""Is the answer right? Agreement with reference answers, by the usual rules."""

from boresight.measure.quality.normal import normal_form
from boresight.measure.quality.scores import (
    answer_recall,
    containment,
    exact_match,
    rouge_l,
    stemmed_containment,
    token_f1,
)

__all__ = [
    "answer_recall",
    "containment",
    "exact_match",
    "normal_form",
    "rouge_l",
    "stemmed_containment",
    "token_f1",
]
