"""Ranking policies over blocks, with significance.

As Demsar recommends (Statistical comparisons of classifiers over multiple data sets, Journal of
Machine Learning Research 7, 2006): Friedman's test, and after it Nemenyi's, whose critical
difference is what two mean ranks must differ by. The tests themselves are SciPy's.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import stats

FEWEST_POLICIES = 3
FEWEST_BLOCKS = 3
# Demsar, section 3.2.2: the chi-square approximation holds for N > 10 and k > 5, as a rule of
# thumb.
ENOUGH_BLOCKS = 10


@dataclass(frozen=True)
class Ranking:
    """What Friedman's and Nemenyi's tests say; rank 1 is the best."""

    blocks: int
    mean_ranks: pd.Series
    chi_square: float
    p_value: float
    f_statistic: float
    f_p_value: float
    alpha: float
    critical_difference: float
    pairs: pd.DataFrame
    groups: tuple[tuple[str, ...], ...]

    @property
    def policies(self) -> int:
        """How many policies were ranked."""
        return len(self.mean_ranks)


def rank(scores: pd.DataFrame, alpha: float = 0.05) -> Ranking:
    """Ranks policies (columns) within blocks (rows); a higher score is better, ties share ranks.

    Raises:
        ValueError: with fewer than three policies or blocks, or a score that is missing.
    """
    blocks, policies = scores.shape
    if policies < FEWEST_POLICIES or blocks < FEWEST_BLOCKS:
        raise ValueError(f"{policies} policies in {blocks} blocks; three of each are needed")
    if scores.isna().to_numpy().any():
        raise ValueError("a score is missing")
    ranks = scores.rank(axis=1, ascending=False)
    mean_ranks = ranks.mean().sort_values(kind="stable")
    chi_square, p_value = _friedman(scores)
    f_statistic, f_p_value = iman_davenport(chi_square, policies, blocks)
    difference = critical_difference(policies, blocks, alpha)
    return Ranking(
        blocks=blocks,
        mean_ranks=mean_ranks,
        chi_square=chi_square,
        p_value=p_value,
        f_statistic=f_statistic,
        f_p_value=f_p_value,
        alpha=alpha,
        critical_difference=difference,
        pairs=nemenyi_p_values(mean_ranks, blocks),
        groups=indistinct_groups(mean_ranks, difference),
    )


def _friedman(scores: pd.DataFrame) -> tuple[float, float]:
    if (scores.max(axis=1) == scores.min(axis=1)).all():
        # Nothing but ties: SciPy divides by zero, and there is no difference to be found.
        return 0.0, 1.0
    result = stats.friedmanchisquare(*(scores[name].to_numpy() for name in scores))
    return float(result.statistic), float(result.pvalue)


def iman_davenport(chi_square: float, policies: int, blocks: int) -> tuple[float, float]:
    """The F statistic of Iman and Davenport (1980), less conservative, and its p value."""
    rest = blocks * (policies - 1) - chi_square
    if rest <= 1e-12:
        return math.inf, 0.0
    statistic = (blocks - 1) * chi_square / rest
    p_value = stats.f.sf(statistic, policies - 1, (policies - 1) * (blocks - 1))
    return statistic, float(p_value)


def critical_difference(policies: int, blocks: int, alpha: float = 0.05) -> float:
    """By how much two mean ranks must differ to differ at level alpha (Nemenyi)."""
    quantile = stats.studentized_range.ppf(1 - alpha, policies, np.inf) / math.sqrt(2)
    return float(quantile * _rank_error(policies, blocks))


def nemenyi_p_values(mean_ranks: pd.Series, blocks: int) -> pd.DataFrame:
    """The p value of each pair of policies, corrected for all pairs (Nemenyi)."""
    ranks = mean_ranks.to_numpy(float)
    distance = np.abs(ranks[:, None] - ranks[None, :]) / _rank_error(len(ranks), blocks)
    values = stats.studentized_range.sf(distance * math.sqrt(2), len(ranks), np.inf)
    np.fill_diagonal(values, 1.0)
    clipped = np.clip(values, 0.0, 1.0)
    return pd.DataFrame(clipped, index=mean_ranks.index, columns=mean_ranks.index)


def indistinct_groups(mean_ranks: pd.Series, difference: float) -> tuple[tuple[str, ...], ...]:
    """The largest groups, of two or more, whose mean ranks lie within the difference."""
    ranks = mean_ranks.sort_values(kind="stable")
    names = [str(name) for name in ranks.index]
    values = ranks.to_numpy(float)
    groups: list[tuple[str, ...]] = []
    end_before = 0
    for start in range(len(values)):
        end = int(np.searchsorted(values, values[start] + difference + 1e-12, side="right"))
        if end - start > 1 and end > end_before:
            groups.append(tuple(names[start:end]))
        end_before = max(end_before, end)
    return tuple(groups)


def _rank_error(policies: int, blocks: int) -> float:
    return math.sqrt(policies * (policies + 1) / (6 * blocks))
