"""Findings: what is wrong with one answer, or with a run, said in one sentence with the numbers it rests on.

A rule reads a :class:`Case` of stored numbers and never a model. Each family of kinds is one file;
:func:`diagnose` applies them all to a trace, :mod:`boresight.findings.run_level` and
:mod:`boresight.findings.headline` speak about a whole run.
"""

from boresight.findings.case import Case, case_from
from boresight.findings.headline import sentences
from boresight.findings.rank import ranked, top_findings
from boresight.findings.rules import KINDS, asked_kinds, diagnose
from boresight.findings.run_level import finding_rates, run_findings
from boresight.findings.types import Finding, Number

__all__ = [
    "KINDS",
    "Case",
    "Finding",
    "Number",
    "asked_kinds",
    "case_from",
    "diagnose",
    "finding_rates",
    "ranked",
    "run_findings",
    "sentences",
    "top_findings",
]
