"""What the tests of this folder share: running larder, and comparing what it wrote."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path


class SkippedError(Exception):
    """A test cannot be run here; the message says why, in one line."""


def check(condition: object, message: str) -> None:
    """Fail with `message` unless the condition holds; unlike `assert`, under `python -O` too."""
    if not condition:
        raise AssertionError(message)


@dataclass
class Run:
    """A program that has ended."""

    code: int
    output: str
    notes: str
    seconds: float

    @property
    def computed(self) -> int:
        """Cells that `larder run` says it has computed."""
        return int(self._number(r"(\d+) computed"))

    @property
    def stored(self) -> int:
        """Cells that `larder run` says it took from the store."""
        return int(self._number(r"(\d+) from the store"))

    def _number(self, pattern: str) -> str:
        found = re.search(pattern, self.notes)
        check(found, f"expected '{pattern}' in: {self.notes}")
        return found[1]


@dataclass
class Stand:
    """A temporary folder with larder in its PATH, which goes whatever happens.

    With `keeps`, that of a test that fails is left to look at.
    """

    larder: Path
    keeps: bool = False
    folder: Path = field(init=False)
    environment: dict[str, str] = field(init=False)

    def __enter__(self) -> Stand:
        self.folder = Path(tempfile.mkdtemp(prefix="larder-clusters-"))
        programs = self.folder / "bin"
        programs.mkdir()
        (programs / "larder").symlink_to(self.larder)
        self.environment = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}"}
        self.environment.pop("LARDER_STORE", None)
        return self

    def __exit__(self, fault: type[BaseException] | None, *_: object) -> None:
        if self.keeps and fault is not None and not issubclass(fault, SkippedError):
            print(f"    kept: {self.folder}")
            return
        # What a test that was stopped had started may write for a moment yet.
        for _ in range(100):
            shutil.rmtree(self.folder, ignore_errors=True)
            if not self.folder.exists():
                return
            time.sleep(0.2)

    def run(self, *words: object, code: int | None = 0, **variables: str) -> Run:
        """Run a program in the folder, and check its exit code unless that is None."""
        start = time.monotonic()
        process = subprocess.Popen(
            [str(word) for word in words],
            cwd=self.folder,
            env={**self.environment, **variables},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        try:
            output, notes = process.communicate(timeout=1800)
        except BaseException:
            # With all that it has started.
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            raise
        run = Run(process.returncode, output, notes, time.monotonic() - start)
        line = " ".join(str(word) for word in words)
        check(code in (None, run.code), f"{line}: exit code {run.code}: {run.notes[-2000:]}")
        return run

    def start(self, *words: object) -> subprocess.Popen[str]:
        """Start a program in the folder, which goes on."""
        return subprocess.Popen(
            [str(word) for word in words],
            cwd=self.folder,
            env=self.environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )

    def write(self, name: str, text: str) -> Path:
        """Write a file into the folder."""
        path = self.folder / name
        path.write_text(text)
        return path

    def small(self, name: str = "small") -> str:
        """Write a workload of 12 cells."""
        self.write(
            f"{name}.yaml",
            "source: {generator: zipf, requests: 20k, objects: 2k}\n"
            "policies: [fifo, lru, s3-fifo]\ncapacities: [10, 100, 3%, 10%]\n",
        )
        return f"{name}.yaml"

    def records(self, store: str, part: str = "cells") -> list[Path]:
        """List the files of a store in which counts, or timings, are."""
        files = (self.folder / store / part).glob("*/*")
        # Those that killed processes have begun have hidden names.
        return sorted(path for path in files if not path.name.startswith("."))


def same_results(stand: Stand, one: str, other: str) -> None:
    """Check that two results folders hold the same, but for what was measured, and when."""
    first, second = stand.folder / one, stand.folder / other
    check(
        (first / "counts.csv").read_bytes() == (second / "counts.csv").read_bytes(),
        f"counts.csv of {one} and {other} differ",
    )
    check(_report(first) == _report(second), f"report.md of {one} and {other} differ")
    check(_results(first) == _results(second), f"results.json of {one} and {other} differ")


def _report(folder: Path) -> str:
    """Return report.md up to the part on speed, which is measured, without when it was made."""
    text = (folder / "report.md").read_text()
    counted, speed, _ = text.partition("<summary><strong>Speed and memory")
    check(speed, f"{folder}/report.md has no part on speed")
    lines = [line for line in counted.splitlines() if not re.match(r"\| (started|machine)", line)]
    return "\n".join(lines)


def _results(folder: Path) -> object:
    """Return results.json without the same."""
    results = json.loads((folder / "results.json").read_text())
    for name in ("started", "finished", "machine", "threads"):
        results.pop(name, None)
    for record in results["records"]:
        record.pop("timings", None)
    return results
