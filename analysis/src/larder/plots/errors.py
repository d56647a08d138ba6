"""What can go wrong on the way, each with one line for the person who reads it."""

from __future__ import annotations


class AnalysisError(Exception):
    """The request or a file was wrong; the message is one line that says what, where and why."""


class NothingToDrawError(Exception):
    """The records hold nothing that a figure could show; the message says what is missing."""
