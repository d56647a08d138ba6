"""Records to frames: ratios, panels, joined runs, blocks."""

from __future__ import annotations

import copy
from pathlib import Path

import pytest
from records import execution, record, run, sweep, tables, timing

from larder.plots.blocks import BY_CAPACITY, make_blocks
from larder.plots.errors import AnalysisError, NothingToDrawError
from larder.plots.tables import make_tables


def test_ratios(tmp_path: Path) -> None:
    two_tiers = {"kind": "hybrid", "configuration": "hybrid", "memoryCapacity": 1, "disk_hits": 300}
    cells = tables(
        tmp_path, [record("lru", 10, 250), record("lru+lru", 10, 200, unit="bytes", **two_tiers)]
    ).cells
    assert list(cells["hit_ratio"]) == [0.25, 0.5]
    assert cells["byte_hit_ratio"].isna()[0]
    assert cells["byte_hit_ratio"][1] == 0.5
    assert list(cells["disk_hits"]) == [0, 300]


def test_no_requests_is_no_ratio(tmp_path: Path) -> None:
    empty = record("lru", 10, 0)
    empty["counts"]["requests"] = 0
    assert tables(tmp_path, [empty]).cells["hit_ratio"].isna().all()


def test_panels_name_what_differs(tmp_path: Path) -> None:
    cells = tables(
        tmp_path,
        [
            record("lru", 1, 1),
            record("lru", 1, 1, workload="other"),
            record("lru", 1, 1, trace="second"),
        ],
    ).cells
    assert list(cells["panel"]) == [
        "small: trace, memory",
        "other: trace, memory",
        "second, memory",
    ]


def test_same_policy_in_both_tiers_is_one_name(tmp_path: Path) -> None:
    hybrid = {"kind": "hybrid", "configuration": "hybrid", "memoryCapacity": 1}
    mixed = hybrid | {"configuration": "mixed"}
    cells = tables(
        tmp_path,
        [
            record("lru+lru", 1, 1, **hybrid),
            record("fifo+fifo", 1, 1, **hybrid),
            record("lru+lru", 1, 1, **mixed),
            record("lru+fifo", 1, 1, **mixed),
        ],
    ).cells
    assert list(cells["series"]) == ["lru", "fifo", "lru+lru", "lru+fifo"]


def test_configurations_of_one_policy_share_a_panel(tmp_path: Path) -> None:
    records = [
        record("lru", 1, 1),
        record("sieve", 1, 1),
        record("nscache", 1, 1, configuration="nscache"),
        record("lru", 2, 1, configuration="phone"),
        record("fifo", 1, 1, configuration="sieve"),
    ]
    cells = tables(tmp_path, records).cells
    assert set(cells["panel"]) == {"trace, memory"}
    assert list(cells["series"]) == ["lru", "sieve", "nscache", "phone", "sieve: fifo"]


def test_rows_are_unique_in_their_home(tmp_path: Path) -> None:
    designs = [
        record("lru", 1, 1, configuration="nscache"),
        record("lru+lru", 2, 1, configuration="yycache", kind="hybrid", memoryCapacity=1),
        record("lru+lru", 3, 1, configuration="mfs", kind="hybrid", memoryCapacity=1),
    ]
    cells = tables(tmp_path, designs).cells
    assert list(cells["row"]) == ["nscache", "yycache", "mfs"]
    both = [*sweep(), *sweep(configuration="disk", kind="disk")]
    cells = tables(tmp_path, both).cells
    assert set(cells["home"]) == {"trace"}
    assert {"lru, memory", "lru, disk"} <= set(cells["row"])


def test_seeds_of_64_bits(tmp_path: Path) -> None:
    cells = tables(tmp_path, [record("lru", 1, 1, seed=2**64 - 1), record("lru", 1, 1)]).cells
    assert list(cells["seed"]) == [str(2**64 - 1), "1"]


def test_joined_runs_keep_all_timings() -> None:
    joined = make_tables([run(sweep(), "a"), run(sweep(), "b")])
    assert len(joined.cells) == 16
    assert len(joined.speeds) == 32
    assert set(joined.speeds["run"]) == {"0.1", "1.1"}


def test_joined_runs_that_differ() -> None:
    other = copy.deepcopy(sweep())
    other[3]["counts"]["memoryHits"] += 1
    with pytest.raises(AnalysisError, match=r"b: \$.records\[3\].counts differ from those in a"):
        make_tables([run(sweep(), "a"), run(other, "b")])


def test_executed_only_counts_may_differ() -> None:
    first = record("nscache", 1, 5, timings=[], executions=[execution(1, 1, 0.001)])
    second = record("nscache", 1, 6, timings=[], executions=[execution(1, 1, 0.001)])
    joined = make_tables([run([first], "a"), run([second], "b")])
    assert list(joined.cells["hits"]) == [5]
    assert "executed and not simulated" in joined.notes[0]


def test_same_cell_twice_in_a_run() -> None:
    with pytest.raises(AnalysisError, match=r"\$.records\[1\].cell: stands there twice"):
        make_tables([run([record("lru", 1, 1), record("lru", 1, 1)])])


def test_no_cells() -> None:
    with pytest.raises(AnalysisError, match="holds no finished cells"):
        make_tables([run([])])


def test_interrupted_runs_and_debug_builds_are_noted() -> None:
    unfinished = run(sweep())
    unfinished.document.update(interrupted=True, plannedCells=99)
    unfinished.document["machine"]["build"] = "debug"
    notes = make_tables([unfinished]).notes
    assert "interrupted after 16 of 99 cells" in notes[0]
    assert "debug build" in notes[1]


def test_executions_replace_executed_timings(tmp_path: Path) -> None:
    both = [timing(0.5), timing(0.001) | {"mode": "execute"}]
    cell = record("lru", 1, 900, timings=both, executions=[execution(2, 1, 0.01)])
    speeds = tables(tmp_path, [cell]).speeds
    assert list(speeds["mode"]) == ["simulate", "execute"]
    assert list(speeds["requests_per_second"]) == pytest.approx([2000, 100_000])


def test_a_clock_that_did_not_move_is_no_speed(tmp_path: Path) -> None:
    assert tables(tmp_path, [record("lru", 1, 1, timings=[timing(0.0)])]).speeds.empty


def test_blocks_average_capacities(tmp_path: Path) -> None:
    records = [cell for trace in "abcd" for cell in sweep(trace, 10)]
    blocks = make_blocks(tables(tmp_path, records).cells)
    assert blocks.scores.shape == (4, 3)
    assert "belady" not in blocks.scores
    assert blocks.scores.loc["a, memory", "lru"] == pytest.approx((210 + 310 + 410 + 510) / 4000)
    assert any("With 4 blocks" in remark for remark in blocks.remarks)
    assert "averaged over its capacities" in blocks.meaning


def test_blocks_by_capacity_say_that_they_are_not_independent(tmp_path: Path) -> None:
    blocks = make_blocks(tables(tmp_path, sweep()).cells, BY_CAPACITY)
    assert blocks.scores.shape == (4, 3)
    assert any("not independent" in remark for remark in blocks.remarks)


def test_too_few_blocks(tmp_path: Path) -> None:
    with pytest.raises(NothingToDrawError, match="here are 3 in 1: give several"):
        make_blocks(tables(tmp_path, sweep()).cells)


def test_rare_policies_are_left_out_and_named(tmp_path: Path) -> None:
    records = [cell for trace in "abc" for cell in sweep(trace)]
    records += [record("rare", 100 * 2**step, 5, trace="a") for step in range(4)]
    blocks = make_blocks(tables(tmp_path, records).cells)
    assert "rare" not in blocks.scores
    assert "Not ranked, for too few blocks have them: rare." in blocks.remarks


def test_blocks_that_are_left_out_are_counted(tmp_path: Path) -> None:
    records = [cell for trace in "abcd" for cell in sweep(trace)]
    records += [record(policy, 100, 5, trace="e") for policy in ("lru", "fifo")]
    blocks = make_blocks(tables(tmp_path, records).cells)
    assert blocks.scores.shape == (4, 3)
    assert "Left out, for a ranked policy is missing there: blocks, 1." in blocks.remarks


def test_only_common_capacities_count(tmp_path: Path) -> None:
    records = [cell for trace in "abc" for cell in sweep(trace)]
    records.append(record("lru", 10**6, 999, trace="a"))
    blocks = make_blocks(tables(tmp_path, records).cells)
    assert blocks.scores.loc["a, memory", "lru"] == blocks.scores.loc["b, memory", "lru"]
    assert "capacities" in blocks.remarks[0]
