"""Traces from Parquet files."""

import builtins
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from needs import needs_library

import larder

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

pytestmark = needs_library

COUNT = 3000


def table() -> "pa.Table":
    generator = np.random.default_rng(3)
    ids = generator.zipf(1.3, COUNT) % 211
    return pa.table(
        {
            "path": pa.array([f"/images/{key}.png" for key in ids]),
            "key": ids,
            "bytes": (ids * 37 % 991 + 1).astype(np.int32),
            "at": pd.date_range("2026-03-01", periods=COUNT, freq="7s"),
            "verb": pa.array(["get", "get", "set"] * (COUNT // 3)).dictionary_encode(),
            "life": pa.array([60] * COUNT, pa.int64()),
            "price": np.linspace(1, 2, COUNT),
            "holes": pa.array([None if key == 3 else int(key) for key in ids]),
        }
    )


def counts(trace: larder.Trace) -> pd.DataFrame:
    frame = larder.simulate(trace, ["lru", "gdsf"], ["1%", "10%"])
    return frame.drop(columns="trace", errors="ignore")


def test_columns_count_as_arrays(tmp_path: Path) -> None:
    columns = table()
    pq.write_table(columns, tmp_path / "a.parquet", row_group_size=700)
    found = larder.Trace.from_parquet(
        tmp_path / "a.parquet",
        id="path",
        size="bytes",
        time="at",
        op="verb",
        ttl="life",
        cost="price",
    )
    frame = columns.to_pandas()
    expected = larder.Trace.from_arrays(
        frame["path"],
        frame["bytes"],
        frame["at"],
        frame["verb"].astype(str),
        ttls=frame["life"],
        costs=frame["price"],
    )
    assert (found.requests, found.objects) == (COUNT, expected.objects)
    pd.testing.assert_frame_equal(counts(found), counts(expected))


@pytest.mark.parametrize("column", ["path", "key"])
@pytest.mark.parametrize("way", ["folder", "list"])
def test_several_files_are_one_trace(tmp_path: Path, column: str, way: str) -> None:
    columns = table()
    halves = [tmp_path / "1.parquet", tmp_path / "2.parquet"]
    pq.write_table(columns.slice(0, 1000), halves[0])
    pq.write_table(columns.slice(1000), halves[1], use_dictionary=False)
    found = larder.Trace.from_parquet(tmp_path if way == "folder" else halves, id=column)
    expected = larder.Trace.from_arrays(columns[column].to_pandas())
    assert (found.requests, found.objects) == (COUNT, expected.objects)
    pd.testing.assert_frame_equal(counts(found), counts(expected))


def test_what_cannot_be_read_is_said(tmp_path: Path) -> None:
    file = tmp_path / "a.parquet"
    pq.write_table(table(), file)
    with pytest.raises(ValueError, match="no column 'url'; there are path, key, bytes"):
        larder.Trace.from_parquet(file, id="url")
    with pytest.raises(ValueError, match=r"holes: \d+ of 3000 elements are missing"):
        larder.Trace.from_parquet(file, id="path", size="holes")
    with pytest.raises(ValueError, match="sizes cannot be of type object"):
        larder.Trace.from_parquet(file, id="key", size="path")
    whole = file.read_bytes()
    for damaged in (whole[: len(whole) // 2], b"PAR1" + bytes(100), b""):
        file.write_bytes(damaged)
        with pytest.raises((ValueError, OSError)):
            larder.Trace.from_parquet(file, id="key")
    (tmp_path / "empty").mkdir()
    with pytest.raises(ValueError, match="no file"):
        larder.Trace.from_parquet(tmp_path / "empty", id="key")
    with pytest.raises(OSError, match="nothing"):
        larder.Trace.from_parquet(tmp_path / "nothing.parquet", id="key")


def test_pyarrow_is_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def missing(name: str, *arguments: object) -> object:
        if name.startswith("pyarrow"):
            raise ImportError(name)
        return real(name, *arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(builtins, "__import__", missing)
    with pytest.raises(ImportError, match=r"pip install 'larder-cache\[parquet\]'"):
        larder.Trace.from_parquet(tmp_path / "a.parquet", id="key")
