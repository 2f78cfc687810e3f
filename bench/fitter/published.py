"""The published series of ../series, as published.h reads them."""
import collections
import csv
import pathlib

# A model is made from this number of smallest counts of a series; the largest predicted count may exceed the
# largest of these by this factor.
TRAINED, FARTHEST = 3, 16


def series(wanted="all"):
    """{name: [(procs, seconds), ...]} of the sets whose names contain `wanted`, or of all sets."""
    found = collections.defaultdict(list)
    with (pathlib.Path(__file__).parent.parent / "series" / "series.csv").open() as file:
        for row in csv.DictReader(file):
            if wanted == "all" or wanted in row["set"]:
                found[row["series"]].append((int(row["procs"]), float(row["time_s"])))
    return found
