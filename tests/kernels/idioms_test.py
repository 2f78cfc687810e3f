#!/usr/bin/env python3
"""idioms_test.py APMT SOURCES: the idioms of the loops of idioms.c, at two levels of optimisation, are those that the
comments beside the loops say. A loop without a comment has none."""
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

apmt, source = sys.argv[1], Path(sys.argv[2]) / "idioms.c"
failures = 0


def run(*words, **more):
    result = subprocess.run([str(w) for w in words], capture_output=True, text=True, **more)
    if result.returncode != 0:
        sys.exit(f"FAILED: {' '.join(map(str, words))}: exit code {result.returncode}\n{result.stdout}{result.stderr}")
    return result.stdout


def check(what, found, wanted):
    global failures
    if found != wanted:
        failures += 1
        print(f"FAILED: {what}: {found}, not {wanted}")


def loops_of(analysis):
    return [(kernel, loop) for kernel in analysis["kernels"] for loop in kernel["loops"]]


if shutil.which("clang-19") is None:
    print("SKIP: clang-19 is not installed (apt-get install clang-19)")
    sys.exit(77)

text = source.read_text().splitlines()
wanted, function = {}, ""
for number, line in enumerate(text, 1):
    if begin := re.match(r"KERNEL (\w+)\(", line):
        function = begin[1]
    if line.startswith("static double value"):
        break
    if re.search(r"\b(for|while) \(", line):
        said = re.search(r"// (.*)$", line)
        idioms = set() if said is None or said[1] == "none" else set(said[1].split(", "))
        wanted[number] = (function, idioms)

for level in ("-O0", "-O2"):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        run(apmt, "analyze", "cc", level, source, "-o", folder / "program")
        run(apmt, "-q", "analyze", "--with", "mix,synchronisation,footprint", "-o", folder / "analysis.json", "--",
            folder / "program", cwd=folder)
        analysis = json.loads((folder / "analysis.json").read_text())
    found = {}
    for kernel, loop in loops_of(analysis):
        if kernel["name"] != "main":
            found[loop["line"]] = loop
    for line, (function, idioms) in wanted.items():
        if line not in found:
            check(f"{level}: {function}, line {line} is a loop that ran", False, True)
            continue
        names = {idiom["idiom"] for idiom in found[line]["idioms"]}
        check(f"{level}: {function}, line {line}", sorted(names), sorted(idioms))
    by_function = {}
    for loop in found.values():
        by_function.setdefault(loop["function"], []).append(loop)

    # What stands beside an idiom: a triad of 24 elements loads two, stores one each time.
    triad = by_function["triad"][0]
    idiom = triad["idioms"][0]
    check("triad: references", (idiom["loads"], idiom["stores"], idiom["bytes"], idiom["share"]), (48, 24, 576, 1))
    check("triad: code", idiom["code"], "c[i] = a[i] + s * b[i];")
    check("triad: line of the code", idiom["line"], triad["line"] + 1)
    check("triad: file", Path(idiom["file"]).name, "idioms.c")
    check("triad: mix", (triad["mix"]["loads"], triad["mix"]["stores"], triad["mix"]["flops"]), (48, 24, 48))
    check("triad: footprint", triad["footprint_bytes"] > 400, True)
    product = next(loop for loop in by_function["product_ijk"] if loop["depth"] == 3)
    check("product: references", (product["idioms"][0]["loads"], product["idioms"][0]["stores"]), (2 * 24**3, 0))
    # References of a function without loops are those of the loop that calls it.
    corners = by_function["through_a_function"][0]["idioms"][0]
    check("corners: references", (corners["loads"], corners["stores"]), (6 * 8, 6))

print("failed" if failures else f"the idioms of {len(wanted)} loops")
sys.exit(1 if failures else 0)
