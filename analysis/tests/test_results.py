"""Damaged, foreign and truncated results are one clear line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from records import document, record, save, sweep

from larder.plots.errors import AnalysisError
from larder.plots.results import load_runs, schema

EXAMPLES = Path(__file__).parents[2] / "Results" / "examples"


def message(paths: list[Path]) -> str:
    with pytest.raises(AnalysisError) as caught:
        load_runs(paths)
    text = str(caught.value)
    assert "\n" not in text
    return text


def test_schema_is_that_of_the_repository() -> None:
    file = Path(__file__).parents[2] / "docs" / "results.schema.json"
    assert schema() == json.loads(file.read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", ["arc-oltp", "cache2k-web07"])
def test_reads_the_examples(name: str) -> None:
    (run,) = load_runs([EXAMPLES / name])
    assert run.document["workload"] == name
    assert len(run.document["records"]) == run.document["plannedCells"]


def test_reads_folder_or_file(tmp_path: Path) -> None:
    folder = save(tmp_path, document(sweep()))
    by_folder, by_file = load_runs([folder, folder / "results.json"])
    assert by_folder.document == by_file.document


def test_missing_folder(tmp_path: Path) -> None:
    assert message([tmp_path / "none"]).endswith("none: no such file or folder")


def test_folder_without_results(tmp_path: Path) -> None:
    assert "no results.json in this folder" in message([tmp_path])


def test_truncated(tmp_path: Path) -> None:
    file = save(tmp_path, document(sweep())) / "results.json"
    file.write_text(file.read_text()[:300])
    text = message([tmp_path])
    assert "results.json: line 1, column" in text
    assert "may be truncated" in text


def test_not_text(tmp_path: Path) -> None:
    (tmp_path / "results.json").write_bytes(b"{\xff}")
    assert "byte 1: not UTF-8" in message([tmp_path])


@pytest.mark.parametrize("content", ["[]", "{}", '"x"', '{"version": 1}'])
def test_foreign(tmp_path: Path, content: str) -> None:
    (tmp_path / "results.json").write_text(content)
    assert "not a results file of larder" in message([tmp_path])


def test_not_a_number(tmp_path: Path) -> None:
    (tmp_path / "results.json").write_text('{"schemaVersion": 1, "x": NaN}')
    assert "NaN is not a number of JSON" in message([tmp_path])


def test_nested_without_end(tmp_path: Path) -> None:
    (tmp_path / "results.json").write_text("[" * 200_000)
    assert "results.json: " in message([tmp_path])


def damage(change: dict[str, Any], place: tuple[Any, ...]) -> dict[str, Any]:
    content = document([record("lru", 1, 1), record("fifo", 1, 1)])
    target: Any = content
    for step in place:
        target = target[step]
    target.update(change)
    return content


@pytest.mark.parametrize(
    ("change", "place", "path", "what"),
    [
        ({"hits": 1}, ("records", 1, "counts"), "$.records[1].counts", "'hits'"),
        ({"capacity": -1}, ("records", 0, "cell"), "$.records[0].cell.capacity", "minimum"),
        ({"unit": "pages"}, ("records", 0, "cell"), "$.records[0].cell.unit", "pages"),
        ({"cores": "two"}, ("machine",), "$.machine.cores", "integer"),
        ({"records": {}}, (), "$.records", "array"),
    ],
)
def test_names_the_place(
    tmp_path: Path, change: dict[str, Any], place: tuple[Any, ...], path: str, what: str
) -> None:
    text = message([save(tmp_path, damage(change, place))])
    assert f"results.json: {path}: " in text
    assert what in text


def test_missing_key(tmp_path: Path) -> None:
    content = document([record("lru", 1, 1)])
    del content["records"][0]["counts"]["requests"]
    text = message([save(tmp_path, content)])
    assert "$.records[0].counts: 'requests' is a required property" in text


def test_more_hits_than_requests(tmp_path: Path) -> None:
    text = message([save(tmp_path, document([record("lru", 1, 1001)]))])
    assert "$.records[0].counts: more hits than requests" in text


def test_long_values_are_cut(tmp_path: Path) -> None:
    text = message([save(tmp_path, damage({"capacity": "x" * 5000}, ("records", 0, "cell")))])
    assert len(text) < 400
    assert "integer" in text


@pytest.mark.parametrize("version", [2, "1", True, None])
def test_unknown_version(tmp_path: Path, version: object) -> None:
    text = message([save(tmp_path, document(sweep(), schemaVersion=version))])
    assert f"$.schemaVersion is {json.dumps(version)}; this reads version 1" in text


def test_versions_that_differ(tmp_path: Path) -> None:
    first = save(tmp_path / "a", document(sweep()))
    second = save(tmp_path / "b", document(sweep(), schemaVersion=2))
    text = message([first, second])
    assert "$.schemaVersion is 2, but " in text
    assert "cannot be joined" in text
