"""The one-file report: everything a person needs to read a run, in one HTML file that works offline."""

from boresight.report.html.page import write_report

__all__ = ["write_report"]
