#!/usr/bin/env python3
"""Compares the policy memcached with a running memcached, by hit ratio.

    compare_memcached.py --requests 400000 --keys 60000 --memory 16

Starts a server of its own (memcached, or --server PATH) on a free port of the loopback interface
with the given limit in MiB. Replays Zipf requests over objects of different sizes: get, and set
after a miss. The time of each request goes into a trace, which larder then simulates with the
same number of bytes, items as large as the server's (memory=server). Prints the hit ratios of the
second half, by requests and by bytes, and the difference in points. The automover, which the
policy does not know, is off unless --automover is given. Writes only to a temporary directory.
Exit code 1 if a difference is larger than --tolerance.
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

KEY_BYTES = 16


class Connection:
    """The few commands that are needed, in memcached's text protocol."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.file = self.socket.makefile("rb")

    def get(self, key):
        """Whether the key is there."""
        self.socket.sendall(b"get %s\r\n" % key)
        line = self.file.readline()
        if line == b"END\r\n":
            return False
        if not line.startswith(b"VALUE "):
            raise RuntimeError(line.decode())
        self.file.read(int(line.split()[3]) + 2)
        self.file.readline()
        return True

    def set(self, key, value):
        """Whether the value was stored."""
        self.socket.sendall(b"set %s 0 0 %d\r\n%s\r\n" % (key, len(value), value))
        return self.file.readline() == b"STORED\r\n"

    def statistics(self, *kind):
        self.socket.sendall(b" ".join((b"stats", *kind)) + b"\r\n")
        found = {}
        while (line := self.file.readline().decode().split()) != ["END"]:
            found[line[1]] = line[2]
        return found


def start(server, options):
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [server, "-l", "127.0.0.1", "-p", str(port), "-U", "0", "-m", str(options.memory),
               "-t", "1"]
    if not options.automover:
        command += ["-o", "slab_automove=0"]
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        command += ["-u", "nobody"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for _ in range(200):
        try:
            return process, Connection(port)
        except OSError:
            time.sleep(0.05)
    process.terminate()
    raise SystemExit(f"{server} does not listen")


def replay(connection, ids, sizes, pause, path):
    """Hits in the second half by requests and by bytes, in per cent, and failed sets."""
    value = b"x" * max(sizes)
    half = len(ids) // 2
    hits = bytes_hit = refused = 0
    with open(path, "w", encoding="ascii") as trace:
        trace.write("time,id,size\n")
        begin = time.time()
        for number, key in enumerate(ids):
            while time.time() < begin + number * pause:
                pass
            trace.write(f"{time.time():.6f},{key},{sizes[key]}\n")
            name = b"key:%012d" % key
            if connection.get(name):
                hits += number >= half
                bytes_hit += sizes[key] if number >= half else 0
            else:
                refused += not connection.set(name, value[:sizes[key]])
    requested = sum(sizes[key] for key in ids[half:])
    return hits / (len(ids) - half) * 100, bytes_hit / requested * 100, refused


def simulate(larder, path, policies, capacity, requests):
    """Hit ratios in the second half by requests and by bytes, in per cent, by workload file."""
    folder = os.path.dirname(path)
    workload = os.path.join(folder, "peer.yaml")
    with open(workload, "w", encoding="ascii") as file:
        names = ", ".join(f'"{policy}"' for policy in policies)
        file.write(
            f"name: peer\nsource: {{trace: {os.path.basename(path)}, "
            "format: 'csv:time=time:id=id:size=size'}\n"
            f"policies: [{names}]\ncapacities: [{capacity}B]\nunit: bytes\n"
            f"warm-up: {requests // 2}\n")
    subprocess.run([larder, "run", workload, "--output", os.path.join(folder, "out"), "--quiet"],
                   check=True, stdout=subprocess.DEVNULL)
    with open(os.path.join(folder, "out", "counts.csv"), encoding="utf8") as file:
        return {row["policy"]: (float(row["hit_ratio"]) * 100, float(row["byte_hit_ratio"]) * 100)
                for row in csv.DictReader(file)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--server", default=shutil.which("memcached") or "memcached")
    parser.add_argument("--larder", default=".build/release/larder")
    parser.add_argument("--requests", type=int, default=400_000)
    parser.add_argument("--keys", type=int, default=60_000)
    parser.add_argument("--memory", type=int, default=16, help="MiB")
    parser.add_argument("--exponent", type=float, default=0.9)
    parser.add_argument("--size", type=int, default=600, help="median of the values, bytes")
    parser.add_argument("--spread", type=float, default=0.8, help="sigma of log-normal sizes")
    parser.add_argument("--rate", type=float, default=0, help="requests a second; 0: no pauses")
    parser.add_argument("--automover", action="store_true", help="leave it on, as by default")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--tolerance", type=float, default=1.0, help="points")
    options = parser.parse_args()
    generator = random.Random(options.seed)
    weights = [1 / (rank + 1) ** options.exponent for rank in range(options.keys)]
    ids = generator.choices(range(options.keys), weights, k=options.requests)
    sizes = [min(500_000, max(1, int(options.size * generator.lognormvariate(0, options.spread))))
             for _ in range(options.keys)]
    policies = [f"memcached:memory=server:key={KEY_BYTES}", "memcached", "lru"]
    with tempfile.TemporaryDirectory() as folder:
        process, connection = start(options.server, options)
        try:
            path = os.path.join(folder, "trace.csv")
            pause = 1 / options.rate if options.rate else 0
            hits, bytes_hit, refused = replay(connection, ids, sizes, pause, path)
            items = connection.statistics()["curr_items"]
            pages = connection.statistics(b"slabs")["total_malloced"]
        finally:
            process.terminate()
            process.wait()
        found = simulate(options.larder, path, policies, options.memory << 20, options.requests)
    print(f"memcached held {items} items in {int(pages) / (1 << 20):.1f} MiB; {refused} sets failed")
    print("policy                          hit ratio  difference  byte hit ratio  difference")
    print(f"{'the server':30}  {hits:9.2f}  {'':10}  {bytes_hit:14.2f}")
    for policy in policies:
        ratio, byte_ratio = found[policy]
        print(f"{policy:30}  {ratio:9.2f}  {ratio - hits:+10.2f}  {byte_ratio:14.2f}"
              f"  {byte_ratio - bytes_hit:+10.2f}")
    ratio, byte_ratio = found[policies[0]]
    worst = max(abs(ratio - hits), abs(byte_ratio - bytes_hit))
    return 1 if worst > options.tolerance else 0


if __name__ == "__main__":
    sys.exit(main())
