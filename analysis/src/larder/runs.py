"""Workload files, run on this machine or by the workers of a Dask cluster."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from larder.command import PROGRAM
from larder.errors import LarderError
from larder.simulation import read

if TYPE_CHECKING:
    import pandas as pd
    from distributed import Client

_PARTS_PER_WORKER = 4


def run(
    workload: str | os.PathLike[str],
    *,
    output: str | os.PathLike[str] | None = None,
    store: str | os.PathLike[str] | None = None,
    threads: int | None = None,
    client: Client | None = None,
    parts: int | None = None,
    retries: int = 3,
    program: str | os.PathLike[str] | None = None,
) -> pd.DataFrame:
    """Runs a workload file and gives back its counts, a row a cell as in counts.csv.

    Args:
        workload: The workload file. With `client`, every worker must see it, its traces and
            `store` under the same path.
        output: Folder for the files that `larder run` writes; without one they are not kept.
        store: Folder of the store of results. Needed with `client`.
        threads: Cells at the same time in one process; the command's default without it, and 1
            with `client`.
        client: A `distributed.Client`. Prepares traces in one task, computes each part of the
            cells in a task of its own, and merges here.
        parts: Number of parts with `client`; 4 a worker without it.
        retries: How often Dask tries a failed task again.
        program: The command `larder`. Without it LARDER_PROGRAM, then this package's, then the
            one in PATH.

    Raises:
        LarderError: The command refused or failed.
        ValueError: `client` without `store`, or a number out of range.
    """
    if (parts is not None and parts < 1) or retries < 0 or (threads is not None and threads < 1):
        raise ValueError("parts and threads are at least 1, retries at least 0")
    if client is not None and store is None:
        raise ValueError("with client, store names a folder that every worker sees")
    command = _program(program)
    file = str(Path(workload).resolve())
    folder = None if store is None else str(Path(store).resolve())
    with tempfile.TemporaryDirectory(prefix="larder-") as scratch:
        target = Path(scratch) / "run" if output is None else Path(output)
        verb = ["run", file]
        if client is not None and folder is not None:
            _compute(client, [command, "run", file, "--store", folder], threads, parts, retries)
            verb += ["--merge"]
        elif threads is not None:
            verb += ["--threads", str(threads)]
        if folder is not None:
            verb += ["--store", folder]
        counts = Path(scratch) / "counts.csv"
        # Not the one in `target`, which the workload's reports may leave out.
        files = ["--output", str(target), "--export", f"csv={counts}"]
        _call([command, *verb, *files, "--quiet"])
        return read(counts)


# distributed's Client has methods without types.
def _compute(
    client: Any,  # noqa: ANN401
    command: list[str],
    threads: int | None,
    parts: int | None,
    retries: int,
) -> None:
    """Prepares the traces, then computes every part into the store."""
    tail = ["--threads", str(threads or 1), "--quiet"]
    count = parts or _PARTS_PER_WORKER * max(1, len(client.scheduler_info()["workers"]))
    # Impure: a part that was computed once is computed again if the store was emptied.
    ready = client.submit(
        _call, [*command, "--part", "prepare", *tail], pure=False, retries=retries
    )
    tasks = [
        client.submit(
            _call, [*command, "--part", f"{k}/{count}", *tail], ready, pure=False, retries=retries
        )
        for k in range(1, count + 1)
    ]
    try:
        client.gather(tasks)
    except BaseException:
        client.cancel([ready, *tasks])
        raise


def _call(command: list[str], _after: object = None) -> None:
    """Runs a command; `_after` is the task that must be done before."""
    done = subprocess.run(
        command, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    if done.returncode != 0:
        raise LarderError(done.stderr.strip() or f"{command[0]} failed", done.returncode)


def _program(given: str | os.PathLike[str] | None) -> str:
    own = str(PROGRAM) if PROGRAM.exists() else "larder"
    name = os.fspath(given) if given is not None else os.environ.get("LARDER_PROGRAM", own)
    found = shutil.which(name)
    if found is None:
        raise LarderError(f"the command {name} is not there; LARDER_PROGRAM names it", 2)
    return str(Path(found).resolve())
