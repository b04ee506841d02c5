"""Who sees whom in a pack; computed in blocks or at once, the result is the same."""

import pytest
import torch
from transformers import AttentionInterface

from boresight.models.packing import Pack, Piece
from boresight.models.tree_attention import BLOCKED, View, by_blocks, view_of
from boresight.testing.toy_models import tiny_model

CPU = torch.device("cpu")

# 0: a b    1: c (behind 0)    2: d e (behind 0)    3: f (behind 2)
PIECES = (Piece((1, 2), 0, None), Piece((3,), 2, 0), Piece((4, 5), 2, 0), Piece((6,), 4, 2))


def rows(view):
    return [[int(seen) for seen in row] for row in view.visible]


def test_a_branch_sees_its_own_beginning_and_not_its_sibling():
    view = view_of(Pack((), (0, 1, 2, 3), ()), PIECES, CPU)
    assert rows(view) == [
        [1, 0, 0, 0, 0, 0],
        [1, 1, 0, 0, 0, 0],
        [1, 1, 1, 0, 0, 0],
        [1, 1, 0, 1, 0, 0],
        [1, 1, 0, 1, 1, 0],
        [1, 1, 0, 1, 1, 1],
    ]
    assert view.rows.tolist() == view.columns.tolist() == [0, 1, 2, 2, 3, 4]


def test_kept_pieces_stand_first_and_only_ancestors_are_seen():
    view = view_of(Pack((0, 1), (2, 3), ()), PIECES, CPU)
    assert rows(view) == [[1, 1, 0, 1, 0, 0], [1, 1, 0, 1, 1, 0], [1, 1, 0, 1, 1, 1]]
    assert (view.rows.tolist(), view.columns.tolist()) == ([2, 3, 4], [0, 1, 2, 2, 3, 4])


def test_blocks_hold_runs_that_continue_one_another_and_the_columns_they_may_see():
    view = view_of(Pack((), (0, 1, 2, 3), ()), PIECES, CPU)
    assert [(block.start, block.stop, block.columns.tolist()) for block in view.blocks] == [
        (0, 3, [0, 1, 2]),
        (3, 6, [0, 1, 3, 4, 5]),
    ]


def test_a_window_counts_positions_and_not_columns():
    """The last token stands at position 4; with 3 positions it sees 2, 3 and 4, and c at 2 is a sibling."""
    view = view_of(Pack((), (0, 1, 2, 3), ()), PIECES, CPU)
    seen = view.mask(3, torch.float32)[0, 0] == 0
    assert seen[5].tolist() == [False, False, False, True, True, True]
    assert seen[3].tolist() == [True, True, False, True, False, False]  # by columns, the first would be gone


def test_what_is_not_seen_weighs_the_least_that_the_number_format_has():
    view = view_of(Pack((), (0,), ()), PIECES, CPU)
    for dtype in (torch.float32, torch.bfloat16):
        mask = view.mask(None, dtype)
        assert (mask.dtype, mask.shape) == (dtype, (1, 1, 2, 2))
        assert mask[0, 0].tolist() == [[0, torch.finfo(dtype).min], [0, 0]]


def test_every_token_sees_itself_whatever_the_window():
    view = view_of(Pack((0,), (1, 2, 3), ()), PIECES, CPU)
    mask = view.mask(1, torch.float32)[0, 0]
    assert (mask == 0).sum(1).tolist() == [1, 1, 1, 1]
    assert mask.diagonal(2).tolist() == [0, 0, 0, 0]


@pytest.fixture
def view():
    return view_of(Pack((), (0, 1, 2, 3), ()), PIECES, CPU)


def logits(model, view):
    ids = torch.tensor([[token for piece in PIECES for token in piece.ids]])
    with torch.no_grad():
        mask = view.mask(None, torch.float32)
        return model(input_ids=ids, position_ids=view.rows[None], attention_mask=mask).logits


def test_blocks_give_what_one_masked_call_gives(view):
    model = tiny_model("llama", vocabulary=80)
    whole = logits(model, view)
    with by_blocks(model, view):
        assert model.config._attn_implementation == BLOCKED
        blocked = logits(model, view)
    assert torch.allclose(whole, blocked, atol=1e-5)


def test_blocks_alone_keep_siblings_apart(view):
    """With the mask of a plain text, the columns of each block still leave the siblings out."""
    model = tiny_model("llama", vocabulary=80)
    causal = View(view.blocks, torch.ones(6, 6, dtype=torch.bool).tril(), view.rows, view.columns)
    with by_blocks(model, view):
        blocked = logits(model, causal)
    assert torch.allclose(logits(model, view), blocked, atol=1e-5)
    assert not torch.allclose(logits(model, causal), blocked, atol=1e-2)


@pytest.mark.parametrize("implementation", ["sdpa", "eager"])
def test_the_models_own_attention_is_restored_even_after_an_error(view, implementation):
    model = tiny_model("llama", vocabulary=80)
    model.set_attn_implementation(implementation)

    def fail():
        with by_blocks(model, view):
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert model.config._attn_implementation == implementation
    assert model.model.layers[0].self_attn.config._attn_implementation == implementation


def test_eager_attention_is_left_alone(view):
    model = tiny_model("llama", vocabulary=80)
    model.set_attn_implementation("eager")
    with by_blocks(model, view):
        assert model.config._attn_implementation == "eager"


def test_a_model_that_shares_the_configuration_attends_as_ever_without_blocks(view):
    """As in another thread, where no blocks are set."""
    model = tiny_model("llama", vocabulary=80)
    ids = torch.tensor([[1, 2, 3, 4]])
    with torch.no_grad():
        before = model(input_ids=ids).logits
        with by_blocks(model, view):
            pass  # our name is known from here on
        model.set_attn_implementation(BLOCKED)
        assert torch.allclose(before, model(input_ids=ids).logits, atol=1e-5)
    assert BLOCKED in AttentionInterface()
