#!/usr/bin/env python3
"""fit_test.py APMT SOURCES: records runs of a program that gcc built; two of the runs get the analysis of clang's build
in their folders. From these two analyses, apmt fit must find the accesses of every cache level at all process counts.
The expected numbers are closed forms."""
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from checks import check, finish, parsed

apmt, sources = sys.argv[1], Path(sys.argv[2]) / "programs"
lines, rounds = 1 << 16, 150
environment = dict(os.environ, APMT_SOURCE="task-clock")
for tool in ("clang-19", "mpicc", "mpirun"):
    if not shutil.which(tool):
        print(f"SKIP: {tool} is not installed")
        sys.exit(77)

# L1 has 512 lines, L2 20,000 and the last level 48,000. A rank's data fit into L2 only with 4 ranks.
MACHINE = """format: apmt-machine
format_version: "1.0"
name: planted
provenance: assumed
levels:
  - {name: L1, size_bytes: 32768}
  - {name: L2, size_bytes: 1280000}
  - {name: LLC, size_bytes: 3072000}
"""


def run(*words):
    result = subprocess.run([str(w) for w in words], capture_output=True, text=True, env=environment, cwd=folder)
    if result.returncode != 0:
        sys.exit(f"FAILED: {' '.join(map(str, words))}: exit code {result.returncode}\n{result.stdout}{result.stderr}")
    return result.stdout


def fitted():
    model = parsed(run(apmt, "-q", "fit", "runs", "--machine", "machine.yaml", "--json"))
    kernel = next((k for k in model["kernels"] if k["name"] == "sweep"), None)
    if kernel is None:
        sys.exit(f"FAILED: no kernel sweep in {[k['name'] for k in model['kernels']]}")
    return model, {m["metric"]: m for m in kernel["metrics"]}


def close(what, found, wanted, allowed):
    if abs(found - wanted) > allowed:
        check(what, found, wanted)


with tempfile.TemporaryDirectory() as made:
    folder = Path(made)
    (folder / "machine.yaml").write_text(MACHINE)
    run("mpicc", "-O2", "-g", sources / "sweep.c", "-o", "sweep")
    run(apmt, "-q", "analyze", "build", "--", "mpicc", "-O2", "-g", sources / "sweep.c", "-o", "sweep-analysed")
    for procs in (1, 2, 4):
        for repetition in (1, 2):
            run(apmt, "-q", "record", "--dir", "runs", "mpirun", "-np", procs, "./sweep", lines, rounds)
    check("metrics without an analysis", list(fitted()[1]), [])
    for procs in (1, 4):
        place = next((folder / "runs").glob(f"*.p{procs}.*r1"))
        run(apmt, "-q", "analyze", "--with", "mix,stack-distances", "-o", place / "analysis.json", "--", "mpirun",
            "-np", procs, "./sweep-analysed", lines, rounds)
    model, metrics = fitted()
    check("grade", model["grade"], "B")
    check("no instructions", "instructions" in metrics, False)
    section = run(apmt, "-q", "fit", "runs").split("Computation and memory")[1].split("Communication")[0]
    check(f"costs are those of flops: {section}", ("flop" in section, "instruction" in section), (True, False))
    for i, procs in enumerate((1, 2, 4)):
        value = {name: metrics[name]["points"][i]["value"] for name in ("flops", "hit_L1", "hit_L2", "hit_LLC", "acc_mm")}
        words, allowed = 8 * lines * rounds, 0.003 * 16 * lines * rounds
        far = lines * (rounds - 1)
        part, share = lines / procs, 48000 / procs
        close(f"{procs} ranks: flops", value["flops"], 2 * words, 1)
        # Each word is loaded and stored; every eighth load is of another line.
        close(f"{procs} ranks: L1", value["hit_L1"], 2 * words - lines * rounds, allowed)
        close(f"{procs} ranks: L2", value["hit_L2"], far if part <= 20000 else 0, allowed)
        close(f"{procs} ranks: last level", value["hit_LLC"], far if 20000 < part <= share else 0, allowed)
        close(f"{procs} ranks: memory", value["acc_mm"],
              lines + (far if part > max(20000, share) else 0), allowed)
finish("accesses of every cache level in a model, from the analyses of two sizes")
