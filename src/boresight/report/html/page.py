"""From the data of a run to one HTML file that needs nothing else: styles, scripts and data stand inside.

Nothing of a trace ever becomes markup. The data is JSON in a block that browsers do not run, in which no
``<`` occurs; the page makes its elements from it with ``createElement`` and ``textContent`` alone, and its
content policy lets no other script run and nothing be fetched.
"""

from __future__ import annotations

import base64
import hashlib
import json
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from boresight.errors import SpecError
from boresight.report.html.data import report_data
from boresight.store.files import write_bytes

if TYPE_CHECKING:
    from pathlib import Path

ASSETS = files("boresight.report.html") / "assets"
STYLES = ("theme.css", "layout.css", "media.css", "trace.css", "funnel.css", "saliency.css")
SCRIPTS = (
    "dom.js", "data.js", "charts.js", "overview.js", "list.js", "trace.js", "answer.js", "streams.js",
    "whatif.js", "pairs.js", "funnel.js", "saliency.js", "asked.js", "looks.js", "answers.js",
    "provenance.js", "theme.js", "main.js",
)  # fmt: skip

HOLDS_TEXTS = "This file contains the texts of the traces: questions, passages and answers."
REDACTED = "This file contains ids and numbers only: the texts of the traces were left out."


def write_report(run: Path, out: Path | None = None, *, redact: bool = False) -> Path:
    """Write the report of a run as one HTML file.

    Args:
        run: The run directory.
        out: The file; ``report.html`` in the run directory by default.
        redact: Whether every text of the traces is left out, so that ids and numbers stay.

    Returns:
        The file, private to the user.

    Raises:
        SpecError: No run lies there, or the folder of ``out`` does not exist.
    """
    goal = run / "report.html" if out is None else out
    if not goal.parent.is_dir():
        raise SpecError(f"{goal.parent} is no folder; create it, or choose another --out")
    write_bytes(goal, render(report_data(run, redact=redact)))
    return goal


def render(data: dict[str, Any]) -> bytes:
    """The page of the data, UTF-8; the same data gives the same bytes."""
    notice = REDACTED if data["redacted"] else HOLDS_TEXTS
    return assemble(data, name="report", notice=notice, styles=STYLES, scripts=SCRIPTS)


def assemble(
    data: dict[str, Any], *, name: str, notice: str, styles: tuple[str, ...], scripts: tuple[str, ...]
) -> bytes:
    """One HTML file of data, styles and scripts, UTF-8.

    Args:
        data: What the scripts show; JSON values without NaN.
        name: What the page is, behind the name of the program.
        notice: What it contains, its first line.
        styles: Names of style sheets among the assets, in their order.
        scripts: Names of scripts, in their order.
    """
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        loader=PackageLoader("boresight.report.html", "assets"),
        autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=StrictUndefined,
    )  # fmt: skip
    style, script = _joined(styles), f'(() => {{"use strict";{_joined(scripts)}}})();'
    page = environment.get_template("page.html.j2").render(
        name=name,
        notice=notice,
        style=Markup(style),  # noqa: S704 - our own files, no part of a trace
        script=Markup(script),  # noqa: S704
        style_hash=_digest(style),
        script_hash=_digest(script),
        data=Markup(embedded(data)),  # noqa: S704 - holds no `<`
    )
    return page.encode("utf-8", "backslashreplace")  # a lone surrogate becomes its JSON escape


def embedded(data: Any) -> str:
    """JSON that can stand in a script element whatever it holds.

    Raises:
        ValueError: A number is not finite.
    """
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c")


def _joined(names: tuple[str, ...]) -> str:
    return "\n" + "\n".join((ASSETS / name).read_text(encoding="utf-8").strip() for name in names) + "\n"


def _digest(text: str) -> str:
    """What the content policy compares a script or style element with."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode("ascii")
