"""Statistics against published examples and against the libraries they come from."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from larder.plots.statistics import (
    critical_difference,
    iman_davenport,
    indistinct_groups,
    rank,
)

# Demsar, JMLR 2006, table 6: AUC of C4.5 as it is, with m, with cf, and with both tuned. The paper
# rounds the 0.9751 to 0.975 but ranks it alone; so does the test of SciPy.
DEMSAR = pd.DataFrame(
    [
        (0.763, 0.768, 0.771, 0.798),
        (0.599, 0.591, 0.590, 0.569),
        (0.954, 0.971, 0.968, 0.967),
        (0.628, 0.661, 0.654, 0.657),
        (0.882, 0.888, 0.886, 0.898),
        (0.936, 0.931, 0.916, 0.931),
        (0.661, 0.668, 0.609, 0.685),
        (0.583, 0.583, 0.563, 0.625),
        (0.775, 0.838, 0.866, 0.875),
        (1.000, 1.000, 1.000, 1.000),
        (0.940, 0.962, 0.965, 0.962),
        (0.619, 0.666, 0.614, 0.669),
        (0.972, 0.981, 0.9751, 0.975),
        (0.957, 0.978, 0.946, 0.970),
    ],
    columns=["C4.5", "C4.5+m", "C4.5+cf", "C4.5+m+cf"],
)


def test_demsar_example() -> None:
    ranking = rank(DEMSAR)
    assert ranking.mean_ranks["C4.5"] == pytest.approx(3.143, abs=5e-4)
    assert ranking.mean_ranks["C4.5+m"] == pytest.approx(2.000, abs=5e-4)
    assert ranking.mean_ranks["C4.5+cf"] == pytest.approx(2.893, abs=5e-4)
    assert ranking.mean_ranks["C4.5+m+cf"] == pytest.approx(1.964, abs=5e-4)
    # The paper has 9.28 and 3.69, without the correction for ties that SciPy makes.
    ranks = ranking.mean_ranks.to_numpy()
    plain = 12 * 14 / (4 * 5) * ((ranks**2).sum() - 4 * 25 / 4)
    assert plain == pytest.approx(9.28, abs=5e-3)
    assert iman_davenport(plain, 4, 14)[0] == pytest.approx(3.69, abs=5e-3)
    assert ranking.chi_square == pytest.approx(10.2283464566929)
    assert ranking.p_value == pytest.approx(0.0167215803284414)
    assert ranking.critical_difference == pytest.approx(1.25, abs=5e-3)


def test_friedman_example_of_scipy() -> None:
    # From the documentation of scipy.stats.friedmanchisquare: pulse before and after exercise.
    before = [72, 96, 88, 92, 74, 76, 82]
    immediately = [120, 120, 132, 120, 101, 96, 112]
    five = [76, 95, 104, 96, 84, 72, 76]
    ranking = rank(pd.DataFrame({"b": before, "i": immediately, "f": five}))
    assert ranking.chi_square == pytest.approx(10.57142857142857)
    assert ranking.p_value == pytest.approx(0.005063414171757498)


@pytest.mark.parametrize(
    ("policies", "quantile"),
    [(2, 1.960), (3, 2.343), (4, 2.569), (5, 2.728), (6, 2.850), (7, 2.949), (8, 3.031),
     (9, 3.102), (10, 3.164)],
)  # fmt: skip
def test_critical_values_of_demsar(policies: int, quantile: float) -> None:
    blocks = 25
    difference = critical_difference(policies, blocks)
    error = np.sqrt(policies * (policies + 1) / (6 * blocks))
    # Table 5 a is truncated or rounded in the third decimal.
    assert difference / error == pytest.approx(quantile, abs=1.1e-3)


def test_critical_values_at_ten_percent() -> None:
    error = np.sqrt(10 * 11 / (6 * 20))
    assert critical_difference(10, 20, 0.10) / error == pytest.approx(2.920, abs=1.1e-3)


def test_pairs_are_nemenyis() -> None:
    # scikit-posthocs 0.17.1, posthoc_nemenyi_friedman of the same table.
    pairs = rank(DEMSAR).pairs
    assert pairs.loc["C4.5", "C4.5+m+cf"] == pytest.approx(0.074184795, abs=1e-6)
    assert pairs.loc["C4.5+m", "C4.5+cf"] == pytest.approx(0.259228070, abs=1e-6)
    assert (np.diag(pairs) == 1).all()
    assert np.allclose(pairs, pairs.T)


def test_pairs_and_bars_agree() -> None:
    ranking = rank(DEMSAR, alpha=0.1)
    names = list(ranking.mean_ranks.index)
    together = {
        (a, b)
        for a in names
        for b in names
        if any({a, b} <= set(group) for group in ranking.groups)
    }
    apart = {(a, b) for a in names for b in names if ranking.pairs.loc[a, b] < 0.1}
    assert apart
    assert together | {(a, a) for a in names} == {(a, b) for a in names for b in names} - apart


def test_groups() -> None:
    ranks = pd.Series({"a": 1.0, "b": 2.0, "c": 2.5, "d": 5.0})
    assert indistinct_groups(ranks, 1.0) == (("a", "b"), ("b", "c"))
    assert indistinct_groups(ranks, 1.5) == (("a", "b", "c"),)
    assert indistinct_groups(ranks, 0.1) == ()


def test_nothing_but_ties() -> None:
    ranking = rank(pd.DataFrame({name: [0.5, 0.5, 0.5] for name in "abc"}))
    assert ranking.p_value == 1
    assert list(ranking.mean_ranks) == [2, 2, 2]
    assert ranking.groups == (("a", "b", "c"),)


def test_always_the_same_order() -> None:
    ranking = rank(pd.DataFrame({"a": [3] * 20, "b": [2] * 20, "c": [1] * 20}))
    assert list(ranking.mean_ranks) == [1, 2, 3]
    assert ranking.f_p_value == 0
    assert ranking.groups == ()


@pytest.mark.parametrize("shape", [(2, 3), (3, 2)])
def test_too_few(shape: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="three of each"):
        rank(pd.DataFrame(np.arange(6).reshape(shape)))
