"""Axes that say capacities, rates and times as people write them."""

from __future__ import annotations

import math

import numpy as np
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


def capacity_axis(axes: Axes, lowest: float, highest: float, unit: str, most: int) -> None:
    """A logarithmic x axis from the lowest to the highest capacity, with round ticks."""
    axes.set_xscale("log")
    spread = (highest / lowest) ** 0.05 if highest > lowest else 1.5
    axes.set_xlim(lowest / spread, highest * spread)
    ticks = _round_ticks(lowest, highest, 2.0 if unit == "bytes" else 10.0, most)
    axes.xaxis.set_major_locator(FixedLocator(ticks))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: capacity_text(value, unit)))


def time_axis(axes: Axes, lowest: float, highest: float, most: int) -> None:
    """A logarithmic x axis of nanoseconds."""
    axes.set_xscale("log")
    axes.set_xlim(lowest / 1.5, highest * 1.5)
    ticks = _round_ticks(lowest / 1.4, highest * 1.4, 10.0, most)
    axes.xaxis.set_major_locator(FixedLocator(ticks))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: time_text(value)))


def _round_ticks(lowest: float, highest: float, base: float, most: int) -> list[float]:
    """At most so many ticks within the range, at equal distances, the rounder the better."""
    slack = 1e-9
    first = math.floor(math.log(lowest, base)) - 1
    last = math.ceil(math.log(highest, base)) + 1
    steps = range(first, last + 1)
    within = (lowest * (1 - slack), highest * (1 + slack))
    whole = [base**step for step in steps]
    fine = whole if base == 2 else [m * base**step for step in steps for m in (1, 2, 5)]
    for candidates in (whole, fine):
        ticks = [float(tick) for tick in candidates if within[0] <= tick <= within[1]]
        if len(ticks) >= 3 or (candidates is fine and len(ticks) >= 2):
            stride = math.ceil(len(ticks) / most)
            return ticks[(len(ticks) - 1) % stride // 2 :: stride]
    # Less than that fits: the ends of the range are what there is to say.
    return [float(tick) for tick in np.unique([lowest, highest])]
