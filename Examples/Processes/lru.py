#!/usr/bin/env python3
"""An LRU cache for 'larder run' in Python: requests on standard input, answers on standard output.

    lru.py CAPACITY [objects|bytes]

docs/processes.md describes the protocol, which is a part of memcached's.
"""

import sys
from collections import OrderedDict


def main():
    capacity, unit = int(sys.argv[1]), (sys.argv[2:] or ["objects"])[0]
    requests, answers = sys.stdin.buffer, sys.stdout.buffer
    entries = OrderedDict()  # value and the second in which it expires, by key; oldest first
    used, now = 0, 0

    def weight(value):
        return len(value) if unit == "bytes" else 1

    def remove(key):
        nonlocal used
        value, _ = entries.pop(key)
        used -= weight(value)

    def store(key, value, life):
        nonlocal used
        if key in entries:
            remove(key)
        if weight(value) > capacity:
            return b"NOT_STORED"
        while used + weight(value) > capacity:
            remove(next(iter(entries)))
        entries[key] = value, now + life * 1_000_000 if life else float("inf")
        used += weight(value)
        return b"STORED"

    # Ends with standard input.
    for line in requests:
        word, *rest = line.split()
        if word == b"get":
            key = rest[0]
            if key in entries and entries[key][1] <= now:
                remove(key)
            if key in entries:
                entries.move_to_end(key)
                value = entries[key][0]
                answers.write(b"VALUE %b 0 %d\r\n%b\r\n" % (key, len(value), value))
            answers.write(b"END\r\n")
        elif word == b"set":
            key, _, life, length = rest[:4]
            value = requests.read(int(length) + 2)[:-2]
            answers.write(store(key, value, int(life)) + b"\r\n")
        elif word == b"delete":
            key = rest[0]
            found = key in entries
            if found:
                remove(key)
            answers.write(b"DELETED\r\n" if found else b"NOT_FOUND\r\n")
        elif word == b"time":
            # The trace's time in microseconds; without an answer.
            now = int(rest[0])
            continue
        elif word == b"version":
            answers.write(b"VERSION larder-1 lru.py\r\n")
        elif word == b"quit":
            break
        else:
            answers.write(b"ERROR\r\n")
        answers.flush()


if __name__ == "__main__":
    main()
