#!/usr/bin/env python3
"""Writes a Zipf trace in libCacheSim's oracleGeneral format, for comparing simulators.

    make_zipf_trace.py /tmp/zipf.oracleGeneral --requests 20000000 --objects 1000000 --exponent 1.0

A record has 24 bytes, little-endian: time (u32, seconds), object (u64), size (u32, bytes), index
of the object's next request (i64, -1 for none). Objects are drawn independently by rank with
probability proportional to 1 / rank^exponent and named by a mix of the rank, so that neither
simulator gains from dense or ordered names. Needs numpy.
"""

import argparse
import sys

import numpy as np

RECORD = np.dtype([("time", "<u4"), ("id", "<u8"), ("size", "<u4"), ("next", "<i8")])
CHUNK = 1_000_000


def mixed(ranks: np.ndarray) -> np.ndarray:
    """SplitMix64's finaliser (Steele, Lea and Flood, OOPSLA 2014): a bijection on 64 bits."""
    with np.errstate(over="ignore"):
        z = ranks.astype(np.uint64) + np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return z ^ (z >> np.uint64(31))


def draw(rng: np.random.Generator, requests: int, objects: int, exponent: float) -> np.ndarray:
    """Ranks from 0 by inverting the exact distribution function."""
    cumulative = np.cumsum(np.arange(1, objects + 1, dtype=np.float64) ** -exponent)
    ranks = np.empty(requests, dtype=np.uint32)
    for start in range(0, requests, CHUNK):
        stop = min(start + CHUNK, requests)
        drawn = rng.random(stop - start) * cumulative[-1]
        ranks[start:stop] = np.searchsorted(cumulative, drawn, side="right")
    return np.minimum(ranks, objects - 1)


def next_requests(ranks: np.ndarray) -> np.ndarray:
    """For every request the index of the next one for the same object, or -1."""
    order = np.argsort(ranks, kind="stable")
    following = np.full(len(ranks), -1, dtype=np.int64)
    same = ranks[order[:-1]] == ranks[order[1:]]
    following[order[:-1][same]] = order[1:][same]
    return following


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("path")
    parser.add_argument("--requests", type=int, default=20_000_000)
    parser.add_argument("--objects", type=int, default=1_000_000)
    parser.add_argument("--exponent", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rate", type=int, default=1000, help="requests a second")
    parser.add_argument(
        "--size-median", type=float, default=0,
        help="median of log-normal object sizes in bytes; 0 makes every object 4096 bytes")
    arguments = parser.parse_args()
    if arguments.requests < 1 or not 1 <= arguments.objects < 2**32 or arguments.rate < 1:
        parser.error("requests, objects and rate must be at least 1, objects below 2^32")

    rng = np.random.default_rng(arguments.seed)
    ranks = draw(rng, arguments.requests, arguments.objects, arguments.exponent)
    records = np.empty(arguments.requests, dtype=RECORD)
    records["time"] = np.arange(arguments.requests, dtype=np.uint64) // arguments.rate
    records["next"] = next_requests(ranks)
    if arguments.size_median > 0:
        sizes = rng.lognormal(np.log(arguments.size_median), 1.0, arguments.objects)
        records["size"] = np.clip(sizes, 1, 2**31 - 1).astype(np.uint32)[ranks]
    else:
        records["size"] = 4096
    records["id"] = mixed(ranks)
    records.tofile(arguments.path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
