"""Figures and statistics from the results of larder.

The way through the package: `results` reads and checks files, `tables` turns them into data frames,
`statistics` and `blocks` compute, `figures` draws, `report` writes tables, `cli` is the command.
"""

from importlib.metadata import version

__version__ = version("larder-cache")
