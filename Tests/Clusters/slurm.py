"""A whole Slurm cluster on this machine: munged, slurmctld, and several slurmd.

Nothing outside its folder is written, and no service of the system is used. The nodes claim more
processors than there are, so that many tasks run at the same time.
"""

from __future__ import annotations

import getpass
import os
import re
import secrets
import signal
import socket
import subprocess
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from packages import need, program
from support import SkippedError, Stand, check

PACKAGES = {
    "munged": "munge",
    "slurmctld": "slurmctld",
    "slurmd": "slurmd",
    "sbatch": "slurm-client",
}

CONFIGURATION = """\
ClusterName={name}
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={port}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
# A job that was requeued waits until its old credentials have expired.
AuthInfo=socket={folder}/munge.socket,cred_expire=20
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/filetxt
JobCompLoc={folder}/jobs
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
ReturnToService=2
KillWait=5
MessageTimeout=60
SlurmdTimeout=300
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


@dataclass(frozen=True)
class Task:
    """A running task of an array."""

    process: int
    parent: int
    job: str
    array: str
    index: int
    node: str

    def crash(self) -> None:
        """Kill the task, and before it the process that would report its end."""
        with suppress(OSError):
            if Path(f"/proc/{self.parent}/comm").read_text().startswith("slurmstepd"):
                os.kill(self.parent, signal.SIGKILL)
        with suppress(ProcessLookupError):
            os.kill(self.process, signal.SIGKILL)


class Cluster:
    """Daemons that run while the `with` block does."""

    def __init__(self, stand: Stand, nodes: int = 8, slots: int = 8) -> None:
        need(PACKAGES)
        self.stand = stand
        self.name = f"larder{secrets.token_hex(4)}"
        self.folder = stand.folder / "slurm"
        self.nodes = [f"node{number}" for number in range(1, nodes + 1)]
        self.slots = slots
        self.daemons: dict[str, subprocess.Popen[bytes]] = {}

    def __enter__(self) -> Cluster:
        self.folder.mkdir(mode=0o711)
        (self.folder / "state").mkdir()
        self._configure()
        self.stand.environment["SLURM_CONF"] = str(self.folder / "slurm.conf")
        try:
            self._start()
        except AssertionError as reason:
            # Ours is what runs on a cluster. Where the system lets none start (no name for the
            # machine, no loopback), nothing of it can be tested.
            self.__exit__()
            raise SkippedError(f"Slurm does not start here: {reason}") from reason
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        # First who would start new tasks, then the tasks, then the rest.
        for name in ("slurmctld", *self.nodes):
            self._kill(name)
        for task in self.tasks(arrays_only=False):
            task.crash()
        self._kill("munged")

    def _configure(self) -> None:
        host = socket.gethostname().split(".")[0]
        ports = free_ports(len(self.nodes) + 1)
        text = CONFIGURATION.format(
            name=self.name, host=host, port=ports[0], user=getpass.getuser(), folder=self.folder
        )
        for node, port in zip(self.nodes, ports[1:], strict=True):
            text += (
                f"NodeName={node} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} "
                f"CPUs={self.slots} RealMemory=1000000 State=UNKNOWN\n"
            )
        (self.folder / "slurm.conf").write_text(text)
        version = self.stand.run(program("slurmd"), "-V").output
        if tuple(int(number) for number in re.findall(r"\d+", version)[:2]) >= (23, 11):
            (self.folder / "cgroup.conf").write_text("CgroupPlugin=disabled\n")
        key = self.folder / "munge.key"
        key.touch(mode=0o600)
        key.write_bytes(os.urandom(1024))

    def _start(self) -> None:
        files = [
            f"--{word}={self.folder}/munge.{ending}"
            for word, ending in (
                ("key-file", "key"),
                ("socket", "socket"),
                ("pid-file", "pid"),
                ("seed-file", "seed"),
                ("log-file", "log"),
            )
        ]
        self._daemon("munged", "munged", "--foreground", "--num-threads=4", *files)
        self._wait("munged", lambda: (self.folder / "munge.socket").exists())
        self._daemon("slurmctld", "slurmctld", "-D")
        for node in self.nodes:
            self.start_node(node)
        self._wait("the nodes", self._all_idle)

    def start_node(self, node: str) -> None:
        """Start the daemon of a node, or start it again."""
        self._daemon(node, "slurmd", "-D", "-N", node)

    def crash_node(self, node: str) -> list[Task]:
        """Kill everything that runs on a node at once, as a power failure does.

        Slurm is told that the node is down instead of waiting until it finds out.
        """
        self._kill(node)
        # A task that is only about to start on the node would outlive it, so whoever starts tasks
        # now is watched until the task is there.
        starting = self._starters()
        killed = []
        end = time.monotonic() + 10
        while starting and time.monotonic() < end:
            for task in self.tasks(arrays_only=False):
                starting.discard(task.parent)
                if task.node == node:
                    task.crash()
                    killed.append(task)
            starting &= self._starters()
        self.stand.run("scontrol", "update", f"nodename={node}", "state=down", "reason=crash")
        return killed

    def _starters(self) -> set[int]:
        """Return the processes that start tasks, and report their ends."""
        setting = f"SLURM_CONF={self.folder}/slurm.conf".encode()
        found = set()
        for entry in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                if (entry / "comm").read_text().startswith("slurmstepd") and setting in (
                    entry / "environ"
                ).read_bytes().split(b"\0"):
                    found.add(int(entry.name))
        return found

    def tasks(self, *, arrays_only: bool = True) -> list[Task]:
        """List the tasks that run, by what their processes' environments say."""
        found = []
        for entry in Path("/proc").glob("[0-9]*"):
            with suppress(OSError, ValueError):
                words = (entry / "environ").read_bytes().decode(errors="replace").split("\0")
                values = dict(word.split("=", 1) for word in words if "=" in word)
                if values.get("SLURM_CLUSTER_NAME") != self.name:
                    continue
                index = int(values.get("SLURM_ARRAY_TASK_ID", "-1"))
                # Field 4 of stat, behind the name in brackets, is the parent.
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
                task = Task(
                    process=int(entry.name),
                    parent=parent,
                    job=values["SLURM_JOB_ID"],
                    array=values.get("SLURM_ARRAY_JOB_ID", ""),
                    index=index,
                    node=values.get("SLURMD_NODENAME", ""),
                )
                if index >= 0 or not arrays_only:
                    found.append(task)
        return sorted(found, key=lambda task: (task.index, task.process))

    def _daemon(self, name: str, *words: str) -> None:
        log = (self.folder / f"{name}.out").open("ab")
        path = program(words[0])
        check(path, f"{words[0]} is not installed")
        self.daemons[name] = subprocess.Popen(
            [path, *words[1:]],
            env=self.stand.environment,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            cwd=self.folder,
            start_new_session=True,
        )
        log.close()

    def _kill(self, name: str) -> None:
        daemon = self.daemons.pop(name, None)
        if daemon is not None:
            daemon.kill()
            daemon.wait()

    def _all_idle(self) -> bool:
        listed = self.stand.run("sinfo", "--noheader", "--Node", "--format=%T", code=None)
        return listed.code == 0 and listed.output.split() == ["idle"] * len(self.nodes)

    def _wait(self, what: str, is_there: object) -> None:
        end = time.monotonic() + 60
        while not is_there():
            for name, daemon in self.daemons.items():
                check(daemon.poll() is None, f"{name} ended: {self._log(name)}")
            check(time.monotonic() < end, f"{what} did not start: {self._log('slurmctld')}")
            time.sleep(0.1)

    def _log(self, name: str) -> str:
        """Return the end of what a daemon wrote."""
        texts = [
            path.read_text(errors="replace")
            for path in self.folder.glob("*")
            if path.name in (f"{name}.out", f"{name}.log", f"slurmd-{name}.log")
            or (name == "munged" and path.name == "munge.log")
        ]
        return "".join(texts)[-2000:]


def free_ports(count: int) -> list[int]:
    """Find ports at which nobody listens."""
    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind(("127.0.0.1", 0))
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports
