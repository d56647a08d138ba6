"""Which cells are drawn together, and under which names.

A panel is what can be compared fairly: one workload, one trace, one configuration, one unit. A
configuration with a single policy (a preset, or a cache such as nscache) would be a panel alone;
where a workload has others of its kind they share a panel, and the configuration's name is the
series.
"""

from __future__ import annotations

import pandas as pd

from larder.plots.style import is_offline

NAMES = ["panel", "series", "home", "row", "offline"]
_HOME = ["workload", "trace", "unit"]


def assign(cells: pd.DataFrame) -> pd.DataFrame:
    """Cells with the names of what they are drawn in.

    `panel` is a title, and `series` unique in it; `home` is the title for all configurations of a
    workload and trace, and `row` unique in that; `offline` says whether the policy knows the
    future.
    """
    cells = cells.copy()
    cells["offline"] = cells["policy"].map(is_offline)
    cells["series"] = _plain_policies(cells)
    cells["place"] = cells["configuration"]
    for _, group in cells.groupby([*_HOME, "kind"], sort=False):
        policies = group.groupby("configuration", sort=False)["policy"].nunique()
        alone = policies.index[policies == 1]
        if len(policies) < 2 or alone.empty:
            continue
        moved = group.index[group["configuration"].isin(alone)]
        names = cells.loc[moved, "configuration"]
        stay = group.index.difference(moved)
        taken = set(cells.loc[stay, "series"])
        clash = names.isin(taken) & (names != cells.loc[moved, "kind"])
        plain = names == cells.loc[moved, "kind"]
        names = names.where(~clash, names + ": " + cells.loc[moved, "series"])
        names = names.where(~plain, cells.loc[moved, "series"])
        cells.loc[moved, "series"] = names
        cells.loc[moved, "place"] = group["kind"]
    cells["panel"] = _titles(cells, cells["trace"] + ", " + cells["place"])
    cells["home"] = _titles(cells, cells["trace"])
    cells["row"] = _rows(cells)
    return cells.drop(columns="place")


def _rows(cells: pd.DataFrame) -> pd.Series:
    """A name for each policy and configuration that is unique in its home."""
    places = cells.groupby("home")["place"].transform("nunique")
    series = cells.groupby(["home", "place"])["series"].transform("nunique")
    rows = cells["series"].where(places == 1, cells["series"] + ", " + cells["place"])
    # A configuration that stands for one policy needs no other name, nor does one among its kind.
    merged = cells["series"] == cells["configuration"]
    rows = rows.where(~((places > 1) & merged), cells["series"])
    single = (places > 1) & (series == 1) & (cells["place"] == cells["configuration"])
    return rows.where(~single, cells["configuration"])


def _plain_policies(cells: pd.DataFrame) -> pd.Series:
    """`lru+lru` as `lru`, where all of a configuration have the same policy in both tiers."""
    halves = cells["policy"].str.split("+", n=1)
    twice = halves.map(lambda parts: len(parts) == 2 and parts[0] == parts[1])
    everywhere = twice.groupby([cells[name] for name in [*_HOME, "configuration"]]).transform("all")
    return cells["policy"].where(~everywhere, halves.str[0])


def _titles(cells: pd.DataFrame, titles: pd.Series) -> pd.Series:
    """Titles made unique by the workload and the unit, where they are not."""
    for extra, prefix in (("workload", ": "), ("unit", "")):
        homes = cells.groupby(titles, sort=False)[extra].transform("nunique")
        named = cells[extra] + prefix + titles if prefix else titles + ", " + cells[extra]
        titles = titles.where(homes == 1, named)
    return titles
