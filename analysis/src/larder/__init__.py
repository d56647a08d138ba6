"""Larder from Python: `run` runs workload files, `plots` draws their results."""

from larder.errors import LarderError
from larder.runs import run

__all__ = ["LarderError", "run"]
