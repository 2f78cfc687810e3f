#!/usr/bin/env python3
"""offload_test.py APMT SOURCES PROGRAM: runs the example halo2d (PROGRAM, built for SMPI) on a simulated cluster. Two
of the runs get the analysis of clang's build in their folders. From these two analyses, apmt offload must predict the
port of halo2d's stencil to a device whose card has round figures."""
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from checks import check, finish, json_of

apmt, sources, program = (Path(word).resolve() for word in sys.argv[1:4])
points, iterations = 600, 800  # long enough for 25 samples of a kernel, without which it has no law of its own
for tool in ("clang-19", "mpicc", "mpirun"):
    if not shutil.which(tool):
        print(f"SKIP: {tool} is not installed")
        sys.exit(77)
if not program.exists():
    print("SKIP: no SimGrid, so no example for simulated clusters")
    sys.exit(77)


def run(*words, wanted=0):
    result = subprocess.run([str(w) for w in words], capture_output=True, text=True, cwd=folder)
    if result.returncode != wanted:
        sys.exit(f"FAILED: {' '.join(map(str, words))}: exit code {result.returncode}\n{result.stdout}{result.stderr}")
    return result.stdout if wanted == 0 else result.stderr


def offload(*options, wanted=0):
    return run(apmt, "-q", "offload", "runs", "--device", sources / "cards/accelerator.yaml", *options, wanted=wanted)


def analyse(procs):
    place = next((folder / "runs").glob(f"*.p{procs}.*r1"))
    run(apmt, "-q", "analyze", "--with", "mix,parallelism,all-operations,stack-distances,synchronisation,footprint", "-o",
        place / "analysis.json", "--", "mpirun", "-np", procs, "./halo2d", points, iterations)


def close(what, found, wanted, allowed=0.02):
    if abs(found - wanted) > allowed * abs(wanted):
        check(what, found, wanted)


with tempfile.TemporaryDirectory() as made:
    folder = Path(made)
    run(apmt, "-q", "run", "--virtual", "ethernet-10g", "--procs", "1,2,4,8", "--reps", 1, "--dir", "runs", "--", program,
        points, iterations)
    source = sources.parent.parent / "examples/halo2d/halo2d.c"
    run(apmt, "-q", "analyze", "build", "--", "mpicc", "-O2", "-g", source, "-o", "halo2d", "-lm")
    refused = offload("--procs", 4, wanted=3)
    check(f"no analysis: {refused}", "no run has an analysis of its kernels" in refused, True)
    analyse(8)
    refused = offload("--procs", 4, wanted=3)
    check(f"one size: {refused}", "an analysis of a second size gives a law" in refused, True)
    analyse(2)

    (folder / "offload.json").write_text(offload("--procs", "4,64", "--per-node", 1, "--speedup", 1.2, "--json"))
    answer = json_of(folder / "offload.json")
    at4, at64 = answer["at"]
    jacobi = next(k for k in at4["kernels"] if k["name"] == "jacobi_sweep")
    check("worth it", jacobi["worth_it"], True)
    check("within the analysed sizes", jacobi["extrapolation"], 1)
    for kernel in at64["kernels"]:
        close("times less than analysed", kernel["extrapolation"], 8, 1e-9)
    # Each launch costs 5 us. In a grid of 2 x 2 blocks, each block has two neighbours, whose halos cross two links of 1
    # us and 25 GB/s.
    close("launches", jacobi["one_rank"]["launch_s"], iterations * 5e-6)
    halos = 2 * iterations * 2 * (1e-6 + 8 * points / 2 / 2.5e10)
    reductions = (iterations + 2) * 2 * (1e-6 + 8 / 2.5e10)
    close("transfers", at4["mpi_transfer_s"], halos + reductions)
    ported = [k for k in at4["kernels"] if k["worth_it"]]
    change = sum(k["device_s"] - k["host"]["time_s"] for k in ported) + at4["mpi_transfer_s"] + at4["most_shared_transfer_s"]
    close("what is not ported keeps its time", at4["ported"]["time"]["time_s"], at4["host"]["time_s"] + change, 1e-6)
    check("faster", at4["ported"]["speedup"] > 1, True)
    check("an end of the gain", answer["gain_end"]["procs"] is not None, True)
    text = " ".join(offload("--procs", 64, "--per-node", 1).split())
    check(f"extrapolation in words: {text}", "extrapolated to 8 times less work per rank" in text, True)
    refused = run(apmt, "-q", "offload", "runs", "--device", "h100-sxm", "--procs", 4, wanted=3)
    check(f"a card without figures: {refused}", "has no cost of a launch" in refused, True)
finish("the stencil of an example on a device, from a model and the analyses of two sizes")
