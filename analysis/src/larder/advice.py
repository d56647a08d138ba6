"""Advice on a trace: a screen of text, a card for notebooks, and the content of advice.json."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any


class Advice(Mapping[str, Any]):
    """The recommendation of `larder.advise`.

    `print` shows the screen of `larder advise`, and a notebook a card with the same sentences. The
    figures are those of advice.json (docs/advise.schema.json): `to_dict()` returns them, and
    `advice["capacities"]` looks one up.
    """

    def __init__(self, values: dict[str, Any], text: str, html: str) -> None:
        """Wraps advice of the library in its three forms."""
        self._values = values
        self._text = text
        self._html = html

    def __str__(self) -> str:
        return self._text.rstrip("\n")

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return self._html

    def to_dict(self) -> dict[str, Any]:
        """The content of advice.json."""
        return self._values

    def __getitem__(self, key: str) -> Any:  # noqa: ANN401 - a value of JSON
        return self._values[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)
