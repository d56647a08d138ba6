"""What a trace does in caches: counts, miss-ratio curves, advice."""

from __future__ import annotations

import ctypes
import io
import itertools
import json
import os
from collections.abc import Iterable
from typing import Any, cast

import pandas as pd

from larder import library, tasks
from larder.advice import Advice
from larder.policy import Policy, PolicyCalls
from larder.traces import Trace, Values, prepared

Capacity = int | str
"""Objects (1000), bytes ('64MiB') or a share of the footprint ('1%')."""


def simulate(
    trace: Trace | str | os.PathLike[str] | Values,
    policies: str | type[Policy] | Iterable[str | type[Policy]],
    capacities: Capacity | Iterable[Capacity],
    *,
    admissions: str | Iterable[str] | None = None,
    ignore_size: bool = False,
    fetch: str | None = None,
    bandwidth: str | None = None,
    servers: int | None = None,
    coalescing: bool = True,
    seed: int = 1,
    threads: int | None = None,
    progress: bool | None = None,
) -> pd.DataFrame:
    """Replays a trace through caches of one tier and gives back their counts, a row a cell.

    The columns are those of counts.csv, and the counts those of `larder simulate`.

    Args:
        trace: A trace, the path of one, or a column of ids.
        policies: Names with parameters ('s3-fifo:small=0.2'), 'all', or classes derived from
            `larder.Policy`.
        capacities: Objects (1000), bytes ('64MiB') or shares of the footprint ('1%').
        admissions: Admission filters in front of each policy; 'always' admits everything.
        ignore_size: Give every object size 1, so that capacities count objects.
        fetch: What a fetch takes, such as '100ms' or '1000requests'; by default no time.
        bandwidth: Bytes per second of a fetch, such as '100MB/s'.
        servers: Fetches that the origin serves at the same time.
        coalescing: Whether requests for an object in flight wait for that fetch.
        seed: Of random policies.
        threads: Cells at the same time; all cores without it. Counts do not depend on it, and
            policies in Python run one after the other.
        progress: Whether to show progress; None for where standard error is a terminal.

    Raises:
        LarderError: A name or value is not known, or does not fit the trace.
    """
    shared = {
        "capacity": _list(capacities),
        "admission": None if admissions is None else _list(admissions),
        "ignore_size": ignore_size,
        "seed": seed,
    }
    details = {
        "bandwidth": bandwidth,
        "servers": servers,
        "coalescing": None if coalescing else "false",
    }
    given = "".join(f":{name}={value}" for name, value in details.items() if value is not None)
    if given and fetch is None:
        raise ValueError("bandwidth, servers and coalescing need fetch")
    waits = {"fetch": None if fetch is None else fetch + given}
    listed = [policies] if isinstance(policies, str | type) else list(policies)
    if not listed:
        raise ValueError("policies is empty")
    if any(isinstance(policy, type) for policy in listed) and any(waits.values()):
        raise ValueError("fetches take no time with policies in Python")
    prepared_trace = prepared(trace, progress)
    texts = []
    for is_python, group in itertools.groupby(listed, key=lambda policy: isinstance(policy, type)):
        if is_python:
            texts += [
                PolicyCalls(cast("type[Policy]", policy)).simulate(
                    prepared_trace, library.options(**shared), progress
                )
                for policy in group
            ]
        else:
            lines = library.options(policy=_list(group), threads=threads, **shared, **waits)
            function = library.library().larder_simulate
            texts.append(_compute(function, prepared_trace, lines, "simulating", progress))
    return frame(texts)


def mrc(
    trace: Trace | str | os.PathLike[str] | Values,
    policies: str | Iterable[str] = "lru",
    *,
    capacities: Capacity | Iterable[Capacity] | None = None,
    points: int = 50,
    ignore_size: bool = False,
    method: str = "auto",
    sample: float | str | None = None,
    samples: int | None = None,
    seed: int = 1,
    threads: int | None = None,
    progress: bool | None = None,
) -> pd.DataFrame:
    """Miss-ratio curves, a row a point, as of `larder mrc --csv`.

    Args:
        trace: A trace, the path of one, or a column of ids.
        policies: Names with parameters.
        capacities: Where to look; without it `points` of them up to the footprint.
        points: How many capacities to choose.
        ignore_size: Give every object size 1, so that capacities count objects.
        method: 'auto', 'exact', 'shards' (LRU) or 'miniature'.
        sample: Share of the objects to sample: 0.001 or '0.1%'.
        samples: Number of objects that SHARDS samples, instead of `sample`.
        seed: Of the sample and of random policies.
        threads: Cells at the same time; all cores without it.
        progress: Whether to show progress; None for where standard error is a terminal.

    Raises:
        LarderError: A name or value is not known, or does not fit the trace.
    """
    lines = library.options(
        policy=_list(policies),
        capacity=None if capacities is None else _list(capacities),
        points=points,
        ignore_size=ignore_size,
        method=method if samples is None else f"{method}:samples={samples}",
        sample=_decimal(sample) if isinstance(sample, float) else sample,
        seed=seed,
        threads=threads,
    )
    made = prepared(trace, progress)
    return frame([_compute(library.library().larder_mrc, made, lines, "curves", progress)])


def advise(
    trace: Trace | str | os.PathLike[str] | Values,
    *,
    capacities: Capacity | Iterable[Capacity] | None = None,
    tiers: str = "auto",
    prices: str | os.PathLike[str] | None = None,
    max_requests: int | str | None = None,
    learn: str | None = None,
    whole: bool = False,
    seed: int = 1,
    threads: int | None = None,
    progress: bool | None = None,
    policies: str | Iterable[str] | None = None,
    prefix: str | None = None,
    ignore_size: bool = False,
) -> Advice:
    """Recommends a policy and a capacity (docs/advise.md).

    `print` shows the screen of `larder advise`, a notebook shows a card, and `to_dict()` has the
    content of advice.json.

    Args:
        trace: A trace, the path of one, or a column of ids.
        capacities: Those to choose from; by default 1%, 3%, 10% and 30%.
        tiers: 'memory', 'disk', 'hybrid' or 'auto'.
        prices: A file with prices.
        max_requests: Number of requests that the search may replay: 200_000_000, '200M'.
        learn: Share of the requests that designs are chosen on, such as '50%'.
        whole: Choose and score on the whole trace.
        seed: Of samples and random policies.
        threads: Caches at the same time; all cores without it. Advice does not depend on it.
        progress: Whether to show progress; None for where standard error is a terminal.
        policies: Those to search, with LRU; all without it.
        prefix: Count prefixes of prompts, whose blocks are requested 'front' or 'tail' first.
        ignore_size: Give every object size 1, so that capacities count objects.

    Raises:
        LarderError: A value is not known, or does not fit the trace.
    """
    lines = library.options(
        capacity=None if capacities is None else _list(capacities),
        policy=None if policies is None else _list(policies),
        prefix=prefix,
        ignore_size=ignore_size,
        tiers=tiers,
        prices=None if prices is None else os.fspath(prices),
        max_requests=max_requests,
        learn="whole" if whole else learn,
        seed=seed,
        threads=threads,
    )
    made = prepared(trace, progress)
    text, html = library.Text(), library.Text()
    forms = (ctypes.byref(text), ctypes.byref(html))
    function = library.library().larder_advise
    try:
        values = _compute(function, made, lines, "advising", progress, *forms)
    finally:
        screen, card = library.take(text), library.take(html)
    return Advice(json.loads(values), screen, card)


def policies() -> pd.DataFrame:
    """Every policy and bound, a row each: name, family, summary, parameters, needs, paper."""
    text = library.Text()
    library.call(library.library().larder_policies, ctypes.byref(text))
    order = ["name", "family", "summary", "parameters", "needs", "random", "bound", "paper"]
    return pd.DataFrame(json.loads(library.take(text)))[order]


def frame(texts: list[str]) -> pd.DataFrame:
    """One table of the rows of several CSV texts with the same header."""
    bodies = [text.partition("\n")[2] for text in texts[1:]]
    return read(io.StringIO(texts[0] + "".join(bodies)))


def read(file: io.StringIO | os.PathLike[str]) -> pd.DataFrame:
    """A table of the library's, in which only an empty cell is missing: `NA` is a name."""
    return pd.read_csv(file, keep_default_na=False, na_values=[""])


def _compute(
    function: Any,  # noqa: ANN401 - a function of ctypes
    trace: Trace,
    lines: bytes,
    title: str,
    progress: bool | None,
    *forms: object,
) -> str:
    text = library.Text()
    tasks.run(
        lambda task: library.call(function, trace.handle, lines, task, ctypes.byref(text), *forms),
        title,
        progress,
    )
    return library.take(text)


def _list(values: object) -> str:
    if isinstance(values, Iterable) and not isinstance(values, str):
        return ",".join(str(value) for value in values)
    return str(values)


def _decimal(value: float) -> str:
    return f"{value:.12f}".rstrip("0").rstrip(".")
