#!/usr/bin/env python3
"""Compares redis-lru and redis-lfu with a running Redis or Valkey, by hit ratio.

    compare_redis.py --requests 400000 --keys 20000 --share 0.1

Starts a server of its own (redis-server, or --server PATH) on a free port, without persistence,
whose memory limit holds about the given share of the keys. Replays Zipf requests: GET, and SET
after a miss. The time of each request goes into a trace, which larder then simulates with the
number of keys that the server held when it was full. Prints the hit ratios of both and the
difference in points. Writes only to a temporary directory. Exit code 1 if a difference is larger
than --tolerance.
"""

import argparse
import csv
import os
import random
import shutil
import socket
import subprocess
import sys
import tempfile
import time

VALUE_BYTES = 1000
POLICIES = {"redis-lru": "allkeys-lru", "redis-lfu": "allkeys-lfu"}


class Connection:
    """The few commands that are needed, in RESP."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.file = self.socket.makefile("rb")

    def call(self, *words):
        parts = [b"*%d\r\n" % len(words)]
        for word in words:
            data = word if isinstance(word, bytes) else str(word).encode()
            parts.append(b"$%d\r\n%s\r\n" % (len(data), data))
        self.socket.sendall(b"".join(parts))
        return self.reply()

    def reply(self):
        line = self.file.readline().rstrip(b"\r\n")
        kind, rest = line[:1], line[1:]
        if kind == b"-":
            raise RuntimeError(rest.decode())
        if kind == b"$":
            length = int(rest)
            return None if length < 0 else self.file.read(length + 2)[:-2]
        return int(rest) if kind == b":" else rest

    def info(self, field):
        for line in self.call("INFO", "memory").decode().splitlines():
            if line.startswith(field + ":"):
                return int(line.split(":")[1])
        raise RuntimeError(f"INFO has no {field}")


def start(server, policy, folder):
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    process = subprocess.Popen(
        [server, "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no",
         "--dir", folder, "--maxmemory-policy", POLICIES[policy]],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for _ in range(200):
        try:
            return process, Connection(port)
        except OSError:
            time.sleep(0.05)
    process.terminate()
    raise SystemExit(f"{server} does not listen")


def limit(connection, keys):
    """Sets the limit to what so many keys take, and empties the server."""
    value = b"x" * VALUE_BYTES
    for key in range(keys):
        connection.call("SET", f"key:{key:012d}", value)
    connection.call("CONFIG", "SET", "maxmemory", connection.info("used_memory"))
    connection.call("FLUSHALL")


def replay(connection, ids, pause, path):
    """Hits in the second half, and the most keys that the server held."""
    value = b"x" * VALUE_BYTES
    hits = held = 0
    with open(path, "w", encoding="ascii") as trace:
        trace.write("time,id\n")
        begin = time.time()
        for number, key in enumerate(ids):
            while time.time() < begin + number * pause:
                pass
            trace.write(f"{time.time():.6f},{key}\n")
            name = f"key:{key:012d}"
            if connection.call("GET", name) is not None:
                hits += number >= len(ids) // 2
            else:
                connection.call("SET", name, value)
            if number % 1000 == 0:
                held = max(held, connection.call("DBSIZE"))
    return hits, held


def simulate(larder, path, policies, capacity, requests):
    """Hit ratios in the second half, by workload file."""
    folder = os.path.dirname(path)
    workload = os.path.join(folder, "peer.yaml")
    with open(workload, "w", encoding="ascii") as file:
        file.write(
            f"name: peer\nsource: {{trace: {os.path.basename(path)}, format: 'csv:time=time:id=id'}}\n"
            f"policies: [{', '.join(policies)}]\ncapacities: [{capacity}]\nunit: objects\n"
            f"warm-up: {requests // 2}\n")
    subprocess.run([larder, "run", workload, "--output", os.path.join(folder, "out"), "--quiet"],
                   check=True, stdout=subprocess.DEVNULL)
    with open(os.path.join(folder, "out", "counts.csv"), encoding="utf8") as file:
        return {row["policy"]: float(row["hit_ratio"]) for row in csv.DictReader(file)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--server", default=shutil.which("redis-server") or "redis-server")
    parser.add_argument("--larder", default=".build/release/larder")
    parser.add_argument("--requests", type=int, default=400_000)
    parser.add_argument("--keys", type=int, default=20_000)
    parser.add_argument("--share", type=float, default=0.1, help="of the keys that the limit holds")
    parser.add_argument("--exponent", type=float, default=0.9)
    parser.add_argument("--rate", type=float, default=0, help="requests a second; 0: no pauses")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--tolerance", type=float, default=1.0, help="points")
    options = parser.parse_args()
    random.seed(options.seed)
    weights = [1 / (rank + 1) ** options.exponent for rank in range(options.keys)]
    ids = random.choices(range(options.keys), weights, k=options.requests)
    worst = 0.0
    print("policy     capacity  server  larder  difference  lru")
    for policy in POLICIES:
        with tempfile.TemporaryDirectory() as folder:
            process, connection = start(options.server, policy, folder)
            try:
                limit(connection, int(options.keys * options.share))
                path = os.path.join(folder, "trace.csv")
                pause = 1 / options.rate if options.rate else 0
                hits, held = replay(connection, ids, pause, path)
            finally:
                process.terminate()
                process.wait()
            ratio = hits / (options.requests - options.requests // 2) * 100
            found = simulate(options.larder, path, [policy, "lru"], held, options.requests)
            difference = found[policy] * 100 - ratio
            worst = max(worst, abs(difference))
            print(f"{policy:9}  {held:8}  {ratio:6.2f}  {found[policy] * 100:6.2f}"
                  f"  {difference:+10.2f}  {found['lru'] * 100:.2f}")
    return 1 if worst > options.tolerance else 0


if __name__ == "__main__":
    sys.exit(main())
