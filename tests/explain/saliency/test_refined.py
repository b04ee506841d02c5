from dataclasses import dataclass, field

import numpy as np
import pytest

from boresight.explain.saliency.quadrature import CENTRE, WIDTH, gauss, gauss_sinh, sinh_map
from boresight.explain.saliency.refined import refined

SPAN = np.arcsinh((1 - CENTRE) / WIDTH) + np.arcsinh(CENTRE / WIDTH)


@dataclass
class Curve:
    """A line of two tokens, which share the slope of a known score as 3 to 1; counts what is asked of it."""

    score: object
    slope: object
    asked: list = field(default_factory=list)
    scored: int = 0

    def scores(self, places):
        self.scored += len(places)
        return self.score(places)

    def slopes(self, places):
        self.asked += places.tolist()
        return np.outer(self.slope(places), [0.75, 0.25])


def turn(width, place=0.4):
    """A score that climbs from about 0 to 1 within a width."""
    return Curve(
        lambda t: 0.5 + np.arctan((t - place) / width) / np.pi,
        lambda t: width / np.pi / (width**2 + (t - place) ** 2),
    )


def last(curve, counts):
    return list(refined(curve, counts))[-1]


@pytest.mark.parametrize("count", [2, 3, 16])
def test_a_bump_of_the_maps_own_shape_is_exact_with_any_number_of_nodes(count):
    own = Curve(
        None, lambda t: 1 / (SPAN * np.hypot(WIDTH, t - CENTRE))
    )  # ds/du is 1, and so is the integral
    assert last(own, (count,)).values == pytest.approx([0.75, 0.25], abs=1e-12)
    assert own.scored == 0


def test_the_map_keeps_both_ends_and_its_slope_is_its_derivative():
    assert sinh_map(np.array([0.0, 1.0]))[0] == pytest.approx([0, 1], abs=1e-12)
    inner, tiny = np.linspace(0.1, 0.9, 5), 1e-6
    rise = (sinh_map(inner + tiny)[0] - sinh_map(inner - tiny)[0]) / (2 * tiny)
    assert sinh_map(inner)[1] == pytest.approx(rise, rel=1e-6)


def test_two_cells_and_one_cut_by_hand():
    jump = Curve(lambda t: (t > 0.9) * 1.0, np.zeros_like)  # no node sees the jump: all of it is the gap
    found = list(refined(jump, (2, 4)))
    inner = [0.25, 0.75, 7 / 12, 11 / 12]  # the cell of the jump, from 1/2 to 1, keeps its middle 3/4
    assert jump.asked == pytest.approx(sinh_map(np.array(inner))[0])
    assert [(one.nodes, one.evaluations) for one in found] == [(2, 2), (4, 2 + 3 + 4)]


def test_no_gradient_is_asked_twice_and_tokens_keep_their_shares():
    curve = turn(0.01)
    found = last(curve, (16, 20, 40, 80))
    assert len(curve.asked) == len(set(curve.asked)) == found.nodes == 80
    assert found.evaluations == 80 + curve.scored
    assert found.values[0] == pytest.approx(3 * found.values[1])


@pytest.mark.parametrize("place", [0.1, 0.35, 0.4, 0.6])
def test_a_sharp_turn_anywhere_is_found_with_few_nodes(place):
    curve = turn(0.004, place)
    change = float(np.diff(curve.score(np.array([0.0, 1.0])))[0])
    misses = [abs(float(found.values.sum()) - change) for found in refined(curve, (16, 32))]
    for made in (gauss, gauss_sinh):
        places, weights = made(32)
        misses.append(abs(float(weights @ curve.slope(places)) - change))
    assert misses[1] < 0.02
    assert misses[1] < min(misses[0], misses[2])
    assert misses[2] > 0.05


def test_an_odd_number_to_add_is_rounded_down():
    assert [one.nodes for one in refined(turn(0.05), (4, 5, 7, 7))] == [4, 4, 6, 6]


def test_one_cell_is_refused():
    with pytest.raises(ValueError, match="at least 2 nodes"):
        next(refined(turn(0.1), (1, 16)))
