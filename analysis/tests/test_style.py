"""The same policy looks the same, and no two alike."""

from __future__ import annotations

from matplotlib import rcParams

from larder.plots import style
from larder.plots.style import Looks, is_offline


def test_known_policies_differ() -> None:
    looks = list(style._KNOWN.values())
    assert len(set(looks)) == len(looks)
    assert not set(looks) & set(style._OTHERS)


def test_policies_that_are_compared_most_have_a_colour_each() -> None:
    names = ["lru", "fifo", "sieve", "s3-fifo", "arc", "w-tinylfu"]
    assert len({style._KNOWN[name].color for name in names}) == len(names)


def test_bounds_are_marked() -> None:
    assert style.label("belady") == "belady (knows the future)"
    assert style.label("lru") == "lru"


def test_order_and_company_do_not_matter() -> None:
    names = ["lru", "own", "sieve:bits=2", "zeta"]
    first, second = Looks(names), Looks(reversed(names))
    assert [first[name] for name in names] == [second[name] for name in names]
    assert Looks(["lru"])["lru"] == first["lru"]


def test_unknown_policies_differ_while_they_can() -> None:
    names = [f"own-{number}" for number in range(28)]
    looks = Looks(names)
    assert len({looks[name] for name in names}) == 28
    few = Looks(names[:7])
    assert len({few[name].color for name in names[:7]}) == 7
    Looks(f"own-{number}" for number in range(100))


def test_offline() -> None:
    assert is_offline("belady")
    assert is_offline("belady-size:x=1")
    assert is_offline("lru+belady")
    assert is_offline("belady (exact)")
    assert not is_offline("belady2")
    assert not is_offline("lru")


def test_settings_end_with_the_block() -> None:
    rcParams["text.parse_math"] = True
    with style.in_force():
        assert not rcParams["text.parse_math"]
    assert rcParams["text.parse_math"]
