"""The published series of ../series, as published.h reads them."""
import collections
import csv
import pathlib

TRAINED, FARTHEST = 3, 16  # the smallest counts of each; times the largest of these is the last that is asked


def series(wanted="all"):
    """{name: [(procs, seconds), ...]} of the sets that have `wanted` in their names, or of all."""
    found = collections.defaultdict(list)
    with (pathlib.Path(__file__).parent.parent / "series" / "series.csv").open() as file:
        for row in csv.DictReader(file):
            if wanted == "all" or wanted in row["set"]:
                found[row["series"]].append((int(row["procs"]), float(row["time_s"])))
    return found
