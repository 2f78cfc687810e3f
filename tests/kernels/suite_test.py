#!/usr/bin/env python3
"""suite_test.py APMT SOURCES: builds known kernels in C and Fortran at several levels of optimisation. Their results must
equal, bit by bit, those of the same compiler without the instrumenting pass. Counts, depth, synchronisations and
distances must be the same at all levels, and equal to closed forms (distances: only of copy). apmt learn collect and
apmt advise must read an analysis."""
import shutil
import sys
import tempfile
from pathlib import Path

from checks import check, finish, json_of, parsed, run

apmt, sources = sys.argv[1], Path(sys.argv[2])
n, m = 1000, 32


# The expected results of each kernel: loads, stores, additions, multiplications, depth, global synchronisations, and
# for each loop, from the outermost on, whether it is parallel (p) or sequential (s). None: not compared. A fused
# multiply-add counts as one addition and one multiplication. If the limit of an inner loop is in memory, it is read in
# every iteration.
inner = m * (m - 1) // 2
squares = sum(k * k for k in range(m))
closed_forms = {
    "c": {
        "copy": (n, n, 0, 0, 0, 0, "p"),
        "triad": (2 * n, n, n, n, 2, 0, "p"),
        "dot": (2 * n, 1, n, n, n + 1, 0, "p"),
        "stencil5": (5 * (m - 2) ** 2, (m - 2) ** 2, 4 * (m - 2) ** 2, 0, 4, 0, "pp"),
        "stencil27": (27 * 216, 216, 27 * 216, 0, 27, 0, "pppppp"),
        "transpose": (m * m, m * m, 0, 0, 0, 0, "pp"),
        "gather": (2 * n, n, 0, 0, 0, 0, "p"),
        "scatter": (2 * n, n, 0, 0, 0, 0, "p"),
        "histogram": (2 * n, n, 0, 0, 0, 0, "p"),
        "lu": (2 * inner + 2 * squares, inner + squares, squares, squares, 3 * (m - 1), m, "spp"),
        "product_ijk": (2 * m**3, m * m, m**3, m**3, m + 1, 0, "ppp"),
        "product_ikj": (2 * m**3 + m * m, m**3, m**3, m**3, m + 1, 0, "ppp"),
        "matrix_vector": (2 * m * m, m, m * m, m * m, m + 1, 0, "pp"),
        "sparse": (4 * 300 + 2 * 60, 60, 300, 300, 6, 0, "pp"),
        "prefix_sum": (2 * (n - 1), n - 1, n - 1, 0, n - 1, 0, "s"),
        "jacobi": (3 * 3 * (n - 2), 6 * (n - 2), 3 * (n - 2), 3 * (n - 2), 6, 3, "spp"),
        "gauss_seidel": (2 * (n - 2), n - 2, n - 2, n - 2, 2 * (n - 2), 0, "s"),
        "bitonic": (None, None, 0, 0, 0, 15, "ssp"),
        "wavefront": (2 * (m - 1) ** 2, (m - 1) ** 2, (m - 1) ** 2, 0, 2 * (m - 1) - 1, 0, "ss"),
        "reduction_tree": (2 * (m - 1), m - 1, m - 1, 0, 5, 5, "sp"),
        "chase": (n, 1, 0, 0, 0, 0, "s"),
        "figure6": ((m - 1) ** 2, (m - 1) ** 2, (m - 1) ** 2, 0, m - 1, m - 1, "sp"),
    },
    "fortran": {
        "copy": (n + 1, n, 0, 0, 0, 0, "p"),
        "triad": (2 * n + 1, n, n, n, 2, 0, "p"),
        "dot": (2 * n + 1, 1, n, n, n + 1, 0, "p"),
        "transposed": (None, m * m, 0, 0, 0, 0, "pp"),
        "gather": (2 * n + 1, n, 0, 0, 0, 0, "p"),
        "product_ijk": (None, m * m, m**3, m**3, m + 1, 0, "ppp"),
        "matrix_vector": (None, m, m * m, m * m, m + 1, 0, "pp"),
        "prefix_sum": (2 * (n - 1) + 1, n - 1, n - 1, 0, n - 1, 0, "s"),
        "gauss_seidel": (2 * (n - 2) + 1, n - 2, n - 2, n - 2, 2 * (n - 2), 0, "s"),
        "wavefront": (None, (m - 1) ** 2, (m - 1) ** 2, 0, 2 * (m - 1) - 1, 0, "ss"),
        "figure6": (None, (m - 1) ** 2, (m - 1) ** 2, 0, m - 1, m - 1, "sp"),
    },
}
# The levels of the schedule of floating-point operations: number of operations on a level -> number of such
# levels.
widths = {
    "triad": {n: 2},
    "wavefront": {m - 1: 1, **{width: 2 for width in range(1, m - 1)}},
    "reduction_tree": {m >> step: 1 for step in range(1, 6)},
    "figure6": {m - 1: m - 1},
}

# W_vec (the number of floating-point operations that can become vector operations) of the kernels that the vectoriser
# can change; of all others it is 0. Sums may be reordered only with -ffast-math. A recurrence, such as that of a prefix
# sum, has W_vec = 0 in any case.
vector_flops = {
    "triad": 2 * n,
    "stencil5": 4 * (m - 2) ** 2,
    "stencil27": 27 * 216,
    "lu": 2 * squares,
    "product_ikj": 2 * m**3,
    "jacobi": 3 * 2 * (n - 2),
    "reduction_tree": m - 1,
    "figure6": (m - 1) ** 2,
}
fast_vector_flops = {
    **vector_flops,
    "dot": 2 * n,
    "product_ijk": 2 * m**3,
    "matrix_vector": 2 * m * m,
    "sparse": 2 * 300,
}


def check_vector_flops(language, flags, kernels, wanted):
    for kernel in closed_forms[language]:
        check(f"{language} {flags} {kernel}: W_vec", kernels[kernel]["mix"]["flops_vector"], wanted.get(kernel, 0))


def summary(kernel):
    mix, depth = kernel["mix"], kernel["floating_point"]["depth"]
    verdicts = "".join("p" if loop["verdict"] == "parallel" else "s" for loop in kernel["loops"])
    synchronisations = kernel["synchronisation"]["by_trip_counts"]
    return mix["loads"], mix["stores"], mix["flops_add"], mix["flops_multiply"], depth, synchronisations, verdicts


def kernels_of(analysis):
    return {kernel["name"]: kernel for kernel in analysis["kernels"]}


compilers = {"c": ("suite.c", "cc", "clang-19"), "fortran": ("suite.f90", "fc", "flang-new-19")}


def analysed(language, level, folder):
    source, verb, compiler = compilers[language]
    plain, program, file = folder / "plain", folder / "program", folder / "analysis.json"
    run(compiler, level, sources / source, "-o", plain)
    run(apmt, "analyze", verb, level, sources / source, "-o", program)
    wanted = run(plain, n, m)
    check(f"{language} {level}: output of the instrumented program", run(program, n, m), wanted)
    # Without randomisation of addresses, static data have the same addresses in every run, and so occupy the
    # same lines.
    run("setarch", "-R", apmt, "-q", "analyze", "--with", "mix,parallelism,all-operations,synchronisation,stack-distances",
        "-o", file, "--", program, n, m, cwd=folder)
    found = json_of(file)
    # With `mix` as the only analyser, the program counts blocks and writes no events.
    run("setarch", "-R", apmt, "-q", "analyze", "--with", "mix", "-o", file, "--", program, n, m, cwd=folder)
    alone = json_of(file)
    check(f"{language} {level}: mix alone", [(k["name"], k["invocations"], k["mix"]) for k in alone["kernels"]],
          [(k["name"], k["invocations"], k["mix"]) for k in found["kernels"]])
    check(f"{language} {level}: scopes with the mix alone", alone["scopes"], found["scopes"])
    return kernels_of(found)


for tool in ("clang-19", "flang-new-19", "setarch"):
    if shutil.which(tool) is None:
        print(f"SKIP: {tool} is not installed (apt-get install clang-19 flang-19)")
        sys.exit(77)

for language, forms in closed_forms.items():
    found = {}
    # For Fortran, -O1 is used instead of -O0: at -O0, flang tells LLVM less about aliases, so n of a matrix (n, n)
    # would be read more often.
    levels = {"c": ("-O0", "-O1", "-O3", "-Os", "-Oz"), "fortran": ("-O1", "-O3")}[language]
    for level in (*levels, "-O2"):
        with tempfile.TemporaryDirectory() as name:
            found[level] = analysed(language, level, Path(name))
    for kernel, form in forms.items():
        if any(kernel not in of_level for of_level in found.values()):
            check(f"{language} {kernel}: is a kernel", False, True)
            continue
        optimised = found["-O2"][kernel]
        for level in levels:
            other = found[level][kernel]
            for part in ("mix", "floating_point", "all_operations", "synchronisation", "locality"):
                for name in other[part]:
                    check(f"{language} {kernel}: {part}, {name} at {level}", other[part][name], optimised[part][name])
            check(f"{language} {kernel}: verdicts at {level}", summary(other)[-1], summary(optimised)[-1])
        numbers = summary(optimised)
        for i, what in enumerate(("loads", "stores", "additions", "multiplications", "depth", "synchronisations", "loops")):
            if form[i] is not None:
                check(f"{language} {kernel}: {what}", numbers[i], form[i])
        if kernel in widths:
            rows = {row["from"]: row["levels"] for row in optimised["floating_point"]["widths"]}
            check(f"{language} {kernel}: widths of levels", rows, widths[kernel])
        accesses = numbers[0] + numbers[1]
        check(f"{language} {kernel}: accesses of lines", optimised["locality"]["accesses"], accesses)
        distances = sum(bin["accesses"] for bin in optimised["locality"]["distances"])
        check(f"{language} {kernel}: distances", distances + optimised["locality"]["cold"], accesses)

    check_vector_flops(language, "-O2", found["-O2"], vector_flops)
    # With other optimisation levels and instructions, the instrumented program must still print the same as
    # the plain one.
    more = {"c": ["-O2", "-mfma"], "fortran": ["-O0"]}[language]
    source, verb, compiler = compilers[language]
    if "-mfma" not in more or " fma " in Path("/proc/cpuinfo").read_text():
        with tempfile.TemporaryDirectory() as name:
            run(compiler, *more, sources / source, "-o", Path(name) / "plain")
            run(apmt, "analyze", verb, *more, sources / source, "-o", Path(name) / "program")
            check(f"{language} {' '.join(more)}: output", run(Path(name) / "program", n, m), run(Path(name) / "plain", n, m))
    if language == "c":
        # Between two accesses to a line, the line of the other array is accessed. The function `begin` accessed all
        # lines before.
        distances = found["-O2"]["copy"]["locality"]["distances"]
        near = [(d["from"], d["to"], d["accesses"]) for d in distances if d["from"] < 2 * n / 8]
        check("c copy: distances", near, [(1, 1, 2 * n - 2 * n / 8)])

with tempfile.TemporaryDirectory() as name:
    folder = Path(name)
    for level in ("-O0", "-O2"):
        program, file = folder / "program", folder / "analysis.json"
        run(apmt, "analyze", "cc", level, "-ffast-math", sources / "suite.c", "-o", program, "-lm")
        run(apmt, "-q", "analyze", "--with", "mix", "-o", file, "--", program, n, m, cwd=folder)
        check_vector_flops("c", f"{level} -ffast-math", kernels_of(json_of(file)), fast_vector_flops)

# A model learned from kernels that were analysed and measured must advise about an analysed kernel.
with tempfile.TemporaryDirectory() as name:
    folder = Path(name)
    data, file, model = folder / "ours.csv", folder / "analysis.json", folder / "ours.json"
    run(apmt, "analyze", "cc", "-O2", sources / "suite.c", "-o", folder / "program")
    run(apmt, "-q", "analyze", "--with", "mix,all-operations,stack-distances,aiwc", "-o", file, "--", folder / "program",
        n, m, cwd=folder)
    shutil.copy(sources.parents[1] / "configs" / "learned" / "native.csv", data)
    names = list(closed_forms["c"])
    for i, kernel in enumerate(names):
        run(apmt, "-q", "learn", "collect", data, "--analysis", file, "--kernel", kernel, "--application", f"app{i % 5}",
            "--time", "cpu=1", "--time", f"gpu={0.5 + i % 2}", "-o", data)
    check("kernels collected", data.read_text().splitlines()[-1].split(",")[1], names[-1])
    run(apmt, "-q", "learn", "train", data, "--learner", "neighbour", "-o", model)
    advice = parsed(run(apmt, "advise", file, "--model", model, "--kernel", "triad", "--card", "cpu=i7-6700k",
                        "--card", "gpu=gtx1080", "--json"))
    nearest = advice[0]["nearest"][0]
    check("advice: the nearest kernel is itself", (nearest["kernel"], nearest["distance"]), ("app1/triad", 0))
    # The kernel is so small that the launch takes most of the time. The card of the CPU does not say what it costs to
    # start a loop on all cores, so the time on the CPU cannot be compared.
    analytical = advice[0]["analytical"]
    check("advice: match beside it", [one["device"] for one in analytical["devices"]], ["gpu", "cpu"])
    check("advice: no speed-up", ("lacks the cost of launches" in (analytical["why_no_speed_ups"] or ""),
                                  [one["speed_up"] for one in analytical["devices"]]), (True, [None, None]))

with tempfile.TemporaryDirectory() as name:
    objects = [Path(name) / "methods_main.o", Path(name) / "methods.o"]
    for level in ("-O0", "-O3"):
        for item in objects:
            run(apmt, "analyze", "c++", level, "-c", sources / f"{item.stem}.cpp", "-o", item)
        run(apmt, "analyze", "c++", *objects, "-o", Path(name) / "methods")
        check(f"methods of two objects at {level}", run(Path(name) / "methods"), "14850\n")

finish(f"{sum(map(len, closed_forms.values()))} kernels, as in closed form")
