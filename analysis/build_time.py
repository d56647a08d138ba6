#!/usr/bin/env python3
"""Measure what a release build of Larder costs, in processor seconds and in builds of GRDB.

Wall time and processor time differ by factors between machines, so the unit is a build of the same
hour on the same machine: an empty program that imports GRDB. Four builds of Larder are compared
with it: the command from nothing, the command after one changed line in the body of a policy's
member and after one new private method, and an app of six lines without traits from nothing. All of
them work on a copy of the committed and changed files; packages are fetched before the clock
starts.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
POLICY = Path("Sources/LarderQueuePolicies/Sieve.swift")
GRDB = """\
// swift-tools-version: 6.1
import PackageDescription
let package = Package(
  name: "unit",
  dependencies: [.package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0")],
  targets: [
    .executableTarget(name: "unit", dependencies: [.product(name: "GRDB", package: "GRDB.swift")])
  ])
"""
APP = """\
// swift-tools-version: 6.1
import PackageDescription
let package = Package(
  name: "app", platforms: [.macOS(.v15)],
  dependencies: [.package(name: "larder", path: "PATH", traits: [])],
  targets: [
    .executableTarget(name: "app", dependencies: [.product(name: "Larder", package: "larder")])
  ])
"""
APP_MAIN = """\
import Larder

let cache = MemoryCache<String, Int>(count: 100)
cache["a"] = 1
print(cache["a"] ?? 0)
"""


def package(folder: Path, manifest: str, name: str, main: str) -> Path:
    """Writes a package with one program."""
    source = folder / "Sources" / name / "main.swift"
    source.parent.mkdir(parents=True)
    (folder / "Package.swift").write_text(manifest)
    source.write_text(main)
    return folder


def run(command: list[str], folder: Path) -> float:
    """Runs a command and returns the processor seconds of it and its children."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True,
        env={**os.environ, "SWIFT_DETERMINISTIC_HASHING": "1"},
    )  # fmt: skip
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} failed in {folder}:\n{done.stdout}{done.stderr}")
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def copy_tree(copy: Path) -> None:
    """Copies the files that git knows, changed or not."""
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"],
        cwd=ROOT, check=True, capture_output=True, text=True,
    )  # fmt: skip
    for name in listed.stdout.splitlines():
        if (ROOT / name).exists():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, copy / name)


def edit(file: Path, old: str, new: str) -> None:
    """Replaces a line that must be there."""
    text = file.read_text()
    if old not in text:
        sys.exit(f"{file} has no line {old!r}: mend {Path(__file__).name}")
    file.write_text(text.replace(old, new, 1))


def main() -> None:
    """Measures, and prints a row a build."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--swift", default="swift", help="the swift command")
    options = parser.parse_args()
    swift = options.swift
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        unit = package(folder / "unit", GRDB, "unit", "import GRDB\n")
        tree = folder / "larder"
        tree.mkdir()
        copy_tree(tree)
        app = package(folder / "app", APP.replace("PATH", str(tree)), "app", APP_MAIN)
        command = ["make", "build", f"SWIFT={swift}"]
        for place in (unit, tree, app):
            run([swift, "package", "resolve"], place)
        one = run([swift, "build", "-c", "release"], unit)
        rows = [("GRDB, from nothing", one)]
        rows.append(("larder, from nothing", run(command, tree)))
        edit(
            tree / POLICY, "    queue.setMark(request.id)\n",
            "    if request.id != .none { queue.setMark(request.id) }\n",
        )  # fmt: skip
        rows.append(("larder, one line of a policy", run(command, tree)))
        edit(
            tree / POLICY, "  mutating func reserve(objects: Int) {",
            "  private func isMarked() -> Bool { queue.atHand != .none }\n\n"
            "  mutating func reserve(objects: Int) {",
        )  # fmt: skip
        rows.append(("larder, a private method more", run(command, tree)))
        rows.append(
            ("app without traits, from nothing", run([swift, "build", "-c", "release"], app))
        )
    print(f"{'build':<34} processor seconds   builds of GRDB")
    for name, seconds in rows:
        print(f"{name:<34} {seconds:17.1f} {seconds / one:16.2f}")


if __name__ == "__main__":
    main()
