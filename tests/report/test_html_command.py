"""The command that repeats a run says what was chosen, and no default."""

from boresight.measure.registry import default_measures
from boresight.report.html.command import audit_command
from boresight.run.spec import RunSpec

USUAL = tuple(str(measure) for measure in default_measures())


def spec(**settings):
    return RunSpec(generator="pypi:small", traces_sha256="00", **{"measures": USUAL, **settings}).to_json()


def test_defaults_are_left_out():
    assert audit_command(spec()) == "boresight audit TRACES.jsonl --generator pypi:small --out RUN"


def test_what_was_chosen_is_said_and_quoted():
    command = audit_command(
        spec(exact=True, seed=3, spans=("in Rome; rm",), budget=40, good=("p 1",), players=("query",)),
        by=["meta.topic"],
    )
    for part in (
        "--exact",
        "--seed 3",
        "--budget 40",
        "--span 'in Rome; rm'",
        "--good 'p 1'",
        "--players query",
        "--by meta.topic",
    ):
        assert part in command


def test_a_preset_and_chosen_measures_are_named():
    command = audit_command(spec(style="rag-e", measures=("spearman", "kendall")))
    assert "--preset rag-e" in command
    assert "--measures spearman,kendall" in command
