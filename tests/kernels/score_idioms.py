#!/usr/bin/env python3
"""score_idioms.py LABELS ANALYSIS...: compares the idioms that analyses found with labels made by hand (labels/idioms.tsv).
A loop is compared if it ran and its file has labels; each of its idioms is right, missing or extra. A loop without a
label counts as labelled "none". File names are compared without their folders. Fails if the precision is below 0.9, the
recall below 0.8, or a matrix-matrix product was found where none is."""
import csv
import json
import sys
from collections import Counter


def read_labels(path):
    labels = {}
    with open(path) as file:
        for row in csv.reader((line for line in file if not line.startswith("#")), delimiter="\t"):
            name, line, idioms = row
            labels[tuple(name.split("/")[-1:]), int(line)] = set(idioms.split(",")) - {"none"}
    return labels


def read_loops(paths):
    loops = {}
    for path in paths:
        with open(path) as file:
            analysis = json.load(file)
        for kernel in analysis["kernels"]:
            for loop in kernel["loops"]:
                key = tuple(loop["file"].split("/")[-1:]), loop["line"]
                loops.setdefault(key, set()).update(idiom["idiom"] for idiom in loop["idioms"])
    return loops


def share(part, whole):
    return f"{part / whole:.3f}" if whole else "-"


labels, loops = read_labels(sys.argv[1]), read_loops(sys.argv[2:])
files = {file for file, _ in labels}
right, missing, extra = Counter(), Counter(), Counter()
same = compared = 0
for key, found in sorted(loops.items()):
    if key[0] not in files:
        continue
    wanted = labels.get(key, set())
    compared += 1
    same += found == wanted
    right.update(found & wanted)
    missing.update(wanted - found)
    extra.update(found - wanted)
    if found != wanted:
        print(f"{'/'.join(key[0])}:{key[1]}: found {', '.join(sorted(found)) or 'none'};"
              f" labelled {', '.join(sorted(wanted)) or 'none'}")
print(f"{'idiom':24}{'right':>7}{'missing':>9}{'extra':>7}{'precision':>11}{'recall':>8}")
for idiom in sorted(right | missing | extra) + ["all"]:
    of = (lambda c: c.total()) if idiom == "all" else (lambda c: c[idiom])
    r, m, e = of(right), of(missing), of(extra)
    print(f"{idiom:24}{r:7}{m:9}{e:7}{share(r, r + e):>11}{share(r, r + m):>8}")
print(f"{same} of {compared} loops have exactly the idioms of their labels")
all_right = right.total()
if all_right < 0.9 * (all_right + extra.total()) or all_right < 0.8 * (all_right + missing.total()):
    sys.exit("FAILED: the precision must be at least 0.9, and the recall at least 0.8")
if extra["matrix-matrix product"]:
    sys.exit("FAILED: a matrix-matrix product was found where none is")
