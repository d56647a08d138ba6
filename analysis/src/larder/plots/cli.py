"""The command: results folders in, figures and statistics out."""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Callable, Collection, Sequence
from pathlib import Path

from larder.plots import __version__, style, text
from larder.plots.blocks import BY_CAPACITY, BY_PANEL, make_blocks
from larder.plots.curves import load_curves
from larder.plots.errors import AnalysisError, NothingToDrawError
from larder.plots.figures import FIGURES, figures
from larder.plots.figures.drawing import Drawing
from larder.plots.output import FORMATS, figure_bytes, remove_stale, write
from larder.plots.report import Report
from larder.plots.results import load_runs
from larder.plots.statistics import rank
from larder.plots.style import ONE_COLUMN, TWO_COLUMN, Looks, Width
from larder.plots.tables import Tables, make_tables

_WIDTHS = {"one": (ONE_COLUMN,), "two": (TWO_COLUMN,), "both": (ONE_COLUMN, TWO_COLUMN)}
_FILE_LIST = "files.txt"
_EPILOG = """\
examples:
  larder-analysis Results/zipf/2026-11-21T15-53-09Z
  larder-analysis Results/oltp Results/p3 Results/web07 --output /tmp/figures
  larder-analysis --curve curve.csv --output /tmp/figures

exit codes: 0 done; 2 the request or a file was wrong; 130 stopped by Ctrl-C.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command and gives back its exit code."""
    options = _parser().parse_args(arguments)
    try:
        _run(options)
    except AnalysisError as error:
        print(f"larder-analysis: {text.clean(str(error))}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="larder-analysis",
        description="Publication-quality figures and statistics from results folders of larder.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument(
        "results", nargs="*", type=Path, help="results folders, or results.json files, to be joined"
    )
    parser.add_argument(
        "--output", type=Path, help="folder to write into (with one results folder: its analysis/)"
    )
    parser.add_argument(
        "--curve", action="append", default=[], type=Path, metavar="FILE",
        help="CSV of larder mrc, drawn with the rest; may be given several times",
    )  # fmt: skip
    parser.add_argument(
        "--figures", type=_list_of(FIGURES), default=list(FIGURES), metavar="NAME,...",
        help=f"only these, of: {', '.join(FIGURES)}",
    )  # fmt: skip
    parser.add_argument(
        "--width", choices=_WIDTHS, default="both", help="one or two columns, or both (default)"
    )
    parser.add_argument(
        "--format", type=_list_of(FORMATS), default=list(FORMATS), metavar="KIND,...",
        help=f"of: {', '.join(FORMATS)} (default: all)",
    )  # fmt: skip
    parser.add_argument(
        "--blocks", choices=[BY_PANEL, BY_CAPACITY], default=BY_PANEL,
        help="what the ranking counts as an observation: a trace and configuration (panel, the "
        "default), or each of its capacities, which are not independent",
    )  # fmt: skip
    parser.add_argument(
        "--alpha", type=_probability, default=0.05, help="level of significance (default 0.05)"
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    return parser


def _list_of(known: Collection[str]) -> Callable[[str], list[str]]:
    def parse(value: str) -> list[str]:
        names = [name.strip() for name in value.split(",") if name.strip()]
        for name in names:
            if name not in known:
                raise argparse.ArgumentTypeError(f"{name!r} is none of: {', '.join(known)}")
        if not names:
            raise argparse.ArgumentTypeError(f"expected some of: {', '.join(known)}")
        return list(dict.fromkeys(names))

    return parse


def _probability(value: str) -> float:
    try:
        number = float(value)
    except ValueError:
        number = 0
    if not 0 < number < 1:
        raise argparse.ArgumentTypeError(f"{value!r} does not lie between 0 and 1")
    return number


def _run(options: argparse.Namespace) -> None:
    output = _output(options)
    runs = load_runs(options.results) if options.results else []
    tables = make_tables(runs, load_curves(options.curve) if options.curve else None)
    for note in tables.notes:
        _say(note)
    written: set[str] = set()
    with style.in_force():
        last: list[Drawing] = []
        missing: dict[str, str] = {}
        for width in _WIDTHS[options.width]:
            last = _draw_all(options, tables, width, missing)
            for drawing in last:
                for kind in options.format:
                    name = f"{width.name}/{drawing.name}.{kind}"
                    write(output / name, _rendered(drawing, kind))
                    written.add(name)
    for name, reason in missing.items():
        _say(f"no figure {name}: {reason}")
    _write_report(options, tables, last, missing, output)
    _replace_list(output, written)
    print(f"{len(written)} figure files and statistics.md in {output}")


def _output(options: argparse.Namespace) -> Path:
    if not options.results and not options.curve:
        raise AnalysisError("name a results folder, or a curve with --curve; see --help")
    if options.output is not None:
        return options.output
    if len(options.results) != 1 or not options.results[0].is_dir():
        if len(options.results) == 1 and not options.results[0].exists():
            raise AnalysisError(f"{options.results[0]}: no such file or folder")
        raise AnalysisError("say with --output where figures of this are to be written")
    return options.results[0] / "analysis"


def _draw_all(
    options: argparse.Namespace, tables: Tables, width: Width, missing: dict[str, str]
) -> list[Drawing]:
    looks = Looks(tables.cells["series"])
    drawings = []
    for name, draw in figures(options.blocks, options.alpha).items():
        if name not in options.figures:
            continue
        try:
            drawings += draw(tables, looks, width)
        except NothingToDrawError as error:
            missing[name] = str(error)
    return drawings


def _rendered(drawing: Drawing, kind: str) -> bytes:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        content = figure_bytes(drawing.figure, kind)
    for warning in dict.fromkeys(str(item.message) for item in caught):
        _say(f"{drawing.name}.{kind}: {text.clean(warning)}")
    return content


def _write_report(
    options: argparse.Namespace,
    tables: Tables,
    drawings: list[Drawing],
    missing: dict[str, str],
    output: Path,
) -> None:
    ranking = None
    try:
        blocks = make_blocks(tables.cells, options.blocks)
        ranking = (blocks, rank(blocks.scores, options.alpha))
        for remark in blocks.remarks:
            _say(f"ranking: {remark}")
    except NothingToDrawError:
        pass
    notes = [*tables.notes, *(f"No figure {name}: {why}." for name, why in missing.items())]
    kind = next((kind for kind in ("svg", "png") if kind in options.format), None)
    folder = _WIDTHS[options.width][-1].name
    report = Report(
        tables=tables,
        drawings=drawings if kind else [],
        notes=notes,
        ranking=ranking,
        picture=f"{folder}/{{name}}.{kind}",
    )
    for name, content in report.make().items():
        write(output / name, content)


def _replace_list(output: Path, written: set[str]) -> None:
    path = output / _FILE_LIST
    try:
        before = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    except (OSError, UnicodeDecodeError):
        before = []
    remove_stale(output, before, written)
    write(path, "".join(f"{name}\n" for name in sorted(written)).encode())


def _say(line: str) -> None:
    print(text.clean(line), file=sys.stderr)
