"""What tests of the library and of the command need: both are built by `make build`."""

import os
import shutil
from pathlib import Path

import pytest

RELEASE = Path(__file__).parents[2] / ".build" / "release"
PROGRAM = os.environ.get("LARDER_PROGRAM") or shutil.which("larder") or str(RELEASE / "larder")

_LIBRARY = RELEASE / "libLarderC.so"
if "LARDER_LIBRARY" not in os.environ and _LIBRARY.exists():
    os.environ["LARDER_LIBRARY"] = str(_LIBRARY)

needs_program = pytest.mark.skipif(
    shutil.which(PROGRAM) is None, reason="the command larder is not built (make build)"
)
needs_library = pytest.mark.skipif(
    "LARDER_LIBRARY" not in os.environ, reason="the library is not built (make library)"
)
