"""`boresight measures`: the catalogue."""

from __future__ import annotations

from boresight.cli.app import app, print_json
from boresight.cli.options import (
    Json,
)


@app.command()
def measures(
    json: Json = False,
) -> None:
    r"""List every measure: name, unit, range, what it needs, formula and source.

    \b
    Example:
      boresight measures --json
    """
    from boresight.measure.registry import catalogue
    from boresight.report.catalogue import measures_table
    from boresight.report.text import console

    entries = catalogue()
    if json:
        print_json({"measures": entries})
    else:
        console().print(measures_table(entries))
