"""The script that `larder plan --format slurm` prints, on a real Slurm."""

from __future__ import annotations

import os
import re
import time
from collections import Counter

from killing import Killer
from slurm import Cluster
from support import Stand, check
from sweep import Sweep


def test_killed_tasks_are_requeued(stand: Stand, sweep: Sweep, share: float, seed: int) -> None:
    """A share of the tasks is killed: the same results, and nothing else is computed twice."""
    # A crash takes all tasks of a node, which must not be more than are to be killed.
    slots = max(2, min(8, sweep.parts // 50))
    with Cluster(stand, slots=slots) as cluster:
        script = stand.run(
            "larder", "plan", sweep.file, "--parts", sweep.parts, "--store", "store",
            "--output", "merged", "--format", "slurm",
        )  # fmt: skip
        stand.write("job.sh", script.output)
        start = time.monotonic()
        merge = re.search(r"job (\d+)", stand.run("bash", "job.sh").output)
        check(merge, "the script did not say with which job the results come")
        killer = Killer(cluster, sweep.parts, share, seed)
        wait(cluster, killer, merge[1])
        seconds = time.monotonic() - start
        spans = job_spans(cluster)
    check(len(killer.killed) >= killer.goal * 0.9, f"only {len(killer.killed)} tasks were killed")
    check_work(stand, sweep, killer)
    sweep.check("store", "merged")
    tell(sweep, killer, seconds, spans)


def wait(cluster: Cluster, killer: Killer, merge: str) -> None:
    """Wait for the merge, and kill tasks meanwhile."""
    end = time.monotonic() + 60 + 2 * killer.tasks
    while True:
        for _ in range(5):
            killer.step()
            time.sleep(0.1)
        state = cluster.stand.run("squeue", "--noheader", "--states=all", f"--jobs={merge}",
                                  "--format=%T", code=None).output.strip()  # fmt: skip
        if state == "COMPLETED":
            return
        check(
            state in ("PENDING", "RUNNING", "COMPLETING"), f"the merge is {state}: {logs(cluster)}"
        )
        check(time.monotonic() < end, f"the jobs did not end: {logs(cluster)}")


def logs(cluster: Cluster) -> str:
    """Return what is queued, and the ends of the last logs."""
    queue = cluster.stand.run("squeue", code=None).output
    files = sorted(cluster.stand.folder.glob("larder-sweep*.log"), key=os.path.getmtime)
    return queue[:2000] + "".join(file.read_text()[-300:] for file in files[-3:])


def check_work(stand: Stand, sweep: Sweep, killer: Killer) -> None:
    """Check in logs and store that only killed tasks did anything twice."""
    kept = computed = 0
    ended = set()
    for log in stand.folder.glob("larder-sweep-[0-9]*-*.log"):
        part = int(log.stem.rpartition("-")[2])
        runs = re.findall(r": (\d+) cells, (\d+) from the store, (\d+) computed", log.read_text())
        was_killed = part in killer.killed
        check(runs, f"{log.name} does not say that the part ended")
        # A node may crash after a task has ended and before Slurm hears of it.
        idle = all(run[2] == "0" for run in runs[1:])
        check(idle, f"part {part} was complete, and computed something again")
        check(runs[0][1] == "0" or was_killed, f"cells of part {part} were there before it ran")
        ended.add(part)
        kept += int(runs[0][1])
        computed += int(runs[0][2])
    check(ended == set(range(1, sweep.parts + 1)), f"{len(ended)} of {sweep.parts} parts ended")
    check(kept + computed == sweep.cells, f"{kept} kept and {computed} computed cells")
    # Whoever computes a cell leaves a file that no other leaves: how long it took there.
    times = Counter(path.name.split(".")[0] for path in stand.records("store", "timings"))
    twice = [key for key, count in times.items() if count > 1]
    check(not twice, f"computed to their ends more than once: {twice}")
    check(len(times) >= sweep.cells - len(killer.killed), "timings are missing")
    print(f"    {computed} cells computed by tasks that ended, {kept} by tasks that were killed")


def job_spans(cluster: Cluster) -> dict[str, tuple[int, int]]:
    """Return when the jobs of each name began and ended, in seconds."""
    spans: dict[str, tuple[int, int]] = {}
    pattern = r"Name=(\S+) .*?StartTime=(\S+) EndTime=(\S+)"
    for name, *times in re.findall(pattern, (cluster.folder / "jobs").read_text()):
        begin, end = (int(time.mktime(time.strptime(t, "%Y-%m-%dT%H:%M:%S"))) for t in times)
        first, last = spans.get(name, (begin, end))
        spans[name] = (min(first, begin), max(last, end))
    return spans


def tell(sweep: Sweep, killer: Killer, seconds: float, spans: dict[str, tuple[int, int]]) -> None:
    """Print what was measured."""
    kinds = Counter(killer.killed.values())
    print(
        f"    {sweep.parts} parts, {len(killer.killed)} killed: {kinds['requeued']} by SIGTERM, "
        f"{kinds['killed']} by SIGKILL, {kinds['crashed']} with {killer.crashed}"
    )
    for name, (begin, end) in spans.items():
        print(f"    {name}: {end - begin} s")
    print(
        f"    from submission to results: {seconds:.0f} s; larder run: {sweep.plain.seconds:.0f} s"
    )
