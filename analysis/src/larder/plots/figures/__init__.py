"""All figures: a new one is a module beside these and a line in `FIGURES`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from larder.plots.figures import (
    bound,
    latency,
    miss_ratio,
    ranking,
    sensitivity,
    throughput,
    tiers,
)
from larder.plots.figures.drawing import Drawing
from larder.plots.style import Looks, Width
from larder.plots.tables import Tables

DrawFigure = Callable[[Tables, Looks, Width], list[Drawing]]

FIGURES: dict[str, DrawFigure] = {
    "miss-ratio": miss_ratio.draw,
    "byte-miss-ratio": miss_ratio.draw_bytes,
    "bound": bound.draw,
    "sensitivity": sensitivity.draw,
    "ranking": ranking.draw,
    "tiers": tiers.draw,
    "throughput-simulated": throughput.draw_simulated,
    "throughput-executed": throughput.draw_executed,
    "latency": latency.draw_executed,
    "modelled-latency": latency.draw_modelled,
}


def figures(blocks: str, alpha: float) -> dict[str, DrawFigure]:
    """All figures, with the ranking's blocks and level of significance as asked for."""
    return FIGURES | {"ranking": partial(ranking.draw, by=blocks, alpha=alpha)}
