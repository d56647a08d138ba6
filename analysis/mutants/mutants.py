#!/usr/bin/env python3
"""Plant one-line faults in policies and structures, and count those that a checked workload finds.

A fault matters if it changes any count on any of the real traces. Of those that matter, the
workload must find nearly all: its check must report a change.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path

import plant

ROOT = Path(__file__).resolve().parents[2]
COLUMNS = ["number", "file", "line", "kind", "before", "after", "traces", "check", "failed"]
ERROR = re.compile(r"^(/.*/Sources/(Larder\w+/.*\.swift)):(\d+):\d+: error: ", re.MULTILINE)
BUILD = {**os.environ, "SWIFT_DETERMINISTIC_HASHING": "1"}
# Every policy on real traffic: on memory alone, in both kinds of hybrids, behind filters, with
# fetches that take time. The files in a line are tried together, the quickest lines first.
STAGES = [
    (
        "5%, 30%",
        ["lirs/cpp.trace.gz", "lirs/gli.trace.gz", "lirs/multi1.trace.gz", "webcachesim_test.tr"],
    ),
    (
        "1%, 10%",
        ["web/nasa_19950801.csv.zst", "cachelib/kv_traces_1.csv", "cache2k/web07.trace.xz"],
    ),
    ("2%, 20%", ["lirs/sprite.trace.gz", "cloudPhysicsIO.oracleGeneral.zst"]),
    ("1%, 10%", ["lirs/2_pools.trace.gz", "delayed/cmu_trace.csv.zst", "arc/OLTP.lis.zst"]),
]
WORKLOAD = """\
source:
  traces:
{traces}
policies: [{policies}]
capacities: [{capacities}]
configurations:
  - memory
  - {{kind: hybrid, memory: {{policy: lru, share: 40%}}, promotion: second-hit}}
  - {{kind: hybrid, name: exclusive, disk: {{policy: fifo}}, inclusion: exclusive}}
  - name: filtered
    kind: memory
    memory: {{policy: lru}}
    admission: [{admissions}]
  - {{kind: memory, name: timed, time: {{fetch: 500 requests, servers: 8}}}}
reports: [counts]
"""
# Formats that cannot be recognised.
FORMATS = {"delayed/cmu_trace.csv.zst": "csv:time=1:id=2"}


def stage_workload(number: int, traces: Path, admissions: str, policies: str) -> str:
    """The workload file of a stage with these policies."""
    capacities, names = STAGES[number]
    lines = [
        f"    - {{trace: {(traces / name).resolve()}"
        + (f', format: "{FORMATS[name]}"' if name in FORMATS else "")
        + "}"
        for name in names
    ]
    return WORKLOAD.format(
        traces="\n".join(lines),
        capacities=capacities,
        admissions=admissions,
        policies=policies,
    )


@dataclass
class Program:
    """The program with all faults in it."""

    path: Path

    def run(
        self, arguments: Iterable[str | Path], fault: int = 0, timeout: float | None = None
    ) -> tuple[int, str]:
        """Runs it with a fault in force: exit code and output; -1 where it does not end."""
        environment = {
            **os.environ, "LARDER_FAULT": str(fault), "SWIFT_BACKTRACE": "enable=no",
        }  # fmt: skip
        try:
            done = subprocess.run(
                [self.path, *arguments], env=environment, capture_output=True, text=True,
                timeout=timeout,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return -1, ""
        return done.returncode, done.stdout + done.stderr


def compile_faults(copy: Path, faults: list[plant.Fault]) -> list[plant.Fault]:
    """Plants the faults that the compiler accepts, and leaves the others out."""
    while True:
        plant.copy_tree(ROOT, copy, plant.planted(ROOT, faults))
        built = subprocess.run(
            ["swift", "build", "--target", "LarderPolicies"],
            cwd=copy, env=BUILD, capture_output=True, text=True,
        )  # fmt: skip
        if built.returncode == 0:
            return faults
        refused = set()
        for match in ERROR.finditer(built.stdout + built.stderr):
            name, line = match[2], int(match[3])
            near = [fault for fault in faults if fault.file == name and fault.line <= line + 1]
            if near:
                refused.add(max(near, key=lambda fault: fault.line).number)
        if not refused:
            sys.exit(f"the planted sources do not compile:\n{built.stdout}{built.stderr}")
        print(f"{len(refused)} of {len(faults)} faults do not compile", file=sys.stderr, flush=True)
        faults = [fault for fault in faults if fault.number not in refused]


def counts(
    program: Program, workload: Path, fault: int, timeout: float | None = None
) -> str | None:
    """The counts of a run; None where it fails, with the program's own words or without."""
    with tempfile.TemporaryDirectory() as scratch:
        code, _ = program.run(
            ["run", workload, "--output", f"{scratch}/out", "--quiet", "--threads", "1"],
            fault, timeout,
        )  # fmt: skip
        table = Path(scratch) / "out" / "counts.csv"
        return table.read_text() if code == 0 and table.exists() else None


@dataclass
class Stage:
    """Real traffic, and what it comes to without a fault."""

    file: Path
    reference: str
    patience: float


class Trial:
    """What a fault does to the traces and to the check."""

    def __init__(self, program: Program, options: argparse.Namespace, scratch: Path) -> None:
        self.program, self.workload = program, options.workload
        self.baseline = scratch / "baseline.json"
        start = time.monotonic()
        code, output = program.run(
            ["check", self.workload, "--baseline", self.baseline, "--update", "--quiet"]
        )
        self.patience = Trial.patience_after(start)
        if code != 0:
            sys.exit(f"the check of the program without a fault fails:\n{output}")
        self.options, self.scratch = options, scratch
        self.stages: dict[tuple[int, str], Stage] = {}
        self.lock = threading.Lock()

    @staticmethod
    def patience_after(start: float) -> float:
        """Seconds after which a run with a fault is taken to go on for ever."""
        return 5 + 6 * (time.monotonic() - start)

    def stage(self, number: int, policies: str) -> Stage:
        """A stage with these policies, and its counts without a fault."""
        with self.lock:
            if found := self.stages.get((number, policies)):
                return found
            file = self.scratch / f"stage-{number + 1}-{policies}.yaml"
            file.write_text(
                stage_workload(number, self.options.traces, self.options.admissions, policies)
            )
            start = time.monotonic()
            reference = counts(self.program, file, 0)
            if reference is None:
                sys.exit(f"{file} does not run: {self.program.run(['run', file])[1]}")
            stage = Stage(file, reference, Trial.patience_after(start))
            self.stages[number, policies] = stage
            return stage

    def changes(self, fault: plant.Fault, numbers: Iterable[int]) -> str:
        """The first of the stages whose counts change, from 1; empty where none do."""
        policies = plant.policies_of(ROOT, fault) or "all"
        for number in numbers:
            stage = self.stage(number, policies)
            if counts(self.program, stage.file, fault.number, stage.patience) != stage.reference:
                return str(number + 1)
        return ""

    def row(self, fault: plant.Fault) -> dict[str, object]:
        """The fault's row of the table."""
        code, output = self.program.run(
            ["check", self.workload, "--baseline", self.baseline, "--quiet"],
            fault.number, self.patience,
        )  # fmt: skip
        told = re.search(r": (\d+) worse, (\d+) better, (\d+) different", output)
        cells = sum(int(group) for group in told.groups()) if told else 0
        found = str(cells) if cells else ("stopped" if code != 0 else "")
        # What the check finds need not be tried on the longest traces: whether it matters is asked
        # of the others only, so that none that matters is missed there.
        changed = self.changes(fault, range(2 if found else len(STAGES)))
        return fault.row() | {
            "traces": changed, "check": found, "failed": "yes" if code != 0 else "",
        }  # fmt: skip


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--workload", type=Path, default=ROOT / "Workloads/ci.yaml")
    parser.add_argument("--traces", type=Path, default=os.environ.get("LARDER_TRACES"))
    parser.add_argument("--copy", type=Path, default=ROOT / ".build-mutants", help="build folder")
    parser.add_argument("--seed", type=int, default=1, help="which faults are drawn")
    parser.add_argument("--most", type=int, default=4, help="faults of a file")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--keep", action="store_true", help="use the program built before")
    parser.add_argument("--only", type=int, nargs="*", help="numbers of faults")
    parser.add_argument("--aim", type=float, default=0.98, help="share that must be found")
    parser.add_argument(
        "--admissions", default="second-hit, tinylfu, probabilistic, size, adaptsize"
    )
    parser.add_argument("--output", type=Path, required=True, help="folder for the table")
    options = parser.parse_args()
    if options.traces is None:
        parser.error("--traces, or LARDER_TRACES, says where the real traces are")
    return options


def build(options: argparse.Namespace) -> list[plant.Fault]:
    """Plant the faults and build the program, or take what was built before."""
    copy: Path = options.copy
    kept = copy / "faults.json"
    if options.keep and kept.exists():
        return [plant.Fault(**fields) for fields in json.loads(kept.read_text())]
    faults = compile_faults(copy, plant.choose(ROOT, options.seed, options.most))
    print(f"building with {len(faults)} faults", file=sys.stderr, flush=True)
    subprocess.run(
        ["swift", "build", "-c", "release", "--product", "larder"],
        cwd=copy, env=BUILD, check=True, stdout=subprocess.DEVNULL,
    )  # fmt: skip
    kept.write_text(json.dumps([asdict(fault) for fault in faults]))
    return faults


def main() -> int:
    """Plant, build, try every fault, and write the table."""
    options = arguments()
    faults = build(options)
    if options.only:
        faults = [fault for fault in faults if fault.number in options.only]
    program = Program((options.copy / ".build/release/larder").resolve())
    rows = []
    with tempfile.TemporaryDirectory() as scratch:
        trial = Trial(program, options, Path(scratch))
        with ThreadPoolExecutor(options.jobs) as pool:
            for row in pool.map(trial.row, faults):
                rows.append(row)
                print(*reversed(row.values()), sep=" | ", file=sys.stderr, flush=True)
    options.output.mkdir(parents=True, exist_ok=True)
    with (options.output / "mutants.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    return summarise(rows, options.aim)


def summarise(rows: list[dict[str, object]], aim: float) -> int:
    """Print the counts, and say whether enough were found."""
    matter = [row for row in rows if row["traces"]]
    found = [row for row in matter if row["check"]]
    kinds = Counter(row["kind"] for row in matter)
    print("| faults | planted | change a count on the traces | found by the check |")
    print("| :-- | --: | --: | --: |")
    for kind in sorted({row["kind"] for row in rows}):
        planted, caught = (sum(row["kind"] == kind for row in some) for some in (rows, found))
        print(f"| {kind} | {planted} | {kinds[kind]} | {caught} |")
    print(f"| all | {len(rows)} | {len(matter)} | {len(found)} |")
    if len(found) < len(matter):
        print("\nNot found:\n")
    for row in matter:
        if not row["check"]:
            print(f"    {row['file']}:{row['line']}: {row['before']} -> {row['after']}")
    return 0 if len(found) >= aim * len(matter) else 1


if __name__ == "__main__":
    sys.exit(main())
