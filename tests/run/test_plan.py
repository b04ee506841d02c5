"""The plan is a pure function of the spec and token counts."""

from dataclasses import replace

import pytest

from boresight.errors import SpecError
from boresight.game import ContextGame
from boresight.game.batches import tokens_of
from boresight.game.needs import Needs
from boresight.models.fake import FakeGenerator
from boresight.models.packing import PackedBatch, PackLimits
from boresight.models.seam import Capabilities
from boresight.run.plan import FLOOR, TracePlan, exact_cost, plan_trace, requests_of
from boresight.run.spec import RunSpec, first_difference, with_preset
from boresight.trace import trace_from_dict
from helpers import additive_table, make_trace

SPEC = RunSpec(generator="fake", traces_sha256="")
EVERYTHING = Needs(table=True, singletons=True, leave_one_out=True, closed_book=True)


def game_of(names="abc", **fields):
    table = {"*": additive_table(dict.fromkeys(names, 0.5))}
    trace = trace_from_dict(make_trace(names=tuple(names), answer="in Rome", **fields))
    return ContextGame(FakeGenerator(table), trace)


def plan(game, spec=SPEC, needs=EVERYTHING, *, has_floor=False):
    return plan_trace(game, [game.target], needs, spec, has_floor=has_floor)


def coalitions(made, game="passages"):
    return [coalition for batch in made.batches for coalition in batch.games.get(game, ())]


def test_an_exact_plan_holds_every_coalition_once():
    made = plan(game_of())
    assert (made.method, len(coalitions(made)), len(set(coalitions(made)))) == ("exact", 8, 8)


def test_the_exact_cost_is_what_the_exact_plan_costs():
    game = game_of()
    assert plan(game).tokens == exact_cost(game, game.target) == plan(game).exact_tokens


def test_only_equal_lengths_share_a_batch():
    game = game_of()
    for batch in plan(game).batches:
        lengths = {game.request(c, (game.target,)).prompt_length for c in batch.games.get("passages", ())}
        assert len(lengths) <= 1


def test_a_sampled_plan_holds_what_loo_and_gain_need():
    made = plan(game_of("abcdef"), replace(SPEC, max_tokens_per_trace=1, budget=12))
    assert made.method == "kriging"
    assert {c for c in coalitions(made) if c.count("1") == 1} == {
        "0" * i + "1" + "0" * (5 - i) for i in range(6)
    }
    assert sum(c.count("1") == 5 for c in set(coalitions(made))) == 6


def test_the_budget_counts_distinct_coalitions_with_room_for_four_pairs():
    spec = replace(SPEC, max_tokens_per_trace=1, budget=60)
    assert len(set(coalitions(plan(game_of("abcdef"), spec, Needs(table=True))))) <= 60


def test_without_need_for_a_table_the_grand_and_the_empty_coalition_suffice():
    made = plan(game_of(), needs=Needs(grand=True, closed_book=True))
    assert (made.method, sorted(coalitions(made))) == ("none", ["000", "111"])
    assert coalitions(made, "closed_book") == [""]


def test_the_floor_joins_where_numbers_are_rounded():
    made = plan(game_of(), has_floor=True)
    pairs = [batch.games["numeric_floor"] for batch in made.batches if "numeric_floor" in batch.games]
    assert len(pairs) == 7
    assert ("111", "000") in pairs


def test_a_plan_reads_back():
    made = plan(game_of(), has_floor=True)
    assert TracePlan.from_json(made.to_json()) == made


def test_exact_beyond_sixteen_passages_is_refused():
    game = ContextGame(
        FakeGenerator({"*": {"answer": "x", "closed_book": [-1.0], "values": {"": [-1.0]}}}),
        trace_from_dict(make_trace(names=tuple("abcdefghijklmnopq"), answer="x")),
    )
    with pytest.raises(SpecError, match="17 passages"):
        plan(game, replace(SPEC, exact=True))


class PackingFake(FakeGenerator):
    """A table that takes packs; its tokens are words."""

    def __init__(self, table, packs):
        super().__init__(table)
        self.packs = packs

    def capabilities(self):
        return Capabilities(packs=self.packs)


def packed(packs, names="abc"):
    """Passages of unequal lengths that share no word but the first, "Passage"."""
    passages = [
        {"id": name, "text": " ".join(f"{name}{word}" for word in range(4 + 3 * place))}
        for place, name in enumerate(names)
    ]
    trace = trace_from_dict(make_trace(passages=passages, answer="in Rome"))
    return ContextGame(PackingFake({"*": additive_table(dict.fromkeys(names, 0.5))}, packs), trace)


def test_the_exact_cost_of_a_tree_is_its_plan_but_for_words_that_passages_share():
    """Behind S, the k passages that may follow share "Passage": k - 1 words less; 2 + 1 in all for n = 3."""
    game = packed(PackLimits(10**6, 1024, 100))
    made = plan(game)
    assert made.exact_tokens == exact_cost(game, game.target) == made.tokens + 3
    whole = [game.request(coalition, (game.target,)).tokens for coalition in coalitions(made)]
    assert made.tokens < sum(whole) / 1.5


def test_small_batches_repeat_beginnings_and_the_plan_counts_them():
    game, wide = (packed(PackLimits(most, 16, 4), "abcdef") for most in (1, 10**6))
    few, one = plan(game, needs=Needs(table=True)), plan(wide, needs=Needs(table=True))
    assert len(few.batches) > len(one.batches) == 1
    assert few.tokens > one.tokens
    assert sorted(coalitions(few)) == sorted(coalitions(one))


def test_the_method_follows_from_what_the_engine_in_use_computes():
    """Between both costs: the tree affords all coalitions, the plain engine a sample."""
    tree, plain = packed(PackLimits(10**6, 1024, 100), "abcdef"), packed(None, "abcdef")
    cap = (exact_cost(tree, tree.target) + exact_cost(plain, plain.target)) // 2
    spec = replace(SPEC, max_tokens_per_trace=cap, budget=20)
    assert [plan(game, spec).method for game in (tree, plain)] == ["exact", "kriging"]


@pytest.mark.parametrize("packs", [PackLimits(60, 16, 3), PackLimits(10**6, 1024, 100)])
def test_every_planned_batch_is_scored_with_the_tokens_of_the_plan(packs):
    game = packed(packs)
    made = TracePlan.from_json(plan(game, has_floor=True).to_json())
    assert made.tokens + made.extra_tokens == sum(batch.tokens for batch in made.batches)
    for batch in made.batches:
        requests = requests_of(game, [game.target], batch)
        assert len(requests) == len(batch.rows)
        assert tokens_of(requests) == batch.tokens
        assert isinstance(requests, PackedBatch) == (FLOOR not in batch.games)


def test_the_floor_of_a_tree_scores_its_prompts_alone():
    made = plan(packed(PackLimits(10**6, 1024, 100)), has_floor=True)
    alone = [batch.games[FLOOR] for batch in made.batches if FLOOR in batch.games]
    assert {len(names) for names in alone} == {1}
    assert len(alone) == len(set(alone)) == 8


def test_a_sampled_plan_shares_beginnings_too():
    game = packed(PackLimits(10**6, 1024, 100), "abcdef")
    made = plan(game, replace(SPEC, max_tokens_per_trace=1, budget=12), Needs(table=True))
    whole = [game.request(coalition, (game.target,)).tokens for coalition in coalitions(made)]
    assert made.method == "kriging"
    assert made.tokens < 0.9 * sum(whole)


def test_explicit_settings_win_over_a_preset():
    settings = with_preset("rag-e", {"labels": "keep", "scale": None})
    assert settings == {"style": "rag-e", "labels": "keep", "scale": "probability"}


def test_an_unknown_preset_lists_the_known():
    with pytest.raises(SpecError, match="rag-e"):
        with_preset("rage", {})


@pytest.mark.parametrize(
    ("field", "value"), [("limit", 0), ("budget", 0), ("labels", "drop"), ("scale", "bits"), ("too_long", "")]
)
def test_settings_out_of_range_are_refused(field, value):
    with pytest.raises(SpecError, match=field):
        replace(SPEC, **{field: value})


def test_the_first_difference_is_named():
    other = replace(SPEC, seed=3).to_json()
    assert first_difference(SPEC.to_json(), other) == "seed was 0 and is now 3"
    assert first_difference(other, other) is None
