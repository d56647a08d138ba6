#!/usr/bin/env python3
"""Compares memory caches with quick_cache, a cache of Rust, over the same requests.

    make figures PART=caches    # or: build CacheBenchmarks as the Makefile does
    compare_quick_cache.py --bench .build-nested/release/CacheBenchmarks --rounds 5

Needs cargo, which fetches quick_cache, unless --peer names the program of quick_cache/ that was
built elsewhere. Ten million requests of Zipf 0.99 over a million keys: get, and put on a miss. Both
run in processes of their own that take turns; ratios are those within a round. quick_cache runs
with its own hasher and with that of rustc (fx), Larder with its fast one. Exit code 1 if a median
ratio to quick_cache with its own hasher is below --at-least.
"""

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile


def run(words):
    rate, hits = subprocess.run(words, check=True, capture_output=True, text=True).stdout.split()
    return float(rate), float(hits)


def build(folder):
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "quick_cache")
    words = ["cargo", "build", "--release", "--quiet", "--target-dir", folder]
    subprocess.run(words + ["--manifest-path", os.path.join(source, "Cargo.toml")], check=True)
    return os.path.join(folder, "release", "quick_cache_peer")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--bench", required=True, help="the program CacheBenchmarks")
    parser.add_argument("--peer", help="the program quick_cache_peer; by default it is built")
    parser.add_argument("--policies", default="sieve,s3-fifo,w-tinylfu")
    parser.add_argument("--kinds", default="int", help="int, string, uuid, with commas")
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--hashers", default="default,fx")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--requests", type=int, default=10_000_000)
    parser.add_argument("--objects", type=int, default=1_000_000)
    parser.add_argument("--capacity", type=int, default=100_000)
    parser.add_argument("--shards", type=int, default=16)
    parser.add_argument("--at-least", type=float, default=0)
    options = parser.parse_args()
    folder = tempfile.mkdtemp()
    is_below = False
    try:
        peer = options.peer or build(folder)
        keys = os.path.join(folder, "keys.bin")
        sizes = ["--requests", str(options.requests), "--objects", str(options.objects)]
        subprocess.run([options.bench, "rate", "--write", keys] + sizes, check=True)
        print("| keys | threads | cache | M/s | hit ratio |", end="")
        hashers = options.hashers.split(",")
        print("".join(f" x quick_cache, {hasher} |" for hasher in hashers))
        print("|---|---:|---|---:|---:|" + "---:|" * len(hashers))
        for kind in options.kinds.split(","):
            for threads in options.threads.split(","):
                sides = {}
                for hasher in hashers:
                    sides[f"quick_cache, {hasher}"] = [
                        peer, keys, str(options.capacity), threads, hasher, kind
                    ]
                for policy in options.policies.split(","):
                    sides[f"larder {policy}"] = [
                        options.bench, "rate", keys, "--policy", policy, "--threads", threads,
                        "--kind", kind, "--capacity", str(options.capacity),
                        "--shards", str(options.shards),
                    ]  # fmt: skip
                taken = {name: [] for name in sides}
                for number in range(options.rounds):
                    order = list(sides.items())
                    for name, words in order if number % 2 == 0 else reversed(order):
                        taken[name].append(run(words))
                for name, runs in taken.items():
                    rate = statistics.median(rate for rate, _ in runs)
                    hits = statistics.median(hits for _, hits in runs)
                    print(f"| {kind} | {threads} | {name} | {rate:.1f} | {hits:.4f} |", end="")
                    for hasher in hashers:
                        others = taken[f"quick_cache, {hasher}"]
                        ratio = statistics.median(
                            own[0] / other[0] for own, other in zip(runs, others)
                        )
                        print(f" {ratio:.2f} |", end="")
                        if hasher == "default" and name.startswith("larder"):
                            is_below |= ratio < options.at_least
                    print(flush=True)
        return 1 if is_below else 0
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
