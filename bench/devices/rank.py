#!/usr/bin/env python3
"""rank.py APMT ANALYSES DATA CARDS: ranks the 15 devices of DATA (configs/learned/aiwc.csv) for each analysed kernel
by the times that `apmt match` predicts from the CARDS (a folder), and compares the chosen device, its probability and
the ranking with the published times. Prints Markdown tables."""
import csv
import json
import math
import re
import subprocess
import sys
import tempfile
from itertools import product
from pathlib import Path

apmt, analyses, data, cards = sys.argv[1], *map(Path, sys.argv[2:5])


def published():
    """Times by application, size and kernel, and the kinds of the devices."""
    lines = data.read_text().splitlines()
    head = json.loads("\n".join(line[2:] for line in lines if line.startswith("#")))
    rows = csv.DictReader(line for line in lines if not line.startswith("#"))
    times = {(row["application"], row["input"], row["kernel"]):
             {name.partition(":")[2]: float(value) for name, value in row.items() if name.startswith("time_s:") and value}
             for row in rows}
    return times, {device["name"]: device["kind"] for device in head["devices"]}


def card_label(device):
    """The name of a device's card. It is that of the device, except that the data misspell one Xeon."""
    return device.replace("xeon_es-2697v2", "xeon-e5-2697v2")


times, kinds = published()
devices = list(kinds)
names = {card_label(device): device for device in devices}


def cards_without(application, folder):
    """Writes the cards as they would be if this application had not been published: the cost of a launch on a card is the
    shortest published time of a kernel, and the application that is predicted must not be the source of it."""
    for device in devices:
        others = min(seconds[device] for key, seconds in times.items() if key[0] != application and device in seconds)
        name = f"{card_label(device)}.yaml"
        text, count = re.subn(r"(?m)^launch_s: {value: [^,]*", f"launch_s: {{value: {others:.3g}", (cards / name).read_text())
        if count != 1:
            sys.exit(f"{name} has no launch_s")
        (folder / name).write_text(text)


def predicted(file, folder, *more):
    options = [word for device in devices for word in ("--device", folder / f"{card_label(device)}.yaml")]
    text = subprocess.run([apmt, "-q", "match", file, *options, *more, "--json"], check=True, capture_output=True).stdout
    for kernel in json.loads(text)["kernels"]:
        yield kernel["name"], {names[p["device"]]: p for p in kernel["predictions"] if p["time"]}


def figure(device, *path):
    """A figure of a card; None if it is not published."""
    text = subprocess.run([apmt, "-q", "calibrate", "--show", cards / f"{card_label(device)}.yaml", "--json"], check=True,
                          capture_output=True).stdout
    value = json.loads(text)
    for name in path:
        value = (value or {}).get(name)
    return value["value"] if value else None


bandwidth = {d: figure(d, "slow_bytes_per_s") for d in devices}
peak = {d: figure(d, "rates", "single", "peak", "all") for d in devices}

def predictions(*options):
    """The predictions by application, size and kernel, and by device."""
    found = {}
    for file in sorted(analyses.glob("*-*.json")):
        application, _, size = file.stem.rpartition("-")
        with tempfile.TemporaryDirectory() as folder:
            cards_without(application, Path(folder))
            for kernel, on in predicted(file, Path(folder), *options):
                if (application, size, kernel) in times and on:
                    found[application, size, kernel] = on
    return found


def part(name):
    """The seconds of a part of the predicted time, by cell and device."""
    return {cell: {device: p["time"][name] for device, p in on.items()} for cell, on in first.items()}


first = predictions()
cells, launches = part("total_s"), part("launch_s")
if not cells:
    sys.exit("no kernel of the analyses is in the data")
applications = sorted({cell[0] for cell in cells})


def mean(values):
    values = list(values)
    return sum(values) / len(values)


def over_cells(value):
    return mean(value(cell) for cell in cells)


def over_applications(value):
    return mean(mean(value(cell) for cell in cells if cell[0] == a) for a in applications)


def slow_down(cell, device):
    return times[cell][device] / min(times[cell].values())


def ranks(values):
    """Ranks from 1; equal values get the mean of their ranks."""
    order = sorted(values)
    return [mean(i + 1 for i, other in enumerate(order) if other == value) for value in values]


def spearman(a, b):
    a, b = ranks(a), ranks(b)
    ma, mb = mean(a), mean(b)
    spread = math.sqrt(sum((x - ma) ** 2 for x in a) * sum((y - mb) ** 2 for y in b))
    return sum((x - ma) * (y - mb) for x, y in zip(a, b)) / spread if spread else 0


def chooser(score):
    """Chooses the device with the least score, of those that have one."""
    return lambda cell: min((s, d) for d, s in score(cell).items() if s is not None)[1]


def from_card(figures):
    return lambda cell: {d: -value if value else None for d, value in figures.items()}


best_on_average = min(devices, key=lambda d: over_cells(lambda cell: math.log(slow_down(cell, d))))
scores = {
    "apmt match": lambda cell: cells[cell],
    "apmt match without launches": lambda cell: {d: s - launches[cell][d] for d, s in cells[cell].items()},
    "the cost of a launch alone": lambda cell: launches[cell],
    "the highest bandwidth of memory": from_card(bandwidth),
    "the highest peak, single precision": from_card(peak),
    f"always {best_on_average}, the best on average here": None,
    "always gtx1080, the best on average of all published sizes": None,
    "a device at random": None,
}

print(f"{len(cells)} kernels and sizes of {len(applications)} applications; "
      f"{len(next(iter(cells.values())))} of {len(devices)} devices have enough figures for a prediction.\n")
print("| choice of the device | slow-down, geometric mean over kernels | the same, applications weighted alike | "
      "chose the fastest | rank correlation | the same, applications weighted alike |")
print("|---|---:|---:|---:|---:|---:|")
for name, score in scores.items():
    if score:
        choose = chooser(score)
    elif name.startswith("always"):
        always = name.split()[1].rstrip(",")

        def choose(cell):
            return always
    else:
        choose = None

    def log_slow_down(cell):
        if choose:
            return math.log(slow_down(cell, choose(cell)))
        return mean(math.log(slow_down(cell, d)) for d in devices)

    def is_fastest(cell):
        return float(slow_down(cell, choose(cell)) == 1) if choose else 1 / len(devices)

    def correlation(cell):
        known = [d for d, s in score(cell).items() if s is not None]
        return spearman([score(cell)[d] for d in known], [times[cell][d] for d in known])

    columns = [f"{math.exp(over_cells(log_slow_down)):.2f}", f"{math.exp(over_applications(log_slow_down)):.2f}",
               f"{100 * over_cells(is_fastest):.0f} %"]
    columns += [f"{over_cells(correlation):.2f}", f"{over_applications(correlation):.2f}"] if score else ["", ""]
    print(f"| {name} | {' | '.join(columns)} |")

print("\n| application | kernels and sizes | slow-down of the chosen device | rank correlation |")
print("|---|---:|---:|---:|")
choose = chooser(lambda cell: cells[cell])
for application in applications:
    own = [cell for cell in cells if cell[0] == application]
    print(f"| {application} | {len(own)} | "
          f"{math.exp(mean(math.log(slow_down(cell, choose(cell))) for cell in own)):.2f} | "
          f"{mean(spearman([cells[cell][d] for d in cells[cell]], [times[cell][d] for d in cells[cell]]) for cell in own):.2f} |")

print("\n| CPU | GPU | GPU faster | the more frequent answer is right | apmt match is right |")
print("|---|---|---:|---:|---:|")
timed = set.intersection(*(set(seconds) for seconds in cells.values()))
pairs = [pair for pair in product(devices, devices)
         if kinds[pair[0]] == "cpu" and kinds[pair[1]] == "gpu" and timed.issuperset(pair)]
shares = []
for cpu, gpu in pairs:
    is_gpu = over_cells(lambda cell: float(times[cell][gpu] < times[cell][cpu]))
    right = over_cells(lambda cell: float((times[cell][gpu] < times[cell][cpu]) == (cells[cell][gpu] < cells[cell][cpu])))
    shares.append((is_gpu, max(is_gpu, 1 - is_gpu), right))
    print(f"| {cpu} | {gpu} | {100 * is_gpu:.0f} % | {100 * shares[-1][1]:.0f} % | {100 * right:.0f} % |")
print(f"| mean of {len(pairs)} pairs | | " + " | ".join(f"{100 * mean(column):.0f} %" for column in zip(*shares)) + " |")

print("\n| CPU or GPU | predicted over measured, median | from | to |")
print("|---|---:|---:|---:|")
for device in sorted(timed):
    ratios = sorted(cells[cell][device] / times[cell][device] for cell in cells)
    print(f"| {device} | {ratios[len(ratios) // 2]:.2g} | {ratios[0]:.2g} | {ratios[-1]:.2g} |")

def probabilities(scatter):
    """The probabilities of the devices by cell."""
    found = predictions("--scatter", str(scatter))
    return {cell: {device: p["probability"] for device, p in on.items()} for cell, on in found.items()}


scatters = (0.1, 0.14, 0.2, 0.28, 0.4, 0.56, 0.8)
by_scatter = {scatter: probabilities(scatter) for scatter in scatters}


def log_score(scatter, application):
    """The mean of ln(probability of the device that is the fastest); a probability is taken to be 0.01 % at least."""
    cells_of = [cell for cell in cells if cell[0] == application]
    return mean(math.log(max(1e-4, by_scatter[scatter][cell][min(cells[cell], key=times[cell].get)])) for cell in cells_of)


def best_scatter(of):
    """The scatter with the best score in some applications, which are weighted alike."""
    return max(scatters, key=lambda scatter: mean(log_score(scatter, application) for application in of))


print("\n| scatter | " + " | ".join(applications) + " | all |")
print("|---" + "|---:" * (len(applications) + 1) + "|")
for scatter in scatters:
    row = [log_score(scatter, application) for application in applications]
    print(f"| {scatter} | " + " | ".join(f"{score:.2f}" for score in [*row, mean(row)]) + " |")
without = {a: best_scatter([other for other in applications if other != a]) for a in applications}
print("| best in the others | " + " | ".join(str(without[a]) for a in applications) + " | |")
stated = {cell: by_scatter[without[cell[0]]][cell] for cell in cells}


def is_within(cell, device, factor):
    return times[cell][device] <= factor * min(times[cell][d] for d in stated[cell])


def calibration(groups, of_cell):
    """Stated probabilities against how often they came true; of_cell gives the devices that count."""
    print("|---|---:|---:|---:|---:|")
    for name, low, high in groups:
        group = [(cell, d) for cell in stated for d in of_cell(cell) if low <= stated[cell][d] < high]
        if group:
            figures = [mean(stated[cell][d] for cell, d in group)]
            figures += [mean(float(is_within(cell, d, factor)) for cell, d in group) for factor in (1, 1.1)]
            print(f"| {name} | {len(group)} | " + " | ".join(f"{100 * x:.0f} %" for x in figures) + " |")


print("\n| probability of the named device | kernels | mean probability | was the fastest | within 10 % of the fastest |")
calibration([("below 30 %", 0, 0.3), ("30 to 40 %", 0.3, 0.4), ("above 40 %", 0.4, 2), ("all", 0, 2)],
            lambda cell: [max(stated[cell], key=stated[cell].get)])
print("\n| probability of any device | kernels and devices | mean probability | was the fastest | within 10 % of the fastest |")
calibration([("below 5 %", 0, 0.05), ("5 to 20 %", 0.05, 0.2), ("20 to 30 %", 0.2, 0.3), ("above 30 %", 0.3, 2)],
            lambda cell: list(stated[cell]))
