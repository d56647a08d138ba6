"""Names from results are data: what they may do to a picture, a page or a spreadsheet ends here.

Matplotlib's own markup is switched off for all text (`text.parse_math` in `style`), and its SVG
writer escapes XML; what is left to do for pictures is in `shown`.
"""

from __future__ import annotations

import unicodedata

LONGEST_NAME = 36
_REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
# Control, format (which includes reversed writing), surrogate and private characters.
_UNSEEN = {"Cc", "Cf", "Cs", "Co", "Cn"}
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_MARKDOWN = set("\\`*_[]#|~$")
# Written as entities, these can be neither tags nor mentions.
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "@": "&#64;"}
# Some readers make links of these wherever they stand.
_LINKS = (("://", "&#58;//"), ("www.", "www&#46;"), ("WWW.", "WWW&#46;"))


def clean(text: str) -> str:
    """Text in one line, with what cannot be seen or written replaced."""
    line = " ".join(text.split())
    return "".join(_REPLACEMENT if unicodedata.category(c) in _UNSEEN else c for c in line)


def shown(text: str, longest: int = LONGEST_NAME) -> str:
    """A name as a picture shows it: clean, and shortened in the middle where it is long."""
    line = clean(text)
    if len(line) <= longest:
        return line
    head = (longest - 1 + 1) // 2
    return line[:head] + "\N{HORIZONTAL ELLIPSIS}" + line[len(line) - (longest - 1 - head) :]


def markdown(text: str) -> str:
    """Text that Markdown and HTML show as it is, in a table's cell as well."""
    escaped = []
    for character in clean(text):
        if character in _ENTITIES:
            escaped.append(_ENTITIES[character])
        elif character in _MARKDOWN:
            escaped.append("\\" + character)
        else:
            escaped.append(character)
    line = "".join(escaped)
    for start, harmless in _LINKS:
        line = line.replace(start, harmless)
    return line


def csv_cell(text: str) -> str:
    """Text that no spreadsheet takes for a formula: an apostrophe stands before one.

    The same rule as in larder's own CSV files (Results/README.md).
    """
    safe = "".join(_REPLACEMENT if unicodedata.category(c) == "Cs" else c for c in text)
    return "'" + safe if safe.startswith(_FORMULA) else safe
