#!/usr/bin/env python3
"""kernels.py APMT CARD cpu|opencl PROGRAM ANALYSED: compares the times that `apmt match` predicts for six loops in
three sizes with measured times. PROGRAM is kernels.c with OpenMP, and ANALYSED the same built by `apmt analyze`; for
opencl, both are a command that runs launches.c with kernels.cl. Prints a Markdown table."""
import json
import shlex
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

apmt, card, device, program, analysed = sys.argv[1:6]
program, analysed = shlex.split(program), shlex.split(analysed)
# OpenCL kernels have smaller data, because they are analysed in the simulator Oclgrind, which is slow. Their
# work-items can be divided evenly between two compute units.
sizes = {
    "cpu": {"triad": (3000, 300000, 10000000), "jacobi": (60, 600, 3000), "product": (48, 200, 400),
            "matvec": (60, 600, 3000), "lookup": (3000, 300000, 3000000), "forces": (504, 1504, 3000)},
    "opencl": {"triad": (3072, 307200, 3072000), "jacobi": (66, 610, 1506), "product": (48, 96, 192),
               "matvec": (64, 608, 1504), "lookup": (3072, 307200, 3072000), "forces": (512, 1536, 3072)}}[device]
accesses = {"triad": lambda n: 3 * n, "jacobi": lambda n: 5 * n * n, "product": lambda n: 4 * n**3,
            "matvec": lambda n: 2 * n * n, "lookup": lambda n: 4 * n, "forces": lambda n: 2 * n * n}
most_accesses = {"cpu": 5e7, "opencl": 1e7}[device]
repeats = 21
analysers = "mix,parallelism,all-operations,stack-distances,synchronisation,footprint"


def predicted(name, size):
    """The prediction for one call, whose data the calls before it have touched: the mean of as many calls as
    are measured, or of fewer if these would take too long to analyse. With fewer calls the mean is hardly
    different, because the data are then too large to stay in the caches, or the loop computes for much longer
    than they take to arrive."""
    calls = max(1, min(repeats, int(most_accesses / accesses[name](size))))
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "analysis.json"
        subprocess.run([apmt, "-q", "analyze", *(["--opencl"] if device == "opencl" else []), "--with", analysers,
                        "--kernel", name, "-o", file, "--", *analysed, name, str(size), str(calls)],
                       check=True, cwd=folder, stdout=subprocess.DEVNULL)
        match = json.loads(subprocess.run([apmt, "-q", "match", file, "--device", card, "--json"], check=True,
                                          capture_output=True).stdout)
    kernel = match["kernels"][0]
    return kernel["predictions"][0], kernel["invocations"]


errors = []
print("| loop | size | measured | spread | predicted | bottleneck | error |\n|---|---:|---:|---:|---:|---|---:|")
for name, all_sizes in sizes.items():
    for size in all_sizes:
        out = subprocess.run([*program, name, str(size), str(repeats)], check=True, capture_output=True).stdout
        measured, low, high = map(float, out.split())
        prediction, calls = predicted(name, size)
        row = f"| {name} | {size} | {1e3 * measured:.4g} ms | {100 * (high - low) / measured:.0f} % |"
        if prediction["time"] is None:
            print(f"{row} none | {prediction['why_not']} | |")
            continue
        seconds = prediction["time"]["total_s"] / calls
        errors.append(seconds / measured - 1)
        print(f"{row} {1e3 * seconds:.4g} ms | {prediction['bottleneck']} | {100 * errors[-1]:+.0f} % |", flush=True)
print(f"\nMedian error {100 * statistics.median(map(abs, errors)):.0f} % of {len(errors)} loops and sizes")
