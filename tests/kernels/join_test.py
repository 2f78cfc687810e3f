#!/usr/bin/env python3
"""join_test.py APMT SOURCES: programs that gcc and gfortran built are recorded, the same sources built by clang and
flang are analysed, and both are joined. Clones, outlined regions, inlined functions and Fortran modules must be
matched, the counts must be right, and the output must name what was not analysed."""
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from checks import check, finish, json_of, parsed

apmt, sources = sys.argv[1], Path(sys.argv[2]) / "programs"
ranks, size, steps = 2, 20000, 30  # as in join.c
environment = dict(os.environ, OMP_NUM_THREADS="1")
for tool in ("clang-19", "flang-new-19", "mpicc", "mpif90", "mpirun"):
    if not shutil.which(tool):
        print(f"SKIP: {tool} is not installed")
        sys.exit(77)


def run(*words):
    result = subprocess.run([str(w) for w in words], capture_output=True, text=True, env=environment, cwd=folder)
    if result.returncode != 0:
        sys.exit(f"FAILED: {' '.join(map(str, words))}: exit code {result.returncode}\n{result.stdout}{result.stderr}")
    return result.stdout


def joined(source, compiler, *arguments):
    """The run of gcc's program, and its join with the analysis of clang's."""
    name = f"{source.suffix[1:]}{len(arguments)}"
    run(compiler, "-O2", "-g", "-fopenmp", source, "-o", f"{name}-recorded", "-lm")
    for module in folder.glob("*.mod"):
        module.unlink()  # gfortran's; flang writes its own
    run(apmt, "-q", "analyze", "build", "--", compiler, "-O2", "-g", "-fopenmp", source, "-o", f"{name}-analysed", "-lm")
    mpirun = ["mpirun", "-np", ranks]
    run(apmt, "-q", "record", "--dir", name, *mpirun, f"./{name}-recorded", *arguments)
    run(apmt, "-q", "analyze", "--with", "counts", "-o", f"{name}.json", "--", *mpirun, f"./{name}-analysed", *arguments)
    join = parsed(run(apmt, "analyze", "--join", name, "--json", f"{name}.json"))
    text = run(apmt, "analyze", "--join", name, f"{name}.json")
    profile = json_of(next((folder / name).glob("*/profile.json")))
    check(f"{name}: same input", join["same_input"], True)
    check(f"{name}: each function once", len(join["functions"]), len({f["name"] for f in join["functions"]}))
    check(f"{name}: notes", join["notes"], [])
    return join, text, profile


def flops(join, *names):
    return round(sum(f["counts"]["flops"] for f in join["functions"] if f["name"] in names))


def kernels_of(join, name):
    return {k["linkage_name"] for f in join["functions"] if f["name"] == name for k in f["kernels"]}


def at_least(what, value, least):
    check(f"{what} ({value:.4f}) is at least {least}", value >= least, True)


def c_program():
    rounds = 15000
    join, text, _ = joined(sources / "join.c", "mpicc", rounds)
    at_least("C: joined", join["joined_share"], 0.95)
    check("C: enough", join["enough"], True)
    check("C: scale and what is inlined there", flops(join, "scale"), ranks * rounds * size * 4)
    check("C: the outlined region", flops(join, "spread"), ranks * rounds // 100 * size * steps * 2)
    check("C: main and what gcc inlines there", flops(join, "main", "total"),
          ranks * (rounds * (2 * (size - 1) + 1) + size))
    check("C: the region belongs to its function", "spread._omp_fn.0" in kernels_of(join, "spread"), True)
    check("C: nothing of the clone's name is left", kernels_of(join, "scale"), {"scale"})
    check("C: total is inlined in the recorded build", kernels_of(join, "total"), set())
    check("C: the report", "of the run's compute time is joined" in text, True)


def c_program_on_another_device():
    """The shares of the run's time (--join) turn the idioms of the analysis into a coverage of the program."""
    mpirun = ["mpirun", "-np", ranks]
    run(apmt, "-q", "record", "--dir", "short", *mpirun, "./c1-recorded", 2000)
    run(apmt, "-q", "analyze", "--with", "mix,sampled-stack-distances,synchronisation,footprint", "-o", "idioms.json", "--",
        *mpirun, "./c1-analysed", 2000)
    words = ["match", "idioms.json", "--method", "pmac", "--device", "this-machine-opencl", "--json"]
    host = ["--host", "this-machine-cpu"]
    coverage = parsed(run(apmt, *words, *host, "--join", "short"))["program_idioms"]["coverage"]
    check("match --join: a share of the run's time", 0.5 < coverage <= 1, True)
    stated = parsed(run(apmt, *words, *host, "--coverage", "0.6"))["program_idioms"]["coverage"]
    check("match --coverage", round(stated, 12), 0.6)
    refused = subprocess.run([apmt, *words, "--coverage", "0.6"], capture_output=True, text=True, cwd=folder)
    check("match --coverage without --host", (refused.returncode, "no host is named" in refused.stderr), (2, True))


def c_program_with_libm():
    join, text, _ = joined(sources / "join.c", "mpicc", 6000, "roots")
    check("libm: less than 95 % is joined", join["joined_share"] < 0.95, True)
    check("libm: enough", join["enough"], False)
    check("libm: it is named", any(m["object"].startswith("libm.so") for m in join["missing"]), True)
    check("libm: times add up", abs(sum(m["cpu_s"] for m in join["missing"]) + join["joined_s"] - join["cpu_s"]) < 1e-6,
          True)
    check("libm: the report says so", "Only" in text and "libm.so" in text, True)


def fortran_program():
    rounds, size = 10000, 60000  # large arrays: the OpenMP runtime, which is not analysed, takes little time
    join, _, _ = joined(sources / "join.f90", "mpif90", rounds)
    at_least("Fortran: joined", join["joined_share"], 0.95)
    names = [f["name"] for f in join["functions"]]
    check("Fortran: the module's procedure", "field::work" in names, True)
    check("Fortran: the region", any("_omp_fn" in k for k in kernels_of(join, "field::work")), True)
    at_least("Fortran: the region's operations", flops(join, "field::work") / (ranks * rounds * size), 2)
    check("Fortran: all procedures, wherever gfortran inlined them",
          flops(join, "field::work", "field::work::smooth", "damp_", "main program"),
          ranks * rounds * (2 * size + 3 * (size - 1) + 3 * size))


with tempfile.TemporaryDirectory() as made:
    folder = Path(made)
    c_program()
    c_program_on_another_device()
    c_program_with_libm()
    fortran_program()
    refused = subprocess.run([apmt, "analyze", "--join", "f901", "none.json"], capture_output=True, text=True, cwd=folder)
    check("a missing analysis", (refused.returncode, "no such analysis" in refused.stderr), (2, True))
finish("builds of gcc and gfortran joined with analyses of clang and flang")
