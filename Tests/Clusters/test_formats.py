"""What `larder plan` prints for Kubernetes and for programs is read, and carried out."""

from __future__ import annotations

import json
import re

from packages import need, program
from support import SkippedError, Stand, check, same_results
from sweep import Sweep

PARTS = 5


def test_kubernetes(stand: Stand) -> None:
    """The file is a job that Kubernetes takes; its tasks and the steps around it are the sweep."""
    try:
        import yaml
    except ImportError:
        raise SkippedError("missing python3-yaml (name as in Debian)") from None
    workload = stand.small()
    stand.run("larder", "run", workload, "--output", "plain")
    text = stand.run(
        "larder", "plan", workload, "--parts", PARTS, "--store", "store", "--format", "kubernetes"
    ).output
    job = yaml.safe_load(text)
    name, spec = job["metadata"]["name"], job["spec"]
    check(re.fullmatch(r"[a-z0-9]([-a-z0-9]{0,51}[a-z0-9])?", name), f"no DNS label: {name}")
    check(
        spec["completionMode"] == "Indexed"
        and spec["completions"] == PARTS
        and spec["backoffLimitPerIndex"] > 0
        and spec["template"]["spec"]["restartPolicy"] == "Never",
        f"the Indexed Job has {spec}",
    )
    first, _, last = re.findall(r"^# \d\. (.*)$", text, re.MULTILINE)
    stand.run("sh", "-c", first)
    command = spec["template"]["spec"]["containers"][0]["command"]
    for index in range(PARTS):
        stand.run(*command, JOB_COMPLETION_INDEX=str(index))
    stand.run("sh", "-c", f"{last} --output merged")
    same_results(stand, "plain", "merged")
    validator = program("kubeconform")
    if validator:
        stand.write("job.yaml", text)
        stand.run(validator, "-strict", "job.yaml")


def test_parallel(stand: Stand, sweep: Sweep) -> None:
    """GNU parallel runs the commands of a plan."""
    need({"parallel": "parallel"})
    if "GNU" not in stand.run("parallel", "--version", code=None).output:
        raise SkippedError("'parallel' is not GNU parallel")
    parts = min(sweep.parts, 200)
    run = ["larder", "run", sweep.file, "--store", "parallel-store", "--part", "prepare"]
    stand.run(*run)
    plan = stand.run(
        "larder", "plan", sweep.file, "--parts", parts, "--store", "parallel-store",
        "--format", "json",
    )  # fmt: skip
    commands = [part["command"] for part in json.loads(plan.output)["parts"]]
    stand.write("commands", "".join(f"{command}\n" for command in commands))
    ended = stand.run("parallel", "--will-cite", "--joblog", "jobs", "--arg-file", "commands")
    jobs = [line.split("\t") for line in (stand.folder / "jobs").read_text().splitlines()[1:]]
    check(len(jobs) == parts, f"{len(jobs)} of {parts} parts were run")
    merge = ["larder", "run", sweep.file, "--merge", "--store", "parallel-store", "--output", "joined"]
    stand.run(*merge)
    sweep.check("parallel-store", "joined")
    print(
        f"    {parts} parts: {ended.seconds:.0f} s, "
        f"{sum(float(job[3]) for job in jobs):.0f} s as a sum over the parts"
    )
