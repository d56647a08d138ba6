"""What goes wrong outside the figures."""

from __future__ import annotations


class LarderError(Exception):
    """Larder refused or failed: its message in one line, and the command's exit code."""

    def __init__(self, message: str, code: int) -> None:
        super().__init__(message)
        self.code = code

    def __reduce__(self) -> tuple[type[LarderError], tuple[str, int]]:
        """Errors travel from Dask's workers with their code."""
        return type(self), (str(self), self.code)


class ContractError(LarderError):
    """A policy breaks its contract: the rule, and the shortest script that shows it."""
