"""The one place that reads results.json, and checks it against docs/results.schema.json."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

import jsonschema
from jsonschema.exceptions import best_match

from larder.plots.errors import AnalysisError
from larder.plots.text import clean

FILE_NAME = "results.json"
_LONGEST_MESSAGE = 160


@dataclass(frozen=True)
class Run:
    """One results folder: where it is, and its results.json, known to satisfy the schema."""

    path: Path
    document: dict[str, Any]


def schema() -> dict[str, Any]:
    """The schema of results.json; in a checkout it is the file in docs/."""
    file = resources.files("larder.plots").joinpath("results.schema.json")
    return json.loads(file.read_text(encoding="utf-8"))


def load_runs(paths: list[Path]) -> list[Run]:
    """Reads results folders (or results.json files), which must all have one schema version.

    Raises:
        AnalysisError: naming file and place, if a file is missing, damaged or not such a file.
    """
    documents = [(path, _read(path)) for path in map(_file_of, paths)]
    known = schema()
    version = known["properties"]["schemaVersion"]["const"]
    _check_versions(documents, version)
    validator = jsonschema.validators.validator_for(known)(known)
    for path, document in documents:
        _check(path, document, validator)
    return [Run(path=path, document=document) for path, document in documents]


def _file_of(path: Path) -> Path:
    if path.is_dir():
        file = path / FILE_NAME
        if not file.is_file():
            raise AnalysisError(
                f"{path}: no {FILE_NAME} in this folder; give a folder that larder run has written"
            )
        return file
    if not path.exists():
        raise AnalysisError(f"{path}: no such file or folder")
    return path


def _whole_text(text: str, document: Any) -> Any:  # noqa: ANN401 - values of JSON
    """The document with halves of surrogate pairs replaced, which no file or table can hold."""
    if not re.search(r"\\u[dD][89a-fA-F]", text):
        return document
    halves = json.dumps(document, ensure_ascii=False).encode("utf-16", "surrogatepass")
    return json.loads(halves.decode("utf-16", "replace"))


def _read(path: Path) -> dict[str, Any]:
    try:
        text = path.read_bytes().decode("utf-8")
        document = _whole_text(text, json.loads(text, parse_constant=_refuse_constant))
    except UnicodeDecodeError as error:
        raise AnalysisError(f"{path}: byte {error.start}: not UTF-8 text") from None
    except json.JSONDecodeError as error:
        raise AnalysisError(
            f"{path}: line {error.lineno}, column {error.colno}: not whole JSON ({error.msg}); "
            "the file may be truncated"
        ) from None
    except (_ConstantError, RecursionError) as error:
        raise AnalysisError(f"{path}: not JSON that can be read ({error})") from None
    except OSError as error:
        raise AnalysisError(f"{path}: cannot be read ({error.strerror})") from None
    if not isinstance(document, dict) or "schemaVersion" not in document:
        raise AnalysisError(f"{path}: $: not a results file of larder (no schemaVersion)")
    return document


class _ConstantError(Exception):
    """NaN or Infinity, which Python reads and JSON does not have."""


def _refuse_constant(name: str) -> None:
    raise _ConstantError(f"{name} is not a number of JSON")


def _check_versions(documents: list[tuple[Path, dict[str, Any]]], known: int) -> None:
    first_path, first = documents[0]
    for path, document in documents[1:]:
        if document["schemaVersion"] != first["schemaVersion"]:
            raise AnalysisError(
                f"{path}: $.schemaVersion is {_brief(document['schemaVersion'])}, but "
                f"{first_path} has {_brief(first['schemaVersion'])}; they cannot be joined"
            )
    if first["schemaVersion"] != known or isinstance(first["schemaVersion"], bool):
        raise AnalysisError(
            f"{first_path}: $.schemaVersion is {_brief(first['schemaVersion'])}; "
            f"this reads version {known}"
        )


def _check(path: Path, document: dict[str, Any], validator: jsonschema.Validator) -> None:
    error = best_match(validator.iter_errors(document))
    if error is not None:
        message = clean(error.message)
        if len(message) > _LONGEST_MESSAGE:
            # The end says what was expected; the beginning quotes what was found.
            message = message[:40] + " ... " + message[-(_LONGEST_MESSAGE - 45) :]
        raise AnalysisError(f"{path}: {clean(error.json_path)}: {message}")
    for index, record in enumerate(document["records"]):
        counts = record["counts"]
        if counts["memoryHits"] + counts["diskHits"] > counts["requests"]:
            raise AnalysisError(f"{path}: $.records[{index}].counts: more hits than requests")


def _brief(value: object) -> str:
    return clean(json.dumps(value))[:40]
