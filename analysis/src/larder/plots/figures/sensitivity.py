"""What more capacity gains: sensitivity of the hit ratio to capacity, and where it levels off."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator
from matplotlib.transforms import ScaledTranslation

from larder.plots import points as curves
from larder.plots.errors import NothingToDrawError
from larder.plots.figures.drawing import Drawing, Entry, numbered
from larder.plots.figures.lines import LinePlot, draw_lines
from larder.plots.style import Looks, Width
from larder.plots.tables import Tables

# Part of a panel's height that is kept free for the marks of knees, and the width of one of these.
_STRIP = 0.09
_TICK_POINTS = 1.7
_CAPTION = (
    "Percentage points of hit ratio that doubling the capacity gains, between each two "
    "neighbouring capacities (drawn at their geometric mean). Near zero, more capacity is wasted. "
    "Ticks at the bottom mark the knee of each policy's hit-ratio curve among the capacities there "
    "are (Kneedle, without smoothing), where it has one; those that share one stand side by side."
)


def draw(tables: Tables, looks: Looks, width: Width) -> list[Drawing]:
    """Gain in hit ratio for each doubling of the capacity."""
    frame = curves.with_several_capacities(curves.points(tables.cells, "hit_ratio"))
    if frame.empty:
        raise NothingToDrawError("no policy has two capacities to compare")
    gains = curves.gains(frame)
    gains = gains.assign(x=gains["middle"], value=gains["gain"])
    knees = knees_of(frame)

    def mark(panel: str, axes: Axes) -> None:
        _mark_knees(axes, knees[knees["panel"] == panel], looks)

    marker = Line2D([], [], color="black", marker="|", linestyle="none", markersize=5)
    entry = (Entry("knee", marker),) if len(knees) else ()
    label = "Gain (points per doubling)"
    plot = LinePlot(gains, label, mark, entry, zero_line=True)
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
    axes.set_ylim(low - _STRIP * (high - low), high)
    # The strip below the data has no values, so no ticks either.
    axes.yaxis.set_major_locator(_TicksFrom(low))
    for _, group in knees.groupby("knee"):
        for place, (_, row) in enumerate(group.iterrows()):
            # Policies with the same knee stand side by side around it, not on each other.
            points = (place - (len(group) - 1) / 2) * _TICK_POINTS
            shift = ScaledTranslation(points / 72, 0, axes.get_figure().dpi_scale_trans)
            axes.plot(
                [row["knee"]],
                [_STRIP / 2],
                transform=axes.get_xaxis_transform() + shift,
                marker="|",
                markersize=4,
                markeredgewidth=1.2,
                color=looks[str(row["series"])].color,
                linestyle="none",
                label=f"knee {row['series']}",
            )


class _TicksFrom(MaxNLocator):
    """Ticks as usual, but none below a value."""

    def __init__(self, lowest: float) -> None:
        super().__init__(nbins="auto", steps=[1, 2, 2.5, 5, 10])
        self._lowest = lowest

    def tick_values(self, vmin: float, vmax: float) -> np.ndarray:
        ticks = super().tick_values(vmin, vmax)
        return ticks[ticks >= self._lowest]
