"""Traces from arrays, files and generators, and what is refused."""

import gc
import pickle
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from needs import needs_library

import larder

pytestmark = needs_library

IDS = np.random.default_rng(1).zipf(1.3, 4000) % 97


def counts(trace: larder.Trace) -> pd.DataFrame:
    return larder.simulate(trace, ["lru", "s3-fifo"], [5, "10%"])


@pytest.mark.parametrize("kind", ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", ">i4", ">u8"])
def test_types_of_ids_do_not_matter(kind: str) -> None:
    expected = counts(larder.Trace.from_arrays(IDS))
    found = counts(larder.Trace.from_arrays(IDS.astype(kind)))
    pd.testing.assert_frame_equal(found, expected)


@pytest.mark.parametrize(
    "ids",
    [
        IDS.tolist(),
        pd.Series(IDS),
        pd.Series(IDS, dtype="Int64"),
        pd.Series(IDS, dtype="category"),
        pd.Series(IDS.astype(str)),
        IDS.astype(str),
        IDS.astype(float),
        [("a", int(key)) for key in IDS],
        np.repeat(IDS, 3)[::3],
        IDS[::-1].copy()[::-1],
    ],
    ids=[
        "list",
        "series",
        "nullable",
        "category",
        "text",
        "U",
        "float",
        "tuples",
        "stride",
        "back",
    ],
)
def test_any_column_of_ids_will_do(ids: object) -> None:
    trace = larder.Trace.from_arrays(ids)
    assert (trace.requests, trace.objects) == (len(IDS), len(set(IDS.tolist())))
    pd.testing.assert_frame_equal(counts(trace), counts(larder.Trace.from_arrays(IDS)))


def test_equal_looking_ids_are_told_apart() -> None:
    assert larder.Trace.from_arrays([1, "1", 1.5, ("1",), 2**70, 1]).objects == 5


def test_polars_columns_are_read() -> None:
    polars = pytest.importorskip("polars")
    trace = larder.Trace.from_arrays(polars.Series("id", IDS))
    pd.testing.assert_frame_equal(counts(trace), counts(larder.Trace.from_arrays(IDS)))


def test_arrays_count_as_the_file(tmp_path: Path) -> None:
    generator = np.random.default_rng(2)
    table = pd.DataFrame(
        {
            "time": np.sort(generator.integers(0, 5000, len(IDS))),
            "id": IDS,
            "size": generator.integers(1, 500, len(IDS)),
            "op": generator.choice(["get", "get", "get", "set", "delete"], len(IDS)),
            "ttl": generator.integers(0, 300, len(IDS)),
        }
    )
    path = tmp_path / "arrays.csv"
    table.to_csv(path, index=False)
    arguments = (["lru", "sieve", "gdsf", "belady"], ["2KB", "20%"])
    # Arrays leave every request its own size.
    expected = larder.simulate(larder.Trace.open(path, "csv:sizes=logged"), *arguments)
    for times in (
        table.time,
        table.time.astype(float),
        pd.to_datetime(table.time, unit="s"),
        pd.to_timedelta(table.time, unit="s"),
    ):
        trace = larder.Trace.from_arrays(
            table.id, table["size"], times, table.op, ttls=table.ttl, name="arrays.csv"
        )
        pd.testing.assert_frame_equal(
            larder.simulate(trace, *arguments).drop(columns="trace"),
            expected.drop(columns="trace"),
        )
    assert expected.expirations.sum() > 0
    assert expected.deletes.min() > 0


def test_traces_are_saved_opened_and_described(tmp_path: Path) -> None:
    trace = larder.Trace.from_arrays(IDS, sizes=IDS + 1)
    trace.save(tmp_path / "a.larder")
    opened = larder.Trace.open(tmp_path / "a.larder")
    pd.testing.assert_frame_equal(
        larder.simulate(opened, "lru", "10%"), larder.simulate(trace, "lru", "10%")
    )
    info = opened.info()
    assert info["requests"] == len(opened) == len(IDS)
    assert info["bytes_requested"] == int((IDS + 1).sum())
    assert info["operations"]["get"] == len(IDS)
    assert repr(opened) == f"<larder.Trace: {len(IDS)} requests, {opened.objects} objects>"
    with pytest.raises(TypeError, match="cannot be pickled"):
        pickle.dumps(opened)


def test_samples_stand_for_the_whole() -> None:
    trace = larder.generate("zipf", 200_000, objects=20_000, exponent=0.8)
    sample = trace.sample(0.2, seed=3)
    assert 0.15 < sample.objects / trace.objects < 0.25
    assert larder.simulate(sample, "lru", 2000).capacity[0] == 2000
    whole, part = (larder.mrc(one, capacities=[500, 2000]).hit_ratio for one in (trace, sample))
    assert abs(part - whole).max() < 0.03
    with pytest.raises(larder.LarderError, match="rate 0"):
        trace.sample(0)


def test_generators_repeat_themselves() -> None:
    one = larder.generate("zipf", 5000, objects=100, seed=7)
    other = larder.generate("zipf:objects=100", 5000, seed=7)
    pd.testing.assert_frame_equal(counts(one), counts(other))
    with pytest.raises(larder.LarderError, match="did you mean 'zipf'"):
        larder.generate("zip")
    with pytest.raises(ValueError, match="out of range"):
        larder.generate("zipf", seed=-1)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"ids": np.array([[1, 2]])}, "2 dimensions"),
        ({"ids": [[1], [2], [3]]}, "cannot be compared"),
        ({"ids": []}, "no requests"),
        ({"ids": ["a", None]}, r"ids\[1\] is missing"),
        ({"sizes": [1, 2]}, "sizes has 2 elements, and ids has 3"),
        ({"sizes": [1, -2, 3]}, r"sizes\[1\]: -2 is not a size"),
        ({"sizes": [1, 2**32, 3]}, r"sizes\[1\]: 4294967296 is not a size"),
        ({"sizes": [1, 0.5, 3]}, r"sizes\[1\] is 0.5"),
        ({"sizes": [1, float("nan"), 3]}, r"sizes\[1\] is nan"),
        ({"sizes": ["a", "b", "c"]}, "sizes cannot be of type"),
        ({"times": [1, -1, 2]}, r"times\[1\] is -1"),
        ({"times": [1, float("inf"), 2]}, r"times\[1\] is inf"),
        ({"times": ["a", "b", "c"]}, "times cannot be of type"),
        ({"times": np.array(["2020", "NaT", "2021"], "M8[s]")}, r"times\[1\] is missing"),
        ({"ops": ["get", "fly", "set"]}, "unknown operation 'fly'"),
        ({"ops": ["get", None, "set"]}, r"ops\[1\] is missing"),
        ({"ops": [0, 6, 0]}, r"operations\[1\]: 6 is not an operation"),
        ({"costs": [1, float("inf"), 2]}, r"costs\[1\]: inf is not a finite number"),
        ({"costs": ["a", "b", "c"]}, "costs cannot be of type"),
    ],
)
def test_wrong_columns_are_refused(columns: dict[str, object], message: str) -> None:
    with pytest.raises((ValueError, larder.LarderError), match=message):
        larder.Trace.from_arrays(**{"ids": [1, 2, 3], **columns})  # type: ignore[arg-type]


def test_missing_files_are_said() -> None:
    with pytest.raises(larder.LarderError, match="No such file") as caught:
        larder.Trace.open("/nowhere/trace.csv")
    assert caught.value.code == 2
    with pytest.raises(larder.LarderError, match="/nowhere"):
        larder.Trace.from_arrays([1]).save("/nowhere/at/all.larder")


def test_arrays_may_go_once_the_trace_is_made() -> None:
    ids = IDS.astype(np.int64)
    trace = larder.Trace.from_arrays(ids)
    expected = counts(trace)
    ids[:] = 0
    del ids
    gc.collect()
    pd.testing.assert_frame_equal(counts(trace), expected)
