"""Writes files so that none is ever half there, and the same input makes the same bytes."""

from __future__ import annotations

import io
import os
import tempfile
from pathlib import Path

from matplotlib.figure import Figure

from larder.plots.errors import AnalysisError

FORMATS = ("pdf", "svg", "png")
_CREATOR = "larder-analysis"
# No dates, and no versions: bytes change when the picture does.
_METADATA: dict[str, dict[str, str | None]] = {
    "pdf": {"Creator": _CREATOR, "Producer": None, "CreationDate": None},
    "svg": {"Creator": _CREATOR, "Date": None},
    "png": {"Software": _CREATOR},
}


def figure_bytes(figure: Figure, kind: str) -> bytes:
    """The figure as a file of that kind; call it with the settings of `style` in force."""
    # Laid out once, for all kinds alike.
    if figure.get_layout_engine() is not None:
        figure.draw_without_rendering()
        figure.set_layout_engine("none")
    buffer = io.BytesIO()
    figure.savefig(buffer, format=kind, metadata=_METADATA[kind])
    return buffer.getvalue()


def write(path: Path, content: bytes) -> None:
    """Writes under a temporary name in the same folder, flushes to disk and renames.

    Raises:
        AnalysisError: where the folder or file cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(
            dir=path.parent, prefix=f".{path.name}.", delete=False
        ) as file:
            try:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
                # As any other new file: a temporary one can be read by nobody else.
                umask = os.umask(0)
                os.umask(umask)
                Path(file.name).chmod(0o666 & ~umask)
                Path(file.name).replace(path)
            except BaseException:
                Path(file.name).unlink(missing_ok=True)
                raise
    except OSError as error:
        raise AnalysisError(f"{path}: cannot be written ({error.strerror})") from None


def remove_stale(folder: Path, before: list[str], written: set[str]) -> None:
    """Removes what an earlier analysis listed and this one did not write, and nothing else."""
    for name in before:
        parts = Path(name).parts
        known = len(parts) == 2 and parts[1].rsplit(".", 1)[-1] in FORMATS and ".." not in parts
        if known and name not in written:
            (folder / name).unlink(missing_ok=True)
