"""Larder from Python: simulations, curves and advice of traces; workload files; figures.

`simulate`, `mrc` and `advise` compute in this process, over a `Trace`. `run` runs workload files
with the command `larder`. `larder.plots` draws results.
"""

from larder.advice import Advice
from larder.errors import ContractError, LarderError
from larder.policy import Policy, check_policy
from larder.runs import run
from larder.simulation import advise, mrc, policies, simulate
from larder.traces import Trace, generate

__all__ = [
    "Advice",
    "ContractError",
    "LarderError",
    "Policy",
    "Trace",
    "advise",
    "check_policy",
    "generate",
    "mrc",
    "policies",
    "run",
    "simulate",
]
