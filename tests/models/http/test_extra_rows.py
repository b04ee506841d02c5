"""Orders, references and abstention of an endpoint: what it can score is scored, what it cannot is absent."""

import pytest

import boresight as bs
from boresight.game.needs import Needs
from boresight.run import audit as auditing
from boresight.run import derive as deriving
from boresight.run.audit import make_job, plan_job

NEEDS = Needs(
    orders=True, order_answers=True, single_answers=True, abstention=True, contrastive=True, streams=True,
    singletons=True, closed_book=True, targets=frozenset({"answer", "reference"}),
)  # fmt: skip
SETTINGS = {"placebo": 0, "closed_book_answers": False}


@pytest.fixture
def seen(monkeypatch):
    """The evidence of the last audit, by trace, once measures need all of it."""
    plain, add, found = auditing.needs_of, deriving.Totals.add, {}

    def spy(totals, evidence, measured):
        found[evidence.trace] = evidence
        add(totals, evidence, measured)

    for module in (auditing, deriving):
        monkeypatch.setattr(module, "needs_of", lambda names: plain(names) | NEEDS)
    monkeypatch.setattr(deriving.Totals, "add", spy)
    return found


@pytest.fixture
def answered(trace):
    fields = {"context": trace.context, "answer": "Paris of the river", "references": ("Paris", "the river")}
    return [bs.Trace(trace.id, trace.query, trace.passages, **fields)]


@pytest.mark.parametrize("named", [True, False])
def test_orders_references_and_abstention_are_scored(opened, answered, seen, named):
    generator, server = opened(named=named)
    cost, _ = plan_job(make_job(answered, generator=generator, settings=SETTINGS))
    before = server.calls
    run = bs.audit(answered, generator=generator, max_new_tokens=6, **SETTINGS)
    assert run.failures == {}
    split = 0 if named else 4  # each generated answer is sent once more, for its tokens
    assert cost.calls + split == run.run["counts"]["calls"] == server.calls - before
    evidence = seen["q1"]
    first, second = evidence.known_orders()
    assert (first.order, second.order) == (evidence.players, evidence.players[::-1])
    assert first.value != second.value
    assert set(evidence.reference_rows()) == {"reference:0", "reference:1"}
    assert set(evidence.known_abstention()) == set(evidence.players)
    assert all(0 < value < 1 for value in evidence.known_abstention().values())
    assert set(evidence.known_single_answers()) == set(evidence.players)
    assert len(evidence.known_order_answers()) == 2
    for accessor in (evidence.known_streams, evidence.known_contrastive):
        with pytest.raises(LookupError, match="this generator shows no distributions"):
            accessor()


def test_similarities_are_no_probability_of_abstention(opened, answered, seen):
    generator, _ = opened("samples=2&max_new=8", shape="legacy", ignore_echo=True)
    bs.audit(answered, generator=generator, **SETTINGS)
    with pytest.raises(LookupError, match="this endpoint gives no log-probabilities"):
        seen["q1"].known_abstention()
    assert len(seen["q1"].known_orders()) == 2
