#!/usr/bin/env python3
"""extrap_points.py DIR: predicts the runs in DIR (see series.sh) with Extra-P, from the same process counts as apmt, and writes
the predictions to DIR/peers.csv, which table.py reads. Extra-P is tried with four settings: models of the time, and of
the time multiplied by the process count, each with and without negative exponents. The setting with the smallest mean
error is written. Without Extra-P (pip install extrap), this script prints SKIP."""
import csv
import itertools
import json
import pathlib
import statistics
import subprocess
import sys
import warnings

try:
    from extrap.entities.callpath import Callpath
    from extrap.entities.coordinate import Coordinate
    from extrap.entities.measurement import Measurement
    from extrap.entities.metric import Metric
    from extrap.modelers.single_parameter.basic import SingleParameterModeler
except ImportError as error:
    print(f"SKIP: Extra-P: {error}")
    sys.exit(0)

warnings.filterwarnings("ignore")
folder = pathlib.Path(sys.argv[1])


def elapsed(experiment):
    """The elapsed times of an experiment's runs, by process count."""
    times = {}
    shown = subprocess.run(["apmt", "export", experiment, "--total", "--same-program"], check=True, capture_output=True,
                           text=True).stdout
    for line in map(json.loads, shown.splitlines()):
        times.setdefault(int(line["params"]["p"]), []).append(line["value"])
    return times


def predictions(power, negative):
    """The predictions by series and process count, for models of the time multiplied by procs**power."""
    modeler = SingleParameterModeler()
    modeler.allow_negative_exponents = negative
    modeler.min_measurement_points = 3
    found = {}
    for file in sorted(folder.glob("*.json")):
        model = modeler.create_model([
            Measurement(Coordinate(float(procs)), Callpath("main"), Metric("time"), [t * procs**power for t in times])
            for procs, times in sorted(elapsed(folder / file.stem).items())])
        for point in json.loads(file.read_text()):
            procs = point["procs"]
            time_s = model.hypothesis.function.evaluate(float(procs)) / procs**power
            found[file.stem, procs] = (time_s, abs(time_s / point["whole"]["measured_s"] - 1))
    return found


def mean_error(found):
    """The mean error. It is averaged over the points of each series first, as in table.py."""
    of_series = itertools.groupby(found.items(), key=lambda item: item[0][0])
    return statistics.mean(statistics.mean(error for _, (_, error) in items) for _, items in of_series)


tried = {}
for power, negative in itertools.product((0, 1), (False, True)):
    name = f"{'time times processes' if power else 'time'}, {'with' if negative else 'without'} negative exponents"
    tried[name] = predictions(power, negative)
    print(f"{name}: mean error {100 * mean_error(tried[name]):.1f} %")
best = min(tried, key=lambda name: mean_error(tried[name]))
with (folder / "peers.csv").open("w", newline="", encoding="utf-8") as file:
    csv.writer(file).writerows([series, procs, time_s] for (series, procs), (time_s, _) in tried[best].items())
print(f"{folder / 'peers.csv'}: {best}")
