"""Stores that are damaged, full, shared, or wrong about the time."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from pathlib import Path

from packages import superuser
from support import SkippedError, Stand, check, same_results

CELLS = 12


def test_damaged_records_are_computed_again(stand: Stand) -> None:
    """Damage is found and said, and only the damaged cells are computed again."""
    workload = stand.small()
    stand.run("larder", "run", workload, "--output", "plain")
    stand.run("larder", "run", workload, "--store", "store", "--part", "1/1")
    records = stand.records("store")
    check(len(records) == CELLS, f"{len(records)} records of {CELLS} cells")
    faults = damage(records)
    verified = stand.run("larder", "store", "--verify", "--store", "store", code=1)
    part = stand.run("larder", "run", workload, "--store", "store", "--part", "1/1")
    for file, fault in faults.items():
        check(f"damaged: store/cells/{file}: {fault}" in verified.output, verified.output)
        check(f"damaged, ignored: store/cells/{file}: {fault}" in part.notes, part.notes)
    check(part.computed == len(faults), f"{part.computed} cells computed, not {len(faults)}")
    stand.run("larder", "store", "--verify", "--store", "store")
    stand.run("larder", "run", workload, "--merge", "--store", "store", "--output", "merged")
    same_results(stand, "plain", "merged")
    print(f"    {len(faults)} records damaged: all found, and computed again")


def damage(records: list[Path]) -> dict[str, str]:
    """Damage records in every way, and return what is to be said of each."""
    whole = [record.read_bytes() for record in records]
    flipped = bytearray(whole[0])
    flipped[len(flipped) // 2] ^= 1
    kinds = [
        (bytes(flipped), "its checksum is wrong"),
        (whole[1][: len(whole[1]) // 2], "it is truncated"),
        (b"", "it is empty"),
        (whole[4], "it belongs to another cell than its name"),
        (b"PNG" + os.urandom(500), "it is not a file of a store"),
    ]
    for record, (content, _) in zip(records, kinds, strict=False):
        record.chmod(0o600)
        record.write_bytes(content)
    return {
        f"{record.parent.name}/{record.name}": fault
        for record, (_, fault) in zip(records, kinds, strict=False)
    }


def test_foreign_records_are_refused(stand: Stand) -> None:
    """A merge says which cells were counted under other rules, and prints what computes them."""
    workload = stand.small()
    stand.run("larder", "run", workload, "--store", "store", "--part", "1/1")
    record = stand.records("store")[0]
    key, _, content = record.name.split(".")
    record.rename(record.with_name(f"{key}.1-0123456789abcdef.{content}"))
    merge = ["larder", "run", workload, "--merge", "--store", "store", "--output", "merged"]
    refused = stand.run(*merge, code=1).notes
    check("1 of 12 cells are missing" in refused and "1-0123456789abcdef" in refused, refused)
    check(not (stand.folder / "merged").exists(), "a refused merge wrote results")
    command = refused.rpartition("compute them with: ")[2].strip()
    check(stand.run("sh", "-c", command).computed == 1, "not one cell was computed")
    stand.run(*merge)


def test_full_disk_in_the_middle_of_a_part(stand: Stand) -> None:
    """A part that cannot write fails with one line, leaves nothing half, and goes on later."""
    root = superuser()
    place = stand.folder / "disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size=64k,mode=0777,uid={os.getuid()}", "none"]
    mounted = None if root is None else subprocess.run([*root, *mount, place], capture_output=True)
    if mounted is None or mounted.returncode != 0:
        raise SkippedError("a small file system cannot be mounted here, which only root may do")
    try:
        fill(stand, [*root, "mount", "-o", "remount,size=64m", str(place)])
    finally:
        subprocess.run([*root, "umount", "-l", place], check=False)


def fill(stand: Stand, enlarge: list[str]) -> None:
    """Run a part on the disk until that is full, and again when it is larger."""
    workload = stand.small()
    stand.run("larder", "run", workload, "--output", "plain")
    part = ["larder", "run", workload, "--store", "disk/store", "--part", "1/1"]
    failed = stand.run(*part, code=None)
    check(failed.code not in (0, None) and failed.code > 0, f"exit code {failed.code}")
    check("No space left on device" in failed.notes, failed.notes)
    kept = len(stand.records("disk/store"))
    check(0 < kept < CELLS, f"the disk was full after {kept} cells, expected some of {CELLS}")
    hidden = list((stand.folder / "disk/store").rglob(".*.partial"))
    check(not hidden, f"unfinished files were left: {hidden}")
    stand.run("larder", "store", "--verify", "--store", "disk/store")
    # Results are worth more than the store: a run as a whole ends, and says what it did not keep.
    run = stand.run("larder", "run", workload, "--store", "disk/store", "--output", "whole")
    check("some results could not be stored" in run.notes, run.notes)
    plain, whole = (
        (stand.folder / name / "counts.csv").read_bytes() for name in ("plain", "whole")
    )
    check(plain == whole, "counts.csv differs on a full disk")
    subprocess.run(enlarge, check=True)
    check(stand.run(*part).stored >= kept, "what had been kept was computed again")
    stand.run("larder", "run", workload, "--merge", "--store", "disk/store", "--output", "merged")
    same_results(stand, "plain", "merged")
    print(f"    full after {kept} of {CELLS} cells; the others were computed later")


def test_same_cells_at_the_same_time(stand: Stand) -> None:
    """Several processes finish the same cells at once, in several rounds."""
    workload = stand.small()
    stand.run("larder", "run", workload, "--output", "plain")
    twice = 0
    for number in range(5):
        store = f"store{number}"
        part = ["larder", "run", workload, "--store", store, "--part", "1/1", "--threads", "1"]
        for process in [stand.start(*part) for _ in range(6)]:
            notes = process.communicate(timeout=300)[1]
            check(process.returncode == 0, notes)
        stand.run("larder", "store", "--verify", "--store", store)
        check(len(stand.records(store)) == CELLS, "two records of one cell")
        twice += len(stand.records(store, "timings")) - CELLS
        stand.run("larder", "run", workload, "--merge", "--store", store, "--output", f"merged{number}")
        same_results(stand, "plain", f"merged{number}")
    check(twice > 0, "no cell was ever computed by two processes: the test shows nothing")
    print(f"    5 rounds of 6 processes: {twice} cells finished by several")


def test_clocks_decide_nothing(stand: Stand) -> None:
    """Files from the future or the past, and a trace from the future, change nothing."""
    trace(stand, "trace.txt", 7)
    stand.write(
        "file.yaml", "source: {trace: trace.txt}\npolicies: [lru, sieve]\ncapacities: [10, 50]\n"
    )
    part = ["larder", "run", "file.yaml", "--store", "store", "--part", "1/1"]
    check(stand.run(*part).computed == 4, "a new store had cells")
    for years in (20, -20):
        then = time.time() + years * 365 * 86400
        for file in (stand.folder / "store").rglob("*"):
            os.utime(file, (then, then))
        os.utime(stand.folder / "trace.txt", (then, then))
        again = stand.run(*part)
        check(again.computed == 0, f"{again.computed} cells computed with clocks {years} years off")


def test_changed_trace_of_the_same_name(stand: Stand) -> None:
    """Another trace of the same name, size and time of change gives its own results."""
    workload = "file.yaml"
    file = trace(stand, "trace.txt", 7)
    stand.write(workload, "source: {trace: trace.txt}\npolicies: [lru]\ncapacities: [10, 50]\n")
    before = file.stat()
    old = time.time() - 86400
    os.utime(file, (old, old))
    # Files that changed less than 5 seconds ago are not remembered.
    time.sleep(6)
    part = ["larder", "run", workload, "--store", "store", "--part"]
    stand.run(*part, "prepare")
    check(stand.run(*part, "1/1").computed == 2, "a new store had cells")
    check("known from the store" in stand.run(*part, "1/1").notes, "the trace is not remembered")
    trace(stand, "trace.txt", 11)
    os.utime(file, (old, old))
    check(file.stat().st_size == before.st_size, "the traces differ in size")
    check(
        stand.run(*part, "1/1").computed == 2, "cells of the old trace were taken for the new one"
    )
    stand.run("larder", "run", workload, "--output", "plain")
    stand.run("larder", "run", workload, "--merge", "--store", "store", "--output", "merged")
    same_results(stand, "plain", "merged")
    # The old trace is known by what is in it, so its cells are still there.
    shutil.copy(trace(stand, "other.txt", 7), file)
    check(stand.run(*part, "1/1").computed == 0, "cells of the old trace were lost")


def trace(stand: Stand, name: str, step: int) -> Path:
    """Write a trace of 5000 requests, always of the same size."""
    ids = (f"{number * number * step % 97 % (number % 89 + 2):02d}" for number in range(5000))
    return stand.write(name, "\n".join(ids) + "\n")
