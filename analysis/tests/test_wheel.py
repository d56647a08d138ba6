"""Wheel and archive, where they were built: small, and enough without Swift or a compiler."""

import os
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[1] / "pyproject.toml"
VERSION = tomllib.loads(PROJECT.read_text())["project"]["version"]
FOLDER = Path(__file__).parents[2] / ".build" / "wheel"
WHEELS = sorted(FOLDER.glob(f"larder_cache-{VERSION}-*.whl"))
ARCHIVES = sorted(FOLDER.glob(f"larder-{VERSION}-*.tar.gz"))

needs_wheel = pytest.mark.skipif(not WHEELS, reason="no wheel is built (make wheel)")
needs_archive = pytest.mark.skipif(not ARCHIVES, reason="no archive is built (make wheel)")

PROGRAM = """
import numpy as np, larder
ids = np.arange(1000) % 37
table = larder.simulate(ids, ["lru", "belady"], [10, 37])
assert table.hits.tolist()[1] == 963, table
print(larder.__file__)
"""

WORKLOAD = """\
name: small
source: {generator: zipf, requests: 20k, objects: 1k}
configurations: memory
policies: [lru]
capacities: [1%]
"""


@needs_archive
def test_archive_runs_where_it_is_unpacked(tmp_path: Path) -> None:
    name = ARCHIVES[-1].name.removesuffix(".tar.gz")
    with tarfile.open(ARCHIVES[-1]) as archive:
        archive.extractall(tmp_path, filter="data")
    assert sorted(path.name for path in tmp_path.iterdir()) == [name]
    alone = {"PATH": "", "HOME": str(tmp_path), "LANG": "C.UTF-8"}
    command = str(tmp_path / name / "bin" / "larder")
    version = subprocess.run([command, "--version"], env=alone, check=True, capture_output=True)
    assert VERSION in version.stdout.decode()
    workload = tmp_path / "small.yaml"
    workload.write_text(WORKLOAD)
    run = [command, "run", str(workload), "--output", str(tmp_path / "run"), "--quiet"]
    subprocess.run(run, env=alone, check=True, capture_output=True, cwd=tmp_path)
    assert len((tmp_path / "run" / "counts.csv").read_text().splitlines()) == 2
    header = (tmp_path / name / "include" / "larder.h").read_text()
    assert "larder_simulate" in header


@needs_wheel
def test_it_is_small_and_complete() -> None:
    wheel = WHEELS[-1]
    assert wheel.stat().st_size < 40_000_000
    assert "-py3-none-manylinux_2_" in wheel.name
    names = zipfile.ZipFile(wheel).namelist()
    for name in ("native/liblarder.so", "native/larder", "py.typed", "plots/results.schema.json"):
        assert f"larder/{name}" in names


@needs_wheel
def test_it_installs_without_a_compiler(tmp_path: Path) -> None:
    folder = tmp_path / "venv"
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    python = folder / "bin" / "python"
    # Nothing but the environment itself: neither a compiler nor Swift.
    alone = {"PATH": str(folder / "bin"), "HOME": str(tmp_path), "LANG": "C.UTF-8"}
    for name in ("PIP_INDEX_URL", "PIP_CONFIG_FILE", "HTTPS_PROXY", "SSL_CERT_FILE", "https_proxy"):
        if name in os.environ:
            alone[name] = os.environ[name]
    pip = [str(python), "-m", "pip", "install", "--quiet", "--only-binary", ":all:"]
    constraints = str(Path(__file__).parents[1] / "constraints.txt")
    installed = subprocess.run(
        [*pip, "--constraint", constraints, str(WHEELS[-1])],
        env=alone,
        check=False,
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    if "No matching distribution" in installed.stderr:
        pytest.skip(f"packages cannot be had: {installed.stderr.strip().splitlines()[-1]}")
    assert installed.returncode == 0, installed.stderr
    done = subprocess.run(
        [str(python), "-c", PROGRAM], env=alone, check=True, capture_output=True, text=True,
        cwd=tmp_path,
    )  # fmt: skip
    assert done.stdout.startswith(str(folder))
    command = [str(folder / "bin" / "larder"), "--version"]
    version = subprocess.run(command, env=alone, check=True, capture_output=True, text=True)
    assert VERSION in version.stdout
    workload = tmp_path / "small.yaml"
    workload.write_text(WORKLOAD)
    run = "import larder, sys; print(len(larder.run(sys.argv[1])))"
    rows = subprocess.run(
        [str(python), "-c", run, str(workload)], env=alone, check=True, capture_output=True,
        text=True, cwd=tmp_path,
    )  # fmt: skip
    assert rows.stdout.strip() == "1"
