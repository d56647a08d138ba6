"""How far each policy is from the best that is known to be possible."""

from __future__ import annotations

from larder.plots import points as curves
from larder.plots.errors import NothingToDrawError
from larder.plots.figures.drawing import Drawing, numbered
from larder.plots.figures.lines import LinePlot, draw_lines
from larder.plots.style import Looks, Width
from larder.plots.tables import Tables
from larder.plots.text import shown


def draw(tables: Tables, looks: Looks, width: Width) -> list[Drawing]:
    """Hit ratio below that of the best policy that knows the future, over capacity."""
    frame = curves.points(tables.cells, "hit_ratio")
    if not frame["offline"].astype(bool).any():
        raise NothingToDrawError("no policy that knows the future (belady) was run")
    distance = curves.with_several_capacities(curves.behind_bound(frame))
    if distance.empty:
        raise NothingToDrawError("no policy has two capacities in common with belady")
    names = ", ".join(shown(name) for name in sorted(set(distance["bound_name"])))
    plot = LinePlot(
        distance[["panel", "unit", "series"]].assign(
            x=distance["capacity"], value=distance["behind"]
        ),
        "Hit ratio below bound (points)",
        zero_line=True,
    )
    caption = (
        f"Distance to the bound ({names}; where several were run, the better at each capacity), in "
        "percentage points of hit ratio; lower is better, and zero cannot be had without knowing "
        "the future. Where sizes differ, or over two tiers, belady is a measure and not a bound: "
        "values below zero are possible."
    )
    return numbered("bound", draw_lines(plot, looks, width), caption)
