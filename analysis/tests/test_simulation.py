"""Counts, curves and advice from Python: the command's, byte for byte."""

import json
import pickle
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pandas as pd
import pytest
from needs import PROGRAM, needs_library, needs_program

import larder
from larder import library, tasks

pytestmark = needs_library

POLICIES = ["lru", "s3-fifo:small=0.2", "random", "belady"]
CAPACITIES: list[int | str] = [50, "1%", "20%"]


@pytest.fixture(scope="module")
def trace() -> larder.Trace:
    return larder.generate("zipf", 100_000, objects=5000, seed=4)


@pytest.fixture(scope="module")
def path(trace: larder.Trace, tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("traces") / "zipf.larder"
    trace.save(file)
    return file


def of_command(*arguments: str) -> str:
    return subprocess.run(
        [PROGRAM, *arguments, "--quiet"], check=True, capture_output=True, text=True
    ).stdout


@needs_program
def test_counts_are_the_commands(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts: list[str] = []
    frame = larder.simulation.frame
    monkeypatch.setattr(
        larder.simulation, "frame", lambda given: frame(texts.extend(given) or given)
    )
    for extra in ({}, {"admissions": ["always", "second-hit"]}, {"fetch": "200requests"}):
        texts.clear()
        table = larder.simulate(path, POLICIES, CAPACITIES, seed=9, threads=2, **extra)
        expected = of_command(
            "simulate",
            str(path),
            "--policy",
            ",".join(POLICIES),
            "--capacity",
            ",".join(map(str, CAPACITIES)),
            "--seed",
            "9",
            "--csv",
            "-",
            *[f"--admission={','.join(v)}" for k, v in extra.items() if k == "admissions"],
            *[f"--fetch={v}" for k, v in extra.items() if k == "fetch"],
        )
        assert texts == [expected]
        (tmp_path / "counts.csv").write_text(expected)
        pd.testing.assert_frame_equal(table, pd.read_csv(tmp_path / "counts.csv"))


@needs_program
def test_curves_are_the_commands(path: Path) -> None:
    words = ["--policy", "lru,sieve", "--capacity", "5%,20%"]
    expected = of_command("mrc", str(path), *words, "--csv", "-")
    found = larder.mrc(path, ["lru", "sieve"], capacities=["5%", "20%"])
    assert found.to_csv(index=False).splitlines()[0] == expected.splitlines()[0]
    assert len(found) == 4
    assert [f"{ratio:.6f}" for ratio in found.hit_ratio] == [
        line.split(",")[7] for line in expected.splitlines()[1:]
    ]
    sampled = {"method": "miniature", "sample": "20%", "seed": 3}
    words = ["--capacity", "5%,20%", *options(sampled)]
    expected = of_command("mrc", str(path), *words, "--csv", "-")
    found = larder.mrc(path, capacities=["5%", "20%"], **sampled)
    assert [f"{ratio:.6f}" for ratio in found.hit_ratio] == [
        line.split(",")[7] for line in expected.splitlines()[1:]
    ]
    assert found.equals(larder.mrc(path, capacities=["5%", "20%"], **(sampled | {"sample": 0.2})))


def options(values: dict[str, object]) -> list[str]:
    return [f"--{name.replace('_', '-')}={value}" for name, value in values.items()]


@pytest.fixture(scope="module")
def advice(path: Path) -> larder.Advice:
    return larder.advise(path, policies="lru,sieve", capacities=["5%", "20%"])


@needs_program
def test_advice_is_the_commands(path: Path, advice: larder.Advice) -> None:
    arguments = ["advise", str(path), "--policy", "lru,sieve", "--capacity", "5%,20%"]
    values = json.loads(of_command(*arguments, "--json", "-"))
    assert advice == values
    assert advice.to_dict() == values
    assert f"{advice}\n" == of_command(*arguments)


def test_advice_is_printed_as_a_screen(
    advice: larder.Advice, capsys: pytest.CaptureFixture[str]
) -> None:
    print(advice)
    screen = capsys.readouterr().out
    assert screen.startswith("Advice     ")
    assert "\nRegret     " in screen
    assert len(screen.splitlines()) < 40
    assert repr(advice) == str(advice)


def test_advice_is_a_card_in_a_notebook(advice: larder.Advice) -> None:
    card = advice._repr_html_()
    assert card.startswith("<div ")
    assert "<h4>Advice for zipf</h4>" in card
    assert "<script" not in card


def test_advice_is_a_mapping(advice: larder.Advice) -> None:
    assert advice["capacities"][0]["advised"]["hitRatio"] > 0
    assert list(advice) == list(advice.to_dict())
    assert len(advice) == len(advice.to_dict())
    assert advice.get("nothing") is None
    assert json.loads(json.dumps(advice.to_dict())) == advice
    assert pickle.loads(pickle.dumps(advice)) == advice


@pytest.mark.parametrize(
    ("extra", "message"),
    [
        ({"max_requests": 0}, "option 'max-requests': expected a number above 0"),
        ({"max_requests": "soon"}, "found 'soon'"),
        ({"tiers": "both"}, "option 'tiers'"),
        ({"learn": "50%", "whole": True}, "option 'whole'"),
    ],
)
def test_wrong_options_of_advice_are_one_line(
    trace: larder.Trace, extra: dict, message: str
) -> None:
    with pytest.raises(larder.LarderError, match=message) as caught:
        larder.advise(trace, **extra)
    assert "\n" not in str(caught.value)
    assert caught.value.code == 2


def test_a_column_is_a_trace_too() -> None:
    assert larder.simulate([1, 2, 1, 3, 1], "lru", 2).hits.tolist() == [2]


def test_policies_are_listed() -> None:
    table = larder.policies()
    assert {"lru", "s3-fifo", "belady"} <= set(table.name)
    assert table.set_index("name").bound["pfoo-u"]
    assert table.set_index("name").parameters["s3-fifo"][0]["name"] == "small"


@pytest.mark.parametrize(
    ("policies", "capacities", "extra", "message"),
    [
        ("lruu", 5, {}, "did you mean 'lru'"),
        ("lru:x=2", 5, {}, "has no parameter 'x'"),
        ("lru", "0", {}, "above 0"),
        ("lru", "5B", {}, "bytes"),
        ("lru", 5, {"threads": 0}, "option 'threads'"),
        ("lru", 5, {"seed": -1}, "option 'seed'"),
        ("lru", 5, {"servers": 2}, "need fetch"),
        ("lru", 5, {"admissions": "nobody"}, "unknown admission filter"),
        ([], 5, {}, "policies is empty"),
        ("lru\nseed=3", 5, {}, "more than one line"),
        ("lru", [], {}, "capacity"),
    ],
)
def test_what_is_wrong_is_said_in_a_line(
    trace: larder.Trace, policies: object, capacities: object, extra: dict, message: str
) -> None:
    with pytest.raises((larder.LarderError, ValueError), match=message) as caught:
        larder.simulate(trace, policies, capacities, **extra)
    assert "\n" not in str(caught.value).replace("\\n", "")


def test_the_interpreter_is_free_meanwhile() -> None:
    large = larder.generate("zipf", 5_000_000, objects=1_000_000)
    ticks = 0
    done = threading.Event()

    def simulate() -> None:
        larder.simulate(large, "lru", ["1%", "5%"], threads=1)
        done.set()

    thread = threading.Thread(target=simulate)
    thread.start()
    while not done.is_set():
        ticks += 1
        time.sleep(0.001)
    thread.join()
    assert ticks > 20


INTERRUPTED = """
import os, signal, threading, time
import larder
trace = larder.generate("zipf", 20_000_000, objects=1_000_000)
threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
start = time.monotonic()
try:
    larder.simulate(trace, "all", ["1%", "5%", "10%"], threads=1)
except KeyboardInterrupt:
    print("interrupted after", time.monotonic() - start)
print(larder.simulate([1, 1], "lru", 1).hits[0])
"""


def test_ctrl_c_stops_a_simulation() -> None:
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED], check=True, capture_output=True, text=True, timeout=120
    )
    first, second = done.stdout.splitlines()
    assert float(first.removeprefix("interrupted after ")) < 5
    assert second == "1"


def test_a_second_ctrl_c_waits_as_well() -> None:
    class Stubborn(threading.Thread):
        joins = 0

        def is_alive(self) -> bool:
            return self.joins < 3

        def join(self, timeout: float | None = None) -> None:
            self.joins += 1
            raise KeyboardInterrupt(timeout)

    thread = Stubborn()
    with pytest.raises(KeyboardInterrupt):
        tasks._wait(library.library(), thread, 0, "", None)
    assert thread.joins == 3


@pytest.mark.parametrize("name", ["NA", "null", "nan", "None"])
def test_a_name_is_never_a_missing_value(name: str) -> None:
    assert larder.simulate(larder.Trace.from_arrays([1, 2], name=name), "lru", 1).trace[0] == name


def test_progress_is_shown(capsys: pytest.CaptureFixture[str], trace: larder.Trace) -> None:
    larder.simulate(trace, "all", ["1%", "2%", "5%", "10%", "20%"], threads=1, progress=True)
    shown = capsys.readouterr().err
    assert shown == "" or "simulating" in shown


def test_a_missing_library_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LARDER_LIBRARY", "/nowhere/liblarder.so")
    library.library.cache_clear()
    try:
        with pytest.raises(larder.LarderError, match="LARDER_LIBRARY names it"):
            library.library()
    finally:
        monkeypatch.undo()
        library.library.cache_clear()


def test_signals_keep_their_handlers(trace: larder.Trace) -> None:
    before = signal.getsignal(signal.SIGINT)
    larder.simulate(trace, "lru", 5)
    assert signal.getsignal(signal.SIGINT) is before
