"""Lines over capacity, one panel for each trace and configuration: what several figures are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from larder.plots.figures.drawing import Entry, pages, series_entries
from larder.plots.figures.scales import axis_inches, capacity_axis, capacity_label
from larder.plots.style import Looks, Width, is_offline

_MOST_MARKERS = 12


@dataclass(frozen=True)
class LinePlot:
    """What is drawn: a frame with panel, unit, series, x and value, and perhaps low and high."""

    frame: pd.DataFrame
    y_label: str
    finish: Callable[[str, Axes], None] | None = None
    extra_entries: tuple[Entry, ...] = ()
    zero_line: bool = False


def draw_lines(plot: LinePlot, looks: Looks, width: Width) -> list[Figure]:
    """Pages of panels, in the frame's order; in the legend the lowest line first, bounds last."""
    frame = plot.frame
    order = _best_first(frame)
    entries = series_entries(order, looks)
    entries += plot.extra_entries
    panels = list(dict.fromkeys(frame["panel"]))
    figures = []
    height = 1.45 if len(panels) > width.columns else 1.9
    for figure, areas in pages(panels, width, height, entries):
        for name, axes in areas:
            _draw_panel(axes, frame[frame["panel"] == name], plot, looks, order)
            if plot.finish is not None:
                plot.finish(name, axes)
        figure.supylabel(plot.y_label, fontsize=6.5)
        figure.supxlabel(capacity_label(set(frame["unit"])), fontsize=6.5)
        figures.append(figure)
    return figures


def _draw_panel(
    axes: Axes, panel: pd.DataFrame, plot: LinePlot, looks: Looks, order: list[str]
) -> None:
    if plot.zero_line:
        axes.axhline(0, color="black", linewidth=0.5, zorder=1)
    curves = {str(series): curve.sort_values("x") for series, curve in panel.groupby("series")}
    for series in (name for name in order if name in curves):
        look, curve = looks[series], curves[series]
        every = max(1, len(curve) // _MOST_MARKERS)
        axes.plot(curve["x"], curve["value"], markevery=every, label=series, **look.line())
        if "low" in curve and (curve["high"] > curve["low"]).any():
            axes.fill_between(
                curve["x"], curve["low"], curve["high"], color=look.color, alpha=0.2, linewidth=0
            )
    unit = str(panel["unit"].iloc[0])
    capacity_axis(axes, panel["x"].min(), panel["x"].max(), unit, axis_inches(axes, 0.35))
    axes.margins(y=0.06)


def _best_first(frame: pd.DataFrame) -> list[str]:
    """Series by their mean, smallest first: of most that is drawn here, less is better.

    Policies that know the future are bounds and no choices: they stand last.
    """
    names = frame.groupby("series")["value"].mean().sort_values(kind="stable").index
    return sorted(names, key=is_offline)
