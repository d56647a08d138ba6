#!/usr/bin/env python3
"""Compares larder's Python package with libCacheSim's, on one array of numpy.

    compare_python.py --requests 20000000 --objects 1000000 --capacity 100000

Three measurements, in turn in each round, all in one process of Python:

- LRU from the array: `Trace.from_arrays` and `simulate`, against the command `larder simulate` of
  the same trace, prepared (to which the same preparation is to be added), and against libCacheSim
  asked for each element. libCacheSim has no way to take an array; `--file` also writes the array in
  its format and times that and `process_trace`.
- LRU written in Python, the same OrderedDict in both: a `larder.Policy`, and the hooks of
  libCacheSim's `PluginCache`, asked for each element. Each in a process of its own: what ran before
  leaves Python's memory in pieces, and both work in it.

Needs the packages larder (or LARDER_LIBRARY, the shared library), numpy, pandas and libcachesim.
Misses must be equal; the exit code is 1 if they are not.
"""

import argparse
import multiprocessing
import statistics
import subprocess
import sys
import tempfile
import time
from collections import OrderedDict
from pathlib import Path

import numpy as np

RECORD = np.dtype([("time", "<u4"), ("id", "<u8"), ("size", "<u4"), ("next", "<i8")])


def zipf(requests, objects, exponent=1.0, seed=1):
    """Ids with popularity by Zipf's law."""
    shares = np.cumsum(1 / np.arange(1, objects + 1) ** exponent)
    draws = np.random.default_rng(seed).random(requests) * shares[-1]
    return np.searchsorted(shares, draws).astype(np.int64)


def timed(work):
    """What a function gives, and its seconds."""
    start = time.perf_counter()
    result = work()
    return result, time.perf_counter() - start


def simulated(values, policy, capacity):
    """Misses of larder."""
    import larder

    trace = larder.Trace.from_arrays(values)
    return int(larder.simulate(trace, [policy], [capacity], threads=1).misses[0])


def of_policy(requests, objects, capacity):
    """Misses and seconds of a policy in Python."""
    import larder  # noqa: F401 - loading it is not what is measured

    ids = zipf(requests, objects)
    return timed(lambda: simulated(ids, lru_policy(), capacity))


def of_hooks(requests, objects, capacity):
    """Misses and seconds of libCacheSim's hooks."""
    import libcachesim  # noqa: F401

    ids = zipf(requests, objects)
    return timed(lambda: asked(plugin_cache(capacity), ids))


def apart(work, *arguments):
    """What a function gives in a new process."""
    pool = multiprocessing.get_context("spawn").Pool(1)
    result = pool.apply(work, arguments)
    pool.close()
    pool.join()
    return result


def lru_policy():
    """LRU as a policy of larder."""
    import larder

    class OrderedLRU(larder.Policy):
        def __init__(self, capacity, counts_bytes, seed):
            super().__init__(capacity, counts_bytes, seed)
            self.order = OrderedDict()

        def contains(self, key):
            return key in self.order

        def hit(self, key):
            self.order.move_to_end(key)

        def insert(self, key, size):
            self.order[key] = None

        def replace(self, key, size):
            self.order.move_to_end(key)

        def remove(self, key):
            self.order.pop(key, None)

        def evict(self):
            return self.order.popitem(last=False)[0]

    return OrderedLRU


def plugin_cache(capacity):
    """LRU in libCacheSim's hooks."""
    import libcachesim as lcs

    def hit(order, request):
        order.move_to_end(request.obj_id)

    def miss(order, request):
        order[request.obj_id] = None

    def evict(order, request):
        return order.popitem(last=False)[0]

    return lcs.PluginCache(
        cache_size=capacity, cache_init_hook=lambda _: OrderedDict(), cache_hit_hook=hit,
        cache_miss_hook=miss, cache_eviction_hook=evict,
        cache_remove_hook=lambda order, key: order.pop(key, None),
        cache_free_hook=lambda order: order.clear())


def asked(cache, ids):
    """Misses of a cache of libCacheSim that is asked for each element."""
    import libcachesim as lcs

    request, hits, get = lcs.Request(), 0, cache.get
    request.obj_size = 1
    for key in ids.tolist():
        request.obj_id = key
        hits += get(request)
    return len(ids) - hits


def written(ids, capacity, folder):
    """Misses of libCacheSim's LRU over the array, written to a file."""
    import libcachesim as lcs

    path = str(Path(folder, "array.oracleGeneral"))
    records = np.zeros(len(ids), RECORD)
    records["id"], records["size"], records["next"] = ids, 1, -2
    records.tofile(path)
    reader = lcs.TraceReader(
        path, lcs.TraceType.ORACLE_GENERAL_TRACE, lcs.ReaderInitParam(ignore_obj_size=True))
    ratio, _ = lcs.LRU(capacity).process_trace(reader)
    return round(ratio * len(ids))


def command(program, path, capacity):
    """Misses by the command, from a prepared trace."""
    done = subprocess.run(
        [program, "simulate", path, "--policy", "lru", "--capacity", str(capacity), "--csv", "-",
         "--threads", "1", "--quiet"], check=True, capture_output=True, text=True)
    names, values = (line.split(",") for line in done.stdout.strip().splitlines()[:2])
    return int(dict(zip(names, values))["misses"])


def parse():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--requests", type=int, default=20_000_000)
    parser.add_argument("--objects", type=int, default=1_000_000)
    parser.add_argument("--capacity", type=int, default=100_000)
    parser.add_argument(
        "--policy-requests", type=int, default=5_000_000,
        help="requests of the comparison of policies in Python (default 5,000,000)")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--file", action="store_true", help="also libCacheSim through a file")
    parser.add_argument("--no-peer", action="store_true", help="measure larder alone")
    parser.add_argument("--larder", default=".build/release/larder", help="the program")
    return parser.parse_args()


def main():
    arguments = parse()
    import larder

    capacity = arguments.capacity
    ids = zipf(arguments.requests, arguments.objects)
    few = (arguments.policy_requests, arguments.objects, capacity)
    seconds, misses = {}, {}

    def note(name, requests, result):
        seconds.setdefault((name, requests), []).append(result[1])
        misses.setdefault(requests, {})[name] = result[0]

    with tempfile.TemporaryDirectory(prefix="larder-peers-") as folder:
        prepared = str(Path(folder, "array.larder"))
        larder.Trace.from_arrays(ids).save(prepared)
        for number in range(arguments.rounds):
            print(f"round {number + 1} of {arguments.rounds}", file=sys.stderr, flush=True)
            _, preparing = timed(lambda: larder.Trace.from_arrays(ids))
            result, running = timed(lambda: command(arguments.larder, prepared, capacity))
            note("larder simulate + preparation", len(ids), (result, running + preparing))
            note("larder in Python", len(ids), timed(lambda: simulated(ids, "lru", capacity)))
            note("larder, policy in Python", few[0], apart(of_policy, *few))
            if arguments.no_peer:
                continue
            import libcachesim as lcs

            note("libCacheSim, each element", len(ids),
                 timed(lambda: asked(lcs.LRU(capacity), ids)))
            note("libCacheSim, hooks in Python", few[0], apart(of_hooks, *few))
            if arguments.file:
                note("libCacheSim, written to a file", len(ids),
                     timed(lambda: written(ids, capacity, folder)))

    print(f"capacity {capacity} objects; median of {arguments.rounds} rounds (range)")
    for (name, requests), values in seconds.items():
        middle = statistics.median(values)
        print(f"{name:<32} {requests:>11}  {middle:8.3f} s ({min(values):.3f}-{max(values):.3f})"
              f"  {requests / middle / 1e6:8.3f} Mreq/s  misses {misses[requests][name]}")
    wrong = [requests for requests, found in misses.items() if len(set(found.values())) > 1]
    for requests in wrong:
        print(f"misses differ: {misses[requests]}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
