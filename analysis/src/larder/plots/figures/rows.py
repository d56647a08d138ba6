"""Dots in rows, one row for each policy or cache: what throughput and latency are drawn as."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator

from larder.plots.figures.drawing import MOST_ROWS, Entry, pages
from larder.plots.style import Width
from larder.plots.text import shown

ROW_HEIGHT = 0.125
_FRAME_HEIGHT = 0.34
_LONGEST_LABEL = 26
_TALLEST = 8.5
# Beyond these many letters, labels leave no room for two panels side by side in a column.
_SHORT_LABEL = 12


@dataclass(frozen=True)
class RowPlot:
    """Rows for each panel, top to bottom, and what draws one row's data at its place."""

    rows: dict[str, list[str]]
    x_label: str
    draw_row: Callable[[Axes, str, str, float], None]
    finish: Callable[[str, Axes], None]
    entries: Sequence[Entry] = ()


def draw_rows(plot: RowPlot, width: Width) -> list[Figure]:
    """Pages of panels. Labels stand at the left only, where a page's panels have the same rows."""
    split = _split(_shared(plot.rows))
    longest = max(len(shown(row, _LONGEST_LABEL)) for rows in plot.rows.values() for row in rows)
    columns = width.columns if longest <= _SHORT_LABEL else max(1, width.columns // 2)
    labels = 0.052 * longest + 0.05
    most = max(len(rows) for _, rows in split.values())
    height = _FRAME_HEIGHT + ROW_HEIGHT * most
    figures = []
    tall = max(1, int(_TALLEST / height))
    for part in _chunks(list(split), columns * min(tall, MOST_ROWS)):
        for figure, areas in pages(part, width, height, plot.entries, columns, labels):
            alike = len({tuple(split[name][1]) for name, _ in areas}) == 1
            for place, (name, axes) in enumerate(areas):
                panel, rows = split[name]
                _draw_panel(axes, panel, rows, plot)
                if alike and place % min(columns, len(areas)):
                    axes.tick_params(labelleft=False)
            figure.supxlabel(plot.x_label, fontsize=6.5)
            figures.append(figure)
    return figures


def _shared(panels: dict[str, list[str]]) -> dict[str, list[str]]:
    """The same rows in all panels, if that leaves few of them empty: then one needs labels."""
    union = list(dict.fromkeys(row for rows in panels.values() for row in rows))
    order = {row: place for rows in panels.values() for place, row in enumerate(rows)}
    most = max(len(rows) for rows in panels.values())
    if len(union) > 1.3 * most:
        return panels
    union.sort(key=lambda row: order[row])
    return dict.fromkeys(panels, union)


def _split(panels: dict[str, list[str]]) -> dict[str, tuple[str, list[str]]]:
    """Panels with more rows than a page holds, in parts."""
    most = int((_TALLEST - _FRAME_HEIGHT) / ROW_HEIGHT)
    split: dict[str, tuple[str, list[str]]] = {}
    for panel, rows in panels.items():
        parts = list(_chunks(rows, most))
        for number, part in enumerate(parts, start=1):
            title = panel if len(parts) == 1 else f"{panel} ({number} of {len(parts)})"
            split[title] = (panel, part)
    return split


def _chunks(names: list[str], size: int) -> list[list[str]]:
    return [names[start : start + size] for start in range(0, len(names), size)]


def _draw_panel(axes: Axes, panel: str, rows: list[str], plot: RowPlot) -> None:
    for place, row in enumerate(rows):
        plot.draw_row(axes, panel, row, float(place))
    plot.finish(panel, axes)
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.yaxis.set_major_locator(FixedLocator(range(len(rows))))
    axes.set_yticklabels([shown(row, _LONGEST_LABEL) for row in rows])
    axes.tick_params(axis="y", length=0)


def with_variants(frame: pd.DataFrame, threads: bool) -> pd.Series:
    """Rows' names, with the capacity and the threads where a row of a home has several of them."""
    names = frame["row"]
    homes = frame["home"]
    for column, text in (
        ("capacity_label", frame["capacity_label"]),
        ("threads", frame["threads"].map(lambda n: f"{n} thread" if n == 1 else f"{n} threads")),
    ):
        if column == "threads" and not threads:
            continue
        several = frame.groupby([homes, frame["row"]])[column].transform("nunique") > 1
        names = names.where(~several, names + ", " + text)
    return names
