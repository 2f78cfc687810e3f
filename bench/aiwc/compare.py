#!/usr/bin/env python3
"""compare.py APMT HOST OPENDWARFS VECTORS EXPECTED: runs kernels of the Extended OpenDwarfs with --with aiwc-compat, in the
sizes tiny and small, and compares their metrics with the published vectors. Prints a Markdown table: for each kernel
how many metrics are the same, and which differ, by their names in analysis.json. The exit code is 1 if a memory metric
differs, or if a row of the table is not in the file EXPECTED."""
import csv
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from launches import kmeans, lud

apmt, host, dwarfs, vectors, expected = sys.argv[1:6]

memory = {
    "total_memory_footprint": "footprint",
    "ninety_percent_memory_footprint": "footprint_90",
    "global_memory_address_entropy": "entropy",
    **{f"local_memory_address_entropy_{bits}": bits - 1 for bits in range(1, 11)},
}
others = {
    "opcode": "opcodes",
    "total_instruction_count": "instructions",
    "workitems": "work_items",
    "total_barriers_hit": "barriers",
    "min_instructions_to_barrier": "least_to_barrier",
    "max_instructions_to_barrier": "most_to_barrier",
    "median_instructions_to_barrier": "median_to_barrier",
    "max_simd_width": "most_lanes",
    "mean_simd_width": "mean_lanes",
    "stddev_simd_width": "sd_lanes",
    "total_unique_branch_instructions": "branches",
    "ninety_percent_branch_instructions": "branches_90",
    "branch_entropy_yokota": "yokota",
    "branch_entropy_average_linear": "linear",
}


def hmm(symbols, states=60, length=1000, group=256):
    """The buffers are: b0 a, b1 b, b2 pi, b3 alpha, b4 beta, b5 gamma, b6 ones, b7 row sums."""
    return [f"init_ones_dev 1 {group} {group} b6 i{symbols}",
            f"init_alpha_dev 1 {group} {group} b1 b2 i{states} b3 b6 i0",
            f"scale_alpha_dev 1 {group} {group} i{states} b3 i0 f2",
            f"mvm_non_kernel_naive 1 8192 128 i{states} i{states} b0 i{states} b3 i0 b3 i{states}",
            f"calc_alpha_dev 1 {group} {group} i{states} b3 i{states} b1 i0",
            f"init_beta_dev 1 {group} {group} i{states} b4 i{(length - 1) * states} f2",
            f"calc_beta_dev 1 {group} {group} b4 b1 f2 i{states} i0 i{length - 2}",
            f"calc_gamma_dev 1 {group} {group} b5 b3 b4 i{states} i0",
            f"mvm_trans_kernel_naive 1 8192 128 i{states} i{states} b0 i{states} b6 i0 b7 i0",
            f"est_pi_dev 1 {group} {group} b2 b3 b4 f2 i{states}"]


runs = [
    ("lud", "dense-linear-algebra/lud/lud_kernel.cl", "-D BLOCK_SIZE=16", {"tiny": lud(80), "small": lud(240)}),
    ("kmeans", "mapreduce/kmeans/kmeans_opencl_kernel.cl", "", {"tiny": kmeans(256), "small": kmeans(2048)}),
    ("hmm", "graphical-models/hmm/bwa_hmm_opencl.cl", "", {"tiny": hmm(8), "small": hmm(256)}),
]


def analysed(source, options, launches):
    with tempfile.TemporaryDirectory() as name:
        file = Path(name) / "analysis.json"
        subprocess.run([apmt, "-q", "analyze", "--opencl", "--with", "aiwc-compat", "-o", file, "--", host,
                        Path(dwarfs) / source, options],
                       input="\n".join(launches), text=True, check=True, cwd=name, stdout=subprocess.DEVNULL)
        return {kernel["name"]: kernel["aiwc"] for kernel in json.loads(file.read_text())["kernels"]}


def value(aiwc, field):
    return aiwc["local_entropies"][field] if isinstance(field, int) else aiwc[field]


def written(number):
    return str(number) if isinstance(number, int) else f"{number:.6g}"


def is_same(name, ours, published):
    """Published whole numbers must be equal; others have six digits. Published entropies of addresses have
    larger errors, because they were summed in single precision. For example, the published entropies of the
    kernel invert_mapping (size small) with 0, 1 and 2 bits dropped are 15.3949, 15.4034 and 15.4034, but
    should be equal."""
    if isinstance(ours, int):
        return ours == published
    tolerance = 1e-3 if "address_entropy" in name else 1e-4
    return abs(ours - published) <= tolerance * max(1, abs(published))


with open(vectors) as file:
    rows = csv.DictReader(line for line in file if not line.startswith("#"))
    published = {(row["application"], row["input"], row["kernel"]): row for row in rows}

known = Path(expected).read_text().splitlines()
status = kernels = 0
print("| kernel | size | memory metrics that are the same | of the others | differing: ours / published |")
print("|---|---|---:|---:|---|")
for application, source, options, sizes in runs:
    for size, launches in sizes.items():
        for kernel, aiwc in analysed(source, options, launches).items():
            row = published[application, size, kernel]
            differing = {name: f"{others.get(name, name)} {written(value(aiwc, field))} / {row[name]}"
                         for name, field in {**memory, **others}.items()
                         if not is_same(name, value(aiwc, field), float(row[name]))}
            same = [len(metrics) - len(metrics.keys() & differing.keys()) for metrics in (memory, others)]
            status |= same[0] < len(memory)
            kernels += 1
            row = (f"| `{kernel}` | {size} | {same[0]} of {len(memory)} | {same[1]} of {len(others)} | "
                   f"{'; '.join(differing.values())} |")
            print(row)
            if row not in known:
                status = 1
                print(f"not in {expected}: {kernel}, {size}", file=sys.stderr)
print(f"\n{kernels} kernels and sizes")
sys.exit(status)
