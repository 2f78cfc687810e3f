"""Reads the published series of ../series, as published.h does."""
import collections
import csv
import pathlib

# Models are fitted to the TRAINED smallest process counts of a series, and predict up to FARTHEST times the
# largest of these.
TRAINED, FARTHEST = 3, 16


def series(wanted="all"):
    """The series of the sets whose names contain `wanted`, or of all sets, as {name: [(procs, seconds), ...]}."""
    found = collections.defaultdict(list)
    with (pathlib.Path(__file__).parent.parent / "series" / "series.csv").open() as file:
        for row in csv.DictReader(file):
            if wanted == "all" or wanted in row["set"]:
                found[row["series"]].append((int(row["procs"]), float(row["time_s"])))
    return found
