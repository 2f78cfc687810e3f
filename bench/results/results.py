#!/usr/bin/env python3
"""results.py [--check]: writes docs/results.md from the tables in bench/*/README.md, one table for each promise that
apmt makes.

Every measured figure is taken from a row or a line of these files, which name the command that printed it. Only the
promises, the machines and figures from publications are written in this script.
--check compares docs/results.md with the text instead of writing it. It ignores the date and commit of a table's last
change, because a commit cannot contain its own name.
"""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
TARGET = ROOT / "docs" / "results.md"


def source(name):
    return (ROOT / "bench" / name / "README.md").read_text(encoding="utf-8")


def cells(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def table_after(text, *heads):
    """The head and the rows of the first table whose head begins with these cells."""
    lines = text.splitlines()
    for at, line in enumerate(lines):
        if line.startswith("|") and cells(line)[: len(heads)] == list(heads):
            rows = []
            for row in lines[at + 2:]:
                if not row.startswith("|"):
                    break
                rows.append(cells(row))
            return cells(line), rows
    raise SystemExit(f"no table that begins with {heads}")


def lines_like(text, pattern):
    found = re.findall(pattern, text, re.M)
    if not found:
        raise SystemExit(f"no line like {pattern}")
    return found


def markdown(heads, rows, left=1):
    rule = ["---"] * left + ["---:"] * (len(heads) - left)
    return "\n".join("| " + " | ".join(row) + " |" for row in [heads, rule, *rows])


def changed(name):
    """The date and commit of the last change of the table, as words; says so outside a repository."""
    path = f"bench/{name}/README.md"
    run = subprocess.run(["git", "-C", str(ROOT), "log", "-1", "--format=%cs, commit %h", "--", path],
                         capture_output=True, text=True, check=False)
    return run.stdout.strip() or "not known outside the repository"


def foot(name, command, machine):
    return (f"Machine: {machine}. Command: `{command}`. Table changed: {changed(name)}. "
            f"More: [bench/{name}](../bench/{name}/README.md).")


def wrapped(text, width=108):
    lines = [""]
    for word in text.split(" "):
        if lines[-1] and len(lines[-1]) + 1 + len(word) > width:
            lines.append(word)
        else:
            lines[-1] += (" " if lines[-1] else "") + word
    return "\n".join(lines)


def overhead():
    first = source("overhead").split("```")[1]  # later tables compare recorders, and single programs
    rows = [[name, f"{programs}", f"{median} %", f"{largest} %"] for name, programs, median, largest in lines_like(
        first, r"^(\w+) +median of (\d+) programs ([\d.]+)%, largest ([\d.]+)%$")]
    rows.append(["the paper, hardware counters", "", "3 %", ""])
    return [
        "Promise: recording costs about 1 % of the CPU time, as the smallest profilers do.",
        markdown(["profiler", "programs", "median", "largest"], rows),
        foot("overhead", "bench/overhead/run.sh", "two cores of a virtual x86-64 server, nothing else running")]


def calls():
    heads, rows = table_after(source("shim"), "call")
    kept = [row for row in rows if len(row) == len(heads)]
    limit = 60
    above = [row[0] for row in kept if max(float(row[3]), float(row[6])) >= limit]
    return [
        f"Promise: an MPI call takes under {limit} ns longer. Rows that name several calls give their mean. "
        + (f"Not kept by: {', '.join(above)}." if above else "Kept by all."),
        markdown(["call", "Open MPI alone (ns)", "added", "MPICH alone (ns)", "added"],
                 [[row[0], row[1], row[3], row[4], row[6]] for row in kept]),
        foot("shim", "cmake --build DIR --target bench_shim_openmpi bench_shim_mpich",
             "two cores of a virtual x86-64 server, with other work running")]


def sampling():
    heads, rows = table_after(source("accuracy"), "beside", "ranks")
    return [
        "Promise: samples find all of the computation (1.00 of the planted time).",
        markdown(heads, rows),
        foot("accuracy", "./run bench accuracy", "two cores of a virtual x86-64 server, load 8 to 13")]


def communication():
    text = source("peers")
    rows = [row for row in (cells(line) for line in text.splitlines() if line.startswith("| "))
            if len(row) == 7 and row[0] not in ("program", "---")]
    same = sum(1 for row in rows if row[3] in ("the same", row[2]))
    reasons = {}
    for row in rows:
        if row[6]:
            reasons[row[6]] = reasons.get(row[6], 0) + 1
    table = [["rows of a program's operations", str(len(rows))], ["calls are the same", str(same)],
             ["bytes are the same", str(sum(1 for row in rows if row[5] == "the same"))]]
    table += [[f"bytes differ: {reason}", str(count)] for reason, count in sorted(reasons.items())]
    return [
        "Promise: every MPI call is counted once, with its bytes. Compared with mpiP, which shares no code.",
        markdown(["", "rows"], table),
        foot("peers", "bench/peers/run.sh", "NAS class W, LULESH, miniFE on 4 ranks; Open MPI 4.1.4, MPICH 4.0.2")]


def predictions():
    text = source("virtual")
    _, rows = table_after(text, "model", "mean error")
    inside = lines_like(text, r"^The 80 % interval held (\d+ of \d+) points")[0]
    rows.append(["the paper, its own codes", "15 %", "", "", ""])
    rows.append(["Barnes et al. (ICS 2008), regression", "", "6 to 17 %", "", ""])
    return [
        "Promise: predictions of real programs at process counts that were not profiled are closer than those "
        "of other models of the same runs, and intervals have the stated coverage. NAS, miniFE, LULESH and CoMD, "
        f"at 3.4 to 16 times the largest profiled count. {inside} points lie inside the 80 % interval. The "
        "figures of the papers are for other programs and factors.",
        markdown(["model", "mean error", "median", "worst point", "closer than apmt, series"], rows),
        foot("virtual", "bench/virtual/series.sh DIR <LIST && bench/virtual/table.py DIR",
             "a simulated cluster on two cores of a virtual x86-64 server")]


def planted():
    heads, rows = table_after(source("fitter"), "campaign", "factor")
    wanted = ["strong, 1 % noise", "strong, 5 % noise", "strong, 10 % noise", "weak, 5 % noise",
              "strong, 5 % noise, instructions", "strong, total only, 5 % noise"]
    places = [heads.index(name) for name in ("campaign", "factor", "n", "median error %", "oracle's",
                                             "90th percentile %", "coverage of 80 %")]
    kept = [[row[place] for place in places] for row in rows if row[0] in wanted and row[1] in ("4", "16", "32")]
    return [
        "Programs with known laws. The oracle knows the form of every law, and fits it to the measured times alone.",
        markdown(["campaign", "factor", "programs", "median error %", "oracle's", "90th percentile %",
                  "inside 80 % interval"], kept),
        foot("fitter", "apmt_bench_fitter accuracy 250 1", "none needed, the times are calculated from known laws")]


def verdicts():
    heads, rows = table_after(source("verdicts"), "program", "kernel", "known")
    return ["Promise: without hardware counters, `apmt` names what bounds a kernel, with its probability.",
            markdown(heads, rows, left=4),
            foot("verdicts", "./run bench verdicts", "two cores of a shared virtual machine")]


def speed():
    heads, rows = table_after(source("fitter"), "what", "figure")
    return ["Promise: a fit takes seconds, a prediction a fraction of a second.", markdown(heads, rows),
            foot("fitter", "apmt_bench_fitter speed INPUT && extrap_speed.py INPUT",
                 "one thread on two cores of a shared virtual machine")]


def scale():
    heads, rows = table_after(source("virtual"), "ranks", "recordings")
    return ["Promise: recordings and profiles stay small and are read quickly, at any number of ranks.",
            markdown(heads, rows, left=0),
            foot("virtual", "bench/virtual/scale.sh 1024", "a simulated cluster on two cores")]


PARTS = [("Overhead of whole runs", overhead), ("Overhead of an MPI call", calls),
         ("Accuracy of sampling", sampling), ("Exactness of communication", communication),
         ("Predictions of real programs", predictions), ("Predictions of planted programs", planted),
         ("Known verdicts", verdicts), ("Speed of the fitter", speed), ("A thousand ranks", scale)]


def document():
    text = ("# Results\n\n" + wrapped(
        "One table for each promise: what was measured of `apmt`, compared with its peers and with the paper "
        "where figures of these were measured or published. `./run bench results` writes this page from the "
        "tables in [bench](../bench), each of which names the command that printed it. Results that are worse "
        "than those of a peer are shown, too.") + "\n")
    for title, make in PARTS:
        first, table, last = make()
        text += f"\n## {title}\n\n{wrapped(first)}\n\n{table}\n\n{wrapped(last)}\n"
    return text


def without_commits(text):
    """The text without commits and dates; on one line, because their length determines the line breaks."""
    text = re.sub(r"Table\s+changed:\s+.*?\.\s+More:", "More:", text, flags=re.S)
    return re.sub(r"\s+", " ", text)


def main():
    text = document()
    if sys.argv[1:] == ["--check"]:
        if not TARGET.exists() or without_commits(TARGET.read_text(encoding="utf-8")) != without_commits(text):
            raise SystemExit("docs/results.md is not what bench/results/results.py writes: ./run bench results")
        return
    TARGET.write_text(text, encoding="utf-8")
    print(f"{TARGET.relative_to(ROOT)} written")


main()
