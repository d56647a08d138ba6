"""Curves over capacity: one point for each panel, series and capacity; and what they say."""

from __future__ import annotations

import numpy as np
import pandas as pd

POINT = ["panel", "unit", "series", "offline", "capacity"]
# Of a normal distribution, for a 95 % interval.
_NORMAL_95 = 1.959964


def points(cells: pd.DataFrame, metric: str) -> pd.DataFrame:
    """The mean of a metric over seeds, with `low` and `high`, sorted by capacity in each panel.

    `low` and `high` are the smallest and largest over seeds or, for a sampled curve, the 95 %
    interval of its standard error. Cells without the metric are left out.
    """
    known = cells[cells[metric].notna()]
    if known.empty:
        return pd.DataFrame(columns=[*POINT, "value", "low", "high"])
    margin = (known["standard_error"] * _NORMAL_95).fillna(0)
    frame = known[POINT].assign(
        value=known[metric], low=known[metric] - margin, high=known[metric] + margin
    )
    grouped = frame.groupby(POINT, sort=False).agg(
        value=("value", "mean"), low=("low", "min"), high=("high", "max")
    )
    means = grouped.reset_index()
    # Panels in the order in which they come.
    place = pd.Series(pd.factorize(means["panel"])[0], means.index)
    return (
        means.assign(_place=place)
        .sort_values(["_place", "capacity"], kind="stable", ignore_index=True)
        .drop(columns="_place")
    )


def with_several_capacities(frame: pd.DataFrame) -> pd.DataFrame:
    """Only series that have at least two capacities: the others are not curves."""
    count = frame.groupby(["panel", "series"])["capacity"].transform("nunique")
    return frame[(count > 1) & (frame["capacity"] > 0)]


def gains(frame: pd.DataFrame) -> pd.DataFrame:
    """Points of hit ratio that doubling the capacity gains, between neighbouring capacities.

    `middle` is the geometric mean of the two, where a picture puts the value `gain`.
    """
    pieces = []
    for keys, curve in frame.groupby(["panel", "unit", "series", "offline"], sort=False):
        capacity = curve["capacity"].to_numpy(float)
        doublings = np.diff(np.log2(capacity))
        pieces.append(
            pd.DataFrame(
                {
                    **dict(zip(["panel", "unit", "series", "offline"], keys, strict=True)),
                    "lower": capacity[:-1],
                    "upper": capacity[1:],
                    "middle": np.sqrt(capacity[:-1] * capacity[1:]),
                    "gain": 100 * np.diff(curve["value"].to_numpy(float)) / doublings,
                }
            )
        )
    return pd.concat(pieces, ignore_index=True) if pieces else pd.DataFrame()


def knee(capacities: np.ndarray, values: np.ndarray) -> float | None:
    """The capacity from which on more capacity gains less than it did on average.

    Of Kneedle (Satopaa, Albrecht, Irwin and Raghavan, Finding a "kneedle" in a haystack, ICDCS
    workshops 2011) the definition without smoothing: both axes are scaled to 0 ... 1, and the knee
    is where the curve is farthest above the diagonal. None with fewer than four points, or for a
    curve that is nowhere above it.
    """
    if len(capacities) < 4 or values[-1] <= values[0]:
        return None
    x = (capacities - capacities[0]) / (capacities[-1] - capacities[0])
    y = (values - values[0]) / (values[-1] - values[0])
    best = int(np.argmax(y - x))
    return float(capacities[best]) if y[best] - x[best] > 1e-9 else None


def smallest_reaching(capacities: np.ndarray, values: np.ndarray, part: float) -> float | None:
    """The smallest capacity whose value is at least that part of the largest value."""
    if not len(values) or values.max() <= 0:
        return None
    return float(capacities[int(np.argmax(values >= part * values.max()))])


def bounds(frame: pd.DataFrame) -> pd.DataFrame:
    """For each panel and capacity, the best value of a policy that knows the future (`bound`)."""
    offline = frame[frame["offline"].astype(bool)]
    best = offline.sort_values("value", kind="stable").groupby(["panel", "capacity"]).tail(1)
    return best.rename(columns={"value": "bound", "series": "bound_name"})[
        ["panel", "capacity", "bound", "bound_name"]
    ]


def behind_bound(frame: pd.DataFrame) -> pd.DataFrame:
    """Points with `behind`: percentage points of hit ratio below the bound, where there is one."""
    online = frame[~frame["offline"].astype(bool)]
    joined = online.merge(bounds(frame), on=["panel", "capacity"], how="inner")
    return joined.assign(behind=100 * (joined["bound"] - joined["value"]))
