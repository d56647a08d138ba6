"""A workload of many small cells, and its results from one plain run."""

from __future__ import annotations

from dataclasses import dataclass

from support import Run, Stand, check, same_results

POLICIES = (
    "fifo, lru, mru, lfu, lfuda, hyperbolic, random, clock, sieve, slru, lru-k, 2q, mq, arc, car, "
    "lirs, clock-pro, s3-fifo, qd-lp, tinylfu, w-tinylfu, lecar, cacheus, gdsf, greedydual"
)
SEEDS = [1, 2, 3, 4]


@dataclass
class Sweep:
    """About three cells for each part."""

    stand: Stand
    parts: int
    requests: int
    plain: Run | None = None

    file = "sweep.yaml"

    def __post_init__(self) -> None:
        each = len(POLICIES.split(", ")) * len(SEEDS)
        count = max(1, 3 * self.parts // each)
        capacities = [50 + 40_000 * number // count for number in range(count)]
        self.cells = each * count
        self.stand.write(
            self.file,
            f"source: {{generator: zipf, requests: {self.requests}, objects: 50k, exponent: 0.9}}\n"
            f"policies: [{POLICIES}]\nseeds: {SEEDS}\ncapacities: {capacities}\n",
        )

    def run_plainly(self) -> Run:
        """Run the workload on this machine, without a store; once."""
        if self.plain is None:
            self.plain = self.stand.run(
                "larder", "run", self.file, "--output", "plain"
            )
        return self.plain

    def check(self, store: str, merged: str) -> None:
        """Check that results are those of the plain run, and that nothing is left to compute."""
        self.run_plainly()
        same_results(self.stand, "plain", merged)
        self.stand.run("larder", "store", "--verify", "--store", store)
        check(len(self.stand.records(store)) == self.cells, "records and cells differ in number")
        runs = []
        while len(runs) < 3 and (not runs or min(runs) >= 2):
            again = self.stand.run(
                "larder", "run", self.file, "--store", store, "--output", f"{merged}-{len(runs)}"
            )
            check(again.computed == 0, f"a second run computed {again.computed} cells")
            runs.append(again.seconds)
        # The fastest of three, as other programs may be busy.
        check(min(runs) < 2, f"a second run took {min(runs):.1f} s, expected less than 2")
        print(f"    second run: 0 of {self.cells} cells computed, {min(runs):.2f} s")
