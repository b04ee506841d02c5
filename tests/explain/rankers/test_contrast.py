import pytest
from hypothesis import given
from hypothesis import strategies as st

from boresight.errors import SpecError
from boresight.explain.contrast import contrast
from boresight.explain.parts import Explanation, Part, structural
from boresight.explain.structural import structural_explainer
from boresight.models.rankers.bm25 import Bm25Ranker
from boresight.models.rankers.maxsim import MaxSimRanker
from boresight.models.rankers.sparse import SparseRanker
from toy_encoders import dense_folder, sparse_folder

TEXTS = {"a": "red blue small", "b": "green blue", "c": ""}
tables = st.dictionaries(st.sampled_from("abcdef"), st.floats(-9, 9, width=32), max_size=6)


def explanation(passage, table):
    return structural("r", passage, sum(table.values()), [Part(key, value) for key, value in table.items()])


@pytest.fixture(params=["bm25", "sparse", "maxsim"])
def explained(request, tmp_path):
    """Explanations of three passages by each kind of ranker."""
    rankers = {
        "bm25": lambda: Bm25Ranker.fit(TEXTS),
        "sparse": lambda: SparseRanker.load(str(sparse_folder(tmp_path / "s", "small"))),
        "maxsim": lambda: MaxSimRanker.load(str(dense_folder(tmp_path / "d"))),
    }
    return structural_explainer(rankers[request.param]()).explain("red blue", TEXTS)


def test_differences_by_hand():
    found = contrast(explanation("a", {"x": 2.0, "y": 1.0}), explanation("b", {"y": 4.0, "z": 0.5}))
    assert found.margin == pytest.approx(-1.5)
    assert {one.key: one.value for one in found.differences} == {"y": -3.0, "x": 2.0, "z": -0.5}
    assert [one.key for one in found.differences] == ["y", "x", "z"]
    absent = found.differences[1]
    assert (absent.above.value, absent.below) == (2.0, None)


def test_swapping_flips_every_sign_and_nothing_else(explained):
    there, back = contrast(explained["a"], explained["b"]), contrast(explained["b"], explained["a"])
    assert there.differences
    assert [(one.key, -one.value) for one in there.differences] == [
        (one.key, one.value) for one in back.differences
    ]
    assert there.margin == -back.margin
    assert (there.above, there.below) == (back.below, back.above)


def test_differences_sum_to_the_margin(explained):
    for pair in (("a", "b"), ("a", "c"), ("b", "c")):
        assert abs(contrast(*(explained[key] for key in pair)).gap) <= 1e-9


@given(tables, tables)
def test_any_two_explanations_flip_and_sum(left, right):
    a, b = explanation("a", left), explanation("b", right)
    there, back = contrast(a, b), contrast(b, a)
    assert [(one.key, -one.value) for one in there.differences] == [
        (one.key, one.value) for one in back.differences
    ]
    assert abs(there.gap) <= 1e-9


def test_a_passage_against_itself_has_no_difference(explained):
    found = contrast(explained["a"], explained["a"])
    assert found.margin == 0
    assert all(one.value == 0 for one in found.differences)


def test_explanations_of_two_rankers_cannot_be_compared():
    other = Explanation("other", "b", "structural", 0.0, ())
    with pytest.raises(SpecError, match="only scores of one ranker can be compared"):
        contrast(explanation("a", {}), other)
