"""Lines that grow, one a trace, so that a killed benchmark goes on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from boresight.models.registry import load_generator

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from boresight.models.seam import Generator

DATA = Path(__file__).parents[1] / "data"
SHARED = Path(__file__).parents[3] / "shared" / "data"
MODEL = "pypi:smollm2-135m-instruct"


def generator(dtype: str) -> Generator:
    """SmolLM2 on one thread."""
    return load_generator(MODEL, dtype=dtype, threads=1)


def records(name: str) -> Iterator[dict[str, Any]]:
    """The records of a data set."""
    with (SHARED / name / "traces.jsonl").open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


class Lines:
    """A file of lines with a key each.

    Args:
        name: Its name under ``benchmarks/data``.
        whole: Whether a line holds all that is measured today; others count as not there.
    """

    def __init__(self, name: str, whole: Callable[[dict[str, Any]], bool]) -> None:
        self._path = DATA / name
        self._path.parent.mkdir(exist_ok=True)
        text = self._path.read_text(encoding="utf-8") if self._path.exists() else ""
        self.known = {one["key"]: one for one in map(json.loads, text.splitlines()) if whole(one)}

    def add(self, key: str, line: dict[str, Any]) -> None:
        """Append a line; numbers are kept to six digits, which is beyond bf16."""
        self.known[key] = {"key": key, **_rounded(line)}
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(self.known[key]) + "\n")


def _rounded(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _rounded(one) for key, one in value.items()}
    return float(f"{value:.6g}") if isinstance(value, float) else value
