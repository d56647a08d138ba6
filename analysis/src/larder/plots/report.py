"""The statistics as CSV and Markdown."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from larder.plots import summary, text
from larder.plots.blocks import Blocks
from larder.plots.figures.drawing import Drawing
from larder.plots.figures.scales import capacity_text
from larder.plots.statistics import Ranking
from larder.plots.tables import Tables

_EXECUTED = (
    "requests_per_second_median",
    "requests_per_second_min",
    "requests_per_second_max",
    "get_latency_p50_ns",
    "get_latency_p99_ns",
)
_NONE = "\N{EN DASH}"


@dataclass
class Report:
    """Everything that is written beside the figures."""

    tables: Tables
    drawings: Sequence[Drawing] = ()
    notes: Sequence[str] = ()
    ranking: tuple[Blocks, Ranking] | None = None
    picture: str = "two-column/{name}.svg"

    def make(self) -> dict[str, bytes]:
        """The files by name."""
        policies = summary.policies(self.tables)
        executions = summary.executions(self.tables)
        files = {"statistics.csv": csv_text(policies)}
        if len(executions):
            files["executions.csv"] = csv_text(executions)
        if self.ranking is not None:
            files["ranking.csv"] = csv_text(_ranks(self.ranking[1]))
            files["ranking-pairs.csv"] = csv_text(_pairs(self.ranking[1]))
        files["statistics.md"] = self._markdown(policies, executions)
        return {name: content.encode("utf-8") for name, content in files.items()}

    def _markdown(self, policies: pd.DataFrame, executions: pd.DataFrame) -> str:
        parts = ["# Analysis\n"]
        if self.notes:
            parts.append("\n".join(f"- {text.markdown(note)}" for note in self.notes) + "\n")
        for drawing in self.drawings:
            caption = text.markdown(drawing.caption)
            picture = self.picture.format(name=drawing.name)
            parts.append(f"![{drawing.name}]({picture})\n\n*{drawing.name}.* {caption}\n")
        parts.append(_policy_sections(policies))
        if len(executions):
            parts.append("## Executed caches\n\n" + _executions_table(executions))
        if self.ranking is not None:
            parts.append(_ranking_section(*self.ranking))
        return "\n".join(parts)


def csv_text(frame: pd.DataFrame) -> str:
    """RFC 4180 with line feeds; numbers that do not exist are empty, and no text is a formula."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(frame.columns)
    for row in frame.itertuples(index=False):
        writer.writerow([_cell(value) for value in row])
    return buffer.getvalue()


def _cell(value: object) -> str:
    if isinstance(value, str):
        return text.csv_cell(value)
    number = float(value)  # type: ignore[arg-type]
    if math.isnan(number):
        return ""
    if number == int(number) and abs(number) < 2**53:
        return str(int(number))
    return f"{number:.6g}"


def _policy_sections(policies: pd.DataFrame) -> str:
    parts = [
        "## Policies\n\nHit ratios are means over capacities, in percent; `behind` and `gain` are "
        "percentage points: below the bound, and for each doubling of the capacity. `knee` is "
        "where the curve bends, `90 %` the smallest capacity that reaches nine tenths of the "
        "policy's own best, both among the capacities that were run. `speed` is of the simulation, "
        "in million requests a second.\n"
    ]
    for panel, rows in policies.groupby("trace_and_configuration", sort=False):
        lines = [
            f"### {text.markdown(str(panel))}\n",
            "| policy | capacities | hit ratio | lowest | highest | behind | gain | knee | 90 % "
            "| speed |",
            "| :-- | --: | --: | --: | --: | --: | --: | --: | --: | --: |",
        ]
        for row in rows.to_dict("records"):
            unit = row["unit"]
            name = text.markdown(row["policy"])
            speed = row["simulated_requests_per_second_median"] / 1e6
            cells = [
                f"{name} (knows the future)" if row["knows_future"] == "yes" else name,
                str(row["capacities"]),
                _fixed(100 * row["hit_ratio_mean"]),
                _fixed(100 * row["hit_ratio_min"]),
                _fixed(100 * row["hit_ratio_max"]),
                _fixed(row["points_behind_bound_mean"]),
                _fixed(row["points_per_doubling_mean"]),
                _capacity(row["knee_capacity"], unit),
                _capacity(row["capacity_for_90_percent"], unit),
                _fixed(speed, 1),
            ]
            lines.append("| " + " | ".join(cells) + " |")
        parts.append("\n".join(lines) + "\n")
    return "\n".join(parts)


def _executions_table(table: pd.DataFrame) -> str:
    lines = [
        "Thousand requests a second, and latency of gets in microseconds; medians over runs.\n",
        "| trace | cache | capacity | threads | runs | speed | slowest | fastest | median | p99 |",
        "| :-- | :-- | --: | --: | --: | --: | --: | --: | --: | --: |",
    ]
    for row in table.to_dict("records"):
        cells = [
            *(text.markdown(row[name]) for name in ("trace", "cache", "capacity")),
            str(row["threads"]),
            str(row["runs"]),
            *(_fixed(row[name] / 1e3, 1) for name in _EXECUTED),
        ]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def _ranks(ranking: Ranking) -> pd.DataFrame:
    first = ranking.mean_ranks.iloc[0]
    return pd.DataFrame(
        {
            "policy": [str(name) for name in ranking.mean_ranks.index],
            "mean_rank": ranking.mean_ranks.to_numpy(),
            "differs_from_best": [
                "yes" if rank - first > ranking.critical_difference else "no"
                for rank in ranking.mean_ranks
            ],
            "p_value_against_best": ranking.pairs.iloc[0].to_numpy(),
            "blocks": ranking.blocks,
            "friedman_chi_square": ranking.chi_square,
            "friedman_p_value": ranking.p_value,
            "iman_davenport_f": ranking.f_statistic,
            "iman_davenport_p_value": ranking.f_p_value,
            "alpha": ranking.alpha,
            "critical_difference": ranking.critical_difference,
        }
    ).replace(math.inf, math.nan)


def _pairs(ranking: Ranking) -> pd.DataFrame:
    names = list(ranking.pairs.index)
    return pd.DataFrame(
        [
            {"policy": str(a), "other": str(b), "p_value": ranking.pairs.loc[a, b]}
            for place, a in enumerate(names)
            for b in names[place + 1 :]
        ]
    )


def _ranking_section(blocks: Blocks, ranking: Ranking) -> str:
    lines = [
        "## Ranking\n",
        f"{ranking.policies} policies, {ranking.blocks} blocks. A block is {blocks.meaning}. "
        f"Friedman: chi-square {ranking.chi_square:.2f}, p {ranking.p_value:.3g}; Iman-Davenport: "
        f"F {ranking.f_statistic:.2f}, p {ranking.f_p_value:.3g}. Critical difference (Nemenyi, "
        f"alpha {ranking.alpha:g}): {ranking.critical_difference:.2f}.\n",
    ]
    lines += [f"- {text.markdown(remark)}" for remark in blocks.remarks]
    lines += ["", "| policy | mean rank | p against the best |", "| :-- | --: | --: |"]
    for name, mean in ranking.mean_ranks.items():
        p_value = ranking.pairs.iloc[0][name]
        lines.append(f"| {text.markdown(str(name))} | {mean:.2f} | {p_value:.3g} |")
    return "\n".join(lines) + "\n"


def _fixed(value: float, digits: int = 2) -> str:
    return _NONE if math.isnan(value) else f"{value:.{digits}f}"


def _capacity(value: float, unit: str) -> str:
    return _NONE if math.isnan(value) else capacity_text(value, unit)
