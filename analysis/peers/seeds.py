#!/usr/bin/env python3
"""Hit ratios of policies that draw random numbers: mean and 95 % interval over seeds, beside what
libCacheSim gets.

    seeds.py TRACE --capacities 1000,5000 --seeds 20 --csv counts.csv

TRACE is in oracleGeneral format (`larder trace convert` and `larder trace generate` write one). Every
object has size 1. Each seed is one `larder simulate --seed N`; the counts of all are written to --csv,
where that is given. libCacheSim is PyPI's libcachesim, whose policies take no seed: one run each. The
interval is mean +- t * s / sqrt(n), Student's t for n - 1 degrees of freedom. Prints a Markdown table.
"""

import argparse
import csv
import io
import multiprocessing
import statistics
import subprocess
import sys

from compare_libcachesim import CLASSES, base, libcachesim_cell

POLICIES = "random,hyperbolic,lhd,lecar,cacheus"
# 97.5 % quantiles of Student's t by degrees of freedom (table of any textbook).
QUANTILES = {4: 2.776, 9: 2.262, 14: 2.145, 19: 2.093, 29: 2.045, 49: 2.010, 99: 1.984}


def simulate(arguments, seed):
    """The counts of all cells with one seed, as rows."""
    command = [arguments.larder, "simulate", arguments.trace, "--format", "oracle-general",
               "--ignore-size", "--policy", arguments.policies, "--capacity", arguments.capacities,
               "--seed", str(seed), "--csv", "-", "--quiet"]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\nended with {done.returncode}: {done.stderr.strip()}")
    return list(csv.DictReader(io.StringIO(done.stdout)))


def interval(ratios):
    """Mean and half the width of the 95 % interval, in per cent."""
    mean = statistics.mean(ratios)
    spread = statistics.stdev(ratios) / len(ratios) ** 0.5
    return 100 * mean, 100 * QUANTILES[len(ratios) - 1] * spread


def peer(arguments, policy, capacity):
    """libCacheSim's hit ratio in per cent, or None where it does not have the policy or fails."""
    if arguments.no_peer or base(policy) not in CLASSES:
        return None
    job = (arguments.trace, policy, capacity, True, 20)
    # A process of its own: a crash there is not one here.
    with multiprocessing.Pool(1) as pool:
        requests, misses, _ = pool.apply(libcachesim_cell, (job,))
    return 100 * (1 - misses / requests)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("trace")
    parser.add_argument("--policies", default=POLICIES)
    parser.add_argument("--capacities", default="1000,5000")
    parser.add_argument("--seeds", type=int, default=20, choices=[n + 1 for n in QUANTILES])
    parser.add_argument("--larder", default=".build/release/larder")
    parser.add_argument("--csv", help="where the counts of all seeds go")
    parser.add_argument("--no-peer", action="store_true", help="leave libCacheSim out")
    arguments = parser.parse_args()

    rows = [row for seed in range(1, arguments.seeds + 1) for row in simulate(arguments, seed)]
    if arguments.csv:
        with open(arguments.csv, "w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, rows[0].keys(), lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
    print("| policy | capacity | hit ratio, mean and 95 % | smallest to largest | libCacheSim |")
    print("| :-- | --: | --: | --: | --: |")
    for policy in arguments.policies.split(","):
        for capacity in arguments.capacities.split(","):
            ratios = [int(row["hits"]) / int(row["requests"]) for row in rows
                      if row["policy"] == policy and row["capacity"] == capacity]
            mean, half = interval(ratios)
            theirs = peer(arguments, policy, int(capacity))
            print(f"| {policy} | {capacity} | {mean:.3f} ± {half:.3f} "
                  f"| {100 * min(ratios):.3f} to {100 * max(ratios):.3f} "
                  f"| {'' if theirs is None else f'{theirs:.3f}'} |", flush=True)


if __name__ == "__main__":
    main()
