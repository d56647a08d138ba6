"""Calls that take long: beside the interpreter, with progress, and stopped by Ctrl-C."""

from __future__ import annotations

import contextlib
import ctypes
import threading
from collections.abc import Callable

from tqdm.auto import tqdm

from larder import library

# Between two looks at the progress. A call that is done is noticed at once.
_SECONDS = 0.1
# Calls that are done earlier show no progress.
_DELAY = 1.0


def run(work: Callable[[int], None], title: str, progress: bool | None) -> None:
    """Runs `work` with the handle of a task in a thread, which does not hold the interpreter.

    Ctrl-C stops the task and is raised once it has ended.

    Args:
        work: Calls the library. What it raises is raised here.
        title: What the progress bar says.
        progress: Whether to show it; None for where standard error is a terminal.
    """
    functions = library.library()
    task = functions.larder_task_create()
    failures: list[BaseException] = []

    def body() -> None:
        try:
            work(task)
        except BaseException as failure:  # noqa: BLE001 - raised again in the caller's thread
            failures.append(failure)

    thread = threading.Thread(target=body, name=f"larder: {title}", daemon=True)
    try:
        thread.start()
        _wait(functions, thread, task, title, progress)
    finally:
        functions.larder_task_destroy(task)
    if failures:
        raise failures[0]


def _wait(
    functions: ctypes.CDLL, thread: threading.Thread, task: int, title: str, progress: bool | None
) -> None:
    done, total = ctypes.c_uint64(), ctypes.c_uint64()
    try:
        thread.join(_SECONDS)
        if not thread.is_alive():
            return
        disable = None if progress is None else not progress
        with tqdm(
            desc=title, unit=" requests", unit_scale=True, delay=_DELAY, disable=disable
        ) as bar:
            while thread.is_alive():
                functions.larder_task_progress(task, ctypes.byref(done), ctypes.byref(total))
                if done.value < bar.n:
                    bar.reset()
                bar.total = total.value or None
                bar.update(done.value - bar.n)
                thread.join(_SECONDS)
    except BaseException:
        functions.larder_task_cancel(task)
        # Whatever comes: the library still reads memory of the caller.
        while thread.is_alive():
            with contextlib.suppress(KeyboardInterrupt):
                thread.join()
        raise
