"""How figures look: sizes, fonts, colours and markers; the same policy looks the same everywhere.

The colours are those of Okabe and Ito, Color Universal Design, 2008, which people with any common
colour blindness can tell apart; markers and dashes say the same again for print in grey.
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import matplotlib as mpl

BLACK = "#000000"
ORANGE = "#E69F00"
SKY = "#56B4E9"
GREEN = "#009E73"
YELLOW = "#F0E442"
BLUE = "#0072B2"
VERMILLION = "#D55E00"
PURPLE = "#CC79A7"
GREY = "#777777"
PALE = "#DDDDDD"

# Policies that know the future: a measure and not a choice.
OFFLINE = ("belady", "belady-size", "pfoo", "pfoo-l", "pfoo-u", "infinite")

SETTINGS: dict[str, Any] = {
    # Comes with matplotlib, so a figure is the same on every machine.
    "font.family": "DejaVu Sans",
    "font.size": 6.5,
    "axes.titlesize": 6.5,
    "axes.labelsize": 6.5,
    "xtick.labelsize": 6,
    "ytick.labelsize": 6,
    "legend.fontsize": 6,
    "legend.frameon": False,
    "legend.handlelength": 2.4,
    "legend.columnspacing": 1.2,
    "legend.labelspacing": 0.3,
    "axes.linewidth": 0.5,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.titlelocation": "left",
    "axes.titlepad": 3,
    "axes.labelpad": 2,
    "grid.linewidth": 0.3,
    "grid.color": PALE,
    "xtick.major.width": 0.5,
    "ytick.major.width": 0.5,
    "xtick.major.size": 2,
    "ytick.major.size": 2,
    "xtick.minor.size": 0,
    "ytick.minor.size": 0,
    "lines.linewidth": 0.9,
    "lines.markersize": 3,
    "lines.markeredgewidth": 0.6,
    "hatch.linewidth": 0.4,
    "savefig.dpi": 300,
    # TrueType in PDF, outlines in SVG: fonts travel with the figure.
    "pdf.fonttype": 42,
    "ps.fonttype": 42,
    "svg.fonttype": "path",
    # Fixed names of elements: the same input, the same bytes.
    "svg.hashsalt": "larder-analysis",
    # Names from results are never markup.
    "text.parse_math": False,
    "text.usetex": False,
    "axes.unicode_minus": True,
}


@dataclass(frozen=True)
class Width:
    """One of the two widths that papers have."""

    name: str
    inches: float
    columns: int

    @property
    def is_wide(self) -> bool:
        """Whether the figure spans the page."""
        return self.columns > 2


ONE_COLUMN = Width("one-column", 3.5, 2)
TWO_COLUMN = Width("two-column", 7.16, 4)


@dataclass(frozen=True)
class Look:
    """Colour, marker and dashes of one policy."""

    color: str
    marker: str
    dashes: str

    def line(self) -> dict[str, Any]:
        """Arguments for a line with markers; every second look has hollow markers."""
        face = "white" if self.dashes != "-" else self.color
        return {
            "color": self.color,
            "marker": self.marker,
            "linestyle": self.dashes,
            "markerfacecolor": face,
        }


_KNOWN = {
    "lru": Look(BLUE, "o", "-"),
    "fifo": Look(ORANGE, "s", "-"),
    "sieve": Look(GREEN, "^", "-"),
    "s3-fifo": Look(VERMILLION, "D", "-"),
    "lfu": Look(PURPLE, "P", "-"),
    "clock": Look(SKY, "v", "-"),
    "slru": Look(BLUE, "s", "--"),
    "2q": Look(ORANGE, "^", "--"),
    "arc": Look(PURPLE, "o", "--"),
    "lirs": Look(VERMILLION, "v", "--"),
    "w-tinylfu": Look(SKY, "D", "--"),
    "lru-k": Look(GREEN, "o", "--"),
    "lhd": Look(BLUE, "^", "-."),
    "lecar": Look(ORANGE, "D", "-."),
    "cacheus": Look(GREEN, "s", "-."),
    "car": Look(VERMILLION, "o", "-."),
    "lfuda": Look(PURPLE, "v", "-."),
    "clock-pro": Look(SKY, "P", "-."),
    "mq": Look(BLUE, "D", ":"),
    "qd-lp": Look(ORANGE, "v", ":"),
    "gdsf": Look(GREEN, "P", ":"),
    "hyperbolic": Look(VERMILLION, "s", ":"),
    "greedydual": Look(PURPLE, "o", ":"),
    "tinylfu": Look(SKY, "o", ":"),
    "random": Look(GREY, "X", "-"),
    "mru": Look(GREY, "v", "--"),
    "ttl": Look(GREY, "o", "-."),
    "cost": Look(GREY, "s", ":"),
    "belady": Look(BLACK, "None", "--"),
    "belady-size": Look(BLACK, "None", ":"),
    "nscache": Look(GREY, "D", "-"),
}
_COLORS = (BLUE, ORANGE, GREEN, VERMILLION, PURPLE, SKY, GREY)
_MARKERS = ("<", ">", "p", "*", "h", "d", "8")
_DASHES = ("-", "--", "-.", ":")
_OTHERS = tuple(
    Look(_COLORS[(mark + dash) % len(_COLORS)], _MARKERS[mark], _DASHES[dash])
    for dash in range(len(_DASHES))
    for mark in range(len(_MARKERS))
)


class Looks:
    """Looks of all series of one analysis, so that no two are alike while there are enough.

    Known policies always look the same. Others get the look that their name comes to or, if that or
    its colour is taken, another, in the order of names: it does not matter in which order they are
    met.
    """

    def __init__(self, names: Iterable[str]) -> None:
        self._looks: dict[str, Look] = {}
        taken: set[int] = set()
        for name in sorted(set(names)):
            if name in _KNOWN:
                self._looks[name] = _KNOWN[name]
                continue
            slot = self._free_slot(zlib.crc32(name.encode("utf-8", "replace")), taken)
            taken.add(slot)
            self._looks[name] = _OTHERS[slot]

    @staticmethod
    def _free_slot(wanted: int, taken: set[int]) -> int:
        """The first slot from the wanted one on that is free and whose colour is used least."""
        slots = [(wanted + step) % len(_OTHERS) for step in range(len(_OTHERS))]
        free = [slot for slot in slots if slot not in taken] or slots
        used = Counter(_OTHERS[slot].color for slot in taken)
        return min(free, key=lambda slot: used[_OTHERS[slot].color])

    def __getitem__(self, name: str) -> Look:
        return self._looks[name]


def is_offline(policy: str) -> bool:
    """Whether the policy, parameters aside, knows the future; of two tiers, whether one does."""
    parts = policy.split(" (", 1)[0].split("+")
    return any(part.split(":", 1)[0] in OFFLINE for part in parts)


def label(series: str) -> str:
    """A series' name in legends and tables; what knows the future is marked.

    Over two tiers or with sizes it bounds nothing.
    """
    return f"{series} (knows the future)" if is_offline(series) else series


@contextmanager
def in_force() -> Iterator[None]:
    """Draws and saves with `SETTINGS`, whatever matplotlibrc there is on the machine."""
    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(SETTINGS)
        yield
