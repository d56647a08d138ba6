"""Kills tasks of a cluster at random while they run."""

from __future__ import annotations

import os
import random
import signal
from contextlib import suppress

from slurm import Cluster, Task


class Killer:
    """Kills a share of all tasks, each once, each in the middle of its work.

    Every other one is told to stop, as when a job is preempted; the others get no chance to do
    anything. One node crashes with everything that runs on it.
    """

    def __init__(self, cluster: Cluster, tasks: int, share: float, seed: int) -> None:
        self.cluster = cluster
        self.goal = round(tasks * share)
        self.tasks = tasks
        self.random = random.Random(seed)
        self.seen: set[int] = set()
        self.killed: dict[int, str] = {}
        self.crashed: str | None = None

    def step(self) -> None:
        """Kill as many of those that run now as are due."""
        running = self.cluster.tasks()
        self.seen.update(task.index for task in running)
        if self.goal > 0 and self.crashed is None and len(self.seen) > self.tasks // 3:
            return self._crash()
        # Faster than they come, as not all are seen, and the last must not have ended before.
        due = min(self.goal, 1 + round(1.5 * self.goal * len(self.seen) / self.tasks))
        left = [task for task in running if task.index not in self.killed]
        self.random.shuffle(left)
        for task in left[: max(0, due - len(self.killed))]:
            self._kill(task)
        return None

    def _kill(self, task: Task) -> None:
        is_polite = len(self.killed) % 2 == 0
        if not is_polite:
            with suppress(ProcessLookupError):
                os.kill(task.process, signal.SIGSTOP)
        requeued = self.cluster.stand.run(
            "scontrol", "requeue", f"{task.array}_{task.index}", code=None
        )
        if not is_polite:
            with suppress(ProcessLookupError):
                os.kill(task.process, signal.SIGKILL)
        if requeued.code == 0:
            self.killed[task.index] = "requeued" if is_polite else "killed"

    def _crash(self) -> None:
        self.crashed = self.random.choice(self.cluster.nodes)
        for task in self.cluster.crash_node(self.crashed):
            if task.index >= 0:
                self.killed.setdefault(task.index, "crashed")
        self.cluster.start_node(self.crashed)
