#!/usr/bin/env python3
"""idioms_test.py APMT SOURCES: the idioms found in idioms.c, at two levels of optimisation, are those in the comments
beside the loops; a loop without a comment has none. The idioms of the Fortran kernels of suite.f90 are listed below.
score_idioms.py counts right, missing and extra idioms."""
import re
import shutil
import sys
import tempfile
from pathlib import Path

from checks import check, finish, json_of, run

apmt, folder_of_tests = sys.argv[1], Path(sys.argv[2])
source = folder_of_tests / "idioms.c"


def loops_of(analysis):
    return [(kernel, loop) for kernel in analysis["kernels"] for loop in kernel["loops"]]


def analysed(verb, level, program_source, folder):
    run(apmt, "analyze", verb, level, program_source, "-o", folder / "program")
    run(apmt, "-q", "analyze", "--with", "mix,synchronisation,footprint", "-o", folder / "analysis.json", "--",
        folder / "program", 24, 24, cwd=folder)
    return json_of(folder / "analysis.json")


def names_of(loop):
    return {idiom["idiom"] for idiom in loop["idioms"]}


for tool in ("clang-19", "flang-new-19"):
    if shutil.which(tool) is None:
        print(f"SKIP: {tool} is not installed (apt-get install clang-19 flang-19)")
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
        analysis = analysed("cc", level, source, folder)
        # Makes the labels of two loops wrong: adds an idiom at the triad, and removes one at the loop that gathers and
        # scatters.
        labels = {line: set(idioms) for line, (_, idioms) in wanted.items()}
        both = next(line for line, (name, _) in wanted.items() if name == "both")
        triad = next(line for line, (name, _) in wanted.items() if name == "triad")
        labels[triad] = {"stream", "reduction"}
        labels[both] = {"gather"}
        rows = [f"suite/idioms.c\t{line}\t{','.join(sorted(names)) or 'none'}\n" for line, names in labels.items()]
        (folder / "labels.tsv").write_text("# rules\n" + "".join(rows))
        score = run(sys.executable, folder_of_tests / "score_idioms.py", folder / "labels.tsv", folder / "analysis.json")
        right = sum(len(idioms) for _, idioms in wanted.values()) - 1
        counted = next(line.split() for line in score.splitlines() if line.startswith("all "))
        check("score", counted[1:4], [str(right), "1", "1"])
    found = {}
    for kernel, loop in loops_of(analysis):
        if kernel["name"] != "main":
            found[loop["line"]] = loop
    for line, (function, idioms) in wanted.items():
        if line not in found:
            check(f"{level}: {function}, line {line} is a loop that ran", False, True)
            continue
        check(f"{level}: {function}, line {line}", sorted(names_of(found[line])), sorted(idioms))
    by_function = {}
    for loop in found.values():
        by_function.setdefault(loop["function"], []).append(loop)

    # The figures of an idiom: a triad of 24 elements loads two values and stores one in each iteration.
    triad = by_function["triad"][0]
    idiom = triad["idioms"][0]
    check("triad: references", (idiom["loads"], idiom["stores"], idiom["bytes"], idiom["share"]), (48, 24, 576, 1))
    check("triad: code", idiom["code"], "c[i] = a[i] + s * b[i];")
    check("triad: line of the code", idiom["line"], triad["line"] + 1)
    check("triad: file", Path(idiom["file"]).name, "idioms.c")
    check("triad: mix", (triad["mix"]["loads"], triad["mix"]["stores"], triad["mix"]["flops"]), (48, 24, 48))
    check("triad: footprint", triad["footprint_bytes"] > 400, True)
    copies = by_function["copied_rows"][0]["idioms"][0]
    check("copies: references", (copies["loads"], copies["stores"], copies["bytes"], copies["share"]),
          (24 * 24, 24 * 24, 2 * 8 * 24 * 24, 1))
    check("one line: code", by_function["in_one_line"][0]["idioms"][0]["code"],
          "for (int i = 0; i < n; ++i) a[i] = (double)(k + i); }  // stream")
    wrapped = by_function["wrapped"][0]["idioms"][0]
    check("wrapped: references", (wrapped["loads"], wrapped["stores"], wrapped["share"]), (0, 24, 0.5))
    atomics = by_function["histogram_by_atomics"][0]
    check("atomics are a reduction", atomics["verdict"], "parallel")
    product = next(loop for loop in by_function["product_ijk"] if loop["depth"] == 3)
    check("product: references", (product["idioms"][0]["loads"], product["idioms"][0]["stores"]), (2 * 24**3, 0))
    # References of a function without loops count for the loop that calls it.
    corners = by_function["through_a_function"][0]["idioms"][0]
    check("corners: references", (corners["loads"], corners["stores"]), (6 * 8, 6))

# The innermost loops of the Fortran kernels.
fortran = {"copy": ["stream"], "triad": ["stream"], "dot": ["reduction"], "transposed": ["transpose"],
           "gather": ["gather"], "product_ijk": ["matrix-matrix product"], "matrix_vector": ["matrix-vector product"],
           "prefix_sum": [], "gauss_seidel": ["stencil"], "wavefront": ["stencil"]}
for level in ("-O1", "-O2"):
    with tempfile.TemporaryDirectory() as name:
        analysis = analysed("fc", level, folder_of_tests / "suite.f90", Path(name))
    innermost = {kernel["name"]: max(kernel["loops"], key=lambda loop: loop["depth"]) for kernel in analysis["kernels"]}
    for function, idioms in fortran.items():
        check(f"Fortran {level}: {function}", sorted(names_of(innermost[function])), idioms)

finish(f"the idioms of {len(wanted)} loops")
