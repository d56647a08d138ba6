"""Latency of real caches, measured, and access times by the latency model, computed."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from larder.plots import points as curves
from larder.plots.errors import NothingToDrawError
from larder.plots.figures.drawing import Drawing, Entry, numbered
from larder.plots.figures.lines import LinePlot, draw_lines
from larder.plots.figures.rows import RowPlot, draw_rows, with_variants
from larder.plots.figures.scales import axis_inches, time_axis
from larder.plots.style import GREY, Looks, Width
from larder.plots.tables import Tables

_OPERATIONS = {
    "get": "all gets", "memory-hit": "memory hits", "disk-hit": "disk hits", "miss": "misses",
    "set": "sets", "delete": "deletes",
}  # fmt: skip
_MARKERS = {"p50": "o", "p90": "s", "p99": "D", "p999": ">"}
_LABELS = {"p50": "median", "p90": "90th", "p99": "99th", "p999": "99.9th percentile"}
_MEASURED = (
    "Latency of single operations of real caches, by what answered: median, 90th, 99th and 99.9th "
    "percentile, each the median over repetitions, on a logarithmic scale of its own for each "
    "panel. Where there were fewer than a thousand operations, the 99.9th is left out."
)
_MODELLED = (
    "Access time as the workload's latency model gives it: computed from what was found where, not "
    "measured. {what}"
)


def draw_executed(tables: Tables, looks: Looks, width: Width) -> list[Drawing]:
    """Percentiles of measured latency, a panel for each kind of operation."""
    if tables.latencies.empty:
        raise NothingToDrawError("no latencies were measured (mode: [simulate, execute])")
    frame = tables.latencies
    frame = frame.assign(name=with_variants(frame, threads=True))
    # A percentile that rests on less than one operation is the largest again.
    frame["p999"] = frame["p999"].astype(float).where(frame["count"] >= 1000)
    figures = _draw_percentiles(frame, looks, width, "Latency (log scale)", list(_MARKERS))
    return numbered("latency", figures, _MEASURED)


def draw_modelled(tables: Tables, looks: Looks, width: Width) -> list[Drawing]:
    """Mean modelled access time over capacity; percentiles for what has one capacity only."""
    cells = tables.cells[tables.cells["modelled_mean_us"].notna()]
    if cells.empty:
        raise NothingToDrawError("no workload has a latency model")
    frame = curves.points(cells, "modelled_mean_us")
    sweep = curves.with_several_capacities(frame)
    drawings = []
    if not sweep.empty:
        scale, unit = (1e-3, "ms") if sweep["value"].max() > 2000 else (1, "µs")
        times = sweep.assign(x=sweep["capacity"])
        times[["value", "low", "high"]] *= scale
        plot = LinePlot(times, f"Modelled mean access ({unit})")
        caption = _MODELLED.format(what="Mean over capacity.")
        drawings += numbered("modelled-latency", draw_lines(plot, looks, width), caption)
    alone = cells.merge(sweep[["panel", "series"]].drop_duplicates(), how="left", indicator=True)
    alone = alone[alone["_merge"] == "left_only"]
    if not alone.empty:
        drawings += _draw_designs(alone, looks, width)
    return drawings


def _draw_designs(cells: pd.DataFrame, looks: Looks, width: Width) -> list[Drawing]:
    frame = cells.assign(operation="modelled", name=cells["row"])
    for percentile in ("p50", "p90", "p99"):
        frame[percentile] = 1e3 * frame[f"modelled_{percentile}_us"]
    label = "Modelled access time (log scale)"
    figures = _draw_percentiles(frame, looks, width, label, ["p50", "p90", "p99"])
    caption = _MODELLED.format(what="Median, 90th and 99th percentile.")
    return numbered("modelled-percentiles", figures, caption)


def _draw_percentiles(
    frame: pd.DataFrame, looks: Looks, width: Width, label: str, percentiles: list[str]
) -> list[Figure]:
    several = len(set(frame["home"])) > 1
    places = frame["operation"].map(lambda name: _OPERATIONS.get(name, name))
    homes = frame["home"] + (": " + places if (places != "modelled").any() else "")
    frame = frame.assign(place=homes if several or (places == "modelled").all() else places)
    groups = frame.groupby(["place", "name"], sort=False)[percentiles].median()
    series = frame.groupby("name", sort=False)["series"].first()
    order = list(dict.fromkeys(frame["name"]))
    # All operations of a home have the same rows, so that they can be compared along a line.
    rows: dict[str, list[str]] = {}
    for home, part in frame.groupby("home", sort=False):
        names = [name for name in order if name in set(part["name"])]
        kinds = sorted(set(part["operation"]), key=[*_OPERATIONS, "modelled"].index)
        by_kind = part.drop_duplicates("operation").set_index("operation")["place"]
        rows |= {by_kind[kind]: names for kind in kinds}
        del home

    def draw_row(axes: Axes, panel: str, row: str, y: float) -> None:
        if (panel, row) not in groups.index:
            return
        values = groups.loc[(panel, row)].clip(lower=1).dropna()
        if values.empty:
            return
        color = looks[str(series[row])].color
        axes.plot([values.min(), values.max()], [y, y], color=color, linewidth=0.6)
        for percentile, value in values.items():
            face = color if percentile == "p50" else "white"
            axes.plot(
                [value],
                [y],
                _MARKERS[str(percentile)],
                color=color,
                markerfacecolor=face,
                label=f"{row} {percentile}",
            )

    def finish(panel: str, axes: Axes) -> None:
        values = groups.loc[panel].clip(lower=1)
        low, high = float(values.min().min()), float(values.max().max())
        time_axis(axes, low, high, axis_inches(axes, 0.5))

    plot = RowPlot(rows, label, draw_row, finish, _entries(percentiles))
    return draw_rows(plot, width)


def _entries(percentiles: list[str]) -> list[Entry]:
    entries = []
    for percentile in percentiles:
        face = GREY if percentile == "p50" else "white"
        marker = Line2D(
            [], [], color=GREY, marker=_MARKERS[percentile], markerfacecolor=face, linestyle="none"
        )
        label = _LABELS[percentile]
        if percentile == percentiles[-1] and not label.endswith("percentile"):
            label += " percentile"
        entries.append(Entry(label, marker))
    return entries
