"""Axes that say capacities, rates and times as people write them."""

from __future__ import annotations

import math
from itertools import pairwise

from matplotlib.axes import Axes
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

_OBJECTS = ((1e9, "G"), (1e6, "M"), (1e3, "k"))
_BYTES = ((2.0**50, "PiB"), (2.0**40, "TiB"), (2.0**30, "GiB"), (2.0**20, "MiB"), (2.0**10, "KiB"))
_NANOSECONDS = ((1e9, "s"), (1e6, "ms"), (1e3, "µs"), (1.0, "ns"))


def capacity_text(capacity: float, unit: str) -> str:
    """A capacity in at most three digits: 20k objects are `20k`, 67108864 bytes `64 MiB`."""
    steps, space = (_BYTES, " ") if unit == "bytes" else (_OBJECTS, "")
    for size, name in steps:
        if capacity >= size:
            return f"{_short(capacity / size)}{space}{name}"
    return _short(capacity) + (" B" if unit == "bytes" else "")


def time_text(nanoseconds: float) -> str:
    """A time in at most three digits: `391 ns`, `81 ms`."""
    for size, name in _NANOSECONDS:
        if nanoseconds >= size:
            return f"{_short(nanoseconds / size)} {name}"
    return f"{_short(nanoseconds)} ns"


def _short(value: float) -> str:
    # Three digits, and never the exponent that 'g' would write for 1000.
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


def capacity_label(units: set[str]) -> str:
    """The label of an axis of capacities."""
    if len(units) == 1:
        return f"Cache capacity ({next(iter(units))}, log scale)"
    return "Cache capacity (objects, or bytes where so marked, log scale)"


def capacity_axis(axes: Axes, lowest: float, highest: float, unit: str, inches: float) -> None:
    """A logarithmic x axis of so many inches from the lowest to the highest capacity."""
    spread = (highest / lowest) ** 0.05 if highest > lowest else 1.5
    _log_axis(axes, (lowest / spread, highest * spread), 2 if unit == "bytes" else 10, inches)
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: capacity_text(value, unit)))


def time_axis(axes: Axes, lowest: float, highest: float, inches: float) -> None:
    """A logarithmic x axis of nanoseconds, so many inches long."""
    _log_axis(axes, (lowest / 1.5, highest * 1.5), 10, inches)
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: time_text(value)))


def axis_inches(axes: Axes, labels: float) -> float:
    """About how long the x axis is: its share of the figure without the labels at the left."""
    figure = axes.get_figure()
    spec = axes.get_subplotspec()
    columns = spec.get_gridspec().ncols if spec is not None else 1
    return (figure.get_size_inches()[0] if figure is not None else 3.5) / columns - labels


def _log_axis(axes: Axes, limits: tuple[float, float], base: int, inches: float) -> None:
    axes.set_xscale("log")
    axes.set_xlim(*limits)
    ticks = round_ticks(limits, base, inches / (0.48 if base == 2 else 0.4))
    axes.xaxis.set_major_locator(FixedLocator(ticks))
    axes.xaxis.set_minor_locator(NullLocator())


def round_ticks(limits: tuple[float, float], base: int, labels: float) -> list[float]:
    """Round numbers within limits on a logarithmic axis that has room for so many labels.

    Powers of the base or, of ten, the series 1, 2, 5; every second or third of them where they
    would be too close.
    """
    lowest, highest = limits
    gap = math.log(highest / lowest) / max(labels, 1)
    first = math.floor(math.log(lowest, base)) - 1
    steps = range(first, math.ceil(math.log(highest, base)) + 2)
    powers = [float(base) ** step for step in steps]
    fine = powers if base == 2 else [m * power for power in powers for m in (1, 2, 5)]
    powers = [tick for tick in powers if lowest <= tick <= highest]
    fine = [tick for tick in fine if lowest <= tick <= highest]
    for ticks, fewest in ((fine, 2), (powers, 3), (fine[::2], 2), (powers, 2), (fine[::3], 2)):
        if len(ticks) >= fewest and _closest(ticks) >= gap:
            return ticks
    # A long range: as many powers as there is room for.
    for stride in range(1, len(powers) + 1):
        ticks = powers[::stride]
        if len(ticks) < 2 or _closest(ticks) >= gap:
            return ticks
    return fine[:1] or [math.sqrt(lowest * highest)]


def _closest(ticks: list[float]) -> float:
    return min(math.log(b / a) for a, b in pairwise(ticks))
