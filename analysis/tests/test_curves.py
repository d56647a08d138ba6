"""The CSV of larder mrc, whole and damaged."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from larder.plots.curves import load_curves
from larder.plots.errors import AnalysisError
from larder.plots.tables import make_tables

HEADER = (
    "trace,policy,method,unit,capacity,requests,hits,hit_ratio,miss_ratio,standard_error,extra\n"
)
ROWS = "t,lru,exact,objects,10,100,20,0.2,0.8,,x\nt,lru,shards,objects,10,100,21,0.21,0.79,0.01,x\n"


def load(tmp_path: Path, text: str) -> str:
    file = tmp_path / "curve.csv"
    file.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(AnalysisError) as caught:
        load_curves([file])
    return str(caught.value)


def test_reads_points(tmp_path: Path) -> None:
    file = tmp_path / "curve.csv"
    file.write_text(HEADER + ROWS + "'=t,lru,exact,bytes,20,100,20,0.25,0.75,,x\n")
    frame = load_curves([file])
    assert list(frame["capacity"]) == [10, 10, 20]
    assert math.isnan(frame["standard_error"][0])
    assert frame["standard_error"][1] == 0.01
    assert frame["trace"][2] == "=t"


def test_standard_error_may_be_absent(tmp_path: Path) -> None:
    file = tmp_path / "curve.csv"
    file.write_text("trace,policy,method,unit,capacity,requests,hit_ratio\nt,p,m,bytes,1,1,1\n")
    assert load_curves([file])["standard_error"].isna().all()


def test_methods_are_series(tmp_path: Path) -> None:
    file = tmp_path / "curve.csv"
    file.write_text(HEADER + ROWS)
    cells = make_tables([], load_curves([file])).cells
    assert list(cells["series"]) == ["lru (exact)", "lru (shards)"]
    assert set(cells["panel"]) == {"t, curve"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "line 1: no column trace, policy"),
        ("trace,policy\n", "no column method, unit, capacity, requests, hit_ratio"),
        (HEADER, "holds no points"),
        (HEADER + "t,lru,exact,obj", "line 2: too few columns"),
        (HEADER + "t,lru,exact,pages,1,1,1,1,0,,\n", "line 2: unit: expected objects or bytes"),
        (HEADER + "t,lru,exact,bytes,1,1,1,1.5,0,,\n", "line 2: hit_ratio is '1.5'; expected"),
        (HEADER + "t,lru,exact,bytes,nan,1,1,1,0,,\n", "line 2: capacity is 'nan'"),
        (HEADER + "t,lru,exact,bytes,1,1,1,1,0,x,\n", "line 2: standard_error is 'x'"),
        (HEADER + '"t,lru', "not whole CSV"),
        ("\udcff", "byte 0: not UTF-8"),
    ],
)
def test_damaged(tmp_path: Path, text: str, expected: str) -> None:
    said = load(tmp_path, text)
    assert expected in said
    assert "\n" not in said


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(AnalysisError, match="cannot be read"):
        load_curves([tmp_path / "none.csv"])
