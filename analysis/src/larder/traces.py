"""Traces: files, arrays and generators, prepared once for all simulations."""

from __future__ import annotations

import ctypes
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn, cast

import numpy as np
import pandas as pd

from larder import library, parquet, tasks

Values = Any
"""A column: numpy, pandas or polars, or a sequence."""

_OPERATIONS = {"get": 0, "set": 1, "delete": 2, "modify": 3, "bypass": 4, "expire": 5}
_SECOND = 1_000_000


class Trace:
    """Requests for objects, in memory, ready to be replayed.

    Made by `Trace.open`, `Trace.from_arrays`, `Trace.from_parquet` or `larder.generate`.
    Immutable; several threads may use it at the same time.
    """

    def __init__(self, handle: int) -> None:
        """Takes a trace of the library over: see the class for how traces are made."""
        self._handle = handle
        requests, objects = ctypes.c_uint64(), ctypes.c_uint64()
        library.call(
            library.library().larder_trace_counts,
            handle,
            ctypes.byref(requests),
            ctypes.byref(objects),
        )
        self._requests, self._objects = requests.value, objects.value

    @staticmethod
    def open(
        path: str | os.PathLike[str],
        format: str | None = None,  # noqa: A002
        *,
        progress: bool | None = None,
    ) -> Trace:
        """Reads a trace file, compressed or not.

        Args:
            path: The file.
            format: Its format and options, as of `--format`; recognised without it.
            progress: Whether to show progress; None for where standard error is a terminal.

        Raises:
            LarderError: The file cannot be read; the message names the place.
        """
        function = library.library().larder_trace_open
        arguments = (os.fsencode(path), None if format is None else format.encode())
        return _make(function, arguments, "reading", progress)

    @staticmethod
    def from_arrays(
        ids: Values,
        sizes: Values | None = None,
        times: Values | None = None,
        ops: Values | None = None,
        *,
        ttls: Values | None = None,
        costs: Values | None = None,
        name: str = "arrays",
        progress: bool | None = None,
    ) -> Trace:
        """Makes a trace of columns with one element a request.

        Columns of whole numbers are read where they are, without a copy.

        Args:
            ids: The object of each request: whole numbers, or anything hashable.
            sizes: Bytes, 0 to 2**32 - 1. Each request keeps its own (as `csv:sizes=logged`).
            times: Seconds from any start, or datetimes. A time before that of the request ahead
                of it is raised to that.
            ops: 'get', 'set', 'delete', 'modify', 'bypass' or 'expire', or their numbers from 0.
            ttls: Seconds to live; 0 for no limit.
            costs: What a fetch costs.
            name: The trace's name in results.
            progress: Whether to show progress; None for where standard error is a terminal.

        Raises:
            LarderError: An element is out of range; the message names it.
            ValueError: Columns of different lengths, or of types that cannot be used.
        """
        arrays = {
            "ids": _keys(ids),
            "sizes": _whole(sizes, "sizes"),
            "times": _microseconds(times),
            "operations": _operations(ops),
            "ttls": _whole(ttls, "ttls"),
            "costs": None if costs is None else _native(_column(costs, "costs"), "costs"),
        }
        columns = library.Columns(count=len(cast("np.ndarray[Any, Any]", arrays["ids"])))
        for column, array in arrays.items():
            if array is None:
                continue
            if len(array) != columns.count:
                raise ValueError(f"{column} has {len(array)} elements, and ids has {columns.count}")
            pointer = array.__array_interface__["data"][0]
            setattr(
                columns,
                column,
                library.Column(
                    pointer, array.strides[0], library.element_type(array.dtype.str[1:]) or 0
                ),
            )
        arguments = (ctypes.byref(columns), name.encode())
        trace = _make(library.library().larder_trace_from_columns, arguments, "preparing", progress)
        # The library read the arrays up to here.
        del arrays
        return trace

    @staticmethod
    def from_parquet(
        paths: parquet.Paths,
        id: str,  # noqa: A002
        size: str | None = None,
        time: str | None = None,
        op: str | None = None,
        *,
        ttl: str | None = None,
        cost: str | None = None,
        progress: bool | None = None,
    ) -> Trace:
        """Makes a trace of columns of Parquet files, which are read without the others.

        Needs pyarrow (`pip install 'larder-cache[parquet]'`).

        Args:
            paths: A file, a folder with files `*.parquet` below (in the order of their names),
                or several files in the order of their requests.
            id: The column of objects: whole numbers or texts.
            size: The column of bytes.
            time: The column of times: seconds, or timestamps.
            op: The column of operations, as for `from_arrays`.
            ttl: The column of seconds to live.
            cost: The column of what fetches cost.
            progress: Whether to show progress; None for where standard error is a terminal.

        Raises:
            ImportError: pyarrow is not installed.
            LarderError: An element is out of range; the message names it.
            ValueError: A column is not there, has missing elements or cannot be used.
        """
        given = {"ids": id, "sizes": size, "times": time, "ops": op, "ttls": ttl, "costs": cost}
        wanted = {name: column for name, column in given.items() if column is not None}
        found = parquet.columns(paths, wanted)
        name = Path(paths).name if isinstance(paths, str | os.PathLike) else "parquet"
        return Trace.from_arrays(**found, name=name, progress=progress)

    @property
    def handle(self) -> int:
        """The library's number of the trace."""
        return self._handle

    @property
    def requests(self) -> int:
        """Number of requests."""
        return self._requests

    @property
    def objects(self) -> int:
        """Number of distinct objects."""
        return self._objects

    def __len__(self) -> int:
        """Number of requests."""
        return self._requests

    def __repr__(self) -> str:
        """Requests and objects."""
        return f"<larder.Trace: {self._requests} requests, {self._objects} objects>"

    def info(self) -> dict[str, Any]:
        """What is known of the trace: objects, footprint, popularity, duration, operations.

        Takes a pass over the trace. What the trace does not have is left out.
        """
        text = library.Text()
        library.call(library.library().larder_trace_info, self._handle, ctypes.byref(text))
        return cast("dict[str, Any]", json.loads(library.take(text)))

    def sample(self, share: float, seed: int = 1) -> Trace:
        """The requests of a share of the objects, chosen by hash.

        Capacities of the sample are those of a cache for the whole trace, and results stand for
        the whole trace.

        Args:
            share: Above 0 and at most 1.
            seed: Which of the possible samples.

        Raises:
            LarderError: The share is out of range, or no object is in the sample.
        """
        made = library.Handle()
        library.call(
            library.library().larder_trace_sample,
            self._handle,
            share,
            _seed(seed),
            ctypes.byref(made),
        )
        return Trace(made.value)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the trace in Larder's format (.larder), which opens without parsing.

        Raises:
            LarderError: The file cannot be written; nothing is left then.
        """
        library.call(library.library().larder_trace_save, self._handle, os.fsencode(path))

    def __del__(self) -> None:
        """Gives the memory back."""
        handle = getattr(self, "_handle", None)
        if handle is not None:
            library.library().larder_trace_destroy(handle)

    def __reduce__(self) -> NoReturn:
        """Refuses to be pickled: the trace is memory of this process."""
        raise TypeError("a larder.Trace cannot be pickled; save it, and open the file")


def generate(
    generator: str,
    requests: int = 1_000_000,
    *,
    seed: int = 1,
    sizes: str | None = None,
    ttls: str | None = None,
    operations: str | None = None,
    rate: float | None = None,
    progress: bool | None = None,
    **parameters: object,
) -> Trace:
    """Generates a trace: `larder.generate("zipf", 10_000, objects=1000, exponent=0.9)`.

    The same generator, parameters and seed give the same trace on every machine, and the one that
    `larder trace generate` gives.

    Args:
        generator: Its name, or name and parameters as the command takes them.
        requests: How many to generate.
        seed: Of its random numbers.
        sizes: Distribution of sizes in bytes, such as 'log-normal:median=8KiB:sigma=1'.
        ttls: Distribution of times to live.
        operations: Shares of operations, such as 'get=0.95,set=0.05'.
        rate: Requests per second, for generators without times of their own.
        progress: Whether to show progress; None for where standard error is a terminal.
        **parameters: The generator's.

    Raises:
        LarderError: A name or value is not known; the message says which are.
    """
    text = ":".join([generator, *(f"{name}={value}" for name, value in parameters.items())])
    lines = library.options(
        requests=requests,
        seed=_seed(seed),
        sizes=sizes,
        ttls=ttls,
        operations=operations,
        rate=rate,
    )
    function = library.library().larder_trace_generate
    return _make(function, (text.encode(), lines), "generating", progress)


def prepared(trace: object, progress: bool | None) -> Trace:
    """The trace that is meant: a trace, a file's path, or a column of ids."""
    if isinstance(trace, Trace):
        return trace
    if isinstance(trace, str | os.PathLike):
        return Trace.open(trace, progress=progress)
    return Trace.from_arrays(trace, progress=progress)


def _make(
    function: Any,  # noqa: ANN401 - a function of ctypes
    arguments: Sequence[object],
    title: str,
    progress: bool | None,
) -> Trace:
    made = library.Handle()
    tasks.run(
        lambda task: library.call(function, *arguments, task, ctypes.byref(made)), title, progress
    )
    return Trace(made.value)


def _seed(seed: int) -> int:
    if not 0 <= seed < 1 << 64:
        raise ValueError(f"seed {seed} is out of range: expected 0 to 2**64 - 1")
    return seed


def _column(values: Values, name: str) -> np.ndarray[Any, Any]:
    array = np.asarray(values.to_numpy() if hasattr(values, "to_numpy") else values)
    if array.ndim != 1:
        raise ValueError(f"{name} has {array.ndim} dimensions, expected one")
    return array


def _native(array: np.ndarray[Any, Any], name: str) -> np.ndarray[Any, Any]:
    """The same numbers in the order of bytes, and of a type, that the library reads."""
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    if library.element_type(array.dtype.str[1:]) is None:
        raise ValueError(f"{name} cannot be of type {array.dtype}")
    return array


def _keys(ids: Values) -> np.ndarray[Any, Any]:
    array = _column(ids, "ids") if hasattr(ids, "dtype") else _objects(list(ids))
    if array.dtype.kind in "iu":
        return _native(array, "ids")
    try:
        codes, _ = pd.factorize(array)
    except TypeError as error:
        raise ValueError(f"ids cannot be compared: {error}") from None
    if len(codes) > 0 and codes.min() < 0:
        raise ValueError(f"ids[{int(codes.argmin())}] is missing")
    return np.asarray(codes)


def _objects(values: list[Any]) -> np.ndarray[Any, Any]:
    """A column of whole numbers, or of the objects as they are: 1 is not '1'."""
    if all(type(value) is int and -(1 << 63) <= value < 1 << 63 for value in values):
        return np.array(values, dtype=np.int64)
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def _whole(values: Values | None, name: str) -> np.ndarray[Any, Any] | None:
    if values is None:
        return None
    array = _column(values, name)
    if array.dtype.kind == "f":
        wrong = ~(np.isfinite(array) & (array == np.trunc(array)) & (np.abs(array) < 2.0**53))
        if wrong.any():
            place = int(wrong.argmax())
            raise ValueError(f"{name}[{place}] is {array[place]}, expected a whole number")
        return np.asarray(array.astype(np.int64))
    return _native(array, name)


def _microseconds(values: Values | None) -> np.ndarray[Any, Any] | None:
    if values is None:
        return None
    array = _column(values, "times")
    if array.dtype.kind in "Mm":
        if np.isnat(array).any():
            raise ValueError(f"times[{int(np.isnat(array).argmax())}] is missing")
        whole = array.astype(f"{array.dtype.kind}8[us]").astype(np.int64)
        return np.asarray(whole - whole.min(initial=0))
    if array.dtype.kind not in "iuf":
        raise ValueError(f"times cannot be of type {array.dtype}")
    wrong = ~((array >= 0) & (array < 2.0**63 / _SECOND))
    if wrong.any():
        place = int(wrong.argmax())
        raise ValueError(f"times[{place}] is {array[place]}, expected seconds from 0")
    if array.dtype.kind == "f":
        return np.asarray(np.rint(array.astype(np.float64) * _SECOND).astype(np.int64))
    return np.asarray(array.astype(np.int64) * _SECOND)


def _operations(values: Values | None) -> np.ndarray[Any, Any] | None:
    if values is None:
        return None
    array = _column(values, "ops")
    if array.dtype.kind in "iu":
        return _native(array, "ops")
    codes, names = pd.factorize(array)
    numbers = []
    for name in names:
        number = _OPERATIONS.get(str(name).lower())
        if number is None:
            raise ValueError(f"unknown operation {str(name)!r}; known are {', '.join(_OPERATIONS)}")
        numbers.append(number)
    if len(codes) > 0 and codes.min() < 0:
        raise ValueError(f"ops[{int(codes.argmin())}] is missing")
    return np.asarray(np.array(numbers, dtype=np.uint8)[codes])
