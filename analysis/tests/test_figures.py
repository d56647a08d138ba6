"""Figures hold the numbers and names of the records they are drawn from."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from records import execution, record, sweep, tables, timing

from larder.plots import style
from larder.plots.errors import NothingToDrawError
from larder.plots.figures import FIGURES
from larder.plots.figures.drawing import Drawing
from larder.plots.figures.scales import capacity_text, round_ticks, time_text
from larder.plots.style import ONE_COLUMN, TWO_COLUMN, Looks
from larder.plots.tables import Tables


def draw(name: str, data: Tables, width: style.Width = TWO_COLUMN) -> list[Drawing]:
    return FIGURES[name](data, Looks(data.cells["series"]), width)


def lines(axes: Axes) -> dict[str, tuple[list[float], list[float]]]:
    return {
        str(line.get_label()): (
            list(np.atleast_1d(line.get_xdata())),
            list(np.atleast_1d(line.get_ydata())),
        )
        for line in axes.get_lines()
    }


def legend(figure: Figure) -> list[str]:
    return [text.get_text() for text in figure.legends[0].get_texts()]


def texts(axes: Axes) -> list[str]:
    return [text.get_text() for text in axes.texts]


def titles(figure: Figure) -> list[str]:
    return [axes.get_title(loc="left") for axes in figure.axes]


def hybrid(**changes: object) -> dict[str, object]:
    return {"configuration": "hybrid", "kind": "hybrid", "memoryCapacity": 10, **changes}


@pytest.mark.parametrize("width", [ONE_COLUMN, TWO_COLUMN])
def test_miss_ratio(tmp_path: Path, width: style.Width) -> None:
    data = tables(tmp_path, [*sweep("a"), *sweep("b", 100)])
    (drawing,) = draw("miss-ratio", data, width)
    figure = drawing.figure
    assert figure.get_figwidth() == width.inches
    assert titles(figure) == ["a, memory", "b, memory"]
    curve = lines(figure.axes[0])["lru"]
    assert curve[0] == [100, 200, 400, 800]
    assert curve[1] == pytest.approx([80, 70, 60, 50])
    assert lines(figure.axes[1])["lru"][1] == pytest.approx([70, 60, 50, 40])
    # The best stands first, and the bound last.
    assert legend(figure) == ["sieve", "lru", "fifo", "belady (knows the future)"]
    assert figure.get_supylabel() == "Miss ratio (%)"
    assert "objects" in figure.get_supxlabel()
    by_name = {line.get_label(): line for line in figure.axes[0].get_lines()}
    assert to_hex(by_name["lru"].get_color()).upper() == style.BLUE
    assert to_hex(by_name["belady"].get_color()).upper() == style.BLACK


def test_miss_ratio_bands_are_the_range_over_seeds(tmp_path: Path) -> None:
    cells = [
        record("random", capacity, capacity + seed, seed=seed)
        for capacity in (100, 200)
        for seed in (10, 30)
    ]
    (drawing,) = draw("miss-ratio", tables(tmp_path, cells))
    (axes,) = drawing.figure.axes
    assert lines(axes)["random"][1] == pytest.approx([88, 78])
    (band,) = axes.collections
    heights = {round(y, 6) for y in band.get_paths()[0].vertices[:, 1]}
    assert heights == {87, 89, 77, 79}


def test_one_capacity_is_no_curve(tmp_path: Path) -> None:
    data = tables(tmp_path, [record("lru", 1, 1), record("fifo", 2, 1)])
    for name in ("miss-ratio", "sensitivity"):
        with pytest.raises(NothingToDrawError, match="no policy has two capacities"):
            draw(name, data)


def test_byte_miss_ratio_needs_sizes(tmp_path: Path) -> None:
    with pytest.raises(NothingToDrawError, match="objects with sizes"):
        draw("byte-miss-ratio", tables(tmp_path, sweep()))
    (drawing,) = draw("byte-miss-ratio", tables(tmp_path, sweep(unit="bytes")))
    assert drawing.figure.get_supylabel() == "Byte miss ratio (%)"
    assert lines(drawing.figure.axes[0])["lru"][1] == pytest.approx([80, 70, 60, 50])


def test_bound(tmp_path: Path) -> None:
    (drawing,) = draw("bound", tables(tmp_path, sweep()))
    curves = lines(drawing.figure.axes[0])
    assert curves["lru"][1] == pytest.approx([10, 10, 10, 10])
    assert curves["sieve"][1] == pytest.approx([5, 5, 5, 5])
    assert "belady" not in curves
    assert "(belady;" in drawing.caption


def test_bound_needs_one(tmp_path: Path) -> None:
    online = [cell for cell in sweep() if cell["cell"]["policy"] != "belady"]
    with pytest.raises(NothingToDrawError, match="knows the future"):
        draw("bound", tables(tmp_path, online))


def test_sensitivity_and_knee(tmp_path: Path) -> None:
    hits = {100: 100, 200: 400, 400: 500, 800: 510}
    data = tables(tmp_path, [record("lru", capacity, hits[capacity]) for capacity in hits])
    (drawing,) = draw("sensitivity", data)
    curves = lines(drawing.figure.axes[0])
    assert curves["lru"][1] == pytest.approx([30, 10, 1])
    assert curves["lru"][0] == pytest.approx([141.42, 282.84, 565.69], abs=0.01)
    assert curves["knee lru"][0] == [200]
    assert legend(drawing.figure) == ["lru", "knee"]


def test_sensitivity_has_no_ticks_in_the_strip_of_knees(tmp_path: Path) -> None:
    hits = {100: 100, 200: 400, 400: 500, 800: 510}
    data = tables(tmp_path, [record("lru", capacity, hits[capacity]) for capacity in hits])
    (axes,) = draw("sensitivity", data)[0].figure.axes
    assert axes.get_ylim()[0] < 0
    assert min(axes.get_yticks()) >= -1e-9


def test_ranking(tmp_path: Path) -> None:
    data = tables(tmp_path, [cell for trace in "abcdef" for cell in sweep(trace)])
    (drawing,) = draw("ranking", data)
    (axes,) = drawing.figure.axes
    assert {"sieve 1.00", "lru 2.00", "3.00 fifo"} <= set(texts(axes))
    marks = lines(axes)
    assert marks["sieve"][0] == [1]
    assert marks["fifo"][0] == [3]
    # CD = 2.343 * sqrt(3 * 4 / (6 * 6)) = 1.353: neighbours cannot be told apart, the ends can.
    assert any("CD = 1.35" in text for text in texts(axes))
    start, end = marks["critical difference"][0]
    assert end - start == pytest.approx(1.353, abs=1e-3)
    bars = [line for line in axes.get_lines() if line.get_label() == "not told apart"]
    assert len(bars) == 2
    assert "Friedman" in drawing.caption
    assert "6 blocks" in drawing.caption
    assert any("p = 0.002" in text for text in texts(axes))


def test_ranking_of_too_few_traces(tmp_path: Path) -> None:
    with pytest.raises(NothingToDrawError, match="give several results folders"):
        draw("ranking", tables(tmp_path, sweep()))


def test_tiers(tmp_path: Path) -> None:
    cells = [
        record("lru+lru", 100, 200, disk_hits=100, **hybrid()),
        record("fifo+fifo", 100, 150, disk_hits=50, **hybrid()),
        record("lru+lru", 200, 200, disk_hits=300, **hybrid()),
        record("fifo+fifo", 200, 150, disk_hits=100, **hybrid()),
        record("lru", 100, 1),
        record("lru", 200, 1),
    ]
    (drawing,) = draw("tiers", tables(tmp_path, cells))
    assert titles(drawing.figure) == ["trace, hybrid, 100", "trace, hybrid, 200"]
    first = drawing.figure.axes[0]
    widths = [(bar.get_x(), bar.get_width()) for bar in first.patches]
    assert widths == [(0, 20), (20, 10), (0, 15), (15, 5)]
    assert texts(first) == ["30.0", "20.0"]
    assert [label.get_text() for label in first.get_yticklabels()] == ["lru", "fifo"]


def test_tiers_of_designs_stand_together(tmp_path: Path) -> None:
    cells = [
        record("lru", 10, 100, configuration="nscache"),
        record("lru+lru", 20, 100, disk_hits=50, **hybrid(configuration="yycache")),
        record("lru+lru", 30, 100, disk_hits=60, **hybrid(configuration="mfs")),
    ]
    (drawing,) = draw("tiers", tables(tmp_path, cells))
    (axes,) = drawing.figure.axes
    assert texts(axes) == ["10.0", "15.0", "16.0"]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["nscache", "yycache", "mfs"]


def test_tiers_need_two(tmp_path: Path) -> None:
    with pytest.raises(NothingToDrawError, match="two tiers"):
        draw("tiers", tables(tmp_path, sweep()))


def test_simulated_throughput(tmp_path: Path) -> None:
    cells = [
        record("slow", 1, 1, timings=[timing(0.001), timing(0.002, 2), timing(0.004, 3)]),
        record("fast", 1, 1, timings=[timing(0.0005)]),
    ]
    (drawing,) = draw("throughput-simulated", tables(tmp_path, cells))
    (axes,) = drawing.figure.axes
    assert [label.get_text() for label in axes.get_yticklabels()] == ["fast", "slow"]
    marks = lines(axes)
    assert marks["slow"] == (pytest.approx([0.5]), [1.0])
    spread = [line for line in axes.get_lines() if len(line.get_xdata()) == 2]
    assert list(spread[-1].get_xdata()) == pytest.approx([0.25, 1])
    assert drawing.figure.get_supxlabel() == "Million requests per second"


def executed() -> list[dict[str, object]]:
    runs = [
        execution(threads, repetition, seconds)
        for threads, times in ((1, (0.01, 0.02, 0.04)), (2, (0.005, 0.01, 0.02)))
        for repetition, seconds in enumerate(times, start=1)
    ]
    return [
        record("lru", 10, 900, executions=runs),
        record("nscache", 10, 900, executions=runs[:3], configuration="nscache", timings=[]),
    ]


def test_executed_throughput(tmp_path: Path) -> None:
    (drawing,) = draw("throughput-executed", tables(tmp_path, executed()))
    figure = drawing.figure
    assert legend(figure) == ["1 thread", "2 threads"]
    assert figure.get_supxlabel() == "Thousand requests per second"
    (axes,) = figure.axes
    assert [label.get_text() for label in axes.get_yticklabels()] == ["lru", "nscache"]
    medians = [line for line in axes.get_lines() if line.get_label() == "lru"]
    assert [line.get_xdata()[0] for line in medians] == pytest.approx([50, 100])
    assert medians[0].get_marker() != medians[1].get_marker()


def test_latency(tmp_path: Path) -> None:
    (drawing,) = draw("latency", tables(tmp_path, executed()))
    figure = drawing.figure
    assert titles(figure) == ["all gets", "memory hits", "misses"]
    gets, hits, misses = (lines(axes) for axes in figure.axes)
    assert gets["lru, 1 thread p50"][0] == [200]
    assert gets["lru, 1 thread p999"][0] == [2000]
    assert hits["nscache p99"][0] == [500]
    assert misses["lru, 2 threads p90"][0] == [2000]
    # A hundred misses have no 99.9th percentile.
    assert "lru, 1 thread p999" not in misses
    assert legend(figure) == ["median", "90th", "99th", "99.9th percentile"]


def test_executed_figures_need_executions(tmp_path: Path) -> None:
    data = tables(tmp_path, sweep())
    for name in ("latency", "throughput-executed"):
        with pytest.raises(NothingToDrawError, match="simulate, execute"):
            draw(name, data)
    with pytest.raises(NothingToDrawError, match="latency model"):
        draw("modelled-latency", data)


def modelled(mean: float) -> dict[str, float]:
    return {
        "meanMicroseconds": mean,
        "p50Microseconds": mean / 2,
        "p90Microseconds": 2 * mean,
        "p99Microseconds": 4 * mean,
    }


def test_modelled_latency(tmp_path: Path) -> None:
    cells = [
        record("lru", 100, 1, modelled=modelled(8000)),
        record("lru", 200, 1, modelled=modelled(4000)),
        record("lru+lru", 7, 1, modelled=modelled(1000), **hybrid(configuration="mfs")),
    ]
    curve, percentiles = draw("modelled-latency", tables(tmp_path, cells))
    assert lines(curve.figure.axes[0])["lru"][1] == pytest.approx([8, 4])
    assert "(ms)" in curve.figure.get_supylabel()
    marks = lines(percentiles.figure.axes[0])
    assert marks["mfs p50"][0] == pytest.approx([500_000])
    assert marks["mfs p99"][0] == pytest.approx([4_000_000])


def test_many_panels_are_pages(tmp_path: Path) -> None:
    cells = [cell for number in range(23) for cell in sweep(f"t{number}")]
    drawings = draw("miss-ratio", tables(tmp_path, cells))
    assert [drawing.name for drawing in drawings] == ["miss-ratio-1", "miss-ratio-2"]
    assert [len(drawing.figure.axes) for drawing in drawings] == [20, 3]
    assert "Page 2 of 2" in drawings[1].caption


@pytest.mark.parametrize("width", [ONE_COLUMN, TWO_COLUMN])
def test_nothing_is_cut_off(tmp_path: Path, width: style.Width) -> None:
    data = tables(
        tmp_path,
        [*(cell for trace in "abcd" for cell in sweep(trace, unit="bytes")), *executed()],
    )
    for name in ("miss-ratio", "bound", "sensitivity", "ranking", "latency"):
        for drawing in draw(name, data, width):
            drawing.figure.draw_without_rendering()
            inside = drawing.figure.bbox.padded(1)
            box = drawing.figure.get_tightbbox().transformed(drawing.figure.dpi_scale_trans)
            assert inside.x0 <= box.x0, name
            assert box.x1 <= inside.x1, name
            assert inside.y0 <= box.y0, name
            assert box.y1 <= inside.y1, name


def test_long_titles_keep_what_tells_panels_apart(tmp_path: Path) -> None:
    cells = [*sweep("x" * 80), *sweep("x" * 80, configuration="disk", kind="disk")]
    figure = draw("miss-ratio", tables(tmp_path, cells), ONE_COLUMN)[0].figure
    first, second = (title.split("\n") for title in titles(figure))
    assert (first[1], second[1]) == ("memory", "disk")
    assert "\N{HORIZONTAL ELLIPSIS}" in first[0]


def test_panels_stand_in_the_order_of_the_runs(tmp_path: Path) -> None:
    small = [record("lru", capacity, 10, trace="b") for capacity in (1, 2)]
    figure = draw("miss-ratio", tables(tmp_path, [*sweep("a"), *small]))[0].figure
    assert titles(figure) == ["a, memory", "b, memory"]


def test_capacities_and_times_in_words() -> None:
    assert capacity_text(1000, "objects") == "1k"
    assert capacity_text(2_500_000, "objects") == "2.5M"
    assert capacity_text(7, "objects") == "7"
    assert capacity_text(64 * 2**20, "bytes") == "64 MiB"
    assert capacity_text(12, "bytes") == "12 B"
    assert time_text(391) == "391 ns"
    assert time_text(81_068_031) == "81.1 ms"


@pytest.mark.parametrize(
    ("limits", "base", "room", "expected"),
    [
        ((900, 60_000), 10, 9, [1000, 2000, 5000, 10000, 20000, 50000]),
        ((900, 60_000), 10, 3, [1000, 10000]),
        ((1, 1e12), 10, 4.01, [1, 1e3, 1e6, 1e9, 1e12]),
        ((2**20, 2**24), 2, 9, [2**20, 2**21, 2**22, 2**23, 2**24]),
        ((2**20, 2**24), 2, 2, [2**20, 2**22, 2**24]),
        ((101, 149), 10, 5, [122.67]),
    ],
)
def test_round_ticks(
    limits: tuple[float, float], base: int, room: float, expected: list[float]
) -> None:
    assert round_ticks(limits, base, room) == pytest.approx(expected, rel=1e-3)
