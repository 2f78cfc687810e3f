#!/usr/bin/env python3
"""cost.py APMT SOURCES [--elements N] [--matrix M] [--program NAME BUILD RUN]...: by which factor each
analyser of apmt analyze slows down the known kernels of tests/kernels/suite.c, and how much memory it takes.
The kernels are compiled by clang-19 -O2, without and with the instrumentation of apmt analyze; the factor is
the ratio of CPU times. Each kernel is called again and again for half a second, as in real programs, so apmt
skips later invocations; in the last two columns, it follows every invocation. --program adds a program. The
shell command BUILD builds it twice, by the compilers $CC, $CXX and $FC (clang-19, flang-19; then apmt
analyze), as the file $OUT; in the command RUN, {out} is this file. Figures, not pass or fail."""
import argparse
import json
import os
import resource
import shlex
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

KERNELS = """copy triad dot stencil5 stencil27 transpose gather scatter histogram lu product_ijk product_ikj
matrix_vector sparse prefix_sum jacobi gauss_seidel bitonic wavefront reduction_tree chase""".split()
# What is measured, the value of --with, and the limit for the slow-down (a factor).
MODES = [
    ("counters alone", "counts", 1.5),
    ("instruction mix", "mix", 10),
    ("parallelism", "parallelism", 10),
    ("all operations", "all-operations", 10),
    ("synchronisation", "synchronisation", 10),
    ("AIWC", "aiwc", 10),
    ("footprint", "footprint", 10),
    ("all but stack distances", "mix,parallelism,all-operations,synchronisation,aiwc,footprint", 25),
    ("stack distances, sampled", "sampled-stack-distances", 15),
    ("stack distances, exact", "stack-distances", 100),
]


def output_of(*words, **environment):
    done = subprocess.run(
        [str(word) for word in words], capture_output=True, text=True, env={**os.environ, **environment}
    )
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, words))}: exit code {done.returncode}\n{done.stderr}")
    return done.stdout


def cpu_s_of(words):
    """CPU seconds of a command with all its processes."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    output_of(*words)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def memory_bytes(value):
    """The memory that the analysers report in an analysis; of several kernels, that of the largest."""
    if isinstance(value, list):
        return max(map(memory_bytes, value), default=0)
    if not isinstance(value, dict):
        return 0
    own = sum(value.get(name, 0) for name in ("memory_bytes", "shadow_bytes"))
    parts = [memory_bytes(part) for part in value.values()]
    return own + (max(parts, default=0) if "kernels" in value else sum(parts))


# The plain build calls a kernel until it has used PROGRAM_S seconds of CPU time, or EACH_S if the analysis
# follows every invocation. The analysed build makes as many calls; with EACH_S, it stops earlier if it has
# used MOST_EACH_S.
PROGRAM_S, EACH_S, MOST_EACH_S, NO_LIMIT_S = 0.5, 0.02, 0.3, 1e9


class Bench:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.plain = {}  # by name and seconds: invocations and CPU seconds of one; by name: CPU seconds of a program
        source = options.sources.resolve() / "bench" / "kernels" / "cost.c"
        flags = ["-O2", "-I", options.sources, source, "-lm", "-o"]
        output_of("clang-19", *flags, folder / "plain")
        output_of(options.apmt, "analyze", "cc", *flags, folder / "analysed")

    def analyze(self, analysers, *more):
        file = self.folder / "analysis.json"
        return file, [self.options.apmt, "-q", "analyze", "--with", analysers, "-o", file, *more, "--"]

    def factor_of_kernel(self, kernel, analysers, is_each=False):
        sizes = [kernel, str(self.options.elements), str(self.options.matrix)]
        seconds = EACH_S if is_each else PROGRAM_S
        if (kernel, seconds) not in self.plain:
            self.plain[kernel, seconds] = self.measured(output_of(self.folder / "plain", *sizes, seconds))
        invocations, plain_s = self.plain[kernel, seconds]
        more = [] if analysers == "counts" else ["--kernel", kernel] + ["--every-invocation"] * is_each
        file, command = self.analyze(analysers, *more)
        most_s = MOST_EACH_S if is_each else NO_LIMIT_S
        printed = output_of(*command, self.folder / "analysed", *sizes, most_s, invocations)
        # The report of apmt follows what the program prints.
        _, analysed_s = self.measured(printed.splitlines()[0])
        return analysed_s / plain_s, memory_bytes(json.loads(file.read_text()))

    @staticmethod
    def measured(text):
        invocations, seconds = text.split()
        return int(invocations), float(seconds)

    def build(self, name, build):
        apmt = self.options.apmt.resolve()
        for kind, cc, cxx, fc in (
            ("plain", "clang-19", "clang++-19", "flang-new-19"),
            ("analysed", *(f"{apmt} -q analyze {tool}" for tool in ("cc", "c++", "fc"))),
        ):
            output_of("sh", "-c", build, CC=cc, CXX=cxx, FC=fc, OUT=str(self.folder / f"{name}.{kind}"))

    def factor_of_program(self, program, analysers):
        name, build, run = program
        if name not in self.plain:
            self.build(name, build)
            # The mean of several runs, because one run takes less than a second.
            plain = shlex.split(run.format(out=self.folder / f"{name}.plain"))
            self.plain[name] = statistics.mean(cpu_s_of(plain) for _ in range(5))
        file, command = self.analyze(analysers)
        analysed = shlex.split(run.format(out=self.folder / f"{name}.analysed"))
        return cpu_s_of([*command, *analysed]) / self.plain[name], memory_bytes(json.loads(file.read_text()))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("apmt", type=Path)
    parser.add_argument("sources", type=Path)
    parser.add_argument("--elements", type=int, default=1_000_000)
    parser.add_argument("--matrix", type=int, default=128)
    parser.add_argument("--each", action="store_true", help="also print the factor of each kernel")
    parser.add_argument("--only", nargs="+", metavar="ANALYSERS", help="measure only these rows of the table")
    parser.add_argument("--program", nargs=3, action="append", default=[], metavar=("NAME", "BUILD", "RUN"))
    options = parser.parse_args()
    names = [program[0] for program in options.program]
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(options, Path(folder))
        heads = ["analysers", "limit", "median", "least", "most", "memory, most", *names, "each: median", "each: most"]
        print("| " + " | ".join(heads) + " |")
        print("|---|" + "---:|" * (len(heads) - 1))
        for what, analysers, limit in MODES:
            if options.only and what not in options.only:
                continue
            found = [bench.factor_of_kernel(kernel, analysers) for kernel in KERNELS]
            programs = [bench.factor_of_program(program, analysers) for program in options.program]
            factors = [factor for factor, _ in found]
            every = factors + [factor for factor, _ in programs]
            most = max(memory for _, memory in found + programs)
            cells = [what, f"{limit:g}", f"{statistics.median(every):.2f}", f"{min(factors):.2f}", f"{max(factors):.2f}"]
            cells += [f"{most / 2**20:.0f} MiB"] + [f"{factor:.2f}" for factor, _ in programs]
            each = [bench.factor_of_kernel(kernel, analysers, is_each=True)[0] for kernel in KERNELS]
            cells += [f"{statistics.median(each):.2f}", f"{max(each):.2f}"]
            print("| " + " | ".join(cells) + " |", flush=True)
            if options.each:
                print("  " + ", ".join(f"{kernel} {factor:.1f}" for kernel, factor in zip(KERNELS, factors)), flush=True)


main()
