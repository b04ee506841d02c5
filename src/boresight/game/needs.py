"""What a measure needs to be stored; the plan takes the union over the chosen measures."""

from __future__ import annotations

from dataclasses import dataclass, fields

ANSWER = frozenset({"answer"})


@dataclass(frozen=True, slots=True)
class Needs:
    """The rows that a measure reads.

    Attributes:
        table: Shapley rows: all coalitions, or a sample of them. Holds the grand and the empty coalition.
        singletons: Every coalition of one passage.
        leave_one_out: Every coalition that lacks exactly one passage.
        grand: The coalition of all passages.
        empty: The coalition of no passage, under the same instructions.
        closed_book: The plain question without any mention of passages; not a coalition.
        orders: The context in several orders, and every order without one passage.
        order_answers: Greedy answers in some of the orders.
        contrastive: References under the contrastive mixture of each passage alone and closed book.
        abstention: The first token of the abstention string behind each passage alone.
        streams: Two next-token distributions over the answer, with passages and closed book.
        single_answers: Greedy answers with each passage alone.
        closed_book_answer: The greedy answer to the plain question.
        saliency_curves: The retriever's score of each passage while its tokens go, in several orders.
        targets: Target ids to score; ``reference`` stands for every reference.
        tables: Those of them that are scored behind every coalition that the answer is. Of the others there
            are the grand and the empty coalition, and the singletons and closed book where these are needed.
        retriever_ranks: Ranks that the retriever gave the passages of the context.
        retriever_scores: Scores that the retriever gave the passages of the context.
    """

    table: bool = False
    singletons: bool = False
    leave_one_out: bool = False
    grand: bool = False
    empty: bool = False
    closed_book: bool = False
    orders: bool = False
    order_answers: bool = False
    contrastive: bool = False
    abstention: bool = False
    streams: bool = False
    single_answers: bool = False
    closed_book_answer: bool = False
    saliency_curves: bool = False
    targets: frozenset[str] = ANSWER
    tables: frozenset[str] = ANSWER
    retriever_ranks: bool = False
    retriever_scores: bool = False

    def union(self, other: Needs) -> Needs:
        """Everything that either of the two needs."""
        return Needs(
            **{field.name: getattr(self, field.name) | getattr(other, field.name) for field in fields(self)}
        )

    __or__ = union

    @property
    def rows(self) -> tuple[str, ...]:
        """Names of the needs that are set, targets aside, in the order in which they are declared."""
        return tuple(field.name for field in fields(self) if getattr(self, field.name) is True)
