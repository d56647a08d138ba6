"""What `larder plan` prints for Kubernetes and for programs is read, and carried out."""

from __future__ import annotations

import json
import re

from packages import need, program
from support import SkippedError, Stand, check, same_results
from sweep import Sweep

PARTS = 5


def plan(stand: Stand, workload: str, form: str, *words: str) -> str:
    """Print a plan."""
    return stand.run(
        "larder", "plan", workload, "--parts", PARTS, "--store", "store", "--output", "merged",
        "--format", form, *words,
    ).output  # fmt: skip


def test_kubernetes(stand: Stand) -> None:
    """The file holds three jobs that Kubernetes takes; their commands are the whole sweep."""
    try:
        import yaml
    except ImportError:
        raise SkippedError("missing python3-yaml (name as in Debian)") from None
    workload = stand.small()
    stand.run("larder", "run", workload, "--output", "plain")
    text = plan(stand, workload, f"kubernetes:mount={stand.folder}:image='x/y:1'")
    jobs = list(yaml.safe_load_all(text))
    check([job["metadata"]["name"] for job in jobs] == [
        f"larder-small-{role}" for role in ("prepare", "parts", "merge")
    ], "names of the jobs")  # fmt: skip
    for job in jobs:
        check_job(job)
    indexed = jobs[1]["spec"]
    check(
        indexed["completionMode"] == "Indexed"
        and indexed["completions"] == PARTS
        and 1 <= indexed["parallelism"] <= PARTS
        and indexed["backoffLimitPerIndex"] > 0
        and indexed["maxFailedIndexes"] <= PARTS,
        f"the Indexed Job has {indexed}",
    )
    for job, indices in zip(jobs, ([0], range(PARTS), [0]), strict=True):
        container = job["spec"]["template"]["spec"]["containers"][0]
        for index in indices:
            stand.run(*container["command"], JOB_COMPLETION_INDEX=str(index))
    same_results(stand, "plain", "merged")
    validator = program("kubeconform")
    if validator:
        stand.write("jobs.yaml", text)
        stand.run(validator, "-strict", "jobs.yaml")
    print(f"    {len(jobs)} jobs" + (", valid for kubeconform" if validator else ""))


# The fields of a job and of its pods that are written, each with its type in Kubernetes' API.
JOB = {
    "backoffLimit": int, "backoffLimitPerIndex": int, "completionMode": str, "completions": int,
    "maxFailedIndexes": int, "parallelism": int, "suspend": bool, "template": dict,
}  # fmt: skip
POD = {
    "activeDeadlineSeconds": int, "containers": list, "restartPolicy": str, "volumes": list,
}  # fmt: skip
CONTAINER = {
    "command": list, "image": str, "name": str, "resources": dict, "volumeMounts": list,
    "workingDir": str,
}  # fmt: skip


def check_job(job: dict) -> None:
    """Check a job's fields as the API's schema describes them."""
    check(job["apiVersion"] == "batch/v1" and job["kind"] == "Job", f"no job: {job}")
    name = job["metadata"]["name"]
    check(re.fullmatch(r"[a-z0-9]([-a-z0-9]{0,51}[a-z0-9])?", name), f"no DNS label: {name}")
    pod = job["spec"]["template"]["spec"]
    container = pod["containers"][0]
    for value, types in ((job["spec"], JOB), (pod, POD), (container, CONTAINER)):
        for field, content in value.items():
            check(type(content) is types.get(field), f"{name}: {field} is {content!r}")
    check(pod["restartPolicy"] == "Never", "backoffLimitPerIndex needs restartPolicy Never")
    check(all(isinstance(word, str) for word in container["command"]), "a word is no text")
    for kind in container["resources"].values():
        check(re.fullmatch(r"\d+Mi", kind["memory"]), f"memory {kind['memory']}")
    volumes = {volume["name"] for volume in pod["volumes"]}
    mounts = {mount["name"] for mount in container["volumeMounts"]}
    check(mounts == volumes, f"mounts {mounts} of volumes {volumes}")


def test_parallel(stand: Stand, sweep: Sweep) -> None:
    """GNU parallel runs the same sweep as Slurm does."""
    need({"parallel": "parallel"})
    if "GNU" not in stand.run("parallel", "--version", code=None).output:
        raise SkippedError("'parallel' is not GNU parallel")
    # One after another they take longer than on Slurm's many slots, and no test needs more.
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
