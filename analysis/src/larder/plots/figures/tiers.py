"""Which tier answers: hits in memory and on disk of hybrids, stacked."""

from __future__ import annotations

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from larder.plots.errors import NothingToDrawError
from larder.plots.figures.drawing import Drawing, Entry, numbered
from larder.plots.figures.rows import RowPlot, draw_rows
from larder.plots.figures.scales import capacity_text
from larder.plots.style import BLUE, ORANGE, Looks, Width
from larder.plots.tables import Tables

_CAPTION = (
    "Hit ratio by the tier that answered; the number is the sum. One panel for each trace, "
    "configuration and capacity (of the disk tier), or for each trace where every configuration "
    "has its own. Means over seeds."
)
_MEMORY: dict[str, Any] = {"facecolor": BLUE, "edgecolor": "white", "linewidth": 0.3}
_DISK: dict[str, Any] = {
    "facecolor": ORANGE,
    "edgecolor": "white",
    "linewidth": 0.3,
    "hatch": "//////",
}


def draw(tables: Tables, looks: Looks, width: Width) -> list[Drawing]:
    """Stacked bars of memory and disk hits."""
    del looks
    frame = _frame(tables.cells)
    if frame.empty:
        raise NothingToDrawError("no configuration has two tiers")
    groups = frame.groupby(["place", "name"], sort=False)[["memory", "disk"]].mean()
    rows: dict[str, list[str]] = {}
    for place, name in groups.index:
        rows.setdefault(str(place), []).append(str(name))
    widest = float((groups["memory"] + groups["disk"]).max())

    def draw_row(axes: Axes, panel: str, row: str, y: float) -> None:
        if (panel, row) not in groups.index:
            return
        memory, disk = groups.loc[(panel, row)]
        axes.barh(y, memory, height=0.7, **_MEMORY)
        axes.barh(y, disk, left=memory, height=0.7, **_DISK)
        axes.text(
            memory + disk + 0.015 * widest, y, f"{memory + disk:.1f}", va="center", fontsize=5
        )

    def finish(_: str, axes: Axes) -> None:
        axes.set_xlim(0, max(widest * 1.2, 1))
        axes.xaxis.set_major_locator(MaxNLocator(4, steps=[1, 2, 2.5, 5, 10]))
        axes.grid(visible=False, axis="y")

    entries = [Entry("memory hits", Patch(**_MEMORY)), Entry("disk hits", Patch(**_DISK))]
    plot = RowPlot(rows, "Hit ratio (%)", draw_row, finish, entries)
    return [*numbered("tiers", draw_rows(plot, width), _CAPTION)]


def _frame(cells: pd.DataFrame) -> pd.DataFrame:
    cells = cells[(cells["requests"] > 0) & cells["memory_hits"].notna()]
    hybrids = cells[cells["kind"] == "hybrid"]
    if hybrids.empty:
        return hybrids
    cells = cells[cells["home"].isin(set(hybrids["home"]))]
    capacities = cells.groupby(["home", "row"])["capacity"].transform("nunique")
    one_each = capacities.groupby(cells["home"]).transform("max") == 1
    each = cells.groupby("panel")["capacity"].transform("nunique") > 1
    together = one_each & each.groupby(cells["home"]).transform("any")
    designs = cells[together]
    designs = designs.assign(place=designs["home"], name=designs["row"])
    sweeps = cells[~together & (cells["kind"] == "hybrid")]
    sizes = [
        capacity_text(capacity, unit)
        for capacity, unit in zip(sweeps["capacity"], sweeps["unit"], strict=True)
    ]
    sweeps = sweeps.assign(place=sweeps["panel"] + ", " + pd.Series(sizes, sweeps.index, dtype=str))
    sweeps = sweeps.assign(name=sweeps["series"]).sort_values(
        ["panel", "capacity"], kind="stable", key=_plan_order
    )
    joined = pd.concat([frame for frame in (designs, sweeps) if len(frame)])
    whole = joined["requests"].astype(float)
    return joined.assign(
        memory=100 * joined["memory_hits"].astype(float) / whole,
        disk=100 * joined["disk_hits"].astype(float) / whole,
    )


def _plan_order(column: pd.Series) -> pd.Series:
    # Panels as they come, capacities by size.
    return pd.Series(pd.factorize(column)[0], column.index) if column.name == "panel" else column
