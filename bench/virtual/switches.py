#!/usr/bin/env python3
"""switches.py: how wrong are the costs of a collective for calls of other sizes than those that were measured?

Simulates collectives with the rules by which four MPI libraries choose algorithms (SimGrid's selectors), learns the
costs on 4, 8 and 16 processes, and predicts calls of other sizes on 64 processes. Prints the table of SWITCHES.md.
Without SimGrid, prints SKIP.
"""
import collections
import math
import os
import shutil
import statistics
import subprocess
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
LIBRARIES = ["ompi", "mpich", "mvapich2", "impi"]
LEARNED, PREDICTED = (4, 8, 16), 64
SMALLEST, LARGEST = 8, 1 << 20
PLATFORM = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="cluster" prefix="node-" suffix="" radical="0-{last}" speed="1Gf" bw="1100000000Bps" lat="7.5e-06s"
           sharing_policy="SPLITDUPLEX"/>
</platform>
"""
SETTINGS = ["smpi/simulate-computation:no", "smpi/host-speed:1Gf", "smpi/lat-factor:0:1", "smpi/bw-factor:0:1",
            "network/bandwidth-factor:1", "network/latency-factor:1", "network/weight-S:0", "network/TCP-gamma:1e30",
            "network/crosstraffic:0"]
GROWTH = [lambda p: 1, lambda p: math.log2(p), lambda p: p - 1]


def times(library, procs, work):
    """{(operation, procs, bytes): seconds}; empty if SimGrid fails, as it does with Intel MPI's rules on 8 processes"""
    with open(f"{work}/platform.xml", "w") as f:
        f.write(PLATFORM.format(last=procs - 1))
    with open(f"{work}/hosts", "w") as f:
        f.writelines(f"node-{i}\n" for i in range(procs))
    command = ["smpirun", "-np", str(procs), "-platform", f"{work}/platform.xml", "-hostfile", f"{work}/hosts",
               f"--cfg=smpi/coll-selector:{library}", "--log=root.thres:critical", *(f"--cfg={s}" for s in SETTINGS),
               f"{work}/switches", str(LARGEST)]
    run = subprocess.run(command, capture_output=True, text=True, timeout=600)
    rows = [line.split() for line in run.stdout.splitlines()] if run.returncode == 0 else []
    return {(row[0], int(row[1]), int(row[2])): float(row[3]) for row in rows if len(row) == 4}


def law(seconds):
    """The scaled growth (constant, tree or ring) that is closest to {procs: seconds}."""
    def fit(growth):
        ln = [math.log(s / growth(p)) for p, s in seconds.items()]
        return statistics.pvariance(ln), math.exp(statistics.mean(ln)), growth
    _, scale, growth = min((fit(g) for g in GROWTH), key=lambda f: f[0])
    return lambda p: scale * growth(p)


def errors(measured):
    """{ratio of sizes: [ln(measured / predicted)]} for one library."""
    found = collections.defaultdict(list)
    for operation in {key[0] for key in measured}:
        latency = law({p: measured[operation, p, SMALLEST] for p in LEARNED})
        for size in {key[2] for key in measured if key[0] == operation}:
            if size == SMALLEST or any((operation, p, size) not in measured for p in LEARNED):
                continue
            rest = {p: measured[operation, p, size] - latency(p) for p in LEARNED}
            if min(rest.values()) <= 0:
                continue
            per_byte = law({p: s / size for p, s in rest.items()})
            for other in {key[2] for key in measured if key[:2] == (operation, PREDICTED)}:
                predicted = latency(PREDICTED) + per_byte(PREDICTED) * other
                found[other / size].append(math.log(measured[operation, PREDICTED, other] / predicted))
    return found


def main():
    if shutil.which("smpicc") is None:
        print("SKIP: smpicc of SimGrid is not installed")
        return
    found = collections.defaultdict(list)
    with tempfile.TemporaryDirectory() as work:
        subprocess.run(["smpicc", "-O2", f"{HERE}/switches.c", "-o", f"{work}/switches"], check=True)
        for library in LIBRARIES:
            runs = [times(library, p, work) for p in (*LEARNED, PREDICTED)]
            if all(runs):
                for ratio, ln in errors({k: v for run in runs for k, v in run.items()}).items():
                    found[ratio] += ln
    same = statistics.median(map(abs, found[1]))
    print("| size of a call / size in the runs | n | median error of ln T | 90th percentile | beyond equal sizes, as sd |")
    print("|---|---|---|---|---|")
    for ratio in sorted(found):
        misses = sorted(map(abs, found[ratio]))
        miss = statistics.median(misses)
        beyond = math.sqrt(max(miss**2 - same**2, 0)) / 0.6745  # of a normal distribution
        name = f"{ratio:g}" if ratio >= 1 else f"1/{1 / ratio:g}"
        print(f"| {name} | {len(found[ratio])} | {miss:.2f} | {misses[9 * len(misses) // 10]:.2f} | {beyond:.2f} |")


main()
