"""The command: what it writes, what it says, and its exit codes."""

from __future__ import annotations

import csv
import io
import os
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from records import document, execution, record, save, sweep

from larder.plots import cli

QUICK = ["--width", "one", "--format", "svg"]
HOSTILE = [
    "=HYPERLINK(\"http://x\",1)",
    "$\\frac{1}{0}$",
    "_hidden",
    "<script>alert(1)</script>",
    "a|b\n# c",
    "\x00\x1b[31m\u202e\ud800",
    "-->]]>&amp;",
    "x" * 300,
]  # fmt: skip


def run(*arguments: object) -> int:
    return cli.main([str(argument) for argument in arguments])


def traces(tmp_path: Path, count: int = 3) -> list[Path]:
    return [save(tmp_path / f"r{number}", document(sweep(f"t{number}"))) for number in range(count)]


def rows(file: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(file.read_text(encoding="utf-8"))))


def test_writes_beside_the_results(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = save(tmp_path / "run", document(sweep()))
    assert run(folder) == 0
    output = folder / "analysis"
    for width in ("one-column", "two-column"):
        for name in ("miss-ratio", "bound", "sensitivity", "throughput-simulated"):
            for kind in ("pdf", "svg", "png"):
                assert (output / width / f"{name}.{kind}").stat().st_size > 1000
    said = capsys.readouterr()
    assert "no figure ranking: ranking needs at least 3 policies" in said.err
    assert "no figure tiers: no configuration has two tiers" in said.err
    assert not list(output.glob("*/ranking*"))
    assert not list(output.glob("**/.*"))
    assert "24 figure files" in said.out


def test_statistics(tmp_path: Path) -> None:
    output = tmp_path / "out"
    assert run(*traces(tmp_path), "--output", output, "--figures", "ranking", *QUICK) == 0
    lru = next(row for row in rows(output / "statistics.csv") if row["policy"] == "lru")
    assert lru["trace_and_configuration"] == "t0, memory"
    assert lru["hit_ratio_mean"] == "0.35"
    assert lru["points_behind_bound_mean"] == "10"
    assert lru["points_per_doubling_mean"] == "10"
    assert lru["capacity_for_90_percent"] == "800"
    assert lru["modelled_access_us_mean"] == ""
    assert lru["simulated_requests_per_second_median"] == "1000000"
    ranks = rows(output / "ranking.csv")
    assert [(row["policy"], row["mean_rank"]) for row in ranks] == [
        ("sieve", "1"),
        ("lru", "2"),
        ("fifo", "3"),
    ]
    assert ranks[0]["friedman_chi_square"] == "6"
    assert len(rows(output / "ranking-pairs.csv")) == 3
    text = (output / "statistics.md").read_text()
    assert "![ranking](one-column/ranking.svg)" in text
    assert "3 policies, 3 blocks. A block is one trace in one configuration" in text


def test_executions(tmp_path: Path) -> None:
    runs = [execution(1, 1, 0.01), execution(1, 2, 0.02), execution(1, 3, 0.04)]
    folder = save(tmp_path / "run", document([record("lru", 10, 900, executions=runs)]))
    assert run(folder, *QUICK) == 0
    (row,) = rows(folder / "analysis" / "executions.csv")
    assert (row["runs"], row["requests_per_second_median"]) == ("3", "50000")
    assert (row["get_latency_p50_ns"], row["get_latency_max_ns"]) == ("200", "10000")


def test_same_input_same_bytes(tmp_path: Path) -> None:
    folders = traces(tmp_path)
    for name, seed in (("a", "1"), ("b", "2")):
        # In processes of their own, with different orders of sets.
        subprocess.run(
            [sys.executable, "-m", "larder.plots", *folders, "--output", tmp_path / name,
             "--width", "one", "--figures", "miss-ratio,ranking,sensitivity"],
            env=os.environ | {"PYTHONHASHSEED": seed}, check=True, capture_output=True,
        )  # fmt: skip
    files = sorted(path.relative_to(tmp_path / "a") for path in (tmp_path / "a").rglob("*.*"))
    assert len(files) == 14
    for file in files:
        assert (tmp_path / "a" / file).read_bytes() == (tmp_path / "b" / file).read_bytes(), file
        assert b"CreationDate" not in (tmp_path / "a" / file).read_bytes(), file
        assert b"<dc:date>" not in (tmp_path / "a" / file).read_bytes(), file


def test_hostile_names(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    records = [
        cell
        for trace in ("=t", "$t$", "<t>")
        for place, name in enumerate(HOSTILE)
        for cell in (
            record(name, 100, 100 + place, trace=trace, capacityLabel=name),
            record(name, 200, 200 + place, trace=trace, workload="=cmd|'/c calc'!A0"),
            record(name, 200, 200 + place, trace=trace, capacityLabel="@x"),
        )
    ]
    folder = save(tmp_path / "run", document(records))
    wanted = "miss-ratio,ranking,throughput-simulated"
    assert run(folder, "--width", "one", "--format", "svg,pdf", "--figures", wanted) == 0
    output = folder / "analysis"
    pictures = list(output.rglob("*.svg"))
    assert {"miss-ratio.svg", "ranking.svg"} <= {path.name for path in pictures}
    for picture in pictures:
        root = ET.fromstring(picture.read_bytes())
        assert not [element for element in root.iter() if str(element.tag).endswith("script")]
        # Drawn as it is written and not as a fraction.
        if picture.name == "miss-ratio.svg":
            assert b"$\\frac{1}{0}$" in picture.read_bytes()
            assert b"_hidden" in picture.read_bytes()
    for table in output.glob("*.csv"):
        for row in rows(table):
            for cell in row.values():
                assert not cell.startswith(("=", "+", "@", "\t", "\r")), table
    text = (output / "statistics.md").read_text(encoding="utf-8")
    assert "<script>" not in text
    assert "\x1b" not in text
    assert all(
        line.count("| ") == line.count(" |") for line in text.splitlines() if "a\\|b" in line
    )
    assert "\x1b" not in capsys.readouterr().err


def test_curves(tmp_path: Path) -> None:
    file = tmp_path / "curve.csv"
    points = [f"t,lru,exact,objects,{size},1000,{size},{size / 1000},0," for size in (1, 10, 100)]
    header = "trace,policy,method,unit,capacity,requests,hits,hit_ratio,miss_ratio,standard_error"
    file.write_text("\n".join([header, *points, ""]))
    assert run("--curve", file, "--output", tmp_path / "out", *QUICK) == 0
    assert (tmp_path / "out" / "one-column" / "miss-ratio.svg").is_file()
    assert rows(tmp_path / "out" / "statistics.csv")[0]["hit_ratio_max"] == "0.1"
    folder = save(tmp_path / "run", document(sweep()))
    assert run(folder, "--curve", file, *QUICK) == 0
    panels = {
        row["trace_and_configuration"] for row in rows(folder / "analysis" / "statistics.csv")
    }
    assert panels == {"t, curve", "trace, memory"}


def test_what_is_no_longer_drawn_goes(tmp_path: Path) -> None:
    folder = save(tmp_path / "run", document(sweep()))
    assert run(folder, *QUICK) == 0
    output = folder / "analysis"
    (output / "one-column" / "mine.svg").write_text("keep")
    assert run(folder, *QUICK, "--figures", "bound") == 0
    left = sorted(path.name for path in (output / "one-column").iterdir())
    assert left == ["bound.svg", "mine.svg"]


def test_a_list_of_files_cannot_remove_others(tmp_path: Path) -> None:
    folder = save(tmp_path / "run", document(sweep()))
    precious = tmp_path / "run" / "precious.svg"
    precious.write_text("keep")
    (folder / "analysis").mkdir()
    (folder / "analysis" / "files.txt").write_text("../precious.svg\n/etc/passwd\nresults.json\n")
    assert run(folder, *QUICK, "--figures", "bound") == 0
    assert precious.is_file()
    assert (folder / "results.json").is_file()


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ([], "name a results folder"),
        (["none"], "none: no such file or folder"),
        (["none", "--output", "out"], "none: no such file or folder"),
        (["a", "b"], "say with --output"),
        (["--curve", "none.csv", "--output", "out"], "none.csv: cannot be read"),
    ],
)
def test_misuse(
    arguments: list[str],
    expected: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(*arguments) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("larder-analysis: ")
    assert expected in said.err
    assert said.err.count("\n") == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ["--figures", "pie"],
        ["--format", "bmp"],
        ["--alpha", "2"],
        ["--alpha", "x"],
        ["--width", "three"],
        ["--nothing"],
        ["--figures", ","],
    ],
)
def test_unknown_options(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        run("x", *arguments)
    assert caught.value.code == 2
    assert "error: " in capsys.readouterr().err


def test_bad_file_writes_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = save(tmp_path / "run", document(sweep(), schemaVersion=9))
    assert run(folder) == 2
    assert "$.schemaVersion is 9" in capsys.readouterr().err
    assert not (folder / "analysis").exists()


def test_output_that_cannot_be(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = save(tmp_path / "run", document(sweep()))
    (tmp_path / "file").write_text("")
    assert run(folder, "--output", tmp_path / "file" / "x", *QUICK) == 2
    assert "cannot be written" in capsys.readouterr().err


def test_help(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        run("--help")
    assert caught.value.code == 0
    assert "exit codes" in capsys.readouterr().out
