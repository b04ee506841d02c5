import numpy as np
import pytest

from boresight.explain.saliency.quadrature import RULES, gauss, gauss_sinh, riemann, rule, trapezoid


@pytest.mark.parametrize("count", [2, 3, 8])
def test_gauss_is_exact_for_polynomials_of_twice_its_size(count):
    nodes, weights = gauss(count)
    degree = 2 * count - 1
    assert weights @ nodes**degree == pytest.approx(1 / (degree + 1), abs=1e-14)


def test_two_gauss_nodes_are_those_of_the_textbook():
    assert gauss(2)[0] == pytest.approx([0.5 - 12**-0.5, 0.5 + 12**-0.5])


@pytest.mark.parametrize("name", ["gauss_sinh", "gauss", "trapezoid"])
def test_rules_integrate_a_constant_and_stay_inside(name):
    nodes, weights = rule(name, 16)
    assert weights.sum() == pytest.approx(1, abs=1e-6)
    assert nodes.min() >= 0
    assert nodes.max() <= 1


def test_the_published_sum_counts_both_ends_in_full():
    nodes, weights = riemann(3)
    assert nodes.tolist() == [0, 0.5, 1]
    assert weights @ nodes**2 == pytest.approx(1.25 / 3)  # and not 1/3
    assert trapezoid(3)[1].tolist() == [0.25, 0.5, 0.25]


def test_a_narrow_bump_in_the_middle_needs_the_sinh_map():
    def bump(t):
        return 0.1 / ((t - 0.45) ** 2 + 0.01)

    exact = np.arctan(5.5) + np.arctan(4.5)
    for made, bound in ((gauss_sinh, 1e-4), (gauss, 0.05)):
        nodes, weights = made(16)
        assert abs(weights @ bump(nodes) / exact - 1) < bound
    nodes, weights = gauss(16)
    assert abs(weights @ bump(nodes) / exact - 1) > 1e-3


def test_a_wide_map_is_the_plain_rule():
    for mapped, plain in zip(gauss_sinh(8, width=1e4), gauss(8), strict=True):
        assert mapped == pytest.approx(plain, abs=1e-6)


def test_unknown_rules_and_single_nodes_are_refused():
    with pytest.raises(ValueError, match="choose one of gauss_sinh, gauss"):
        rule("simpson", 8)
    for name in RULES:
        with pytest.raises(ValueError, match="at least 2 nodes"):
            rule(name, 1)
