"""Small results documents made in code, with numbers that can be worked out by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from larder.plots.results import Run, load_runs
from larder.plots.tables import Tables, make_tables

NO_TIER = {
    "admissions": 0,
    "rejections": 0,
    "evictions": 0,
    "expirations": 0,
    "bytesWritten": 0,
}
REQUESTS = 1000


def counts(memory_hits: int, disk_hits: int = 0, requests: int = REQUESTS) -> dict[str, Any]:
    """Counts of a cell whose objects all have two bytes."""
    return {
        "requests": requests,
        "memoryHits": memory_hits,
        "diskHits": disk_hits,
        "bytesRequested": 2 * requests,
        "memoryBytesHit": 2 * memory_hits,
        "diskBytesHit": 2 * disk_hits,
        "staleHits": 0,
        "sets": 0,
        "deletes": 0,
        "promotions": 0,
        "demotions": 0,
        "memory": dict(NO_TIER),
        "disk": dict(NO_TIER),
    }


def record(policy: str, capacity: int, memory_hits: int, **changes: Any) -> dict[str, Any]:  # noqa: ANN401
    """A record; `changes` are keys of the cell, or disk_hits, modelled, timings, executions."""
    disk_hits = changes.pop("disk_hits", 0)
    extra = {key: changes.pop(key) for key in ("modelled", "executions") if key in changes}
    timings = changes.pop("timings", [timing(0.001)])
    cell = {
        "workload": "small",
        "trace": "trace",
        "configuration": "memory",
        "kind": "memory",
        "policy": policy,
        "capacity": capacity,
        "capacityLabel": str(capacity),
        "unit": "objects",
        "seed": 1,
    }
    return {
        "cell": cell | changes,
        "counts": counts(memory_hits, disk_hits),
        "objectsDistinct": 100,
        "timings": timings,
        **extra,
    }


def timing(seconds: float, repetition: int = 1) -> dict[str, Any]:
    """A timed simulation of a thousand requests."""
    return {
        "mode": "simulate",
        "threads": 1,
        "repetition": repetition,
        "requests": REQUESTS,
        "seconds": seconds,
    }


def execution(threads: int, repetition: int, seconds: float, hits: int = 900) -> dict[str, Any]:
    """A run of a real cache: memory hits of 100 ns, misses of 1 us."""
    return {
        "threads": threads,
        "repetition": repetition,
        "counts": counts(hits),
        "countsTiers": True,
        "warmUpRequests": 0,
        "requests": REQUESTS,
        "seconds": seconds,
        "timedOneIn": 1,
        "latencies": [
            {"kind": "memory-hit", "count": hits, "latency": latency(100)},
            {"kind": "miss", "count": REQUESTS - hits, "latency": latency(1000)},
        ],
        "getLatency": latency(200),
        "valuesChecked": 0,
        "valuesWrong": 0,
        "capacityChecks": 0,
        "capacityExceeded": 0,
        "notes": [],
    }


def latency(median: int) -> dict[str, int]:
    """Percentiles at fixed multiples of the median."""
    return {
        "p50": median,
        "p90": 2 * median,
        "p99": 5 * median,
        "p999": 10 * median,
        "max": 50 * median,
    }


def document(records: list[dict[str, Any]], **changes: Any) -> dict[str, Any]:  # noqa: ANN401
    """A whole results.json."""
    machine = {
        "processor": "P",
        "cores": 2,
        "memoryBytes": 1,
        "system": "S",
        "larderVersion": "0",
        "swiftVersion": "6",
        "build": "release",
    }
    return {
        "schemaVersion": 1,
        "workload": "small",
        "workloadDescription": "",
        "command": "larder run small.yaml",
        "started": "2026-01-01T00:00:00Z",
        "finished": "2026-01-01T00:00:01Z",
        "interrupted": False,
        "plannedCells": len(records),
        "threads": 1,
        "machine": machine,
        "traces": [],
        "warmUp": "",
        "records": records,
        "notes": [],
        **changes,
    }


def save(folder: Path, content: dict[str, Any]) -> Path:
    """Writes results.json into the folder and gives the folder back."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "results.json").write_text(json.dumps(content), encoding="utf-8")
    return folder


def tables(tmp_path: Path, records: list[dict[str, Any]]) -> Tables:
    """The records on the way that real ones take, schema included."""
    return make_tables(load_runs([save(tmp_path / "run", document(records))]))


def run(records: list[dict[str, Any]], name: str = "a") -> Run:
    """A run that was not on disk."""
    return Run(path=Path(name), document=document(records))


def sweep(trace: str = "trace", shift: int = 0, **changes: Any) -> list[dict[str, Any]]:  # noqa: ANN401
    """Four policies at four capacities; belady is always 100 hits above lru, lru 50 above fifo."""
    hits = {"fifo": 150, "lru": 200, "sieve": 250, "belady": 300}
    return [
        record(policy, 100 * 2**step, base + shift + 100 * step, trace=trace, **changes)
        for policy, base in hits.items()
        for step in range(4)
    ]
