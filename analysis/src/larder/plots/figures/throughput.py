"""How fast policies are simulated, and how fast real caches are."""

from __future__ import annotations

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from larder.plots.errors import NothingToDrawError
from larder.plots.figures.drawing import Drawing, Entry, numbered
from larder.plots.figures.rows import RowPlot, draw_rows, with_variants
from larder.plots.style import Looks, Width
from larder.plots.tables import Tables

_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "p")
_SIMULATED = (
    "Requests a second of the simulation, one cell in one thread. Dots are medians over capacities "
    "and repetitions, lines reach from the slowest to the fastest, ticks are single runs. It says "
    "how long an analysis takes, and nothing about a cache built of the policy."
)
_EXECUTED = (
    "Requests a second of real caches, with making and checking values; all threads together. "
    "Markers are medians over repetitions, lines reach from the slowest to the fastest, ticks are "
    "single runs."
)


def draw_simulated(tables: Tables, looks: Looks, width: Width) -> list[Drawing]:
    """Throughput of the simulator by policy."""
    frame = tables.speeds[tables.speeds["mode"] == "simulate"]
    if frame.empty:
        raise NothingToDrawError("no cell was simulated and timed")
    frame = frame.assign(place=frame["panel"], name=frame["series"])
    figures = _draw(frame, looks, width, by_speed=True)
    return numbered("throughput-simulated", figures, _SIMULATED)


def draw_executed(tables: Tables, looks: Looks, width: Width) -> list[Drawing]:
    """Throughput of real caches by cache and number of threads."""
    frame = tables.speeds[tables.speeds["mode"] == "execute"]
    if frame.empty:
        raise NothingToDrawError("no cache was executed (mode: [simulate, execute])")
    frame = frame.assign(place=frame["home"], name=with_variants(frame, threads=False))
    return numbered("throughput-executed", _draw(frame, looks, width, by_speed=False), _EXECUTED)


def _draw(frame: pd.DataFrame, looks: Looks, width: Width, by_speed: bool) -> list[Figure]:
    speeds = frame.assign(value=frame["requests_per_second"] / 1e6)
    unit = "Million"
    if speeds["value"].median() < 0.2:
        speeds["value"] *= 1e3
        unit = "Thousand"
    threads = sorted(set(speeds["threads"]))
    groups = dict(list(speeds.groupby(["place", "name"], sort=False)))
    order = list(dict.fromkeys(speeds["name"]))
    if by_speed:
        order = _fastest_first(speeds)
    rows = {
        place: [name for name in order if (place, name) in groups]
        for place in dict.fromkeys(speeds["place"])
    }

    def draw_row(axes: Axes, panel: str, row: str, y: float) -> None:
        group = groups.get((panel, row))
        if group is None:
            return
        color = looks[str(group["series"].iloc[0])].color
        for place, count in enumerate(threads):
            values = group.loc[group["threads"] == count, "value"]
            if len(values):
                offset = (place - (len(threads) - 1) / 2) * min(0.3, 0.8 / len(threads))
                _draw_values(axes, values, y + offset, color, _marker(threads, count), row)

    def finish(_: str, axes: Axes) -> None:
        axes.set_xlim(left=0)
        axes.xaxis.set_major_locator(MaxNLocator(4, steps=[1, 2, 5, 10]))

    label = f"{unit} requests per second"
    return draw_rows(RowPlot(rows, label, draw_row, finish, _entries(threads)), width)


def _fastest_first(speeds: pd.DataFrame) -> list[str]:
    """Names by their speed relative to the panel's fastest, so that no panel weighs more."""
    medians = speeds.groupby(["place", "name"])["value"].median()
    relative = medians / medians.groupby("place").transform("max")
    return list(relative.groupby("name").mean().sort_values(ascending=False, kind="stable").index)


def _draw_values(
    axes: Axes, values: pd.Series, y: float, color: str, marker: str, name: str
) -> None:
    axes.plot([values.min(), values.max()], [y, y], color=color, linewidth=0.8)
    if len(values) > 1:
        thin: dict[str, Any] = {"markersize": 2.5, "markeredgewidth": 0.4, "alpha": 0.7}
        axes.plot(values, [y] * len(values), "|", color=color, **thin)
    axes.plot([values.median()], [y], marker, color=color, markersize=3.2, label=name)


def _marker(threads: list[int], count: int) -> str:
    return _MARKERS[threads.index(count) % len(_MARKERS)]


def _entries(threads: list[int]) -> list[Entry]:
    if len(threads) == 1:
        return []
    return [
        Entry(
            f"{count} thread" if count == 1 else f"{count} threads",
            Line2D([], [], color="black", marker=_marker(threads, count), linestyle="none"),
        )
        for count in threads
    ]
