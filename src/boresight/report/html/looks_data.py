"""What the page knows of the retriever over a run: shares of its saliency, and agreement on query words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from boresight.report.html.numbers import compact_all
from boresight.report.html.words import measure_words

if TYPE_CHECKING:
    from collections.abc import Mapping

    Row = dict[str, Any]


def run_looks(about: Mapping[str, Any] | None) -> Row | None:
    """The retriever's part of ``summary.json``; None where nothing was explained.

    Args:
        about: ``retriever`` in ``summary.json``. Runs of older versions hold no control beside the shares;
            these are left out.
    """
    if not about or "stage" not in about:
        return None
    looks = about["looks"]
    alignment = [
        {"name": name, "label": measure_words(name)["label"], **summary}
        for name, summary in about["query_alignment"].items()
    ]
    kept = ("stage", "method", "kind", "passages", "failed")
    found: Row = compact_all(
        {key: about[key] for key in kept}
        | {"looks": looks if "tools" in looks else None, "alignment": alignment}
    )
    return found
