#!/usr/bin/env python3
"""Predicts the published series (../series) with Extra-P, under the same rule that `apmt_bench_fitter series`
uses for apmt: models are made from the smallest process counts and predict every other one up to 16 times the
largest of these. Prints a line "method,series,procs,seconds" for each prediction, for `apmt_bench_fitter series`.

    extrap_series.py [SET [COUNTS]] >FILE && apmt_bench_fitter series SET COUNTS FILE

Extra-P's functions grow, but in strong scaling the time falls. So Extra-P is tried with the time as it is, with the time
and its option for negative exponents, and, as its authors do for strong scaling, with the time multiplied by the process
count. Negative predictions are not corrected. Without Extra-P (pip install extrap) this script prints SKIP. """
import sys
import warnings

try:
    from extrap.entities.callpath import Callpath
    from extrap.entities.coordinate import Coordinate
    from extrap.entities.measurement import Measurement
    from extrap.entities.metric import Metric
    from extrap.modelers.single_parameter.basic import SingleParameterModeler
except ImportError as error:
    print(f"SKIP: Extra-P: {error}", file=sys.stderr)
    sys.exit(0)

from published import FARTHEST, TRAINED, series

warnings.filterwarnings("ignore")
wanted = sys.argv[1] if len(sys.argv) > 1 else "all"
trained = int(sys.argv[2]) if len(sys.argv) > 2 else TRAINED


def modeler(allow_negative_exponents):
    made = SingleParameterModeler()
    made.allow_negative_exponents = allow_negative_exponents
    return made


for name, power, negative in (("time", 0, False), ("time with negative exponents", 0, True),
                              ("time times processes", 1, False)):
    for label, points in series(wanted).items():
        ahead = [p for p, _ in points[trained:] if p <= FARTHEST * points[trained - 1][0]]
        if not ahead:
            continue
        model = modeler(negative).create_model(
            [Measurement(Coordinate(float(p)), Callpath("main"), Metric("time"), [t * p**power])
             for p, t in points[:trained]])
        for p in ahead:
            print(f"Extra-P ({name}),{label},{p},{float(model.hypothesis.function.evaluate(float(p)) / p**power)!r}")
