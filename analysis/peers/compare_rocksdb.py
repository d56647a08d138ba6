#!/usr/bin/env python3
"""Compares sets of 1 KB in a disk cache with durability none and in RocksDB without syncs.

    make figures PART=caches    # or: build CacheBenchmarks as the Makefile does
    compare_rocksdb.py --bench .build-nested/release/CacheBenchmarks --rounds 9

Needs librocksdb (apt install librocksdb-dev) and a C compiler. Every round stores the same new keys
and values in an empty database of either, in processes of their own that take turns. The ratio is
that within a round. The time of the cache includes its last commit and flush; RocksDB does not end
its compactions in its time. Exit code 1 if the median ratio is below --at-least.
"""

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile


def output(words):
    return float(subprocess.run(words, check=True, capture_output=True, text=True).stdout)


def middle(values, form):
    return f"{statistics.median(values):{form}} ({min(values):{form}} to {max(values):{form}})"


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--bench", required=True, help="the program CacheBenchmarks")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--sets", type=int, default=100_000)
    parser.add_argument("--folder", help="where databases are written; by default a temporary one")
    parser.add_argument("--at-least", type=float, default=0)
    options = parser.parse_args()
    folder = tempfile.mkdtemp(dir=options.folder)
    try:
        program = os.path.join(folder, "rocksdb_sets")
        source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "rocksdb_sets.c")
        subprocess.run(["cc", "-O2", "-o", program, source, "-lrocksdb"], check=True)
        caches, peers, ratios = [], [], []
        for number in range(options.rounds):
            sides = [
                lambda: caches.append(
                    output([options.bench, "sets", f"{folder}/l{number}", str(options.sets)])
                ),
                lambda: peers.append(output([program, f"{folder}/r{number}", str(options.sets)])),
            ]
            for side in sides if number % 2 == 0 else reversed(sides):
                side()
            ratios.append(caches[-1] / peers[-1])
            print(f"{number + 1}: {caches[-1]:.0f} {peers[-1]:.0f} {ratios[-1]:.2f}", flush=True)
        print(f"DiskCache, durability none: {middle(caches, '.0f')} sets/s")
        print(f"RocksDB, log without syncs: {middle(peers, '.0f')} sets/s")
        print(f"ratio within a round: {middle(ratios, '.2f')}")
        return 1 if statistics.median(ratios) < options.at_least else 0
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
