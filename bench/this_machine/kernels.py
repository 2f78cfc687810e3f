#!/usr/bin/env python3
"""kernels.py APMT KERNELS KERNELS-ANALYSE CARD: compares the times that `apmt match` predicts for loops on all
processors with measured times. KERNELS is kernels.c with OpenMP, KERNELS-ANALYSE the same built by `apmt analyze`.
Prints a Markdown table."""
import json
import subprocess
import sys
import tempfile
from pathlib import Path

apmt, program, analysed, card = sys.argv[1:5]
sizes = {"triad": (3000, 300000, 10000000), "jacobi": (60, 600, 3000), "product": (50, 200, 400),
         "matvec": (60, 600, 3000), "lookup": (3000, 300000, 3000000), "forces": (500, 1500, 3000)}
analysers = "mix,parallelism,all-operations,stack-distances,synchronisation,footprint"

errors = []
print("| loop | size | measured | predicted | error |")
print("|---|---:|---:|---:|---:|")
for name, all_sizes in sizes.items():
    for size in all_sizes:
        measured = float(subprocess.run([program, name, str(size), "21"], check=True, capture_output=True).stdout)
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "analysis.json"
            subprocess.run([apmt, "-q", "analyze", "--with", analysers, "--kernel", name, "-o", file, "--", analysed, name,
                            str(size), "1"], check=True, cwd=folder, stdout=subprocess.DEVNULL)
            match = json.loads(subprocess.run([apmt, "-q", "match", file, "--device", card, "--json"], check=True,
                                              capture_output=True).stdout)
        time = match["kernels"][0]["predictions"][0]["time"]
        if time is None:
            print(f"| {name} | {size} | {1e3 * measured:.4g} ms | none | |")
            continue
        error = time["total_s"] / measured - 1
        errors.append(abs(error))
        print(f"| {name} | {size} | {1e3 * measured:.4g} ms | {1e3 * time['total_s']:.4g} ms | {100 * error:+.0f} % |")
errors.sort()
print(f"\nMedian error {100 * errors[len(errors) // 2]:.0f} % of {len(errors)} loops and sizes")
