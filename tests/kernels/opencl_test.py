#!/usr/bin/env python3
"""opencl_test.py APMT SOURCES PLUGIN: analyses the kernels of opencl/suite.cl. Counts, depth, barriers and
footprint must equal closed forms, the opcodes must equal Oclgrind's own counts, and the memory columns of --with
aiwc-compat must be those of the published AIWC for a copy. apmt advise and apmt learn collect must read the
analysis. The host program must print the same as without the plugin."""
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from checks import check, finish, json_of, parsed

apmt, sources, plugin = sys.argv[1], Path(sys.argv[2]) / "opencl", Path(sys.argv[3])
n, group, m = 256, 32, 16  # as in suite.c


def run(*words, **more):
    result = subprocess.run([str(w) for w in words], capture_output=True, text=True, **more)
    if result.returncode != 0:
        sys.exit(f"FAILED: {' '.join(map(str, words))}: exit code {result.returncode}\n{result.stdout}{result.stderr}")
    return result



# The expected results of each kernel: invocations, work-items, loads, stores, additions, multiplications, depth,
# barriers that work-items reach, footprint in addresses, and for each loop whether it is parallel (p) or sequential
# (s). Depth and counts are for all invocations together, the other results for the first one. All work-groups have
# their local memory at the same addresses.
groups, tree, levels = n // group, group - 1, int(math.log2(group))
inside = (m - 2) ** 2
closed_forms = {
    "copy": (2, n, 2 * n, 2 * n, 0, 0, 0, 0, 2 * n, ""),
    "triad": (2, n, 2 * 2 * n, 2 * n, 2 * n, 2 * n, 2 * 2, 0, 3 * n, ""),
    "dot_product": (1, n, 2 * n + groups * (2 * tree + 1), n + groups * (tree + 1), groups * tree, n,
                    1 + levels, n * (1 + levels), 2 * n + groups + group, "s"),
    "stencil5": (1, m * m, 5 * inside, inside, 4 * inside, 0, 4, 0, m * m - 4 + inside, ""),
    "transpose": (1, m * m, 2 * m * m, 2 * m * m, 0, 0, 0, m * m, 2 * m * m + (m // 2) ** 2, ""),
    "gather": (1, n, 2 * n, n, 0, 0, 0, 0, 3 * n, ""),
    "scatter": (1, n, 2 * n, n, 0, 0, 0, 0, 3 * n, ""),
    "histogram": (1, n, 2 * n, n, 0, 0, 0, 0, n + 16, ""),
    "product": (1, m * m, 2 * m**3, m * m, m**3, m**3, m + 1, 0, 3 * m * m, "p"),
    "matrix_vector": (1, m, 2 * m * m, m, m * m, m * m, m + 1, 0, m * m + 2 * m, "p"),
    "sparse": (1, 60, 3 * 300, 60, 300, 300, 6, 0, 2 * 300 + 256 + 60, "p"),
    "prefix_sum": (1, 1, 2 * (n - 1), n - 1, n - 1, 0, n - 1, 0, n, "s"),
    "bitonic": (1, group, 15 * group, 15 * group, 0, 0, 0, 15 * group, group, "ss"),
    "wavefront": (1, m - 1, 2 * (m - 1) ** 2, (m - 1) ** 2, (m - 1) ** 2, 0, 2 * (m - 1) - 1,
                  (m - 1) * (2 * (m - 1) - 1), m * m - 1, "s"),
    "chase": (1, 1, n, 1, 0, 0, 0, 0, n + 1, "s"),
    # A load or store of four floats counts once; sqrt is neither an addition nor a multiplication.
    "vectors": (1, n // 4, n // 4, n // 4, n, n, 2, 0, n // 2, ""),
    # Each item of a group has 16 elements of its own.
    "private_array": (1, n, 17 * n, 17 * n, 0, 0, 0, n, 16 + 16 * group + n, "p"),
    # Calls a function that is not inlined and that contains a barrier.
    "calls": (1, n, 2 * n, n, n, 2 * n, 2, 2 * n, 2 * n, ""),
    "says": (1, 2, 0, 2, 0, 0, 0, 0, 1, ""),
    # A kernel from a program that was built with other options.
    "triad#2": (1, n, None, None, n, n, 2, 0, None, ""),
}
columns = ("invocations", "work-items", "loads", "stores", "additions", "multiplications", "depth", "barriers",
           "footprint", "loops")


def summary(kernel):
    mix, aiwc = kernel["mix"], kernel["aiwc"]
    verdicts = "".join("p" if loop["verdict"] == "parallel" else "s" for loop in kernel["loops"])
    return (kernel["invocations"], aiwc["work_items"], mix["loads"], mix["stores"], mix["flops_add"],
            mix["flops_multiply"], kernel["floating_point"]["depth"], aiwc["barriers"], aiwc["footprint"], verdicts)


def analysed(folder, *options, launcher=()):
    file, program = folder / "analysis.json", folder / "suite"
    command = [*launcher, program, sources / "suite.cl"]
    result = run(apmt, "analyze", "--opencl", "-o", file, *options, "--", *command, cwd=folder)
    return json_of(file), result


def counted_by_oclgrind(folder):
    """For the first invocation of each kernel: its instructions, and the fewest opcodes that cover 90 % of them."""
    environment = {**os.environ, "LC_ALL": "C"}
    text = run("oclgrind", "--inst-counts", folder / "suite", sources / "suite.cl", env=environment).stdout
    found = {}
    for block in text.split("Instructions executed for kernel '")[1:]:
        kernel = block.split("'")[0]
        opcodes = {}
        for count, opcode, callee in re.findall(r"^ *(\d+) - (\w+)(?: (\S+))?", block, re.M):
            if not (callee or "").startswith("llvm.lifetime"):
                opcodes[opcode] = opcodes.get(opcode, 0) + int(count)
        counts = sorted(opcodes.values(), reverse=True)
        needed = next(k for k in range(len(counts) + 1) if 10 * sum(counts[:k]) >= 9 * sum(counts))
        found.setdefault(kernel, (sum(counts), needed))
    return found


if not plugin.is_file():
    print("SKIP: this build has no plugin for Oclgrind "
          "(apt-get install oclgrind liboclgrind-dev llvm-14-dev opencl-c-headers)")
    sys.exit(77)
library = next(iter(Path("/usr/lib").glob("*/libOpenCL.so.1")), None)
if shutil.which("oclgrind") is None or library is None:
    print("SKIP: Oclgrind or libOpenCL is not installed (apt-get install oclgrind ocl-icd-libopencl1)")
    sys.exit(77)

with tempfile.TemporaryDirectory() as name:
    folder = Path(name)
    run(shutil.which("cc") or "gcc", "-O1", sources / "suite.c", "-o", folder / "suite", library)
    plain = run("oclgrind", folder / "suite", sources / "suite.cl").stdout

    analysis, result = analysed(folder, "--with", "mix,parallelism,synchronisation,aiwc,stack-distances")
    check("output of the program", result.stdout.startswith(plain), True)
    refusal = "kernel undescribed is not analysed: it calls sincos (it also stores a result)"
    refusals = [line for line in result.stderr.splitlines() if "not analysed" in line]
    check("refusals", refusals, [f"apmt: {refusal}"])
    kernels = {kernel["function"]: kernel for kernel in analysis["kernels"]}
    check("kernels", sorted(kernels), sorted(closed_forms))
    runs = sum(form[0] for form in closed_forms.values()) + 1  # and the kernel `undescribed`
    constants = 3 * len("%d\n\0")  # the format of printf in each program
    check("bytes copied to the device", analysis["copied_to_device_bytes"], runs * 4 * 512 * 4 + constants)
    mapped = 64  # the 100 bytes that go from one buffer to another do not count
    check("bytes copied from the device", analysis["copied_from_device_bytes"], runs * 512 * 4 + mapped)
    for kernel, form in closed_forms.items():
        found = summary(kernels[kernel])
        for i, what in enumerate(columns):
            if form[i] is not None:
                check(f"{kernel}: {what}", found[i], form[i])
        accesses = kernels[kernel]["aiwc"]["reads"] + kernels[kernel]["aiwc"]["writes"]
        if form[2] is not None:
            check(f"{kernel}: accesses", accesses * form[0], form[2] + form[3])
        lines = kernels[kernel]["locality"]
        again = sum(distance["accesses"] for distance in lines["distances"])
        check(f"{kernel}: distances", lines["cold"] + again, lines["accesses"])
        if form[2] is not None:
            atomics = n if kernel == "histogram" else 0  # one access, but a load and a store
            check(f"{kernel}: accesses of lines", lines["accesses"], form[2] + form[3] - atomics)
        # No sequential loop contains a parallel one, so this count is 0; work-items wait for each other only at
        # barriers.
        check(f"{kernel}: synchronisations", kernels[kernel]["synchronisation"]["by_trip_counts"], 0)
        place = kernels[kernel]["file"], kernels[kernel]["name"]
        check(f"{kernel}: place", place, ("input.cl", kernel.split("#")[0]))
    for kernel, wanted in counted_by_oclgrind(folder).items():
        if kernel != "undescribed":
            aiwc = kernels[kernel]["aiwc"]
            check(f"{kernel}: instructions and opcodes", (aiwc["instructions"], aiwc["opcodes"]), wanted)
    check("vectors: square roots", kernels["vectors"]["mix"]["flops_special"], n)
    check("vectors: lanes", kernels["vectors"]["aiwc"]["most_lanes"], 4)
    check("calls: blind spots", kernels["calls"]["blind_spots"], [])
    check("says: blind spots", kernels["says"]["blind_spots"], [{"callee": "printf", "calls": 2}])

    # Of each work-group of `copy`, the published tool keeps only the last half of the accesses: those of 16 of the 32
    # work-items. It does not distinguish the two buffers.
    analysis, result = analysed(folder, "--with", "aiwc-compat", "--kernel", "copy", "--kernel", "nothing")
    check("kernels with --kernel", [kernel["function"] for kernel in analysis["kernels"]], ["copy"])
    check("a kernel that did not run", "--kernel nothing" in result.stderr, True)
    aiwc = analysis["kernels"][0]["aiwc"]
    footprints = aiwc["footprint"], aiwc["footprint_90"]
    check("copy: compatible footprints", footprints, (n // 2, math.ceil(0.9 * n / 2)))
    check("copy: compatible entropy", (aiwc["entropy"], aiwc["local_entropies"][2]), (7, 6))

    # For an analysis, apmt advise must give the learned model's advice and the analytical answer of apmt
    # match. apmt learn collect must add the analysis to a data set.
    counts = "mix,parallelism,all-operations,stack-distances"
    analysed(folder, "--with", f"{counts},aiwc-compat", "--kernel", "product")
    advice = parsed(run(apmt, "advise", "--json", cwd=folder).stdout)[0]
    check("advice: kernel", advice["kernel"], "product")
    check("advice: answers or outside", advice["outside"] or len(advice["speed_ups"]) > 0, True)
    beside = {one["device"]: one for one in advice["analytical"]["devices"]}
    check("advice: match beside it", beside["gtx1080"]["speed_up"] > 0 and beside["i7-6700k"]["seconds"] > 0, True)
    shipped = Path(__file__).parents[2] / "configs" / "learned" / "aiwc.csv"
    run(apmt, "-q", "learn", "collect", shipped, "--analysis", folder / "analysis.json", "--application", "suite",
        "--time", "gtx1080=1e-3", "-o", folder / "more.csv")
    check("collected", (folder / "more.csv").read_text().splitlines()[-1].startswith("suite,product,"), True)
    analysed(folder, "--with", f"{counts},aiwc", "--kernel", "product")
    result = subprocess.run([apmt, "advise"], capture_output=True, text=True, cwd=folder)
    check("metrics of another version", (result.returncode, "--opencl --with aiwc-compat" in result.stderr), (2, True))

    launcher = ["mpirun.openmpi", "-np", "2"]
    if shutil.which(launcher[0]):
        analysis, result = analysed(folder, "--with", "mix", "--rank", "1", launcher=launcher)
        kept = "kernels are those of rank 1; of the other 1 process nothing is kept"
        check("two ranks", (len(analysis["kernels"]), kept in result.stderr), (len(closed_forms), True))

    def refused(*words):
        result = subprocess.run([apmt, "analyze", "--opencl", *words], capture_output=True, text=True, cwd=folder)
        return result.returncode, result.stderr

    code, text = refused("--", "true")
    check("a program without OpenCL", (code, "none made an OpenCL context" in text), (1, True))
    code, text = refused("--with", "counts", "--", folder / "suite", "suite.cl")
    check("--with counts", (code, "name mix instead" in text), (2, True))

finish(f"{len(closed_forms)} kernels of OpenCL, as in closed form")
