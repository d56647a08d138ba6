"""Names that try to be something else."""

from __future__ import annotations

import pytest

from larder.plots import text


def test_shown_is_one_line_without_the_unseen() -> None:
    assert text.shown("a\nb\tc") == "a b c"
    assert text.shown("\x00\u202e\ud800") == "\ufffd\ufffd\ufffd"
    assert text.shown("$\\frac{a}{b}$") == "$\\frac{a}{b}$"


def test_shown_shortens_in_the_middle() -> None:
    name = text.shown("a" * 50 + "b" * 50, 11)
    assert len(name) == 11
    assert name == "aaaaa\N{HORIZONTAL ELLIPSIS}bbbbb"
    assert text.shown("a" * 11, 11) == "a" * 11


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("a|b", "a\\|b"),
        ("<script>", "&lt;script&gt;"),
        ("[x](y)", "\\[x\\](y)"),
        ("![x](y)", "!\\[x\\](y)"),
        ("`$*_~#", "\\`\\$\\*\\_\\~\\#"),
        ("a\\|b", "a\\\\\\|b"),
        ("a\n# b", "a \\# b"),
        ("@everyone &amp;", "&#64;everyone &amp;amp;"),
        ("https://x.y www.x.y", "https&#58;//x.y www&#46;x.y"),
    ],
)
def test_markdown(name: str, expected: str) -> None:
    assert text.markdown(name) == expected


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r"])
def test_formulas(start: str) -> None:
    assert text.csv_cell(start + "1+1") == "'" + start + "1+1"


def test_plain_cells_stay() -> None:
    assert text.csv_cell("s3-fifo:small=0.1") == "s3-fifo:small=0.1"
