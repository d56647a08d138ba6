"""Workload files run from Python: the same bytes as the command's, also after a kill."""

import os
import pickle
import signal
import subprocess
import threading
import time
from pathlib import Path

import pandas as pd
import pytest
from needs import PROGRAM, needs_program

import larder

WORKLOAD = """\
name: small
source: {generator: zipf, requests: 2M, objects: 200k, exponent: 0.9}
configurations: memory
policies: [fifo, lru, clock, sieve, slru, s3-fifo]
capacities: [0.1%, 1%, 5%, 10%]
seeds: 1
"""


@pytest.fixture
def workload(tmp_path: Path) -> Path:
    path = tmp_path / "small.yaml"
    path.write_text(WORKLOAD)
    return path


def counts_of_command(workload: Path, folder: Path) -> bytes:
    command = [PROGRAM, "run", str(workload), "--output", str(folder), "--quiet"]
    subprocess.run(command, check=True, capture_output=True)
    return (folder / "counts.csv").read_bytes()


@needs_program
def test_counts_are_those_of_the_command(workload: Path, tmp_path: Path) -> None:
    expected = counts_of_command(workload, tmp_path / "command")
    frame = larder.run(workload, output=tmp_path / "python", program=PROGRAM)
    assert (tmp_path / "python" / "counts.csv").read_bytes() == expected
    pd.testing.assert_frame_equal(frame, pd.read_csv(tmp_path / "command" / "counts.csv"))
    assert len(frame) == 24
    # Another run into the same folder, without counts.csv among its reports.
    workload.write_text(WORKLOAD.replace("[fifo, lru, clock,", "[clock,") + "reports: json\n")
    assert len(larder.run(workload, output=tmp_path / "python", program=PROGRAM)) == 16
    assert len(larder.run(workload, program=PROGRAM)) == 16


@needs_program
def test_the_message_is_the_commands(tmp_path: Path) -> None:
    with pytest.raises(larder.LarderError, match=r"missing\.yaml") as caught:
        larder.run(tmp_path / "missing.yaml", program=PROGRAM)
    assert caught.value.code == 2


def test_errors_travel_with_their_code() -> None:
    error = pickle.loads(pickle.dumps(larder.LarderError("no", 2)))
    assert (str(error), error.code) == ("no", 2)


def test_a_missing_command_is_said() -> None:
    with pytest.raises(larder.LarderError, match="LARDER_PROGRAM"):
        larder.run("a.yaml", program="/nowhere/larder")


def test_numbers_are_checked_first() -> None:
    with pytest.raises(ValueError, match="at least 1"):
        larder.run("a.yaml", parts=0)


@needs_program
@pytest.mark.filterwarnings("default")
def test_a_killed_worker_changes_no_byte(workload: Path, tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed")
    expected = counts_of_command(workload, tmp_path / "command")
    killed: list[int] = []
    with (
        distributed.LocalCluster(
            n_workers=4, threads_per_worker=1, processes=True, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        pids = client.run(os.getpid)
        stop = threading.Event()

        def kill_one() -> None:
            # In the middle: more than the preparation is under way, and not all is done.
            while not stop.is_set():
                busy = [w for w, keys in client.processing().items() if keys]
                if len(busy) >= 2:
                    killed.append(pids[busy[0]])
                    os.kill(pids[busy[0]], signal.SIGKILL)
                    return
                time.sleep(0.01)

        killer = threading.Thread(target=kill_one)
        killer.start()
        try:
            larder.run(
                workload,
                output=tmp_path / "dask",
                store=tmp_path / "store",
                client=client,
                parts=12,
                program=PROGRAM,
            )
        finally:
            stop.set()
            killer.join()
    assert len(killed) == 1
    assert (tmp_path / "dask" / "counts.csv").read_bytes() == expected
