"""Utility and harm of single passages, as the literature scores them, and where that misleads.

``contrastive.py`` GainRAG's gain, ``dig.py`` DIG, ``alone.py`` eRAG, ``abstention.py`` UDCG and the
distracting effect, ``semantic.py`` SePer; ``together.py`` tells where single passages and the whole context
disagree, ``preference.py`` where retriever and generator do. ``families.py`` declares them.
"""

from boresight.measure.gain.abstention import distracting_effect, udcg, utility
from boresight.measure.gain.alone import scores_alone
from boresight.measure.gain.contrastive import gain_of, log_perplexity
from boresight.measure.gain.dig import confidence, information_gain
from boresight.measure.gain.families import gain_families
from boresight.measure.gain.semantic import Sample, Verdict, seper_hard, seper_soft
from boresight.measure.gain.together import Standing, redundancy, standings

__all__ = [
    "Sample",
    "Standing",
    "Verdict",
    "confidence",
    "distracting_effect",
    "gain_families",
    "gain_of",
    "information_gain",
    "log_perplexity",
    "redundancy",
    "scores_alone",
    "seper_hard",
    "seper_soft",
    "standings",
    "udcg",
    "utility",
]
