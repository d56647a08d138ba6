"""Turns checked results into data frames that the figures and statistics work on.

Three frames: `cells` (what happened; one row a cell), `speeds` (one row a timed run) and
`latencies` (one row a timed run and operation). All of them begin with the columns in `KEY`, and
have the names that `panels.assign` gives them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import pandas as pd

from larder.plots import panels
from larder.plots.errors import AnalysisError
from larder.plots.results import Run

KEY = [
    "workload", "trace", "configuration", "kind", "policy",
    "capacity", "memory_capacity", "unit", "seed",
]  # fmt: skip
PERCENTILES = ["p50", "p90", "p99", "p999", "max"]
MODELLED = {
    "modelled_mean_us": "meanMicroseconds",
    "modelled_p50_us": "p50Microseconds",
    "modelled_p90_us": "p90Microseconds",
    "modelled_p99_us": "p99Microseconds",
}
CELL_COLUMNS = [
    *KEY, "capacity_label", "requests", "hits", "memory_hits", "disk_hits", "hit_ratio",
    "byte_hit_ratio", "standard_error", "method", *MODELLED,
]  # fmt: skip
SPEED_COLUMNS = [*KEY, "capacity_label", "mode", "threads", "run", "requests_per_second"]
LATENCY_COLUMNS = [
    *KEY, "capacity_label", "threads", "run", "operation", "count", *PERCENTILES,
]  # fmt: skip


@dataclass(frozen=True)
class Tables:
    """Everything that figures and statistics are made from, and remarks for the reader."""

    cells: pd.DataFrame
    speeds: pd.DataFrame
    latencies: pd.DataFrame
    notes: tuple[str, ...]


def make_tables(runs: list[Run], curves: pd.DataFrame | None = None) -> Tables:
    """Joins runs, and points of curves from `larder mrc`, into one set of frames.

    The same cell in two runs is one cell with more timed runs.

    Raises:
        AnalysisError: if one cell has different counts in two runs, or there are no cells at all.
    """
    rows = _Rows()
    for index, run in enumerate(runs):
        rows.add(index, run)
    cells = pd.DataFrame(list(rows.cells.values()), columns=CELL_COLUMNS)
    if curves is not None and len(curves):
        cells = pd.concat([frame for frame in (cells, _curve_cells(curves)) if len(frame)])
    if cells.empty:
        raise AnalysisError(f"{runs[0].path if runs else 'no file'}: holds no finished cells")
    cells = panels.assign(cells.reset_index(drop=True))
    places = cells[[*KEY, *panels.NAMES]]
    speeds = pd.DataFrame(rows.speeds, columns=SPEED_COLUMNS).merge(places, on=KEY, how="left")
    latencies = pd.DataFrame(rows.latencies, columns=LATENCY_COLUMNS)
    latencies = latencies.merge(places, on=KEY, how="left")
    return Tables(by_written_capacity(cells), speeds, latencies, tuple(rows.notes))


def by_written_capacity(cells: pd.DataFrame) -> pd.DataFrame:
    """Cells in which all seeds have one capacity where it was written as one.

    `10%` of the footprint is another number of objects for each seed. These are not neighbouring
    capacities: each becomes their mean, the same for all policies of a panel. Cells without a label
    (points of curves) keep their capacity.
    """
    place = ["panel", "unit", "capacity_label"]
    groups = cells.groupby(place, sort=False)
    each = cells.groupby([*place, "seed"], sort=False)["capacity"].transform("nunique")
    known = (cells["capacity_label"] != "") & (groups["seed"].transform("nunique") > 1)
    known &= each == 1
    mean = groups["capacity"].transform("mean").round()
    return cells.assign(capacity=cells["capacity"].where(~known, mean))


class _Rows:
    """Rows of all frames as they come in, in plan order of the first run that has them."""

    def __init__(self) -> None:
        self.cells: dict[tuple[Any, ...], dict[str, Any]] = {}
        self.counts: dict[tuple[Any, ...], tuple[dict[str, Any], Run]] = {}
        self.speeds: list[dict[str, Any]] = []
        self.latencies: list[dict[str, Any]] = []
        self.notes: list[str] = []

    def add(self, index: int, run: Run) -> None:
        document = run.document
        if document["interrupted"]:
            self.notes.append(
                f"{run.path}: the run was interrupted after {len(document['records'])} of "
                f"{document['plannedCells']} cells; what follows is about those"
            )
        if document["machine"]["build"] != "release":
            build = document["machine"]["build"]
            self.notes.append(f"{run.path}: timings are those of a {build} build")
        for place, record in enumerate(document["records"]):
            key = _key(record["cell"])
            values = tuple(key.values())
            known = self.counts.get(values)
            if known is None:
                self.counts[values] = (record["counts"], run)
                self.cells[values] = _cell(key, record)
            elif known[1] is run:
                raise AnalysisError(f"{run.path}: $.records[{place}].cell: stands there twice")
            elif known[0] != record["counts"]:
                self._differ(run, place, record, known[1])
            self._add_timings(index, key, record)

    def _differ(self, run: Run, place: int, record: dict[str, Any], other: Run) -> None:
        where = f"{run.path}: $.records[{place}].counts differ from those in {other.path}"
        if any(timing["mode"] == "simulate" for timing in record["timings"]):
            raise AnalysisError(
                f"{where}, for the same cell; they are of different builds or traces: "
                "analyse them one at a time"
            )
        # A cache that is executed only counts what it did that time.
        self.notes.append(f"{where}; it was executed and not simulated; the first counts stand")

    def _add_timings(self, index: int, key: dict[str, Any], record: dict[str, Any]) -> None:
        label = {"capacity_label": record["cell"]["capacityLabel"]}
        executions = record.get("executions", [])
        timings = [(timing["mode"], timing) for timing in record["timings"]]
        if executions:
            timings = [pair for pair in timings if pair[0] == "simulate"]
            timings += [("execute", execution) for execution in executions]
        for mode, timing in timings:
            of_run = {"threads": timing["threads"], "run": f"{index}.{timing['repetition']}"}
            if timing["seconds"] > 0:
                rate = timing["requests"] / timing["seconds"]
                speed = {"mode": mode, "requests_per_second": rate}
                self.speeds.append({**key, **label, **of_run, **speed})
            for operation, count, latency in _latencies(timing):
                what = {"operation": operation, "count": count, **latency}
                self.latencies.append({**key, **label, **of_run, **what})


def _key(cell: dict[str, Any]) -> dict[str, Any]:
    values = {name: cell.get(name) for name in KEY}
    values["memory_capacity"] = cell.get("memoryCapacity", 0)
    # Seeds go up to 2^64 - 1, which a column of text holds whatever the others are.
    values["seed"] = str(cell["seed"])
    return values


def _cell(key: dict[str, Any], record: dict[str, Any]) -> dict[str, Any]:
    counts = record["counts"]
    hits = counts["memoryHits"] + counts["diskHits"]
    bytes_hit = counts["memoryBytesHit"] + counts["diskBytesHit"]
    has_bytes = key["unit"] == "bytes"
    modelled = record.get("modelled", {})
    return {
        **key,
        "capacity_label": record["cell"]["capacityLabel"],
        "requests": counts["requests"],
        "hits": hits,
        "memory_hits": counts["memoryHits"],
        "disk_hits": counts["diskHits"],
        "hit_ratio": _ratio(hits, counts["requests"]),
        "byte_hit_ratio": _ratio(bytes_hit, counts["bytesRequested"]) if has_bytes else math.nan,
        "standard_error": math.nan,
        "method": "",
        **{column: modelled.get(name, math.nan) for column, name in MODELLED.items()},
    }


def _latencies(timing: dict[str, Any]) -> list[tuple[str, int, dict[str, int]]]:
    found = []
    gets = timing.get("getLatency", timing.get("latency"))
    if gets is not None:
        kinds = timing.get("latencies", [])
        count = sum(kind["count"] for kind in kinds if kind["kind"] not in ("set", "delete"))
        found.append(("get", count, gets))
    found += [
        (kind["kind"], kind["count"], kind["latency"])
        for kind in timing.get("latencies", [])
        if kind["count"] and "latency" in kind
    ]
    return found


def _curve_cells(curves: pd.DataFrame) -> pd.DataFrame:
    # Two methods for one policy are two series; with one, the policy's name is enough.
    methods = curves.groupby(["trace", "unit", "policy"])["method"].transform("nunique")
    frame = pd.DataFrame(index=curves.index, columns=CELL_COLUMNS)
    for column in ("trace", "policy", "method", "unit", "capacity", "requests"):
        frame[column] = curves[column]
    several = methods > 1
    frame.loc[several, "policy"] = curves["policy"] + " (" + curves["method"] + ")"
    frame[["hit_ratio", "standard_error"]] = curves[["hit_ratio", "standard_error"]].astype(float)
    frame["hits"] = (curves["hit_ratio"] * curves["requests"]).round()
    frame[["workload", "capacity_label", "seed"]] = ""
    frame[["configuration", "kind"]] = "curve"
    frame["memory_capacity"] = 0
    numbers = ["byte_hit_ratio", "memory_hits", "disk_hits", *MODELLED]
    frame[numbers] = math.nan
    return frame.astype(dict.fromkeys(numbers, float))


def _ratio(part: int, whole: int) -> float:
    return part / whole if whole else math.nan
