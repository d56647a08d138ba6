#!/usr/bin/env python3
"""Compares the longest calls of memory caches with those of moka, a cache of Rust.

    make figures PART=spikes    # or: build CacheBenchmarks as the Makefile does
    compare_moka.py --bench .build-nested/release/CacheBenchmarks

Runs `CacheBenchmarks spikes`, and then the same phases but the last with moka, where its package for
Python (PyPI: moka-py) is installed. Times of moka contain a call from Python, about 0.2 us.
"""

import argparse
import random
import subprocess
import time

CAPACITY = 1_000_000


def report(phase, times):
    times.sort()
    shares = [times[-1 - len(times) // one] / 1000 for one in (10_000, 1_000_000, len(times) + 1)]
    figures = " | ".join(f"{share:.1f}" for share in shares)
    print(f"| moka | | {phase} | {len(times)} | {times[len(times) // 2]} | {figures} |", flush=True)


def measure(cache):
    clock = time.thread_time_ns
    times = []
    for key in range(CAPACITY):
        begun = clock()
        cache.set(key, key)
        times.append(clock() - begun)
    report("growing", times)
    times = []
    # As skewed as the keys of the other side, whose exponent is 0.99.
    draw = random.Random(1).random
    zipf = (int((4 * CAPACITY + 1) ** draw()) for _ in range(4 * CAPACITY))
    loops = (-key for _ in range(4) for key in range(CAPACITY * 5 // 4))
    for keys in (zipf, loops):
        for key in keys:
            begun = clock()
            value = cache.get(key)
            times.append(clock() - begun)
            if value is None:
                begun = clock()
                cache.set(key, key)
                times.append(clock() - begun)
    report("churn", times)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--bench", required=True, help="the program CacheBenchmarks")
    subprocess.run([parser.parse_args().bench, "spikes"], check=True)
    try:
        import moka_py
    except ImportError:
        print("\nmoka: not measured, as the package moka-py is not installed")
        return
    measure(moka_py.Moka(CAPACITY))


if __name__ == "__main__":
    main()
