"""Lines over capacity, one panel for each trace and configuration: what several figures are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from larder_analysis.figures.drawing import Entry, pages, series_entries
from larder_analysis.figures.scales import axis_inches, capacity_axis, capacity_label
from larder_analysis.style import Looks, Width

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
    """Pages of panels; series stand in the legend in the order in which the frame has them."""
    frame = plot.frame
    entries = series_entries(list(dict.fromkeys(frame["series"])), looks)
    entries += plot.extra_entries
    panels = list(dict.fromkeys(frame["panel"]))
    figures = []
    height = 1.45 if len(panels) > width.columns else 1.9
    for figure, areas in pages(panels, width, height, entries):
        for name, axes in areas:
            _draw_panel(axes, frame[frame["panel"] == name], plot, looks)
            if plot.finish is not None:
                plot.finish(name, axes)
        figure.supylabel(plot.y_label, fontsize=6.5)
        figure.supxlabel(capacity_label(set(frame["unit"])), fontsize=6.5)
        figures.append(figure)
    return figures


def _draw_panel(axes: Axes, panel: pd.DataFrame, plot: LinePlot, looks: Looks) -> None:
    if plot.zero_line:
        axes.axhline(0, color="black", linewidth=0.5, zorder=1)
    for series, curve in panel.groupby("series", sort=False):
        look = looks[str(series)]
        every = max(1, len(curve) // _MOST_MARKERS)
        axes.plot(curve["x"], curve["value"], markevery=every, label=str(series), **look.line())
        if "low" in curve and (curve["high"] > curve["low"]).any():
            axes.fill_between(
                curve["x"], curve["low"], curve["high"], color=look.color, alpha=0.2, linewidth=0
            )
    unit = str(panel["unit"].iloc[0])
    capacity_axis(axes, panel["x"].min(), panel["x"].max(), unit, axis_inches(axes, 0.35))
    axes.margins(y=0.06)


def in_order(frame: pd.DataFrame, column: str = "value") -> pd.DataFrame:
    """Rows with series sorted by their mean, smallest first, and panels as they were."""
    means = frame.groupby("series")[column].mean().sort_values(kind="stable")
    order = frame["series"].map({name: place for place, name in enumerate(means.index)})
    return (
        frame.assign(_order=order)
        .sort_values(["_order", "x"], kind="stable")
        .drop(columns="_order")
    )
