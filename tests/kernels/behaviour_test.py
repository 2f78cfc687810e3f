#!/usr/bin/env python3
"""behaviour_test.py APMT SOURCES NAME: an instrumented program behaves like the same compiler's program without the
pass, and the counts are right, also with threads, processes, signals, exceptions and libraries loaded at run time."""
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from checks import json_of

apmt, sources, name = sys.argv[1], Path(sys.argv[2]) / "programs", sys.argv[3]
failures = 0
environment = dict(os.environ)


def run(*words, **more):
    result = subprocess.run([str(w) for w in words], capture_output=True, text=True, env=environment, **more)
    if result.returncode != 0:
        sys.exit(f"FAILED: {' '.join(map(str, words))}: exit code {result.returncode}\n{result.stdout}{result.stderr}")
    return result.stdout


def check(what, found, wanted):
    global failures
    if found != wanted:
        failures += 1
        print(f"FAILED: {name}: {what}: {found}, not {wanted}")


def analysed(program, *arguments, options=()):
    """The analysis of a program. No files may be left behind."""
    file = folder / "analysis.json"
    run(apmt, "-q", "analyze", *options, "-o", file, "--", *program, *arguments, cwd=folder)
    check("files that were left", sorted(p.name for p in folder.glob(".apmt*")), [])
    return json_of(file)


def built(source, *flags, verb="cc", compiler="clang-19"):
    """The program built without and with the pass."""
    plain, program = folder / "plain", folder / "program"
    run(compiler, "-O2", sources / source, *flags, "-o", plain)
    run(apmt, "analyze", verb, "-O2", sources / source, *flags, "-o", program)
    return plain, program


def same(plain, program, *arguments):
    check("output", run(program, *arguments), run(plain, *arguments))


def kernel(analysis, wanted):
    found = [k for k in analysis["kernels"] if k["name"] == wanted]
    if len(found) != 1:
        sys.exit(f"FAILED: {name}: kernels are {[k['name'] for k in analysis['kernels']]}, not {wanted}")
    return found[0]


def same_mix(program, *arguments):
    """With the analyser `mix` alone, blocks are counted and most kernels write no events. The mix must be the same."""
    alone, beside = [analysed([program], *arguments, options=("--with", w)) for w in ("mix", "mix,footprint")]
    mixes = [[(k["name"], k["invocations"], k["mix"], k["blind_spots"]) for k in a["kernels"]] for a in (alone, beside)]
    check("mix of counted blocks", *mixes)
    check("scopes of counted blocks", alone["scopes"], beside["scopes"])


def of_scope(analysis, function, count):
    return sum(s["mix"][count] for s in analysis["scopes"] if s["function"] == function)


def openmp():
    plain, program = built("openmp.c", "-fopenmp")
    same(plain, program)
    found = kernel(analysed([program]), "scale")
    check("invocations", found["invocations"], 50)
    check("some are skipped", found["followed_invocations"] < 30, True)
    check("threads", found["threads"], 4)
    check("multiplications of all threads", found["mix"]["flops_multiply"], 50 * 4000)
    check("multiplications of the one that is followed", found["floating_point"]["operations"], 50 * 1000)


def threads():
    plain, program = built("threads.c", "-pthread")
    same(plain, program)
    found = kernel(analysed([program]), "prefix_sum")
    same_mix(program)
    check("invocations", found["invocations"], 3)
    check("depth", found["floating_point"]["depth"], 99 + 59 + 99)
    check("trips", [(l["entries"], l["trips"]) for l in found["loops"]], [(3, 99 + 59 + 99)])


def fork():
    plain, program = built("fork.c")
    same(plain, program)
    analysis = analysed([program])
    same_mix(program)
    found = kernel(analysis, "add")
    check("invocations", found["invocations"], 2)
    check("additions", found["mix"]["flops_add"], 150)
    check("additions of the run", of_scope(analysis, "add", "flops_add"), 150)


def cycle():
    """Later invocations of a kernel are skipped, unless --every-invocation is given. With stack distances,
    skipped invocations write events nevertheless. Each counts as a copy of a followed invocation of the same
    size."""
    plain, program = built("cycle.c")
    same(plain, program)
    depth = 1000 * (99 + 49 + 24)
    without_distances = ("--with", "mix,parallelism,synchronisation,footprint")
    for options in (without_distances, (), (*without_distances, "--every-invocation"), ("--every-invocation",)):
        found = kernel(analysed([program], options=options), "prefix_sum")
        check("invocations", found["invocations"], 3000)
        check("multiplications", found["mix"]["flops_multiply"], depth)
        check("depth", found["floating_point"]["depth"], 2 * depth)
        check("trips", [l["trips"] for l in found["loops"]], [depth])
        check("followed", found["followed_invocations"], None if "--every-invocation" in options else 54)


def left_by_jumps(source, **how):
    plain, program = built(source, **how)
    same(plain, program)
    analysers = ("--with", "mix,parallelism,synchronisation")  # so skipped invocations are only counted
    found = [k for k in analysed([program], options=analysers)["kernels"] if "sum_until" in k["name"]]
    same_mix(program)
    check("kernels", len(found), 1)
    check("invocations", found[0]["invocations"], 40)
    check("some are skipped", found[0]["followed_invocations"] < 25, True)
    check("trips", [(l["entries"], l["trips"]) for l in found[0]["loops"]], [(40, 10 * (3 * 11 + 100))])
    check("depth", found[0]["floating_point"]["depth"], 10 * (3 * 10 + 100))


def exceptions():
    left_by_jumps("exceptions.cpp", verb="c++", compiler="clang++-19")


def longjmp():
    left_by_jumps("longjmp.c")


def signals():
    plain, program = built("signals.c")
    same(plain, program)
    analysis = analysed([program])
    found = kernel(analysis, "add")
    same_mix(program)
    check("trips", [l["trips"] for l in found["loops"] if l["function"] == "add"], [1000])
    check("additions", of_scope(analysis, "add", "flops_add"), 1000)
    check("stores of the handler", of_scope(analysis, "handler", "stores"), 80)


def early_signal():
    plain, program = built("early_signal.c", "-pthread")
    same(plain, program)
    analysis = analysed([program])
    check("additions", kernel(analysis, "add")["mix"]["flops_add"], 100)
    check("stores of the handler", of_scope(analysis, "handler", "stores"), 8)


def blind():
    outside = folder / "outside.o"
    run("clang-19", "-O2", "-c", sources / "outside.c", "-o", outside)
    plain, program = built("blind.c", outside, "-lm")
    same(plain, program)
    same_mix(program)
    analysis = analysed([program], options=("--with", "mix,parallelism,synchronisation"))
    spots = {s["callee"]: s["calls"] for s in kernel(analysis, "mixed")["blind_spots"]}
    check("blind spots", spots, {"outside": 50, "cbrt": 50, "": 7})
    moves = kernel(analysis, "moves")
    words = sum(10 + i for i in range(10))  # of eight bytes that are copied in a call
    check("copies and fills", (moves["mix"]["loads"], moves["mix"]["stores"]), (30 * words, 30 * (words + 50)))
    check("copies and fills of its loop", [l["mix"]["stores"] for l in moves["loops"]], [30 * (words + 50)])
    check("some are skipped", moves["followed_invocations"] < 25, True)


def libraries():
    plain, program = built("host.c", "-ldl")
    pair = [folder / "first.so", folder / "second.so"]
    for compiler in (["clang-19"], [apmt, "analyze", "cc"]):
        for library in pair:
            run(*compiler, "-O2", "-shared", "-fPIC", sources / "library.c", "-o", library)
        if compiler[0] == "clang-19":
            wanted = run(plain, *pair)
    check("output", run(program, *pair), wanted)
    analysis = analysed([program], *pair)
    same_mix(program, *pair)
    check("invocations in the host", kernel(analysis, "in_host")["invocations"], 2)
    check("multiplications in the library", kernel(analysis, "in_library")["mix"]["flops_multiply"], 40)


def long_block():
    source = folder / "long.c"
    lines = "\n".join(f"  a[{i}] = 1;" for i in range(40000))
    source.write_text(
        "#include <stdio.h>\nstatic volatile double a[40000];\n"
        "__attribute__((noinline)) static void small(int n) { for (int i = 0; i < n; ++i) a[i] += 2; }\n"
        f"__attribute__((noinline)) static void many(int n) {{ for (int r = 0; r < n; ++r) {{\n{lines}\n}} }}\n"
        'int main(int argc, char** argv) { many(2 * argc); small(10); printf("%g\\n", a[9] + a[39999]); }\n')
    plain, program = folder / "plain", folder / "program"
    run("clang-19", "-O2", source, "-o", plain)
    compiled = subprocess.run([apmt, "analyze", "cc", "-O2", source, "-o", program], capture_output=True, text=True)
    warning = "apmt: warning: many is neither analysed nor counted: it has a block too long for the buffer"
    check("warnings", (compiled.returncode, compiled.stderr.splitlines()), (0, [warning]))
    same(plain, program)
    check("kernels", [k["name"] for k in analysed([program])["kernels"]], ["small"])


def annotations():
    """The user says of loops that they are parallel or sequential, and where the program synchronises."""
    plain, program = built("annotated.c")
    same(plain, program)

    def synchronisation(*options):
        found = kernel(analysed([program], options=("--with", "synchronisation", *options)), "sweep")
        return found["synchronisation"]["by_trip_counts"], [l["because"] for l in found["loops"]]

    check("by the run", synchronisation(), (19, ["memory", ""]))
    check("parallel", synchronisation("--parallel", "annotated.c:8"), (0, ["annotation", ""]))
    check("sequential", synchronisation("--sequential", "annotated.c:9"), (0, ["memory", "annotation"]))
    says = kernel(analysed([program]), "says")
    check("said by the program", (says["synchronisation"]["annotated"], says["blind_spots"]), (3, []))
    check("another order", synchronisation("--sequential", "annotated.c:8", "--parallel", "./annotated.c:9")[0], 19)
    words = [apmt, "analyze", "-o", folder / "a.json", "--parallel", "annotated.c:2", "--", program]
    unused = subprocess.run([str(w) for w in words], capture_output=True, text=True, cwd=folder)
    check("no such loop", (unused.returncode, "--parallel annotated.c:2: no loop that ran in a followed kernel begins there" in unused.stderr),
          (0, True))
    wrong = subprocess.run([apmt, "analyze", "--sequential", "sweep", "--", program], capture_output=True, cwd=folder)
    check("no place", wrong.returncode, 2)
    for options in (("--with", "mix", "--parallel", "annotated.c:8"),
                    ("--sequential", "annotated.c:8", "--parallel", "annotated.c:8")):
        wrong = subprocess.run([apmt, "analyze", *options, "--", program], capture_output=True, cwd=folder)
        check(f"refused: {options}", wrong.returncode, 2)


def build():
    """A Makefile and a CMake project are built unchanged. Flags that only gcc supports, a build tree of another
    compiler, and a module that only gfortran can read are named."""
    for tool in ("make", "cmake", "gfortran"):
        if shutil.which(tool) is None:
            print(f"SKIP: {tool} is not installed")
            sys.exit(77)
    project = folder / "project"
    project.mkdir()
    shutil.copy(sources / "longjmp.c", project)
    (project / "Makefile").write_text("program: longjmp.c\n\tgcc -O2 -fipa-pta longjmp.c -o program\n")
    (project / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.10)\nproject(p C)\nadd_executable(program longjmp.c)\n")

    def build_by(*words):
        done = subprocess.run([apmt, "analyze", "build", "--", *map(str, words)], capture_output=True, text=True, cwd=project)
        return done.returncode, done.stdout + done.stderr

    code, said = build_by("make")
    check("make", code, 0)
    check("the flag that clang does not know", "-fipa-pta" in said, True)
    check("kernels that make built", analysed([project / "program"])["kernels"] != [], True)
    run("cmake", "-B", project / "tree", "-S", project)
    code, said = build_by("cmake", "--build", "tree")
    check("another compiler's tree", (code, "this build tree compiles with" in said), (2, True))
    check("a fresh tree", build_by("cmake", "-B", "fresh")[0], 0)
    check("its build", build_by("cmake", "--build", "fresh")[0], 0)
    check("kernels that CMake built", analysed([project / "fresh" / "program"])["kernels"] != [], True)
    (project / "m.f90").write_text("module m\nend module\n")
    (project / "use.f90").write_text("program p\n  use m\nend program\n")
    run("gfortran", "-c", project / "m.f90", cwd=project)
    refused = subprocess.run([apmt, "analyze", "fc", "-c", "use.f90"], capture_output=True, text=True, cwd=project)
    check("a module of gfortran", (refused.returncode != 0, "gfortran" in refused.stderr), (True, True))


def names():
    """Kernels can be selected by name. With `counts`, blocks are counted and no kernel is followed."""
    _, program = built("exceptions.cpp", verb="c++", compiler="clang++-19")

    def said(*options):
        words = [apmt, "analyze", *options, "-o", folder / "a.json", "--", program]
        result = subprocess.run([str(w) for w in words], capture_output=True, text=True, env=environment, cwd=folder)
        return result.returncode, result.stdout, result.stderr

    code, out, err = said("--kernel", "sum_until(int, int)", "--kernel", "nobody")
    check("exit code", code, 0)
    check("warnings", [line for line in err.splitlines() if "--kernel" in line],
          [line for line in err.splitlines() if "--kernel nobody" in line])
    check("a warning", "--kernel nobody" in err, True)
    code, out, err = said("--with", "counts")
    check("what counts say", "Blocks were counted; no kernel was followed." in out and "sum_until" in out, True)
    check("exit code of counts and a kernel", said("--with", "counts", "--kernel", "sum_until")[0], 2)
    check("exit code of counts and an analyser", said("--with", "counts,mix")[0], 2)
    check("exit code of counts and all invocations", said("--with", "counts", "--every-invocation")[0], 2)


def ranks(wrapper, *launcher):
    program = folder / "ranks"
    for tool in (wrapper, launcher[0]):
        if shutil.which(tool) is None:
            print(f"SKIP: {tool} is not installed")
            sys.exit(77)
    run(apmt, "analyze", "build", "--", wrapper, "-O2", sources / "ranks.c", "-o", program)
    for rank in (0, 1):
        analysis = analysed([*launcher, "2", program], options=("--rank", rank))
        found = kernel(analysis, "add")
        check(f"invocations of rank {rank}", found["invocations"], 3)
        check(f"additions of rank {rank}", found["mix"]["flops_add"], 3000 * (rank + 1))
        exchange = kernel(analysis, "exchange")
        check("calls of MPI", exchange["blind_spots"], [{"callee": "MPI_Allreduce", "calls": 5}])
        check("instructions of MPI", exchange["mix"]["flops"] == 0 and exchange["mix"]["instructions"] < 100, True)
        check("additions of all ranks", of_scope(analysis, "add", "flops_add"), 9000)
    check("output", run(*launcher, "2", program).split(), ["9"])


def openmpi():
    ranks("mpicc.openmpi", "mpirun.openmpi", "-np")


def mpich():
    ranks("mpicc.mpich", "mpiexec.mpich", "-n")


def ended():
    """If a signal ends the command, the same signal ends apmt, which leaves no folder."""
    environment["TMPDIR"] = str(folder)
    for words in (["--"], ["build", "--"]):
        ending = subprocess.run([apmt, "analyze", *words, "sh", "-c", "kill -TERM $PPID; exec sleep 60"], env=environment,
                                capture_output=True, cwd=folder, timeout=50)
        check(f"end of {words[0]}", ending.returncode, -15)
        check(f"what {words[0]} left", [p.name for p in folder.iterdir()], [])


for tool in ("clang-19", "clang++-19"):
    if shutil.which(tool) is None:
        print(f"SKIP: {tool} is not installed (apt-get install clang-19)")
        sys.exit(77)
with tempfile.TemporaryDirectory() as temporary:
    folder = Path(temporary)
    globals()[name]()
print("failed" if failures else f"{name}: as without the pass, and counted as it ran")
sys.exit(1 if failures else 0)
