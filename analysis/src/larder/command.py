"""The command `larder` of this package."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import NoReturn

PROGRAM = Path(__file__).parent / "native" / "larder"


def main() -> NoReturn:
    """Becomes the program."""
    if not PROGRAM.exists():
        print("larder: this package was installed without the command", file=sys.stderr)
        raise SystemExit(2)
    os.execv(PROGRAM, ["larder", *sys.argv[1:]])
