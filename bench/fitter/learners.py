#!/usr/bin/env python3
"""Predicts the published series (../series) with other kinds of learners. A learner learns the mean slope of
ln T over ln P (T: time, P: process count) from the largest of three known process counts to each larger count. It then
predicts data on which it was not trained: either a whole code is left out, or a single series (then the training data
contain the same code on other machines). The argument names a set, as for `apmt_bench_fitter series`. Without
scikit-learn this script prints SKIP."""
import math
import statistics
import sys

try:
    import numpy as np
    from sklearn.ensemble import GradientBoostingRegressor, RandomForestRegressor
    from sklearn.linear_model import QuantileRegressor, Ridge
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
except ImportError:
    print("SKIP: scikit-learn is not installed")
    sys.exit(0)

from published import FARTHEST, TRAINED, series


LEARNERS = {
    "random forest": lambda: RandomForestRegressor(200, min_samples_leaf=5, random_state=1),
    "boosted trees": lambda: GradientBoostingRegressor(loss="absolute_error", subsample=0.7, random_state=1),
    "ridge": lambda: make_pipeline(StandardScaler(), Ridge(10)),
    "median regression": lambda: make_pipeline(StandardScaler(), QuantileRegressor(alpha=0.02, solver="highs")),
}


def rows(wanted):
    for name, points in series(wanted).items():
        l = [math.log(procs / points[TRAINED - 1][0]) for procs, _ in points]
        y = [math.log(time_s / points[TRAINED - 1][1]) for _, time_s in points]
        first, last = (y[1] - y[0]) / (l[1] - l[0]), y[1] / l[1]
        for ahead, truth in zip(l[TRAINED:], y[TRAINED:]):
            if ahead <= math.log(FARTHEST) * (1 + 1e-12):
                shape = [last, last - first, ahead, ahead * (1 + last), ahead * (last - first)]
                counts = [math.log(points[TRAINED - 1][0]), ahead * math.log(points[TRAINED - 1][0]), -l[0]]
                yield name, shape, counts, ahead, truth


def main():
    names, shapes, counts, ahead, truth = (list(column) for column in zip(*rows(sys.argv[1] if len(sys.argv) > 1 else "all")))
    names, ahead, truth = np.array(names), np.array(ahead), np.array(truth)
    codes = np.array([name.split()[0] for name in names])
    print("| left out | learner | trained on | mean error % | median % | worst % |\n|---|---|---|---|---|---|")
    for left_out, groups in (("a code", codes), ("a series", names)):
        for learner, make in LEARNERS.items():
            for told, x in (("slopes", np.array(shapes)), ("slopes and counts", np.hstack([shapes, counts]))):
                said = np.empty(len(truth))
                for group in np.unique(groups):
                    asked = groups == group
                    model = make().fit(x[~asked], (truth / ahead)[~asked])
                    said[asked] = model.predict(x[asked]) * ahead[asked]
                errors = sorted(100 * abs(math.expm1(d)) for d in said - truth)
                print(f"| {left_out} | {learner} | {told} | {statistics.mean(errors):.1f} | {statistics.median(errors):.1f} "
                      f"| {errors[-1]:.0f} |", flush=True)


if __name__ == "__main__":
    main()
