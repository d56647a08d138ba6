"""The critical-difference diagram: which policies rank differently, beyond chance."""

from __future__ import annotations

import math

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from larder.plots.blocks import make_blocks
from larder.plots.errors import NothingToDrawError
from larder.plots.figures.drawing import Drawing, new_figure
from larder.plots.statistics import Ranking, rank
from larder.plots.style import Looks, Width
from larder.plots.tables import Tables
from larder.plots.text import shown

_LINE = 0.15
_TOP = 0.5


def draw(
    tables: Tables, looks: Looks, width: Width, by: str = "panel", alpha: float = 0.05
) -> list[Drawing]:
    """Mean ranks on a line, with bars over policies that cannot be told apart."""
    blocks = make_blocks(tables.cells, by)
    ranking = rank(blocks.scores, alpha)
    if ranking.policies > 60:
        raise NothingToDrawError(f"{ranking.policies} policies are too many for one diagram")
    return [Drawing("ranking", _diagram(ranking, looks, width), _caption(ranking, blocks.meaning))]


def _caption(ranking: Ranking, meaning: str) -> str:
    verdict = (
        f"ranks differ (p = {ranking.p_value:.2g})"
        if ranking.p_value < ranking.alpha
        else f"ranks do not differ significantly (p = {ranking.p_value:.2g}): bars mean nothing"
    )
    return (
        f"Mean ranks of {ranking.policies} policies by hit ratio over {ranking.blocks} blocks "
        f"(a block: {meaning}); rank 1 is the best. Friedman's test says that {verdict}. "
        "Policies under one bar cannot be told apart: their mean ranks differ by less than the "
        f"critical difference of Nemenyi's test, CD = {ranking.critical_difference:.2f} at "
        f"alpha = {ranking.alpha:g} (Demsar, JMLR 2006)."
    )


def _diagram(ranking: Ranking, looks: Looks, width: Width) -> Figure:
    half = math.ceil(ranking.policies / 2)
    bars = _levels(ranking)
    below = 0.12 + 0.09 * len(bars)
    height = _TOP + below + _LINE * half
    figure = new_figure(width, height - 0.1)
    axes = figure.add_subplot()
    axes.set_axis_off()
    # One unit of y is an inch, downwards from the top.
    axes.set_ylim(height, 0)
    margin = 0.34 if not width.is_wide else 0.2
    span = ranking.policies - 1
    axes.set_xlim(1 - margin * span, ranking.policies + margin * span)
    _axis(axes, ranking)
    _difference(axes, ranking)
    for level, (first, last) in enumerate(bars):
        y = _TOP + 0.09 * (level + 1)
        axes.plot(
            [first - 0.012 * span, last + 0.012 * span],
            [y, y],
            color="black",
            linewidth=2,
            solid_capstyle="butt",
            label="not told apart",
        )
    _names(axes, ranking, looks, half, below, margin * span)
    return figure


def _axis(axes: Axes, ranking: Ranking) -> None:
    axes.plot([1, ranking.policies], [_TOP, _TOP], color="black", linewidth=0.6)
    step = max(1, round(ranking.policies / 12))
    for place in range(1, ranking.policies + 1, step):
        axes.plot([place, place], [_TOP - 0.04, _TOP], color="black", linewidth=0.6)
        axes.text(place, _TOP - 0.06, str(place), ha="center", va="bottom", fontsize=6)
    axes.text((1 + ranking.policies) / 2, 0.02, _test(ranking), ha="center", va="top", fontsize=6)


def _test(ranking: Ranking) -> str:
    p_value = "p < 0.001" if ranking.p_value < 0.001 else f"p = {ranking.p_value:.3f}"
    return (
        f"Friedman χ² = {ranking.chi_square:.1f}, {p_value}, {ranking.blocks} blocks; "
        "mean rank, 1 is best"
    )


def _difference(axes: Axes, ranking: Ranking) -> None:
    y = 0.25
    # Wider than the axis where little can be told apart: then it is cut, and says so.
    end = min(1 + ranking.critical_difference, ranking.policies)
    axes.plot([1, end], [y, y], color="black", linewidth=0.8, label="critical difference")
    for x in (1, end):
        axes.plot([x, x], [y - 0.025, y + 0.025], color="black", linewidth=0.8)
    cut = " (longer than the axis)" if end < 1 + ranking.critical_difference else ""
    text = f" CD = {ranking.critical_difference:.2f}{cut}"
    if cut:
        axes.text((1 + end) / 2, y - 0.01, text.strip(), ha="center", va="bottom", fontsize=6)
    else:
        axes.text(end, y, text, ha="left", va="center", fontsize=6)


def _levels(ranking: Ranking) -> list[tuple[float, float]]:
    return [
        (float(ranking.mean_ranks[list(group)].min()), float(ranking.mean_ranks[list(group)].max()))
        for group in ranking.groups
    ]


def _names(
    axes: Axes, ranking: Ranking, looks: Looks, half: int, below: float, margin: float
) -> None:
    """The better half on the left, best on top; the others on the right, worst on top."""
    ordered = list(ranking.mean_ranks.items())
    left, right = ordered[:half], ordered[half:][::-1]
    for side, part in ((-1, left), (1, right)):
        end = 1 - 0.06 * margin if side < 0 else ranking.policies + 0.06 * margin
        for place, (name, value) in enumerate(part):
            y = _TOP + below + _LINE * (place + 0.5)
            look = looks[str(name)]
            axes.plot([value, value, end], [_TOP, y, y], color=look.color, linewidth=0.7)
            line = look.line() | {"linestyle": "none", "label": str(name)}
            axes.plot([value], [_TOP], clip_on=False, zorder=3, **line)
            text = f"{shown(str(name), 16)} {value:.2f}"
            if side > 0:
                text = f"{value:.2f} {shown(str(name), 16)}"
            align = "right" if side < 0 else "left"
            axes.text(end + side * 0.03 * margin, y, text, ha=align, va="center", fontsize=6)
