"""Columns of Parquet files, for traces."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

Paths = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]
"""A file, a folder with files `*.parquet` below, or several files in the order of requests."""


def columns(paths: Paths, names: Mapping[str, str]) -> dict[str, Any]:
    """Reads columns, and no others, one after the other so that few are in memory twice.

    Texts of the column `ids` become numbers, the same for equal ones.

    Args:
        paths: What to read.
        names: The column of the files for each name of the result.

    Raises:
        ImportError: pyarrow is not installed.
        ValueError: A file has no such column, or is no Parquet file; or an element is missing.
        OSError: A file cannot be read.
    """
    try:
        import pyarrow as pa
        import pyarrow.dataset
    except ImportError as error:
        raise ImportError("Parquet needs pyarrow: pip install 'larder-cache[parquet]'") from error
    source = [Path(path) for path in ([paths] if isinstance(paths, str | os.PathLike) else paths)]
    if len(source) == 1 and source[0].is_dir():
        found = sorted(source[0].rglob("*.parquet"))
        if not found:
            raise ValueError(f"{paths}: no file *.parquet is below")
        source = found
    try:
        dataset = pyarrow.dataset.dataset([str(path) for path in source], format="parquet")
        known = dataset.schema.names
        for name in names.values():
            if name not in known:
                raise ValueError(f"{paths}: no column {name!r}; there are {', '.join(known)}")
        return {
            key: _array(dataset.to_table(columns=[name])[name], name, encodes=key == "ids")
            for key, name in names.items()
        }
    except pa.ArrowInvalid as error:
        line = " ".join(str(error).split())
        raise ValueError(f"{paths}: cannot be read as Parquet: {line}") from None


def _array(
    column: Any,  # noqa: ANN401 - of pyarrow
    name: str,
    *,
    encodes: bool,
) -> np.ndarray[Any, Any]:
    import pyarrow as pa

    if column.null_count > 0:
        raise ValueError(f"{name}: {column.null_count} of {len(column)} elements are missing")
    kind = column.type
    if pa.types.is_dictionary(kind) and not encodes:
        column = column.cast(kind.value_type)
    elif encodes and (pa.types.is_string(kind) or pa.types.is_large_string(kind)):
        column = column.dictionary_encode()
    if pa.types.is_dictionary(column.type):
        # One dictionary for all pieces, so that equal texts have equal numbers.
        indices = column.unify_dictionaries().chunks
        pieces = [piece.indices.to_numpy(zero_copy_only=False) for piece in indices]
        return np.concatenate(pieces) if pieces else np.empty(0, dtype=np.int32)
    return np.asarray(column.to_numpy())
