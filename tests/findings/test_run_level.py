"""What is said about a whole run: rates, findings beyond chance, three sentences."""

import pytest

from boresight.findings import KINDS, Finding, finding_rates, run_findings, sentences

UNITS = {"context_gain": "nats", "warg@1.5": "index"}


def measure(name, value, low=None, high=None, *, defined=100, chance=None):
    return {
        "value": value, "low": low, "high": high, "chance": chance,
        "defined": defined, "undefined": 0, "failed": 0, "unit": UNITS.get(name, "share"),
    }  # fmt: skip


def undefined(name):
    return measure(name, None, defined=0) | {"undefined": 100}


def summary(measures=None, rates=None, **traces):
    counts = {
        "total": 100,
        "exact": 100,
        "sampled": 0,
        "closed_book_only": 0,
        "nothing_to_score": 0,
        "failed": 0,
    }
    none = finding_rates([KINDS] * 100, [])
    return {"traces": counts | traces, "measures": measures or {}, "findings": none | (rates or {})}


def found(kind, traces):
    return [Finding(trace, kind, (), "s", 1.0) for trace in traces]


def rate(kind, traces, of=100):
    return {kind: finding_rates([[kind]] * of, found(kind, map(str, range(traces))))[kind]}


def test_a_rate_counts_traces_once_and_only_those_that_were_asked():
    findings = [*found("twins", ["t1", "t1", "t2"]), Finding(None, "twins", (), "s", 1.0)]
    rates = finding_rates([["twins"], ["twins"], ["twins", "from_memory"], ["twins"], []], findings)
    assert (rates["twins"]["traces"], rates["twins"]["of"], rates["twins"]["value"]) == (2, 4, 0.5)
    # Wilson by hand: z^2 = 3.8415, centre 0.5, half width 1.96 * sqrt(0.0625 + 0.0600) / 1.9604.
    assert rates["twins"]["low"] == pytest.approx(0.1500, abs=1e-4)
    assert rates["twins"]["high"] == pytest.approx(0.8500, abs=1e-4)
    assert rates["harmful_passage"] == {"traces": 0, "of": 0, "value": None, "low": None, "high": None}
    assert tuple(rates) == KINDS


def test_a_finding_about_the_run_needs_its_interval_beyond_chance():
    wasted = {"wasted_retrieval@2": measure("wasted_retrieval@2", 0.55, 0.45, 0.65, chance=0.4)}
    (one,) = run_findings(summary(wasted))
    assert (one.trace, one.kind, one.remedy) == (None, "wasted_retrieval", "rerank")
    assert one.score == pytest.approx(0.15)
    assert "55 percent on 100 traces (95 percent interval 45 to 65; chance 40 percent)" in one.sentence
    wasted["wasted_retrieval@2"]["chance"] = 0.45
    assert run_findings(summary(wasted)) == []


@pytest.mark.parametrize(
    ("name", "value", "low", "high", "chance", "kinds"),
    [
        ("top1_agreement", 0.6, 0.5, 0.7, 0.2, ["with_the_retriever"]),
        ("top1_agreement", 0.1, 0.05, 0.15, 0.2, ["against_the_retriever"]),
        ("top1_agreement", 0.25, 0.15, 0.35, 0.2, []),
        ("warg@1.5", -0.3, -0.5, -0.1, 0.01, ["against_the_retriever"]),
        ("warg@1.5", 0.3, 0.1, 0.5, None, []),  # no chance level, nothing to exclude
        ("noise_distraction@2", 0.2, 0.1, 0.3, 0.4, []),  # less noise than by chance is no fault
        ("context_gain", -0.5, -0.9, -0.1, None, ["context_hurts"]),
        ("context_gain", 0.5, 0.1, 0.9, None, ["context_helps"]),
        ("context_gain", 0.5, None, None, None, []),  # one trace has no interval
    ],
)
def test_the_sides_of_chance(*, name, value, low, high, chance, kinds):
    run = summary({name: measure(name, value, low, high, chance=chance)})
    assert [finding.kind for finding in run_findings(run)] == kinds


def test_a_run_is_from_memory_when_surely_most_answers_are():
    assert [f.kind for f in run_findings(summary(rates=rate("from_memory", 80)))] == ["from_memory"]
    assert run_findings(summary(rates=rate("from_memory", 55))) == []


def test_three_sentences_of_an_ordinary_run():
    measures = {
        "context_gain": measure("context_gain", 2.5, 1.9, 3.1),
        "top1_agreement": measure("top1_agreement", 0.41, 0.33, 0.49, chance=0.2),
        "warg@1.5": measure("warg@1.5", 0.34, 0.1, 0.5, chance=0.01),
    }
    rates = rate("from_memory", 12) | rate("twins", 30) | rate("harmful_passage", 9)
    context, retriever, faults = sentences(summary(measures, rates))
    assert context == (
        "With the passages the answers are more likely than without retrieval (mean gain 2.50 nats "
        "on 100 traces, 95 percent interval 1.90 to 3.10); 12 of 100 answers gain nothing from them."
    )
    assert retriever == (
        "41 percent of the answers rest most on the retriever's first passage (100 traces, 95 percent "
        "interval 33 to 49; chance 20 percent), more than by chance; alignment of scores and use (WARG) is "
        "0.34, 95 percent interval 0.10 to 0.50."
    )
    assert faults == (
        "The most frequent finding is two passages of which one would do: 30 of 100 traces (30 percent, "
        "95 percent interval 22 to 40)."
    )


def test_alarms_push_facts_out():
    measures = {
        "context_gain": measure("context_gain", 2.5, 1.9, 3.1),
        "top1_agreement": measure("top1_agreement", 0.05, 0.01, 0.1, chance=0.2),
    }
    rates = rate("hostile_passage", 3) | rate("twins", 30)
    said = sentences(summary(measures, rates, failed=20, exact=80))
    assert said[0] == "20 of 100 traces failed and are in none of the numbers."
    assert said[1].startswith("In 3 of 100 traces a passage holds text that would steer a model")
    assert "less than by chance" in said[2]


@pytest.mark.parametrize(
    ("run", "first"),
    [
        (summary(total=0, exact=0), "This run holds no trace"),
        (summary(total=3, exact=0, failed=3), "No trace could be audited: all 3 traces failed."),
        (summary(total=1, exact=0, failed=1), "No trace could be audited: its one trace failed."),
        (summary(total=4, exact=0, nothing_to_score=4), "No passage could be judged in all 4 traces"),
        (
            summary({name: undefined(name) for name in ("context_gain", "top1_agreement", "warg@1.5")}),
            "Passages were",
        ),
    ],
)
def test_runs_without_numbers_say_so_in_three_sentences(run, first):
    said = sentences(run)
    assert len(said) == len(set(said)) == 3
    assert said[0].startswith(first)
    assert all(sentence.endswith(".") and "None" not in sentence for sentence in said)


def test_one_trace_has_no_interval_and_no_verdict_beyond_chance():
    measures = {"context_gain": measure("context_gain", 2.5, defined=1)}
    said = sentences(summary(measures, total=1, exact=1))
    assert said[1].startswith("It cannot be told whether the passages make the answers more likely")
    assert "2.50 nats on 1 trace, no interval" in said[1]
