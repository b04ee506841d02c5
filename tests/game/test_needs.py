"""The union of needs is what the plan evaluates."""

from functools import reduce
from operator import or_

from boresight.game.needs import Needs


def test_a_measure_needs_nothing_but_the_answer_target_unless_it_says_so():
    assert Needs().rows == ()
    assert Needs().targets == {"answer"}


def test_the_union_holds_what_either_side_needs():
    one = Needs(table=True, targets=frozenset({"answer", "abstention"}))
    other = Needs(closed_book=True, retriever_ranks=True, targets=frozenset({"reference:0"}))
    assert one | other == one.union(other)
    assert (one | other).rows == ("table", "closed_book", "retriever_ranks")
    assert (one | other).targets == {"answer", "abstention", "reference:0"}


def test_another_target_has_no_table_unless_a_measure_asks_for_it():
    table, singles = Needs(table=True), Needs(singletons=True, targets=frozenset({"answer", "reference"}))
    assert (table | singles).tables == {"answer"}
    whole = Needs(table=True, tables=frozenset({"reference"}))
    assert (table | whole).tables == {"answer", "reference"}


def test_the_union_depends_on_neither_order_nor_repetition():
    needs = [Needs(grand=True), Needs(empty=True), Needs(singletons=True), Needs(grand=True)]
    assert (
        reduce(or_, needs) == reduce(or_, reversed(needs)) == Needs(grand=True, empty=True, singletons=True)
    )


def test_the_union_with_itself_changes_nothing():
    need = Needs(leave_one_out=True, retriever_scores=True, targets=frozenset({"abstention"}))
    assert need | need == need
