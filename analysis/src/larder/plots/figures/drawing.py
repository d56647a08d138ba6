"""What a figure module gives back, and how its panels are laid out on pages."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from larder.plots.style import Looks, Width, label
from larder.plots.text import shown

MOST_ROWS = 5
_LEGEND_LINE = 0.125


@dataclass(frozen=True)
class Drawing:
    """A finished figure: the name of its files, and a caption that says what is to be seen."""

    name: str
    figure: Figure
    caption: str


@dataclass(frozen=True)
class Entry:
    """One line of a legend."""

    label: str
    handle: Artist


def series_entries(names: Sequence[str], looks: Looks) -> list[Entry]:
    """Legend entries that look like the lines of the series."""
    return [Entry(shown(label(name)), Line2D([], [], **looks[name].line())) for name in names]


def pages(
    panels: Sequence[str],
    width: Width,
    panel_height: float,
    entries: Sequence[Entry] = (),
    columns: int | None = None,
    labels: float = 0.35,
) -> Iterator[tuple[Figure, list[tuple[str, Axes]]]]:
    """Figures with one set of axes for each panel, at most `MOST_ROWS` rows each.

    The panel's name is the title of its axes, and the legend stands above all panels. `labels` are
    the inches that the labels at the left of a panel take.
    """
    most = columns or width.columns
    columns = min(most, len(panels))
    if len(panels) == most + 1 and most > 2:
        # Five panels are three and two, not four and one.
        columns = math.ceil(len(panels) / 2)
    per_page = columns * MOST_ROWS
    for start in range(0, len(panels), per_page):
        part = panels[start : start + per_page]
        yield _page(part, columns, width, (panel_height, labels), entries)


def _page(
    panels: Sequence[str],
    columns: int,
    width: Width,
    sizes: tuple[float, float],
    entries: Sequence[Entry],
) -> tuple[Figure, list[tuple[str, Axes]]]:
    rows = math.ceil(len(panels) / columns)
    panel_height, labels = sizes
    figure = new_figure(width, rows * panel_height, entries)
    axes = figure.subplots(rows, columns, squeeze=False).ravel()
    for unused in axes[len(panels) :]:
        unused.remove()
    longest = int((width.inches / columns - labels) / 0.055)
    for name, area in zip(panels, axes, strict=False):
        area.set_title(_title(name, max(longest, 12)))
    return figure, list(zip(panels, axes, strict=False))


def _title(name: str, longest: int) -> str:
    """The panel's name; where it is too long, what follows the trace stands in a second line."""
    trace, comma, rest = name.partition(", ")
    if len(shown(name, longest + 1)) <= longest or not comma:
        return shown(name, longest)
    return f"{shown(trace, longest)}\n{shown(rest, longest)}"


def new_figure(width: Width, height: float, entries: Sequence[Entry] = ()) -> Figure:
    """An empty figure of that width; the height grows by the lines of the legend."""
    longest = max((len(entry.label) for entry in entries), default=0)
    legend_columns = max(1, int((width.inches - 0.1) / (0.36 + 0.052 * longest)))
    legend_columns = min(legend_columns, max(1, len(entries)))
    lines = math.ceil(len(entries) / legend_columns)
    if lines:
        # Full lines: nine entries in two lines are five and four.
        legend_columns = math.ceil(len(entries) / lines)
    size = (width.inches, height + 0.2 + lines * _LEGEND_LINE)
    figure = Figure(figsize=size, layout="constrained")
    engine = figure.get_layout_engine()
    if engine is not None:
        engine.set(w_pad=0.03, h_pad=0.03, wspace=0.03, hspace=0.03)
    if entries:
        figure.legend(
            handles=[entry.handle for entry in entries],
            labels=[entry.label for entry in entries],
            loc="outside upper center",
            ncols=legend_columns,
            borderpad=0,
            borderaxespad=0.3,
        )
    return figure


def numbered(name: str, figures: Sequence[Figure], caption: str) -> list[Drawing]:
    """Drawings called `name`, or `name-1`, `name-2` ... where there are several pages."""
    if len(figures) == 1:
        return [Drawing(name, figures[0], caption)]
    return [
        Drawing(f"{name}-{page}", figure, f"{caption} Page {page} of {len(figures)}.")
        for page, figure in enumerate(figures, start=1)
    ]
