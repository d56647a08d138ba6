"""The library `liblarder`, by ctypes: finding it, its functions, and what they answer."""

from __future__ import annotations

import ctypes
import functools
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

from larder.errors import ContractError, LarderError

ABI = 2
CHECK_FAILED = 1
CANCELLED = 130

Handle = ctypes.c_uint64
Text = ctypes.POINTER(ctypes.c_char)

# The functions of Python's C interface that the library calls, by their names in `larder_python`.
_PYTHON = {
    "vectorcall": "PyObject_Vectorcall",
    "to_python": "PyLong_FromUnsignedLongLong",
    "from_python": "PyLong_AsLongLong",
    "forget_error": "PyErr_Clear",
    "retain": "Py_IncRef",
    "release": "Py_DecRef",
}

_TYPES = {"i1": 1, "i2": 2, "i4": 3, "i8": 4, "u1": 5, "u2": 6, "u4": 7, "u8": 8, "f4": 9, "f8": 10}


class Column(ctypes.Structure):
    """`larder_column`."""

    _fields_ = (
        ("values", ctypes.c_void_p),
        ("stride", ctypes.c_int64),
        ("type", ctypes.c_int32),
    )


class Columns(ctypes.Structure):
    """`larder_columns`."""

    _fields_ = (
        ("count", ctypes.c_uint64),
        ("ids", Column),
        ("sizes", Column),
        ("times", Column),
        ("operations", Column),
        ("ttls", Column),
        ("costs", Column),
    )


class PolicySetup(ctypes.Structure):
    """`larder_policy_setup`."""

    _fields_ = (
        ("capacity", ctypes.c_uint64),
        ("counts_bytes", ctypes.c_int32),
        ("seed", ctypes.c_uint64),
        ("events", ctypes.c_void_p),
        ("sizes", ctypes.c_void_p),
    )


Create = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.POINTER(PolicySetup))
Apply = ctypes.CFUNCTYPE(
    ctypes.c_int64, ctypes.c_void_p, ctypes.c_int64, ctypes.c_uint64, ctypes.c_int32
)
Contains = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_int64, ctypes.c_uint32)
Destroy = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64)


class Gets(ctypes.Structure):
    """`larder_gets`."""

    _fields_ = (
        ("used", ctypes.c_uint64),
        ("hits", ctypes.c_uint64),
        ("bytes_hit", ctypes.c_uint64),
        ("rejections", ctypes.c_uint64),
        ("evictions", ctypes.c_uint64),
        ("bytes_written", ctypes.c_uint64),
    )


Replay = ctypes.CFUNCTYPE(
    ctypes.c_int64,
    ctypes.c_void_p,
    ctypes.c_int64,
    ctypes.c_void_p,
    ctypes.c_void_p,
    ctypes.c_uint64,
    ctypes.POINTER(Gets),
)


class PythonCalls(ctypes.Structure):
    """`larder_python`."""

    _fields_ = (
        *((name, ctypes.c_void_p) for name in _PYTHON),
        *((name, ctypes.py_object) for name in ("hit", "insert", "evict", "none")),
        ("resident", ctypes.c_void_p),
        ("sizes", ctypes.c_void_p),
        ("objects", ctypes.c_uint64),
        ("capacity", ctypes.c_uint64),
    )


class Callbacks(ctypes.Structure):
    """`larder_policy`."""

    _fields_ = (
        ("context", ctypes.c_void_p),
        ("create", Create),
        ("apply", Apply),
        ("contains", Contains),
        ("destroy", Destroy),
        ("replay", Replay),
    )


_TEXT = ctypes.POINTER(Text)
_HANDLE = ctypes.POINTER(Handle)
_CHARS = ctypes.c_char_p
_POLICY = ctypes.POINTER(Callbacks)
_FUNCTIONS: dict[str, list[Any]] = {
    "larder_abi": [],
    "larder_text_free": [Text],
    "larder_task_create": [],
    "larder_task_cancel": [Handle],
    "larder_task_progress": [Handle, _HANDLE, _HANDLE],
    "larder_task_destroy": [Handle],
    "larder_trace_from_columns": [ctypes.POINTER(Columns), _CHARS, Handle, _HANDLE, _TEXT],
    "larder_trace_open": [_CHARS, _CHARS, Handle, _HANDLE, _TEXT],
    "larder_trace_generate": [_CHARS, _CHARS, Handle, _HANDLE, _TEXT],
    "larder_trace_sample": [Handle, ctypes.c_double, ctypes.c_uint64, _HANDLE, _TEXT],
    "larder_trace_save": [Handle, _CHARS, _TEXT],
    "larder_trace_counts": [Handle, _HANDLE, _HANDLE, _TEXT],
    "larder_trace_info": [Handle, _TEXT, _TEXT],
    "larder_trace_destroy": [Handle],
    "larder_simulate": [Handle, _CHARS, Handle, _TEXT, _TEXT],
    "larder_mrc": [Handle, _CHARS, Handle, _TEXT, _TEXT],
    "larder_advise": [Handle, _CHARS, Handle, _TEXT, _TEXT, _TEXT, _TEXT],
    "larder_policies": [_TEXT, _TEXT],
    "larder_policy_simulate": [Handle, _POLICY, _CHARS, _CHARS, Handle, _TEXT, _TEXT],
    "larder_policy_check": [_POLICY, _CHARS, _CHARS, _TEXT],
}


@functools.cache
def library() -> ctypes.CDLL:
    """The library: that of LARDER_LIBRARY, or the one in this package.

    Raises:
        LarderError: It is not there, or is another version than this package is for.
    """
    path = _path()
    try:
        loaded = ctypes.CDLL(str(path))
        for name, arguments in _FUNCTIONS.items():
            getattr(loaded, name).argtypes = arguments
            getattr(loaded, name).restype = ctypes.c_int32
    except (OSError, AttributeError) as error:
        raise LarderError(f"{path} cannot be loaded: {error}; LARDER_LIBRARY names it", 2) from None
    loaded.larder_task_create.restype = Handle
    loaded.larder_text_free.restype = None
    if (found := loaded.larder_abi()) != ABI:
        raise LarderError(f"{path} has version {found} of the interface, expected {ABI}", 2)
    return loaded


@functools.cache
def python_functions() -> dict[str, int] | None:
    """The addresses for `larder_python`; None where Python does not have them, as PyPy."""
    functions = getattr(ctypes, "pythonapi", None)
    addresses = {}
    for name, function in _PYTHON.items():
        found = getattr(functions, function, None)
        if found is None:
            return None
        addresses[name] = ctypes.cast(found, ctypes.c_void_p).value or 0
    return addresses


@functools.cache
def python_replay() -> Callable[..., int]:
    """`larder_python_replay`, which is called under Python's lock and raises what methods raise."""
    library()
    function = ctypes.PyDLL(str(_path())).larder_python_replay
    pointer = ctypes.POINTER
    function.argtypes = [
        pointer(PythonCalls), ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint64, pointer(Gets)
    ]  # fmt: skip
    function.restype = ctypes.c_int64
    return cast("Callable[..., int]", function)


def _path() -> Path:
    named = os.environ.get("LARDER_LIBRARY")
    return Path(named) if named else Path(__file__).parent / "native" / "liblarder.so"


def take(text: Any) -> str:  # noqa: ANN401 - a pointer that ctypes made
    """The text behind a pointer that the library gave away; the memory is given back."""
    if not text:
        return ""
    try:
        value = ctypes.cast(text, ctypes.c_char_p).value
        return (value or b"").decode()
    finally:
        library().larder_text_free(text)


def check(status: int, error: Any) -> None:  # noqa: ANN401 - a pointer that ctypes made
    """Raises what a status stands for, with the text about it."""
    message = take(error)
    if status == CHECK_FAILED:
        raise ContractError(message, status)
    if status != 0:
        raise LarderError(message, status)


def call(function: Callable[..., int], *arguments: Any) -> None:  # noqa: ANN401
    """Calls a function whose last parameter is an error."""
    error = Text()
    check(function(*arguments, ctypes.byref(error)), error)


def element_type(name: str) -> int | None:
    """The number of an element's type, by numpy's letter and size; None for one that is not."""
    return _TYPES.get(name)


def options(**values: object) -> bytes:
    """Options as lines; those that are None or False are left out.

    Raises:
        ValueError: A value has more than one line.
    """
    lines = []
    for name, value in values.items():
        if value is None or value is False:
            continue
        text = "" if value is True else f"={value}"
        if "\n" in text or "\0" in text:
            raise ValueError(f"{name} has more than one line: {value!r}")
        lines.append(name.replace("_", "-") + text)
    return "\n".join(lines).encode()
