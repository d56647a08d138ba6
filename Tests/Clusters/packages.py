"""Debian's packages, installed where that is possible."""

from __future__ import annotations

import os
import shutil
import subprocess

from support import SkippedError

# Daemons are in folders that users do not have in their PATH.
FOLDERS = f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"

# Whether packages that are missing are installed.
installs = True


def program(name: str) -> str | None:
    """Return the path of a program; None where it is not installed."""
    return shutil.which(name, path=FOLDERS)


def need(programs: dict[str, str]) -> None:
    """Install the packages of programs that are missing.

    Raises:
        SkippedError: One cannot be had; the message names the package.
    """
    missing = sorted({package for name, package in programs.items() if program(name) is None})
    if not missing:
        return
    names = " ".join(missing)
    if not installs:
        raise SkippedError(f"missing {names} (names as in Debian)")
    if shutil.which("apt-get") is None:
        raise SkippedError(f"missing {names} (names as in Debian), and no apt-get")
    root = superuser()
    if root is None:
        raise SkippedError(f"missing {names} (names as in Debian), and no sudo to install")
    print(f"    installing {names}", flush=True)
    if not _apt(root, "install", *missing):
        _apt(root, "update")
        if not _apt(root, "install", *missing):
            raise SkippedError(f"{names}: apt-get cannot install it")
    still = sorted(package for name, package in programs.items() if program(name) is None)
    if still:
        raise SkippedError(f"{' '.join(still)}: installed, but its program is not found")


def superuser() -> list[str] | None:
    """Return the words before a command that only root may run; None where there are none."""
    if os.geteuid() == 0:
        return []
    if shutil.which("sudo"):
        asked = subprocess.run(["sudo", "-n", "true"], capture_output=True, check=False)
        if asked.returncode == 0:
            return ["sudo", "-n"]
    return None


def _apt(root: list[str], *words: str) -> bool:
    """Run apt-get, and tell whether it succeeded; without a network it soon fails."""
    command = [*root, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-y", "-qq"]
    for setting in ("Acquire::Retries=0", "Acquire::http::Timeout=20", "DPkg::Lock::Timeout=60"):
        command += ["-o", setting]
    try:
        ended = subprocess.run(
            [*command, "--no-install-recommends", *words],
            capture_output=True,
            check=False,
            timeout=300,
        )
    except subprocess.TimeoutExpired:
        return False
    return ended.returncode == 0
