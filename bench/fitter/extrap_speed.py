#!/usr/bin/env python3
"""Measures how long Extra-P takes to fit the series that apmt_bench_fitter speed FILE has just fitted.

    extrap_speed.py FILE [SERIES]

FILE was written by that benchmark, in Extra-P's text format. Only the first SERIES series are fitted and timed [1200];
reading is not timed. Without Extra-P (pip install extrap) this script prints SKIP.
"""
import sys
import time
import warnings

try:
    from extrap.entities.callpath import Callpath
    from extrap.entities.coordinate import Coordinate
    from extrap.entities.measurement import Measurement
    from extrap.entities.metric import Metric
    from extrap.modelers.single_parameter.basic import SingleParameterModeler
except ImportError as error:
    print(f"| Extra-P on the same input | SKIP: {error} |")
    sys.exit(0)

warnings.filterwarnings("ignore")
points, series, region, metric = [], [], "", ""
with open(sys.argv[1]) as lines:
    for line in lines:
        word, _, rest = line.strip().partition(" ")
        if word == "POINTS":
            points += [float(x.strip("() ")) for x in rest.split()
                       if x.strip("() ")]
        elif word == "REGION":
            region = rest
        elif word == "METRIC":
            metric = rest
        elif word == "DATA":
            if not series or len(series[-1][2]) == len(points):
                series.append((region, metric, []))
            series[-1][2].append([float(x) for x in rest.split()])

timed = series[:int(sys.argv[2]) if len(sys.argv) > 2 else 1200]
modeler = SingleParameterModeler()
start = time.perf_counter()
for region, metric, data in timed:
    modeler.create_model([Measurement(Coordinate(p), Callpath(region), Metric(metric), values)
                          for p, values in zip(points, data)])
seconds = time.perf_counter() - start
print(f"| Extra-P, laws of {len(timed)} of the same {len(series)} series | {seconds:.2f} s |")
print(f"| Extra-P, a law | {1000 * seconds / len(timed):.2f} ms |")
