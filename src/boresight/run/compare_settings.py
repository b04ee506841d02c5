"""In what two runs differ, what weighs most first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

MISSING = "(not recorded)"
ORDER = ("generator", "prompt", "dtype", "retriever", "stage", "traces_sha256", "labels", "scale", "style")
"""What is named first; the other settings follow, then versions and the machine."""
LAST = ("versions", "environment")


@dataclass(frozen=True, slots=True)
class SettingDifference:
    """One field of ``run.json`` that differs.

    Attributes:
        field: Its name, parts joined by dots: ``generator.name``, ``prompt.instruction``, ``dtype``.
        first: Value in the first run, a JSON value.
        second: Value in the second run.
    """

    field: str
    first: Any
    second: Any


def setting_differences(first: Mapping[str, Any], second: Mapping[str, Any]) -> tuple[SettingDifference, ...]:
    """Compare two records of runs.

    The spellings of generator and retriever in the spec are left out where their identities are recorded: two
    paths can lead to one model.

    Args:
        first: ``run.json`` of the first run.
        second: Of the second.

    Returns:
        The fields that differ: model, prompt template, number format, retriever, traces, the other settings,
        versions, machine.
    """
    a, b = dict(_fields(first)), dict(_fields(second))
    found = [
        SettingDifference(field, a.get(field, MISSING), b.get(field, MISSING))
        for field in dict.fromkeys([*a, *b])
        if a.get(field, MISSING) != b.get(field, MISSING)
    ]
    return tuple(sorted(found, key=lambda one: _weight(one.field)))


def _fields(record: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for part in ("generator", "prompt", "retriever", *LAST):
        yield from _flat(part, record.get(part))
    for name, value in record["spec"].items():
        if name not in ("generator", "retriever") or not record.get(name):
            yield name, value


def _flat(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    if not isinstance(value, dict):
        yield name, value
        return
    for key, inner in value.items():
        yield from _flat(f"{name}.{key}", inner)


def _weight(field: str) -> int:
    """Place of the field's part in the order of importance; the sort keeps the record's order within it."""
    part = field.partition(".")[0]
    if part in LAST:
        return len(ORDER) + 1 + LAST.index(part)
    return ORDER.index(part) if part in ORDER else len(ORDER)
