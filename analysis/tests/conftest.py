"""All tests draw with the package's settings."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from larder.plots import style


@pytest.fixture(autouse=True)
def _settings() -> Iterator[None]:
    with style.in_force():
        yield
