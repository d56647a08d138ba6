#!/usr/bin/env python3
"""Tests of parts, stores and plans with the real command.

What is missing is installed if it can be; otherwise the tests that need it are skipped with the
name of the package. Everything that is started ends with this program.
"""

from __future__ import annotations

import argparse
import inspect
import signal
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path

import packages
import test_formats
import test_store
from support import SkippedError, Stand
from sweep import Sweep


def tests() -> dict[str, Callable[..., None]]:
    """Return all tests by name, in the order in which they are written."""
    return {
        name.removeprefix("test_"): test
        for module in (test_store, test_formats)
        for name, test in vars(module).items()
        if name.startswith("test_") and inspect.isfunction(test)
    }


def run(name: str, test: Callable[..., None], options: argparse.Namespace) -> str:
    """Run a test in a folder of its own, and return how it ended."""
    print(f"==> {name}", flush=True)
    start = time.monotonic()
    verdict, why = "passed", ""
    try:
        with Stand(options.larder, options.keep) as stand:
            known = {
                "stand": lambda: stand,
                "sweep": lambda: Sweep(stand, options.parts, options.requests),
            }
            test(**{word: known[word]() for word in inspect.signature(test).parameters})
    except SkippedError as reason:
        verdict, why = "skipped", f": {reason}"
    except Exception as error:  # noqa: BLE001
        traceback.print_exc()
        verdict, why = "failed", f": {error}"
    print(f"    {verdict} in {time.monotonic() - start:.1f} s{why}", flush=True)
    return verdict


def main() -> int:
    """Run the tests that are named, or all."""
    if sys.version_info < (3, 10):  # noqa: UP036
        print("Skipping the tests of clusters: python3 is older than 3.10.")
        return 0
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("names", nargs="*", choices=[[], *tests()], help="default: all")
    words.add_argument("--larder", type=Path, required=True, help="the program to test")
    words.add_argument("--parts", type=int, default=1000, help="parts of the large sweep")
    words.add_argument("--requests", type=int, default=500_000, help="requests of each trace of it")
    words.add_argument("--keep", action="store_true", help="keep the folders of failed tests")
    words.add_argument("--no-install", action="store_true", help="skip what has no package here")
    options = words.parse_args()
    packages.installs = not options.no_install
    options.larder = options.larder.resolve(strict=True)
    # Ended as by Ctrl-C, so that daemons and folders go.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    verdicts = [
        run(name, test, options)
        for name, test in tests().items()
        if not options.names or name in options.names
    ]
    counts = {verdict: verdicts.count(verdict) for verdict in ("passed", "failed", "skipped")}
    print("==> " + ", ".join(f"{count} {verdict}" for verdict, count in counts.items()))
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
