"""Which sentence a citation belongs to."""

from boresight.measure.citation import claims_of

PLAYERS = ("a", "b", "c")


def cited(text):
    return [(text[claim.start : claim.end].strip(), claim.cited) for claim in claims_of(text, PLAYERS)]


def test_a_marker_belongs_to_its_sentence():
    assert cited("She was born in Warsaw [1]. He was born in Paris [2, 3].") == [
        ("She was born in Warsaw [1].", ("a",)),
        ("He was born in Paris [2, 3].", ("b", "c")),
    ]


def test_markers_behind_the_full_stop_belong_to_the_sentence_before():
    found = cited("It is so. [1] [2] And so is that. [3]")
    assert [passages for _, passages in found] == [("a", "b"), ("c",)]


def test_a_marker_that_begins_the_answer_belongs_to_the_first_sentence():
    assert cited("[2] says so.") == [("[2] says so.", ("b",))]


def test_a_label_without_a_passage_is_unknown():
    (claim,) = claims_of("Warsaw [1, 7].", PLAYERS)
    assert (claim.cited, claim.unknown) == (("a",), (7,))


def test_the_tokens_of_a_claim_leave_its_markers_out():
    text = "So [1]. No."
    (first, second) = claims_of(text, PLAYERS)
    offsets = [(0, 2), (2, 4), (4, 5), (5, 6), (6, 7), (7, 10), (10, 11)]
    assert first.tokens(offsets) == [0, 4]
    assert second.tokens(offsets) == [5, 6]


def test_no_text_has_no_claim():
    assert claims_of(" \n", PLAYERS) == ()
