"""Gets replayed with a policy in Python, by the library's loop, which calls its methods."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

import numpy as np

from larder import library

if TYPE_CHECKING:
    from larder.policy import Policy

# LARDER_PYTHON_VICTIM.
_NOT_RESIDENT = -2


class Replay:
    """What is resident in one cache, and the library's way to the policy's methods."""

    def __init__(self, policy: Policy, capacity: int, counts_bytes: bool, objects: int) -> None:
        """Makes an empty cache for objects numbered 1 to `objects`."""
        # Each object's number while it is resident; None otherwise. Element 0 is no object's.
        self._resident = np.empty(objects + 1, dtype=object)
        self._sizes = np.zeros(objects + 1, dtype=np.uint32) if counts_bytes else None
        self._calls = library.PythonCalls(
            hit=policy.hit,
            insert=policy.insert,
            evict=policy.evict,
            none=None,
            resident=self._resident.ctypes.data,
            sizes=None if self._sizes is None else self._sizes.ctypes.data,
            objects=objects,
            capacity=capacity,
            **(library.python_functions() or {}),
        )

    def run(self, objects: int, sizes: int | None, count: int, gets: library.Gets) -> None:
        """Replays gets, whose objects and sizes are at two addresses.

        Raises:
            ValueError: The policy gave up what it does not have.
            Exception: Whatever the policy raises.
        """
        replay = library.python_replay()
        status = replay(ctypes.byref(self._calls), objects, sizes, count, ctypes.byref(gets))
        if status == _NOT_RESIDENT:
            raise ValueError(f"evict returned {self._resident[0]}, which is not resident")
        if status != 0:
            raise ValueError("an object is out of range")
