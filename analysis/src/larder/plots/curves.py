"""Reads miss-ratio curves that `larder mrc` has written as CSV."""

from __future__ import annotations

import csv
import io
import math
from pathlib import Path

import pandas as pd

from larder.plots.errors import AnalysisError

REQUIRED = ("trace", "policy", "method", "unit", "capacity", "requests", "hit_ratio")
UNITS = ("objects", "bytes")


def load_curves(paths: list[Path]) -> pd.DataFrame:
    """One row a point: trace, policy, method, unit, capacity, requests, hit_ratio, standard_error.

    Columns that are not known are left alone, and `standard_error` may be empty or absent.

    Raises:
        AnalysisError: naming file, line and column, for a file that is not such a curve.
    """
    points = [point for path in paths for point in _points(path)]
    columns = [*REQUIRED, "standard_error"]
    return pd.DataFrame(points, columns=columns)


def _points(path: Path) -> list[dict[str, object]]:
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise AnalysisError(f"{path}: cannot be read ({error.strerror})") from None
    except UnicodeDecodeError as error:
        raise AnalysisError(f"{path}: byte {error.start}: not UTF-8 text") from None
    reader = csv.DictReader(io.StringIO(text, newline=""), strict=True)
    points = []
    try:
        missing = [name for name in REQUIRED if name not in (reader.fieldnames or [])]
        if missing:
            raise AnalysisError(
                f"{path}: line 1: no column {', '.join(missing)}; "
                "expected the CSV that larder mrc writes"
            )
        points = [_point(path, reader.line_num, row) for row in reader]
    except csv.Error as error:
        raise AnalysisError(f"{path}: line {reader.line_num}: not whole CSV ({error})") from None
    if not points:
        raise AnalysisError(f"{path}: holds no points")
    return points


def _point(path: Path, line: int, row: dict[str, str | None]) -> dict[str, object]:
    if any(row[name] is None for name in REQUIRED):
        raise AnalysisError(f"{path}: line {line}: too few columns; the file may be truncated")
    point: dict[str, object] = {name: _text(row[name] or "") for name in REQUIRED}
    if point["unit"] not in UNITS:
        raise AnalysisError(f"{path}: line {line}: unit: expected objects or bytes")
    point["capacity"] = _number(path, line, row, "capacity", math.inf)
    point["requests"] = _number(path, line, row, "requests", math.inf)
    point["hit_ratio"] = _number(path, line, row, "hit_ratio", 1)
    error = row.get("standard_error")
    point["standard_error"] = (
        _number(path, line, row, "standard_error", math.inf) if error else math.nan
    )
    return point


def _text(cell: str) -> str:
    # larder puts an apostrophe before what a spreadsheet would take for a formula.
    return cell[1:] if cell.startswith("'") and cell[1:2] in tuple("=+-@\t\r") else cell


def _number(path: Path, line: int, row: dict[str, str | None], name: str, largest: float) -> float:
    cell = row[name] or ""
    try:
        value = float(cell)
    except ValueError:
        value = math.nan
    if not (math.isfinite(value) and 0 <= value <= largest):
        expected = "a number from 0 to 1" if largest == 1 else "a number from 0 up"
        raise AnalysisError(f"{path}: line {line}: {name} is {cell[:40]!r}; expected {expected}")
    return value
