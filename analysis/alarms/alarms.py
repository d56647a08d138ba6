#!/usr/bin/env python3
"""Count false alarms of `larder check --against`, and the slowdowns that it finds."""

from __future__ import annotations

import argparse
import csv
import math
import multiprocessing
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WORKLOAD = Path(__file__).with_name("alarms.yaml")
COLUMNS = [
    "run",
    "verdict",
    "ratio",
    "lower",
    "upper",
    "pairs",
    "blocks",
    "seconds",
    "load",
    "seed",
]
TARGETS = {"same": ("at most", 0.01), "slow": ("at least", 0.95)}


def busy(seed: int) -> None:
    """Keep one processor busy in bursts until the parent ends this process."""
    rng = random.Random(seed)
    memory = bytearray(64 << 20)
    while True:
        until = time.monotonic() + rng.uniform(0.02, 1.5)
        place = 0
        while time.monotonic() < until:
            for _ in range(2000):
                place = (place * 1103515245 + 12345) % len(memory)
                memory[place] = (memory[place] + 1) & 255
        time.sleep(rng.uniform(0, 0.3))


def binomial_tail(count: int, runs: int, chance: float) -> float:
    """The chance of `count` or more of `runs`."""
    return sum(
        math.comb(runs, k) * chance**k * (1 - chance) ** (runs - k) for k in range(count, runs + 1)
    )


def bisect(holds: Callable[[float], bool]) -> float:
    """Find where `holds` changes from true to false between 0 and 1."""
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return (low + high) / 2


def exact_interval(count: int, runs: int, level: float = 0.95) -> tuple[float, float]:
    """Clopper and Pearson's interval for a share."""
    tail = (1 - level) / 2
    lower = 0.0 if count == 0 else bisect(lambda p: binomial_tail(count, runs, p) < tail)
    upper = 1.0 if count == runs else bisect(lambda p: 1 - binomial_tail(count + 1, runs, p) > tail)
    return lower, upper


ROW = re.compile(
    r"memory/lru/10%\s+(passed|\*?FAILED\*?|inconclusive)\s+(\S+)\s+"
    r"(?:(\S+) to (\S+)|\S+)\s+(\d+) in (\d+)"
)


def check(
    program: Path, against: Path, baseline: Path, budget: int, seed: int
) -> dict[str, object]:
    """One run of the check."""
    start = time.monotonic()
    command = [
        str(program), "check", str(WORKLOAD), "--baseline", str(baseline),
        "--against", f"{against}:budget={budget}s:seed={seed}", "--strict", "--quiet",
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True)
    row = ROW.search(done.stdout)
    if done.returncode not in (0, 1, 3) or row is None:
        sys.exit(f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    verdict = {0: "pass", 1: "fail", 3: "inconclusive"}[done.returncode]
    return {
        "verdict": verdict, "ratio": row[2], "lower": row[3], "upper": row[4], "pairs": row[5],
        "blocks": row[6], "seconds": round(time.monotonic() - start, 2),
        "load": round(os.getloadavg()[0], 2), "seed": seed,
    }  # fmt: skip


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("experiment", choices=sorted(TARGETS))
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--budget", type=int, default=5, help="seconds of measuring a run")
    parser.add_argument("--load", type=int, default=1, help="busy processes beside it")
    parser.add_argument("--seed", type=int, default=1, help="seed of the first run")
    parser.add_argument("--bin", type=Path, default=ROOT / ".build/release")
    parser.add_argument(
        "--slow", type=Path, default=ROOT / ".build-slow/release/SlowLarder",
        help="the slowed build",
    )  # fmt: skip
    parser.add_argument("--output", type=Path, required=True, help="folder for the results")
    return parser.parse_args()


def main() -> int:
    """Run the experiment, write its rows, and print its table."""
    options = arguments()
    larder, slow = options.bin / "larder", options.slow
    options.output.mkdir(parents=True, exist_ok=True)
    loads = [
        multiprocessing.Process(target=busy, args=(seed,), daemon=True)
        for seed in range(options.load)
    ]
    for load in loads:
        load.start()
    rows = []
    with tempfile.TemporaryDirectory() as scratch:
        copy = Path(scratch) / "the-same-under-another-path"
        shutil.copy2(larder, copy)
        # The slowed build against itself without its slowdown: another executable of the same
        # source may be some per cent faster or slower by where its code lies.
        unslowed = Path(scratch) / "not-slowed"
        unslowed.write_text(f'#!/bin/sh\nSLOW_LARDER_SHARE=0 exec "{slow.resolve()}" "$@"\n')
        unslowed.chmod(0o755)
        program, against = (larder, copy) if options.experiment == "same" else (slow, unslowed)
        baseline = Path(scratch) / "baseline.json"
        subprocess.run(
            [larder, "check", WORKLOAD, "--baseline", baseline, "--update", "--quiet"],
            check=True, stdout=subprocess.DEVNULL,
        )  # fmt: skip
        for run in range(1, options.runs + 1):
            row = {"run": run}
            row |= check(program, against, baseline, options.budget, options.seed + run - 1)
            rows.append(row)
            print(",".join(str(row[column]) for column in COLUMNS), file=sys.stderr, flush=True)
    for load in loads:
        load.terminate()
    with (options.output / f"{options.experiment}.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    return summarise(options, rows)


def summarise(options: argparse.Namespace, rows: list[dict[str, object]]) -> int:
    """Print the table, and say whether the target is met."""
    sense, target = TARGETS[options.experiment]
    verdicts = [str(row["verdict"]) for row in rows]
    count = verdicts.count("fail")
    lower, upper = exact_interval(count, len(rows))
    loads = [float(str(row["load"])) for row in rows]
    print("| runs | budget | load average | pass | inconclusive | fail | fail, 95 % | target |")
    print("| --: | --: | --: | --: | --: | --: | --: | --: |")
    print(
        f"| {len(rows)} | {options.budget} s | {min(loads):.1f} to {max(loads):.1f} "
        f"| {verdicts.count('pass')} | {verdicts.count('inconclusive')} | {count} "
        f"| {lower:.2%} to {upper:.2%} | {sense} {target:.0%} |"
    )
    share = count / len(rows)
    return 0 if (share <= target if sense == "at most" else share >= target) else 1


if __name__ == "__main__":
    sys.exit(main())
