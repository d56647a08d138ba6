"""The blocks of the ranking: what counts as one observation of how policies compare."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from larder.plots.errors import NothingToDrawError
from larder.plots.statistics import ENOUGH_BLOCKS, FEWEST_BLOCKS, FEWEST_POLICIES
from larder.plots.text import clean

BY_PANEL = "panel"
BY_CAPACITY = "capacity"


@dataclass(frozen=True)
class Blocks:
    """Scores (blocks x policies), what a block is in words, and what to know about them."""

    scores: pd.DataFrame
    meaning: str
    remarks: tuple[str, ...]


def make_blocks(cells: pd.DataFrame, by: str = BY_PANEL) -> Blocks:
    """Mean hit ratios of the policies in each block.

    A block is one trace in one configuration, over which the hit ratio is averaged over capacities
    and seeds; or, by capacity, one trace, configuration and capacity. Policies that know the future
    are not ranked, and points of curves are none of the blocks. Left out are blocks with fewer than
    three policies, then policies that at most half of the blocks have, then blocks that lack one of
    the others.

    Raises:
        NothingToDrawError: with fewer than three policies or blocks.
    """
    ranked = cells[~cells["offline"] & cells["hit_ratio"].notna() & (cells["kind"] != "curve")]
    ranked, uneven = _same_capacities(ranked)
    keys = ["panel"] if by == BY_PANEL else ["panel", "capacity"]
    scores = ranked.pivot_table(index=keys, columns="series", values="hit_ratio", sort=False)
    # Sums of the same numbers in another order would make ties differ in the last digit.
    scores = scores.round(12)
    blocks = len(scores)
    scores = scores[scores.notna().sum(axis=1) >= FEWEST_POLICIES]
    common = scores.columns[scores.notna().mean() > 0.5]
    dropped = [clean(str(name)) for name in scores.columns[scores.notna().any()].difference(common)]
    complete = scores[common].dropna()
    if len(common) < FEWEST_POLICIES or len(complete) < FEWEST_BLOCKS:
        raise NothingToDrawError(
            f"ranking needs at least {FEWEST_POLICIES} policies that {FEWEST_BLOCKS} traces or "
            f"configurations have in common; here are {len(common)} in {len(complete)}: "
            "give several results folders, with different traces"
        )
    remarks = list(uneven)
    if dropped:
        remarks.append(f"Not ranked, for too few blocks have them: {', '.join(dropped)}.")
    if len(complete) < blocks:
        left_out = blocks - len(complete)
        remarks.append(f"Left out, for a ranked policy is missing there: blocks, {left_out}.")
    if len(complete) <= ENOUGH_BLOCKS:
        remarks.append(
            f"With {len(complete)} blocks the chi-square approximation is rough "
            f"(more than {ENOUGH_BLOCKS} are recommended) and little can be told apart."
        )
    return Blocks(complete, _meaning(by), (*remarks, *_dependence(by, complete)))


def _same_capacities(cells: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """Only capacities that all policies of a panel have: means over others cannot be compared."""
    have = cells.groupby(["panel", "capacity"])["series"].transform("nunique")
    # A policy that is nowhere near complete must not cost the others their capacities.
    most = have.groupby(cells["panel"]).transform("max")
    same = cells[have == most]
    # What lacks one of these capacities is left out of the panel.
    count = same.groupby(["panel", "series"])["capacity"].transform("nunique")
    needed = same.groupby("panel")["capacity"].transform("nunique")
    whole = same[count == needed]
    if len(whole) == len(cells):
        return whole, []
    return whole, ["Only capacities that a trace's policies have in common are averaged."]


def _meaning(by: str) -> str:
    if by == BY_PANEL:
        return "one trace in one configuration; hit ratio averaged over its capacities and seeds"
    return "one trace in one configuration with one capacity; hit ratio averaged over seeds"


def _dependence(by: str, scores: pd.DataFrame) -> list[str]:
    if by == BY_CAPACITY:
        return [
            "Capacities of one trace are not independent of each other: p values are too small and "
            "the critical difference is too short."
        ]
    if len(scores) > 1:
        return ["Configurations of one trace, or traces of one system, are not quite independent."]
    return []
