#!/usr/bin/env python3
"""Predicts the published series (../series) with Extra-P, under the same rule that `apmt_bench_fitter series`
uses for apmt: models are made from the three smallest process counts and predict every other one up to 16
times the largest of these three.

    extrap_series.py [SET]

Extra-P's functions grow, but in strong scaling the time falls. So Extra-P is tried with the time as it is and, as its
authors do for strong scaling, with the time multiplied by the process count. Negative predictions are not corrected.
Without Extra-P (pip install extrap) this script prints SKIP. """
import collections
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

from published import FARTHEST, TRAINED, series

warnings.filterwarnings("ignore")
wanted = sys.argv[1] if len(sys.argv) > 1 else "all"

print("| set | method | points | mean error % | median % | worst % | mean of codes % |\n|---|---|---|---|---|---|---|")
for name, power in (("time", 0), ("time times processes", 1)):
    errors, of_codes = [], collections.defaultdict(list)
    for label, points in series(wanted).items():
        ahead = [(p, t) for p, t in points[TRAINED:] if p <= FARTHEST * points[TRAINED - 1][0]]
        if not ahead:
            continue
        model = SingleParameterModeler().create_model(
            [Measurement(Coordinate(float(p)), Callpath("main"), Metric("time"), [t * p**power])
             for p, t in points[:TRAINED]])
        found = [abs(model.hypothesis.function.evaluate(float(p)) / p**power / t - 1) for p, t in ahead]
        errors += found
        of_codes[label.split()[0]].append(sum(found) / len(found))
    errors.sort()
    codes = [sum(v) / len(v) for v in of_codes.values()]
    print(f"| {wanted} | Extra-P, {name} | {len(errors)} | {100 * sum(errors) / len(errors):.1f} |"
          f" {100 * errors[len(errors) // 2]:.1f} | {100 * errors[-1]:.0f} | {100 * sum(codes) / len(codes):.1f} |")
