"""The numbers behind the figures, as data frames."""

from __future__ import annotations

import math

import pandas as pd

from larder.plots import points as curves
from larder.plots.tables import PERCENTILES, Tables

_WHERE = ["panel", "series"]


def policies(tables: Tables) -> pd.DataFrame:
    """One row for each panel and policy: hit ratios, distance to the bound, sensitivity, speed.

    The best stand first, and policies that know the future last.
    """
    frame = curves.points(tables.cells, "hit_ratio")
    behind = curves.behind_bound(frame).groupby(_WHERE)["behind"].mean()
    modelled = tables.cells.groupby(_WHERE)["modelled_mean_us"].mean()
    speeds = tables.speeds[tables.speeds["mode"] == "simulate"]
    speed = speeds.groupby(_WHERE)["requests_per_second"].agg(["count", "median", "min", "max"])
    rows = []
    for key, curve in frame.groupby(["panel", "unit", "series", "offline"], sort=False):
        panel, unit, series, offline = key
        where = (panel, series)
        rows.append(
            {
                "trace_and_configuration": panel,
                "policy": series,
                "knows_future": "yes" if offline else "no",
                "unit": unit,
                **_hit_ratios(curve),
                "points_behind_bound_mean": behind.get(where, math.nan),
                "modelled_access_us_mean": modelled.get(where, math.nan),
                **_speed(speed, where),
            }
        )
    table = pd.DataFrame(rows)
    order = {name: place for place, name in enumerate(dict.fromkeys(frame["panel"]))}
    return table.sort_values(
        ["trace_and_configuration", "knows_future", "hit_ratio_mean"],
        ascending=[True, True, False],
        kind="stable",
        ignore_index=True,
        key=lambda column: (
            column.map(order) if column.name == "trace_and_configuration" else column
        ),
    )


def _hit_ratios(curve: pd.DataFrame) -> dict[str, float]:
    capacity = curve["capacity"].to_numpy(float)
    value = curve["value"].to_numpy(float)
    gains = curves.gains(curves.with_several_capacities(curve))
    return {
        "capacities": len(curve),
        "capacity_min": capacity.min(),
        "capacity_max": capacity.max(),
        "hit_ratio_mean": value.mean(),
        "hit_ratio_min": value.min(),
        "hit_ratio_max": value.max(),
        "seed_spread_max": float((curve["high"] - curve["low"]).max()),
        "points_per_doubling_mean": gains["gain"].mean() if len(gains) else math.nan,
        "knee_capacity": _or_nan(curves.knee(capacity, value)),
        "capacity_for_90_percent": _or_nan(
            curves.smallest_reaching(capacity, value, 0.9) if len(curve) > 1 else None
        ),
    }


def _speed(speed: pd.DataFrame, where: tuple[str, str]) -> dict[str, float]:
    names = {"count": "timed_runs", "median": "simulated_requests_per_second_median",
             "min": "simulated_requests_per_second_min",
             "max": "simulated_requests_per_second_max"}  # fmt: skip
    known = where in speed.index
    return {new: float(speed.loc[where, old]) if known else math.nan for old, new in names.items()}


def executions(tables: Tables) -> pd.DataFrame:
    """One row for each executed cache, capacity and number of threads: speed, latency of gets."""
    speeds = tables.speeds[tables.speeds["mode"] == "execute"]
    key = ["home", "row", "capacity_label", "threads"]
    if speeds.empty:
        return pd.DataFrame()
    table = speeds.groupby(key, sort=False)["requests_per_second"].agg(
        runs="count",
        requests_per_second_median="median",
        requests_per_second_min="min",
        requests_per_second_max="max",
    )
    gets = tables.latencies[tables.latencies["operation"] == "get"]
    latency = gets.groupby(key, sort=False)[PERCENTILES].median()
    table = table.join(latency.add_prefix("get_latency_").add_suffix("_ns")).reset_index()
    return table.rename(columns={"home": "trace", "row": "cache", "capacity_label": "capacity"})


def _or_nan(value: float | None) -> float:
    return math.nan if value is None else value
