"""Plant one-line faults in the engine's sources, each behind a number that is chosen at run time.

All faults are compiled into one program: `if a < b {` becomes
`if (larder_fault(7) ? (a <= b) : (a < b)) {`, and the environment variable LARDER_FAULT says which
one is in force; none is without it. So that two hundred programs need one build.
"""

from __future__ import annotations

import random
import re
import subprocess
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path

SOURCES = Path("Sources")
SHIMS = SOURCES / "CLarderShims"
# What decides about counts. The rest of the engine reads, describes and samples.
FOLDERS = (
    "LarderPolicies",
    "LarderQueuePolicies",
    "LarderHistoryPolicies",
    "LarderValuePolicies",
    "LarderResearchQueues",
    "LarderResearchAdaptive",
    "LarderResearchModels",
    "LarderResearchServers",
    "LarderEngine/Families",
    "LarderEngine/Structures",
    "LarderEngine/Tier",
    "LarderEngine/Replay",
)
# Policies that need LightGBM, which a checked workload cannot ask for: their tests compare them
# with their authors' programs.
LEARNED = ("LarderResearchModels/Learning/",)
SHIM = """
/// Whether the fault of this number is in force.
_Bool larder_fault(int number);
"""
SHIM_BODY = """
#include <stdlib.h>

static int larder_fault_in_force;

__attribute__((constructor)) static void larder_choose_fault(void) {
  const char *text = getenv("LARDER_FAULT");
  larder_fault_in_force = text ? atoi(text) : 0;
}

_Bool larder_fault(int number) { return number == larder_fault_in_force; }
"""
# Lines whose faults are no faults of counting, or end the program at once.
SKIPPED = re.compile(
    r"prefetch|precondition|assert|fatalError|throw|reserve|#if|#else|#endif|#available|\"|//|"
    r"\bimport\b|@|Capacity: |summary|expectedResidents"
)


@dataclass(frozen=True)
class Fault:
    """One planted fault."""

    number: int
    file: str
    line: int
    kind: str
    before: str
    after: str
    planted: str

    def row(self) -> dict[str, object]:
        """What tables say of it."""
        row = asdict(self)
        del row["planted"]
        return row


# A turned comparison, an operator with its opposite, a count that is one off: what is replaced, by
# what. Operators have spaces around them, as the formatter sees to.
OPERATORS: list[tuple[str, re.Pattern[str], str]] = [
    ("comparison", re.compile(r" < "), " <= "),
    ("comparison", re.compile(r" <= "), " < "),
    ("comparison", re.compile(r" > "), " >= "),
    ("comparison", re.compile(r" >= "), " > "),
    ("comparison", re.compile(r" == "), " != "),
    ("comparison", re.compile(r" != "), " == "),
    ("logic", re.compile(r" && "), " || "),
    ("logic", re.compile(r" \|\| "), " && "),
    ("logic", re.compile(r"(?<![\w!])!(?=[\w(])"), ""),
    ("off by one", re.compile(r" &?\+ 1\b(?!\.| <<)"), ""),
    ("off by one", re.compile(r" &?- 1\b(?!\.)"), ""),
    ("off by one", re.compile(r"(?<=\+= )1\b(?!\.)"), "2"),
    ("off by one", re.compile(r"(?<=-= )1\b(?!\.)"), "0"),
    ("bound", re.compile(r"\bmax\("), "min("),
    ("bound", re.compile(r"\bmin\("), "max("),
]


def mutations(text: str) -> Iterator[tuple[str, str]]:
    """Every way to turn one operator of an expression, with its kind."""
    for kind, pattern, other in OPERATORS:
        for match in pattern.finditer(text):
            yield kind, text[: match.start()] + other + text[match.end() :]


def is_balanced(text: str) -> bool:
    """Whether every bracket that opens in the text closes in it."""
    depth = 0
    for character in text:
        depth += (character in "([{") - (character in ")]}")
        if depth < 0:
            return False
    return depth == 0


def clauses(condition: str) -> list[str]:
    """The clauses of a condition, split at commas outside brackets."""
    parts, depth, start = [], 0, 0
    for place, character in enumerate(condition):
        depth += (character in "([{") - (character in ")]}")
        if character == "," and depth == 0:
            parts.append(condition[start:place])
            start = place + 1
    return [*parts, condition[start:]]


def choice(text: str, other: str) -> str:
    """An expression that is the other one if the fault is in force."""
    return f"(larder_fault(@) ? ({other.strip()}) : ({text.strip()}))"


CONDITION = re.compile(r"^(\s*(?:\} else )?(?:if|guard|while) )(.+?)((?: else)? \{.*)$")
VALUE = re.compile(
    r"^(\s*(?:return|(?:let|var) \w+(?:: [\w.<>?]+)? =|[\w.\[\]()]+ [-+&|^]*=) )(.+)$"
)
BODY = re.compile(r"^(.*(?:-> [\w.<>?]+|\bvar \w+: [\w.<>?]+) \{ )([^{}]+)( \})$")
STATEMENT = re.compile(
    r"^(\s*)((?:\w[\w.]*(?:\[[^\]]+\])?(?:\.\w+)* (?:[-+*|^&]|&[-+]|<<|>>)?= .+)"
    r"|(?:\w[\w.]*\([^{}]*\)))$"
)
CONTINUES = re.compile(r"(?:[-+*/%&|^<>=?:,(\[]|\belse|\bin|->)$")
CONTINUED = re.compile(r"^\s*(?:[.?:)\]]|&&|\|\||[-+*/%<>=^&|]=?=? |\?\?|else\b)")


def candidates(lines: list[str], place: int) -> Iterator[tuple[str, str, str, str]]:
    """The faults that fit a line: kind, what was there, what stands there then, the new line."""
    line = lines[place]
    if match := CONDITION.match(line):
        yield from of_condition(*match.groups())
    elif match := BODY.match(line):
        yield from of_body(*match.groups())
    elif is_statement(lines, place):
        if match := VALUE.match(line):
            yield from of_value(*match.groups())
        if (match := STATEMENT.match(line)) and not is_needed(lines, place):
            yield from of_statement(*match.groups())


def of_condition(head: str, condition: str, tail: str) -> Iterator[tuple[str, str, str, str]]:
    """The faults of one clause of a condition."""
    for clause in clauses(condition):
        if re.search(r"\b(?:let|var|case)\b|[{}]", clause) or not is_balanced(clause):
            continue
        for kind, other in mutations(clause):
            planted = condition.replace(clause, choice(clause, other), 1)
            yield kind, clause.strip(), other.strip(), f"{head}{planted}{tail}"


def of_body(head: str, body: str, tail: str) -> Iterator[tuple[str, str, str, str]]:
    """The faults of a function or property that is one expression on its line."""
    if is_balanced(body) and "return" not in body and " = " not in body:
        for kind, other in mutations(body):
            yield kind, body, other, f"{head}{choice(body, other)}{tail}"


def of_value(head: str, value: str) -> Iterator[tuple[str, str, str, str]]:
    """The faults of what is returned or assigned."""
    if is_balanced(value) and not re.search("[{}]", value):
        for kind, other in mutations(value):
            before = (head + value).strip()
            yield kind, before, f"{head.strip()} {other}", head + choice(value, other)


def of_statement(indent: str, statement: str) -> Iterator[tuple[str, str, str, str]]:
    """The statement left out."""
    if not re.match(r"(?:return|let|var|self|super|try|await)\b", statement):
        planted = f"{indent}if !larder_fault(@) {{ {statement} }}"
        yield "forgotten", statement, "", planted


def is_needed(lines: list[str], place: int) -> bool:
    """Whether the compiler misses the statement: in initialisers, and as a value of a body."""
    indent = len(lines[place]) - len(lines[place].lstrip())
    for line in reversed(lines[:place]):
        if line.strip() and len(line) - len(line.lstrip()) < indent:
            if re.search(r"\binit\b", line):
                return True
            if re.search(r"\b(?:func|var|subscript|get|extension|struct)\b", line):
                break
    opener, closer = lines[place - 1].rstrip(), lines[place + 1].strip()
    is_body = opener.endswith("{") and closer == "}"
    return is_body and not re.search(r"\b(?:if|else|for|while)\b", opener)


def is_statement(lines: list[str], place: int) -> bool:
    """Whether the line is a statement by itself: nothing before or after it belongs to it."""
    line = lines[place]
    ahead = next((text for text in reversed(lines[:place]) if text.strip()), "")
    behind = next((text for text in lines[place + 1 :] if text.strip()), "")
    if not is_balanced(line) or CONTINUES.search(line.rstrip()):
        return False
    return not CONTINUES.search(ahead.split("//")[0].rstrip()) and not CONTINUED.match(behind)


def faults_of(path: Path, name: str, rng: random.Random, most: int) -> list[Fault]:
    """At most one fault a line, and at most so many in the file, drawn by chance."""
    lines = path.read_text().splitlines()
    found = []
    for place, line in enumerate(lines):
        if not line.startswith(" ") or SKIPPED.search(line):
            continue
        if fits := list(candidates(lines, place)):
            kind, before, after, planted = rng.choice(fits)
            found.append(Fault(0, name, place + 1, kind, before, after, planted))
    # Statements are many and their absence is easily seen: at most half are of that kind.
    turned = [fault for fault in found if fault.kind != "forgotten"]
    forgotten = [fault for fault in found if fault.kind == "forgotten"]
    chosen = rng.sample(turned, min(len(turned), most - most // 2))
    chosen += rng.sample(forgotten, min(len(forgotten), most - len(chosen)))
    return sorted(chosen, key=lambda fault: fault.line)


def choose(root: Path, seed: int, most: int) -> list[Fault]:
    """The faults of a tree: the same for the same sources and seed."""
    rng = random.Random(seed)
    chosen: list[Fault] = []
    for folder in FOLDERS:
        for path in sorted((root / SOURCES / folder).rglob("*.swift")):
            chosen += faults_of(path, str(path.relative_to(root / SOURCES)), rng, most)
    numbered = [replace(fault, number=number) for number, fault in enumerate(chosen, 1)]
    return [fault for fault in numbered if not fault.file.startswith(LEARNED)]


def policies_of(root: Path, fault: Fault) -> str:
    """The policies whose code the fault is in; empty where it may be any."""
    if fault.file.startswith("LarderEngine/"):
        return ""
    text = (root / SOURCES / fault.file).read_text()
    return ", ".join(re.findall(r"PolicyDescription\(\s*name: \"([^\"]+)\"", text))


def planted(root: Path, faults: list[Fault]) -> dict[Path, str]:
    """The files of a tree that change: those with faults in them, and what chooses the fault."""
    by_file: dict[str, list[Fault]] = {}
    for fault in faults:
        by_file.setdefault(fault.file, []).append(fault)
    texts: dict[Path, str] = {}
    for folder in FOLDERS:
        for path in sorted((root / SOURCES / folder).rglob("*.swift")):
            name = str(path.relative_to(root / SOURCES))
            lines = path.read_text().splitlines()
            for fault in by_file.get(name, []):
                lines[fault.line - 1] = fault.planted.replace("@", str(fault.number))
            lines = ["" if line == "import CLarderShims" else line for line in lines]
            text = "\n".join(lines) + "\n"
            if name in by_file or "larder_" in text:
                # On the first line, so that the lines of errors are those of the faults.
                text = "public import CLarderShims; " + text
            texts[SOURCES / name] = text
    header, body = SHIMS / "include/CLarderShims.h", SHIMS / "shims.c"
    text = (root / header).read_text()
    end = text.rindex("#endif")
    texts[header] = text[:end] + SHIM + "\n" + text[end:]
    texts[body] = (root / body).read_text() + SHIM_BODY
    return texts


def copy_tree(root: Path, copy: Path, changed: dict[Path, str]) -> None:
    """Copies what the package is built of, some of it changed; deletes what it no longer has.

    Files that are the same keep their dates.
    """
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", "Sources", "Tests", "Package.*"],
        cwd=root, check=True, capture_output=True, text=True,
    )  # fmt: skip
    names = [Path(name) for name in listed.stdout.splitlines() if (root / name).is_file()]
    files = {name: (root / name).read_bytes() for name in names}
    files |= {name: text.encode() for name, text in changed.items()}
    for name, content in files.items():
        target = copy / name
        if not target.exists() or target.read_bytes() != content:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
    for folder in ("Sources", "Tests"):
        for path in (copy / folder).rglob("*"):
            if path.is_file() and path.relative_to(copy) not in files:
                path.unlink()
