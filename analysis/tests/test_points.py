"""What is computed of a curve."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from records import record, sweep, tables

from larder.plots import points as curves


def test_mean_and_range_over_seeds(tmp_path: Path) -> None:
    cells = tables(tmp_path, [record("random", 1, hits, seed=hits) for hits in (100, 200, 600)])
    (point,) = curves.points(cells.cells, "hit_ratio").to_dict("records")
    assert point["value"] == pytest.approx(0.3)
    assert (point["low"], point["high"]) == (0.1, 0.6)


def test_gain_of_a_doubling(tmp_path: Path) -> None:
    frame = curves.points(tables(tmp_path, sweep()).cells, "hit_ratio")
    gains = curves.gains(frame[frame["series"] == "lru"])
    assert list(gains["gain"]) == pytest.approx([10, 10, 10])
    assert gains["middle"][0] == pytest.approx(100 * 2**0.5)


def test_gain_of_a_quadrupling(tmp_path: Path) -> None:
    cells = tables(tmp_path, [record("lru", 100, 100), record("lru", 400, 300)]).cells
    assert list(curves.gains(curves.points(cells, "hit_ratio"))["gain"]) == pytest.approx([10])


def test_knee() -> None:
    # Straight up to 2 and straight on from there: the knee is the corner.
    assert curves.knee(np.array([0.0, 1, 2, 6, 10]), np.array([0.0, 40, 80, 90, 100])) == 2
    # The example of Satopaa et al.: y = -1/x + 5, knee at 0.3 of 0 ... 1.
    x = np.arange(0.1, 1.01, 0.1)
    assert curves.knee(x, -1 / x + 5) == pytest.approx(0.3)


@pytest.mark.parametrize(
    ("capacities", "values"),
    [([1, 2, 3], [1, 3, 4]), ([1, 2, 3, 4], [1, 1, 1, 1]), ([1, 2, 3, 4], [1, 2, 3, 4]),
     ([1, 2, 3, 4], [0, 0.1, 0.3, 1])],
)  # fmt: skip
def test_no_knee(capacities: list[float], values: list[float]) -> None:
    assert curves.knee(np.array(capacities, float), np.array(values, float)) is None


def test_smallest_reaching() -> None:
    capacities, values = np.array([1.0, 2, 4, 8]), np.array([0.1, 0.44, 0.45, 0.5])
    assert curves.smallest_reaching(capacities, values, 0.9) == 4
    assert curves.smallest_reaching(capacities, np.zeros(4), 0.9) is None


def test_distance_to_the_better_bound(tmp_path: Path) -> None:
    records = [
        record("lru", 1, 300),
        record("belady", 1, 500),
        record("belady-size", 1, 600),
        record("lru", 2, 400),
    ]
    frame = curves.points(tables(tmp_path, records).cells, "hit_ratio")
    (point,) = curves.behind_bound(frame).to_dict("records")
    assert (point["series"], point["bound_name"]) == ("lru", "belady-size")
    assert point["behind"] == pytest.approx(30)


def test_a_share_of_several_footprints_is_one_capacity(tmp_path: Path) -> None:
    """10 % and 20 % of three seeds' footprints: two points a policy, and no gain between seeds."""
    records = [
        record(policy, capacity, hits + step, capacityLabel=label, seed=seed)
        for policy, hits in (("lru", 100), ("fifo", 50))
        for step, label, capacities in (
            (0, "10%", (4588, 4589, 4591)),
            (100, "20%", (9176, 9178, 9182)),
        )
        for seed, capacity in enumerate(capacities)
    ]
    frame = curves.points(tables(tmp_path, records).cells, "hit_ratio")
    assert len(frame) == 4
    assert list(frame[frame["series"] == "lru"]["capacity"]) == [4589, 9179]
    gains = curves.gains(frame)["gain"]
    assert list(gains) == pytest.approx([10, 10], rel=1e-3)


def test_seeds_with_equal_capacities_keep_them(tmp_path: Path) -> None:
    records = [record("lru", 100, 10, capacityLabel="100", seed=seed) for seed in (1, 2)]
    frame = curves.points(tables(tmp_path, records).cells, "hit_ratio")
    assert list(frame["capacity"]) == [100]
