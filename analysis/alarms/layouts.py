#!/usr/bin/env python3
"""Measure how much code placement alone changes the speed of cells.

Links the objects of a release build again in random orders, and compares each executable with the
one that the build made, by `larder check --against`. All of them are the same source, compiled
once: ratios other than 1 are placement.
"""

from __future__ import annotations

import argparse
import csv
import json
import math
import random
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WORKLOAD = Path(__file__).with_name("layouts.yaml")
COLUMNS = ["link", "cell", "ratio", "lower", "upper", "blocks"]
ROW = re.compile(
    r"(memory/\S+)\s+(?:passed|\*?FAILED\*?|inconclusive)\s+(\S+)\s+"
    r"(?:(\S+) to (\S+)|\S+)\s+(?:\d+) in (\d+)"
)


def link_command(build: Path) -> list[str]:
    """Find the command that links `larder` in the plan of the build."""
    plan = build.parent / "release.yaml"
    if not plan.exists():
        plan = build.parent.parent / "release.yaml"
    for line in plan.read_text().splitlines():
        text = line.strip()
        if text.startswith("args: [") and "larder.product/Objects.LinkFileList" in text:
            return list(json.loads(text.removeprefix("args: ")))
    sys.exit(f"{plan}: no command that links larder; build it with `make build` first")


def link(command: list[str], seed: int, program: Path) -> None:
    """Link the objects in a random order."""
    order = next(word for word in command if word.endswith("Objects.LinkFileList"))
    objects = Path(order.removeprefix("@")).read_text().split("\n")
    objects = [name for name in objects if name]
    random.Random(seed).shuffle(objects)
    shuffled = program.with_suffix(".LinkFileList")
    shuffled.write_text("\n".join(objects) + "\n")
    words = [f"@{shuffled}" if word == order else word for word in command]
    words[words.index("-o") + 1] = str(program)
    subprocess.run(words, check=True, cwd=ROOT, stdout=subprocess.DEVNULL)


def compare(
    larder: Path, other: Path, baseline: Path, budget: int, seed: int
) -> list[dict[str, object]]:
    """Compare one executable with the build, cell by cell."""
    command = [
        str(larder), "check", str(WORKLOAD), "--baseline", str(baseline),
        "--against", f"{other}:budget={budget}s:seed={seed}", "--keep-going", "--quiet",
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True)
    rows = ROW.findall(done.stdout)
    if done.returncode not in (0, 1) or not rows:
        sys.exit(f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return [dict(zip(COLUMNS[1:], row, strict=True)) for row in rows]


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--links", type=int, default=8, help="executables to compare")
    parser.add_argument("--budget", type=int, default=30, help="seconds of measuring for each")
    parser.add_argument("--seed", type=int, default=1, help="seed of the first order")
    parser.add_argument("--bin", type=Path, default=ROOT / ".build/release")
    parser.add_argument("--output", type=Path, required=True, help="folder for the results")
    return parser.parse_args()


def main() -> int:
    """Link, compare, write the rows, and print their table."""
    options = arguments()
    larder = options.bin.resolve() / "larder"
    command = link_command(options.bin.resolve())
    options.output.mkdir(parents=True, exist_ok=True)
    rows: list[dict[str, object]] = []
    with tempfile.TemporaryDirectory() as scratch:
        baseline = Path(scratch) / "baseline.json"
        subprocess.run(
            [larder, "check", WORKLOAD, "--baseline", baseline, "--update", "--quiet"],
            check=True, stdout=subprocess.DEVNULL,
        )  # fmt: skip
        for number in range(1, options.links + 1):
            program = Path(scratch) / f"larder-{number}"
            link(command, options.seed + number - 1, program)
            for row in compare(larder, program, baseline, options.budget, number):
                rows.append({"link": number} | row)
                print(*rows[-1].values(), sep=",", file=sys.stderr, flush=True)
    with (options.output / "layouts.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    print("| cell | smallest | largest | standard deviation |")
    print("| :-- | --: | --: | --: |")
    for cell in sorted({str(row["cell"]) for row in rows}):
        logs = [math.log(float(str(row["ratio"]))) for row in rows if row["cell"] == cell]
        spread = " | ".join(f"{math.exp(edge):.3f}" for edge in (min(logs), max(logs)))
        print(f"| {cell} | {spread} | {statistics.pstdev(logs):.3f} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
