#!/usr/bin/env python3
"""table.py DIR: prints a Markdown table of the results that series.sh left in DIR: each prediction beside the
measured run, and the errors of the reference models fitted to the same runs. If extrap_points.py has written
DIR/peers.csv (series,procs,predicted_s), a further column has the errors of Extra-P's predictions. A second table
compares the models: their errors are first averaged over the points of each series, then over the series. For series
with two predicted counts, a model is also fitted to four counts, and its prediction of the largest count compared with
the measured time."""
import csv
import json
import math
import pathlib
import statistics
import subprocess
import sys
import tempfile


def percent(error):
    return f"{100 * error:+.1f} %" if abs(error) < 10 else f"{1 + error:.0f} x"


def interval_score(whole):
    """The interval score of an 80 % interval of ln(time): its width plus ten times the distance of a value outside."""
    low, high, seen = (math.log(max(whole[key], 1e-300)) for key in ("low_s", "high_s", "measured_s"))
    return high - low + 10 * max(low - seen, 0) + 10 * max(seen - high, 0)


def of_four_counts(folder):
    """Compares models of four counts (those of the series and the first predicted one) with the runs at larger counts.
    Returns the points by series."""
    series = []
    for file in sorted(folder.glob("*.json")):
        counts = sorted(point["procs"] for point in json.loads(file.read_text()) if not point["was_fitted"])
        if len(counts) < 2:
            continue
        with tempfile.TemporaryDirectory() as four:
            runs = list((folder / file.stem).glob("apmt-*"))
            runs += (folder / f"{file.stem}.large").glob(f"apmt-*.p{counts[0]}.*")
            for run in runs:
                (pathlib.Path(four) / run.name).symlink_to(run.resolve())
            subprocess.run(["apmt", "-qq", "fit", four, "--same-program"], check=True, capture_output=True)
            shown = subprocess.run(["apmt", "-q", "validate", folder / f"{file.stem}.large", "--model", four,
                                    "--same-program", "--json"], check=True, capture_output=True, text=True).stdout
            series.append([point for point in json.loads(shown) if point["procs"] > counts[0]])
    return series


def print_four_counts(series):
    points = [max(of, key=lambda point: point["procs"]) for of in series]
    wholes = [point["whole"] for point in points]
    kernels = [kernel["covered"] for point in points for kernel in point["kernels"] if kernel["covered"] is not None]
    if not wholes:
        return
    print(f"\nWith models of four counts, {sum(whole['covered'] for whole in wholes)} of the {len(wholes)} total times are "
          f"inside their intervals, and {100 * statistics.mean(kernels):.0f} % of the {len(kernels)} kernel times. Mean error "
          f"{100 * statistics.mean(abs(whole['error']) for whole in wholes):.1f} %, interval score "
          f"{statistics.mean(map(interval_score, wholes)):.3f}.")
    wholes = [point["whole"] for of in series for point in of]
    errors = [100 * abs(whole["error"]) for whole in wholes]
    print(f"\nAt all larger counts, they hold {sum(whole['covered'] for whole in wholes)} of {len(wholes)} times. Mean error of "
          f"these points {statistics.mean(errors):.1f} %, median {statistics.median(errors):.1f} %, interval score "
          f"{statistics.mean(map(interval_score, wholes)):.3f}.")


def print_counts(points):
    """How near the predicted numbers of MPI calls and bytes are, all processes together."""
    counts = [operation[what] for point in points for operation in point["operations"] for what in ("calls", "bytes")]
    counts = [count for count in counts if count["predicted"] and count["measured"]]
    off = [(abs(math.log(count["predicted"] / count["measured"])), count["covered"]) for count in counts
           if abs(count["error"]) > 1e-3]
    if off:
        print(f"\nOf the {len(counts)} numbers of MPI calls and of bytes, {len(counts) - len(off)} are predicted to 0.1 %. The "
              f"others differ by a factor of {math.exp(statistics.median(e for e, _ in off)):.2f} in the median and by a factor of "
              f"{math.exp(statistics.mean(e for e, _ in off)):.2f} in the geometric mean; {sum(inside for _, inside in off)} of "
              f"these {len(off)} are between the smallest and the largest likely law.")


def print_waiting(points):
    """How often waiting differs by more than a half, where it is at least 5 % of the time: what configs/priors.yaml says
    about unseen changes comes from such counts, by models without them."""
    ratios = []
    for point in points:
        waiting = point["parts"].get("comm_wait_s")
        least_s = 0.05 * point["whole"]["measured_s"]
        if waiting and max(waiting["measured_s"], waiting["predicted_s"]) >= least_s and waiting["predicted_s"] >= 0.1 * least_s:
            ratios.append(waiting["measured_s"] / waiting["predicted_s"])
    if ratios:
        longer = [ratio for ratio in ratios if ratio > 1.5]
        print(f"\nWaiting takes at least 5 % of the time at {len(ratios)} points. It is more than 1.5 times the predicted time at "
              f"{len(longer)} of them" + (f" (in the median {statistics.median(longer):.1f} times)" if longer else "") +
              f", and less than 2/3 of it at {sum(ratio < 2 / 3 for ratio in ratios)}.")


def main():
    folder = pathlib.Path(sys.argv[1])
    peers = {}
    if (folder / "peers.csv").exists():
        for row in csv.reader((folder / "peers.csv").open()):
            peers[row[0], int(row[1])] = float(row[2])
    names = ["analytical", "empirical", "power law"] + (["Extra-P"] if peers else [])
    print("| series | learned from | at | times | measured | predicted | 80 % interval | inside | apmt | " + " | ".join(names) + " |")
    print("|---|---|---:|---:|---:|---:|---|---|---:|" + "---:|" * len(names))
    errors = {name: {} for name in ["apmt"] + names}
    inside = []
    scores = []
    kernels = []
    predicted = []
    for file in sorted(folder.glob("*.json")):
        learned = sorted({int(run.name.split(".p")[-1].split(".")[0]) for run in (folder / file.stem).glob("*.p*.r*")})
        for point in json.loads(file.read_text()):
            whole = point["whole"]
            if point["was_fitted"] or not whole:
                continue
            of = dict(point["baseline_errors"], apmt=whole["error"])
            if peers:
                of["Extra-P"] = peers[file.stem, point["procs"]] / whole["measured_s"] - 1
            for name in errors:
                errors[name].setdefault(file.stem, []).append(abs(of[name]))
            inside.append(whole["covered"])
            predicted.append(point)
            kernels += [kernel["covered"] for kernel in point["kernels"] if kernel["covered"] is not None]
            scores.append(interval_score(whole))
            print(f"| {file.stem} | {', '.join(map(str, learned))} | {point['procs']} | {point['extrapolation_factor']:.3g} "
                  f"| {1e3 * whole['measured_s']:.1f} ms | {1e3 * whole['predicted_s']:.1f} ms "
                  f"| {1e3 * whole['low_s']:.0f} to {1e3 * whole['high_s']:.0f} ms | {'yes' if whole['covered'] else 'no'} "
                  f"| {percent(whole['error'])} | " + " | ".join(percent(of[name]) for name in names) + " |")
    mean = {name: {series: statistics.mean(list_) for series, list_ in of.items()} for name, of in errors.items()}
    print("\n| model | mean error | median | worst point | closer than apmt, series |")
    print("|---|---:|---:|---:|---:|")
    for name, of in mean.items():
        better = sum(of[series] < mean["apmt"][series] for series in of)
        worst = max(max(list_) for list_ in errors[name].values())
        print(f"| {name} | {100 * statistics.mean(of.values()):.1f} % | {100 * statistics.median(of.values()):.1f} % "
              f"| {100 * worst:.0f} % | {'' if name == 'apmt' else f'{better} of {len(of)}'} |")
    print(f"\nThe 80 % interval held {sum(inside)} of {len(inside)} points. Interval score (ln T): {statistics.mean(scores):.3f}.")
    if kernels:
        print(f"\nThe intervals of kernels held {100 * statistics.mean(kernels):.0f} % of {len(kernels)} times.")
    print_counts(predicted)
    print_waiting(predicted)
    print_four_counts(of_four_counts(folder))
    sys.stdout.flush()
    subprocess.run([pathlib.Path(__file__).resolve().parent.parent / "measured.sh", "simgrid", "--",
                    "bench/virtual/table.py", "DIR"], check=True)


if __name__ == "__main__":
    main()
