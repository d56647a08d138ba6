"""Miss-ratio curves, by requests and by bytes."""

from __future__ import annotations

from larder.plots import points as curves
from larder.plots.errors import NothingToDrawError
from larder.plots.figures.drawing import Drawing, numbered
from larder.plots.figures.lines import LinePlot, draw_lines
from larder.plots.style import Looks, Width
from larder.plots.tables import Tables

_CAPTION = (
    "{what} over cache capacity, one panel for each trace and configuration; lower is better. "
    "Bands, where there are any, are the range over seeds or, of sampled curves, the 95 % "
    "interval. Policies in black know the future: what they leave nobody can gain."
)


def draw(tables: Tables, looks: Looks, width: Width) -> list[Drawing]:
    """The miss ratio over capacity."""
    return _draw(tables, looks, width, "hit_ratio", "miss-ratio", "Miss ratio")


def draw_bytes(tables: Tables, looks: Looks, width: Width) -> list[Drawing]:
    """The byte miss ratio over capacity, where objects have sizes."""
    return _draw(tables, looks, width, "byte_hit_ratio", "byte-miss-ratio", "Byte miss ratio")


def _draw(
    tables: Tables, looks: Looks, width: Width, metric: str, name: str, what: str
) -> list[Drawing]:
    frame = curves.with_several_capacities(curves.points(tables.cells, metric))
    if frame.empty:
        sizes = " of objects with sizes" if metric == "byte_hit_ratio" else ""
        raise NothingToDrawError(f"no policy has two capacities{sizes}, which a curve needs")
    misses = frame.assign(
        x=frame["capacity"],
        value=100 * (1 - frame["value"]),
        low=(100 * (1 - frame["high"])).clip(lower=0),
        high=(100 * (1 - frame["low"])).clip(upper=100),
    )
    plot = LinePlot(misses, f"{what} (%)")
    return numbered(name, draw_lines(plot, looks, width), _CAPTION.format(what=what))
