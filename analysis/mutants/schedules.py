#!/usr/bin/env python3
"""Plant each fault of `FAULTS` in the caches, and count the schedules that find it.

The faults are compiled into one program in a copy of the sources, each behind a number that is
chosen at run time (see `plant.py`), so that the sources themselves contain none.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import plant

ROOT = Path(__file__).resolve().parents[2]
LIBRARY = Path("Sources/Larder")
BUILD = {**os.environ, "SWIFT_DETERMINISTIC_HASHING": "1"}
SWITCH = """
/// The number of the fault in force; 0 for none.
@usableFromInline let plantedFault = Int(
  ProcessInfo.processInfo.environment["LARDER_FAULT"] ?? "") ?? 0
"""
# The engine has no faults. Unoptimised it is compiled in seconds instead of minutes, and schedules
# spend their time elsewhere.
QUICK = """
for target in package.targets where target.name == "LarderEngine" {
  target.swiftSettings = (target.swiftSettings ?? []) + [.unsafeFlags(["-Onone"])]
}
"""


@dataclass(frozen=True)
class Edit:
    """Text of one file and its replacement, in which FAULT is true while the fault is in force."""

    file: str
    before: str
    after: str


@dataclass(frozen=True)
class Fault:
    """A fault that schedules must find."""

    name: str
    summary: str
    edits: tuple[Edit, ...]


def fault(name: str, summary: str, *edits: tuple[str, str, str]) -> Fault:
    """A fault with its edits: file, text, replacement."""
    return Fault(name, summary, tuple(Edit(*edit) for edit in edits))


FAULTS = [
    fault(
        "overtakenFetchIsStored",
        "A set or a removal does not keep the result of a hybrid cache's fetch from being stored.",
        (
            "Hybrid/HybridCache+Storing.swift",
            "guard !flights.isEmpty, let flight",
            "if FAULT { return }; guard !flights.isEmpty, let flight",
        ),
    ),
    fault(
        "removedLoadIsStored",
        "A removal does not keep a memory cache's loaded value from being stored.",
        (
            "Memory/MemoryLoads.swift",
            "removeValue(forKey: key) else { return }\n    load.forget()",
            "removeValue(forKey: key) else { return }\n    if !FAULT { load.forget() }",
        ),
    ),
    fault(
        "twoLoads",
        "A request starts a load although one is running.",
        (
            "Memory/MemoryLoads.swift",
            "if load.flight.join() {",
            "if FAULT {\n        let load = MemoryLoad<Value>(leader: leader)\n"
            "        _ = load.flight.join()\n        _ = leader.join()\n"
            "        state.loads[key] = load\n        return (load, true)\n      }\n"
            "      if load.flight.join() {",
        ),
    ),
    fault(
        "forgottenWaiter",
        "A waiter of a fetch is forgotten.",
        (
            "Support/CacheFlight.swift",
            "return Array(state.waiters.values)",
            "if FAULT { _ = state.waiters.popFirst() }; return Array(state.waiters.values)",
        ),
    ),
    fault(
        "updateInTwoSteps",
        "An update reads before it takes the lock.",
        (
            "Memory/MemoryCache.swift",
            "let result = try withStep(blocks.index(hash)) { shard in",
            "let early = FAULT ? peek(key) : nil; "
            "let result = try withStep(blocks.index(hash)) { shard in",
        ),
        (
            "Memory/MemoryCache.swift",
            "      new = old\n",
            "      if FAULT { old = early }; new = old\n",
        ),
    ),
    fault(
        "tornRead",
        "A value that was read while it was written is not discarded.",
        (
            "Memory/ShardRecords.swift",
            "    atomicMemoryFence(ordering: .acquiring)\n    return self.version",
            "    if FAULT { return true }; atomicMemoryFence(ordering: .acquiring)\n"
            "    return self.version",
        ),
    ),
    fault(
        "missedWhileDraining",
        "A get without the lock reports a miss although the shard's directory is growing.",
        (
            "Memory/ShardView.swift",
            "return isDraining.load(ordering: .relaxed) == 0",
            "return FAULT || isDraining.load(ordering: .relaxed) == 0",
        ),
    ),
    fault(
        "lateDemotion",
        "A value evicted from memory reaches disk after the stripe's lock was released.",
        (
            "Hybrid/HybridCache+Storing.swift",
            "    if !stripe.victims.isEmpty { demoteVictims(stripe) }",
            "    if FAULT { stripe.lock.unlock(); stripe.lock.lock() }; "
            "if !stripe.victims.isEmpty { demoteVictims(stripe) }",
        ),
    ),
    fault(
        "abandonedFetchIsJoined",
        "A request joins an abandoned fetch.",
        (
            "Support/CacheFlight.swift",
            "if state.isAbandoned { return false }",
            "if FAULT { state.isAbandoned = false }; if state.isAbandoned { return false }",
        ),
    ),
    fault(
        "abandonedLoadIsStored",
        "The value of an abandoned load is stored although another load replaced it.",
        (
            "Memory/MemoryLoads.swift",
            "return isWanted.load(ordering: .acquiring) && !flight.isAbandoned",
            "return isWanted.load(ordering: .acquiring) && (FAULT || !flight.isAbandoned)",
        ),
    ),
    fault(
        "earlyForgetting",
        "A removal invalidates loads before it takes the lock of the shard.",
        (
            "Memory/MemoryCache.swift",
            "return withShard(blocks.index(hash)) { shard, gone in\n      loads.forget(key)",
            "if FAULT { loads.forget(key) }; "
            "return withShard(blocks.index(hash)) { shard, gone in\n"
            "      if !FAULT { loads.forget(key) }",
        ),
        (
            "Memory/MemoryCache.swift",
            "    var now: UInt64 = 0\n",
            "    var now: UInt64 = 0; if FAULT { loads.forget(key) }\n",
        ),
        (
            "Memory/MemoryCache.swift",
            "} after: { shard, gone in\n      loads.forget(key)",
            "} after: { shard, gone in\n      if !FAULT { loads.forget(key) }",
        ),
    ),
    fault(
        "outdatedCandidate",
        "The origin is asked about the value that memory held before the lock was taken.",
        (
            "Hybrid/HybridCache+Loading.swift",
            "let candidate = found ?? old",
            "let candidate = (FAULT ? request.known : nil) ?? found ?? old",
        ),
    ),
    fault(
        "lateForgetting",
        "A missing value is forgotten only after the lock of the shard was released.",
        (
            "Memory/MemoryLoads.swift",
            "    absences?.peek(key)?.revoke()",
            "    if FAULT { return }; absences?.peek(key)?.revoke()",
        ),
    ),
    fault(
        "earlyAbsence",
        "A missing value counts before the load has checked that the key was not set meanwhile.",
        (
            "Memory/MemoryCache+Loading.swift",
            "    guard load.mayStore else { return }\n    absences.set",
            "    if FAULT { absence.confirm() }; guard FAULT || load.mayStore else { return }\n"
            "    absences.set",
        ),
    ),
    fault(
        "lateWatch",
        "Sets are reported only after other requests have seen that missing values are remembered.",
        (
            "Memory/MemoryCache+Loading.swift",
            "    events.watchChanges()\n    do throws(MemoryCacheError) {\n"
            "      loads.rememberAbsences",
            "    defer { if FAULT { events.watchChanges() } }\n"
            "    if !FAULT { events.watchChanges() }\n"
            "    do throws(MemoryCacheError) {\n      loads.rememberAbsences",
        ),
    ),
    fault(
        "removalInTwoSteps",
        "Removals from memory and from disk are not atomic: a lookup returns the entry to memory.",
        (
            "Hybrid/HybridOperation.swift",
            "if ask({ (disk) throws(HybridCacheError) in try disk.remove(item.diskKey) })",
            "if FAULT { stripe.lock.unlock(); stripe.lock.lock() }; "
            "if ask({ (disk) throws(HybridCacheError) in try disk.remove(item.diskKey) })",
        ),
    ),
    fault(
        "lateAlarm",
        "The alarm for expiring entries may be set again only after the entries were examined.",
        (
            "Memory/PromptExpiry.swift",
            "      guard let self else { return }\n",
            "      guard let self else { return }; if FAULT { ring() }\n",
        ),
        (
            "Memory/PromptExpiry.swift",
            "      self.lock.unlock()\n      ring()",
            "      self.lock.unlock()\n      if !FAULT { ring() }",
        ),
    ),
    fault(
        "lateEnlisting",
        "A load takes its place in the order of those that wait before it comes to wait.",
        (
            "Memory/MemoryLoads.swift",
            "    let mayRun = await withTaskCancellationHandler {\n"
            "      await withCheckedContinuation { enlist(mark, $0, isBackground: isBackground) }",
            "    let early = FAULT ? state.withLock { $0.last += 1; return $0.last } : 0\n"
            "    let mayRun = await withTaskCancellationHandler {\n"
            "      await withCheckedContinuation {\n"
            "        enlist(mark, $0, isBackground: isBackground, early)\n      }",
        ),
        (
            "Memory/MemoryLoads.swift",
            "_ continuation: CheckedContinuation<Bool, Never>, isBackground: Bool\n  ) {",
            "_ continuation: CheckedContinuation<Bool, Never>, isBackground: Bool, _ early: Int\n"
            "  ) {",
        ),
        (
            "Memory/MemoryLoads.swift",
            "      state.last += 1\n      state.waiting[state.last] = (mark, continuation)",
            "      if !FAULT { state.last += 1 }\n"
            "      state.waiting[FAULT ? early : state.last] = (mark, continuation)",
        ),
    ),
    fault(
        "untoldReplacement",
        "Listeners do not learn of replaced values.",
        (
            "Memory/MemoryCache.swift",
            "{ onEviction = { onRemoval(",
            "{ onEviction = { if FAULT, $0.reason == .replaced { return }; onRemoval(",
        ),
    ),
]


def planted(root: Path) -> dict[str, str]:
    """The changed files of the library by path below `Sources/Larder`."""
    texts: dict[str, str] = {}
    for number, fault in enumerate(FAULTS, 1):
        for edit in fault.edits:
            text = texts.get(edit.file) or (root / LIBRARY / edit.file).read_text()
            if (found := text.count(edit.before)) != 1:
                sys.exit(
                    f"fault {fault.name}: {edit.file} contains {found} times instead of once:\n"
                    f"{edit.before}\nAdapt the fault in {Path(__file__).name} to the sources."
                )
            after = re.sub(r"\bFAULT\b", f"(plantedFault == {number})", edit.after)
            texts[edit.file] = text.replace(edit.before, after)
    return texts


def build(copy: Path) -> Path:
    """Builds the program `Schedules` with all faults, and returns its path."""
    changed = {LIBRARY / name: text for name, text in planted(ROOT).items()}
    changed[LIBRARY / "PlantedFault.swift"] = "import Foundation\n" + SWITCH
    changed[Path("Package.swift")] = (ROOT / "Package.swift").read_text() + QUICK
    plant.copy_tree(ROOT, copy, changed)
    command = [
        *shlex.split(os.environ.get("SWIFT", "swift")),
        "build", "-c", "release", "--disable-default-traits",
        "-Xswiftc", "-DLARDER_SCHEDULES", "--product", "Schedules",
    ]  # fmt: skip
    if subprocess.run(command, cwd=copy, env=BUILD, check=False).returncode != 0:
        sys.exit("the caches with planted faults do not compile")
    folder = subprocess.run(
        [*command, "--show-bin-path"], cwd=copy, env=BUILD, check=True, capture_output=True,
        text=True,
    )  # fmt: skip
    return Path(folder.stdout.strip()) / "Schedules"


def run(program: Path, number: int, seed: int, schedules: int) -> tuple[bool, str]:
    """Runs schedules with a fault in force: whether one failed, and the last line of its output."""
    done = subprocess.run(
        [program, "--seed", str(seed), "--schedules", str(schedules)],
        env={**BUILD, "LARDER_FAULT": str(number), "SWIFT_BACKTRACE": "enable=no"},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    lines = (done.stdout + done.stderr).splitlines()
    told = next((line for line in lines if re.match(r"\d+ schedules, |schedule with ", line)), "")
    return done.returncode != 0, re.sub(r" schedules, .*", " schedules", told)


def main() -> int:
    """Build the program, and run it with each fault and without one."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--copy", type=Path, default=ROOT / ".build-faults", help="build folder")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--schedules", type=int, default=100_000, help="at most so many a fault")
    parser.add_argument("--only", nargs="*", choices=[fault.name for fault in FAULTS])
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--build", action="store_true", help="build only")
    parser.add_argument("--check", action="store_true", help="only check that all can be planted")
    options = parser.parse_args()
    if options.check:
        planted(ROOT)
        return 0
    program = build(options.copy.resolve())
    if options.build:
        return 0
    failed, last = run(program, 0, options.seed, 200)
    if failed:
        sys.exit(f"schedules without a fault fail: {last}")
    chosen = [
        (number, fault)
        for number, fault in enumerate(FAULTS, 1)
        if not options.only or fault.name in options.only
    ]
    with ThreadPoolExecutor(options.jobs) as pool:
        results = pool.map(
            lambda each: run(program, each[0], options.seed, options.schedules), chosen
        )
        missed = 0
        for (_, fault), (found, last) in zip(chosen, results, strict=True):
            print(f"{fault.name}: {'found' if found else 'NOT FOUND'} after {last}", flush=True)
            missed += not found
    print(f"{len(chosen) - missed} of {len(chosen)} planted faults found")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
