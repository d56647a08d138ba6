#!/usr/bin/env python3
"""Runs the same cells in libCacheSim and in larder, in turn, and compares speed and miss counts.

    compare_libcachesim.py TRACE --policies lru,fifo,sieve,s3-fifo --capacities 100000

TRACE is in oracleGeneral format (`larder trace generate` writes one). Every object has size 1
unless --with-size is given. libCacheSim is its C library through PyPI's libcachesim,
`process_trace`, one process a cell; larder is `larder simulate`. With --jobs N both use N cores,
and with --whole the wall-clock time of all cells together is compared, from the file to the counts.

See README.md here for what is and is not counted as time. Writes only to a temporary directory.
"""

import argparse
import csv
import multiprocessing
import os
import statistics
import subprocess
import sys
import tempfile
import time

RECORD_BYTES = 24

# Our name of a policy -> libCacheSim's class.
CLASSES = {
    "fifo": "FIFO", "lru": "LRU", "lfu": "LFU", "lfuda": "LFUDA", "random": "Random",
    "clock": "Clock", "sieve": "Sieve", "slru": "SLRU", "2q": "TwoQ", "arc": "ARC", "lirs": "LIRS",
    "clock-pro": "ClockPro", "mq": "MQ", "lru-k": "LRUK", "s3-fifo": "S3FIFO",
    "w-tinylfu": "WTinyLFU", "gdsf": "GDSF", "hyperbolic": "Hyperbolic", "lhd": "LHD",
    "lecar": "LeCaR", "cacheus": "Cacheus", "belady": "Belady", "belady-size": "BeladySize",
}
# Policies whose victims are drawn at random, or whose rules are known to differ (README.md):
# their miss counts are shown and not held against anybody. `slru:fill=true` agrees.
DIFFER = {"random", "hyperbolic", "lhd", "lecar", "cacheus", "belady-size", "lirs", "w-tinylfu",
          "s3-fifo", "gdsf", "slru", "lfuda", "mq", "clock-pro"}


def base(policy):
    """The policy without its parameters, which only larder is given."""
    return policy.split(":")[0]


def may_differ(policy):
    return base(policy) in DIFFER and "fill=true" not in policy


def libcachesim_cell(job):
    """Runs one cell in this process: (requests, misses, seconds)."""
    path, policy, capacity, ignore_size, hashpower = job
    import libcachesim as lcs

    parameters = lcs.ReaderInitParam(ignore_obj_size=ignore_size, ignore_size_zero_req=False)
    reader = lcs.TraceReader(path, lcs.TraceType.ORACLE_GENERAL_TRACE, parameters)
    requests = reader.n_total_req
    cache = getattr(lcs, CLASSES[base(policy)])(capacity, hashpower=hashpower)
    start = time.perf_counter()
    miss_ratio, _ = cache.process_trace(reader)
    seconds = time.perf_counter() - start
    return requests, round(miss_ratio * requests), seconds


def run_libcachesim(arguments, cells):
    """All cells, --jobs at a time: ({cell: (requests, misses, seconds)}, wall seconds)."""
    jobs = [(arguments.trace, policy, capacity, not arguments.with_size, arguments.hashpower)
            for policy, capacity in cells]
    # A fresh process a cell: nobody inherits another's heap, and a crash ends the comparison.
    with multiprocessing.Pool(arguments.jobs, maxtasksperchild=1) as pool:
        start = time.perf_counter()
        results = pool.map(libcachesim_cell, jobs, chunksize=1)
        wall = time.perf_counter() - start
    return dict(zip(cells, results)), wall


def run_larder(arguments, cells, folder):
    """All cells in one call: ({cell: (requests, misses, seconds)}, wall seconds)."""
    counts, timings = os.path.join(folder, "counts.csv"), os.path.join(folder, "timings.csv")
    capacities = [f"{c}B" if arguments.with_size else str(c) for c in arguments.capacities]
    command = [arguments.larder, "simulate", arguments.trace, "--format", "oracle-general",
               "--policy", ",".join(arguments.policies), "--capacity", ",".join(capacities),
               "--threads", str(arguments.jobs), "--csv", counts, "--timings", timings]
    if not arguments.with_size:
        command.append("--ignore-size")
    start = time.perf_counter()
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    wall = time.perf_counter() - start
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\nended with {done.returncode}: {done.stderr.strip()}")
    seconds = {}
    for row in rows(timings):
        seconds.setdefault((row["policy"], int(row["capacity"])), []).append(float(row["seconds"]))
    results = {}
    for row in rows(counts):
        cell = (row["policy"], int(row["capacity"]))
        results[cell] = (int(row["requests"]), int(row["misses"]),
                         statistics.median(seconds[cell]))
    missing = [cell for cell in cells if cell not in results]
    if missing:
        sys.exit(f"larder's {counts} has no row for {missing}")
    return results, wall


def rows(path):
    with open(path, newline="", encoding="utf-8") as file:
        yield from csv.DictReader(file)


def spread(values):
    return f"{statistics.median(values):9.2f} ({min(values):.2f}-{max(values):.2f})"


def print_cells(cells, theirs, ours):
    """Speed and misses of each cell; True when every policy that must agree does."""
    print(f"{'policy':<14} {'capacity':>12}  {'libCacheSim Mreq/s':>24}  {'larder Mreq/s':>26}"
          f"  {'ratio':>6}  misses")
    agree = True
    for cell in cells:
        peer = [requests / seconds / 1e6 for requests, _, seconds in theirs[cell]]
        text = f"{cell[0]:<14} {cell[1]:>12}  {spread(peer):>24}"
        misses = {count for _, count, _ in theirs[cell]}
        if ours:
            larder = [requests / seconds / 1e6 for requests, _, seconds in ours[cell]]
            ratio = statistics.median(larder) / statistics.median(peer)
            own = {count for _, count, _ in ours[cell]}
            requests = theirs[cell][0][0]
            if own == misses:
                verdict = f"equal ({min(own)})"
            else:
                points = (min(own) - min(misses)) / requests * 100
                verdict = f"{min(own)} against {min(misses)} ({points:+.3f} points)"
                if may_differ(cell[0]):
                    verdict += ", expected to differ"
                else:
                    agree = False
            text += f"  {spread(larder):>26}  {ratio:6.1f}  {verdict}"
        else:
            text += f"  {'':>26}  {'':>6}  {min(misses)}"
        print(text)
    return agree


def parse():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("trace")
    parser.add_argument("--policies", default="lru,fifo,sieve,s3-fifo,clock,gdsf")
    parser.add_argument("--capacities", default="100000", help="objects, or bytes with --with-size")
    parser.add_argument("--rounds", type=int, default=3, help="each runs both (default 3)")
    parser.add_argument("--jobs", type=int, default=1, help="cores for either side (default 1)")
    parser.add_argument("--whole", action="store_true", help="also compare file to counts.csv")
    parser.add_argument(
        "--warm", action="store_true",
        help="run either side once more, unmeasured, directly before it is measured")
    parser.add_argument("--with-size", action="store_true", help="count bytes, not objects")
    parser.add_argument(
        "--hashpower", type=int, default=24,
        help="log2 of libCacheSim's first hash table (default 24, as in its Python package)")
    parser.add_argument("--larder", default=".build/release/larder", help="the program")
    parser.add_argument("--no-larder", action="store_true", help="measure libCacheSim alone")
    arguments = parser.parse_args()
    arguments.policies = arguments.policies.split(",")
    arguments.capacities = [int(text) for text in arguments.capacities.split(",")]
    unknown = [policy for policy in arguments.policies if base(policy) not in CLASSES]
    if unknown:
        parser.error(f"libCacheSim has no counterpart of {', '.join(unknown)}; "
                     f"known: {', '.join(CLASSES)}")
    if not os.path.isfile(arguments.trace):
        parser.error(f"{arguments.trace}: no such file")
    if arguments.trace.endswith(".zst") or os.path.getsize(arguments.trace) % RECORD_BYTES:
        parser.error(f"{arguments.trace}: not a whole number of {RECORD_BYTES}-byte records; "
                     "decompress it first, so that neither side's decompressor is measured")
    if not arguments.no_larder and not os.access(arguments.larder, os.X_OK):
        parser.error(f"{arguments.larder}: not there; run 'make build' first or give --larder")
    if arguments.rounds < 1 or arguments.jobs < 1:
        parser.error("--rounds and --jobs must be at least 1")
    return arguments


def main():
    arguments = parse()
    cells = [(policy, capacity)
             for policy in arguments.policies for capacity in arguments.capacities]
    theirs, ours = {cell: [] for cell in cells}, {cell: [] for cell in cells}
    walls = {"libCacheSim": [], "larder": []}
    with open(arguments.trace, "rb") as file:  # Both find the file in memory.
        while file.read(1 << 24):
            pass
    with tempfile.TemporaryDirectory(prefix="larder-peers-") as folder:
        for number in range(arguments.rounds):
            print(f"round {number + 1} of {arguments.rounds}", file=sys.stderr, flush=True)
            if arguments.warm:
                run_libcachesim(arguments, cells)
            results, wall = run_libcachesim(arguments, cells)
            walls["libCacheSim"].append(wall)
            for cell in cells:
                theirs[cell].append(results[cell])
            if arguments.no_larder:
                continue
            if arguments.warm:
                run_larder(arguments, cells, folder)
            results, wall = run_larder(arguments, cells, folder)
            walls["larder"].append(wall)
            for cell in cells:
                ours[cell].append(results[cell])

    print(f"{arguments.trace}: median of {arguments.rounds} rounds (smallest-largest), "
          f"{arguments.jobs} core(s) each")
    agree = print_cells(cells, theirs, None if arguments.no_larder else ours)
    if arguments.whole:
        for name, seconds in walls.items():
            if seconds:
                print(f"all {len(cells)} cells, {name:<12} {spread(seconds)} s")
        if walls["larder"]:
            ratio = statistics.median(walls["libCacheSim"]) / statistics.median(walls["larder"])
            print(f"all {len(cells)} cells, ratio        {ratio:9.1f}")
    if not agree:
        print("miss counts differ where they must not", file=sys.stderr)
    return 0 if agree else 1


if __name__ == "__main__":
    sys.exit(main())
