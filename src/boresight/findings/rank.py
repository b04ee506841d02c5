"""Which findings come first: those that explain more of the answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from boresight.findings.types import Finding

TOP = 5


def ranked(findings: Iterable[Finding]) -> list[Finding]:
    """Findings by falling score; equal ones by kind and passages, so that the order is always the same."""
    return sorted(findings, key=lambda finding: (-finding.score, finding.kind, finding.passages))


def top_findings(findings: Iterable[Finding], most: int = TOP) -> list[Finding]:
    """The most important findings of one trace; the file holds all."""
    return ranked(findings)[:most]
