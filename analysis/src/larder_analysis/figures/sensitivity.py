"""What more capacity gains: sensitivity of the hit ratio to capacity, and where it levels off."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from larder_analysis import points as curves
from larder_analysis.errors import NothingToDrawError
from larder_analysis.figures.drawing import Drawing, Entry, numbered
from larder_analysis.figures.lines import LinePlot, draw_lines, in_order
from larder_analysis.style import Looks, Width
from larder_analysis.tables import Tables

_CAPTION = (
    "Percentage points of hit ratio that doubling the capacity gains, between each two neighbouring "
    "capacities (drawn at their geometric mean). Near zero, more capacity is wasted. Ticks below the "
    "axis mark the knee of each policy's hit-ratio curve among the capacities there are (Kneedle, "
    "without smoothing), where it has one."
)


def draw(tables: Tables, looks: Looks, width: Width) -> list[Drawing]:
    """Gain in hit ratio for each doubling of the capacity."""
    frame = curves.with_several_capacities(curves.points(tables.cells, "hit_ratio"))
    if frame.empty:
        raise NothingToDrawError("no policy has two capacities, between which something could change")
    gains = curves.gains(frame)
    gains = gains.assign(x=gains["middle"], value=gains["gain"])
    knees = knees_of(frame)

    def mark(panel: str, axes: Axes) -> None:
        _mark_knees(axes, knees[knees["panel"] == panel], looks)

    marker = Line2D([], [], color="black", marker="|", linestyle="none", markersize=5)
    entry = (Entry("knee", marker),) if len(knees) else ()
    label = "Gain in hit ratio (points per doubling)"
    plot = LinePlot(in_order(gains), label, mark, entry, zero_line=True)
    return numbered("sensitivity", draw_lines(plot, looks, width), _CAPTION)


def knees_of(frame: pd.DataFrame) -> pd.DataFrame:
    """The knee of each panel's series, of those that have one."""
    rows = []
    for (panel, series), curve in frame.groupby(["panel", "series"], sort=False):
        knee = curves.knee(curve["capacity"].to_numpy(float), curve["value"].to_numpy(float))
        if knee is not None:
            rows.append({"panel": panel, "series": series, "knee": knee})
    return pd.DataFrame(rows, columns=["panel", "series", "knee"])


def _mark_knees(axes: Axes, knees: pd.DataFrame, looks: Looks) -> None:
    if knees.empty:
        return
    low, high = axes.get_ylim()
    step = 0.045 * (high - low)
    # Policies with the same knee stand above each other, below everything else.
    level = knees.groupby("knee").cumcount()
    axes.set_ylim(low - step * (level.max() + 1.5), high)
    for place, (_, row) in zip(level, knees.iterrows(), strict=True):
        axes.plot(
            [row["knee"]],
            [low - step * (place + 0.5)],
            marker="|",
            markersize=4,
            markeredgewidth=1.2,
            color=looks[str(row["series"])].color,
            linestyle="none",
            label=f"knee {row['series']}",
        )
