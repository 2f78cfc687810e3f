"""summary.py LINES TABLE: summarises validations of learned models. The file LINES contains the output of several calls
of `apmt learn validate --json`, one after the other. Writes all results as one CSV table to TABLE, without duplicates,
and prints a summary in Markdown."""

import csv
import json
import statistics
import sys

lines, table = sys.argv[1:]
rows, seen = [], set()
with open(lines, encoding="utf-8") as file:
    text, decoder, at = file.read(), json.JSONDecoder(), 0
while at < len(text.rstrip()):
    part, at = decoder.raw_decode(text, at)
    while at < len(text) and text[at].isspace():
        at += 1
    for row in part:
        key = (row["question"], row["split"], row["method"])
        if key not in seen:
            seen.add(key)
            rows.append(row)

columns = ["question", "split", "method", "runs", "leaks", "accuracy", "accuracy_low", "accuracy_high",
           "majority_accuracy", "slow_down", "brier", "base_brier", "mean_error", "median_error", "unknown"]
with open(table, "w", encoding="utf-8", newline="") as file:
    out = csv.writer(file, lineterminator="\n")
    out.writerow(columns)
    for row in rows:
        out.writerow([f"{row[c]:.4g}" if isinstance(row[c], float) else "" if row[c] is None else row[c]
                      for c in columns])

methods = ["nnge", "svm", "forest", "neighbour", "majority", "best-mean", "bandwidth"]
names = {"one-application": "one application", "two-applications": "two applications", "one-run": "one run"}


def known(split, method, wanted):
    return [r for r in rows if r["split"] == split and r["method"] == method and not r["unknown"] and wanted(r)]


def shown(values, form):
    return form.format(*values) if values else "-"


def span(values):
    percent = sorted(100 * v for v in values)
    return f"{statistics.median(percent):.0f} ({percent[0]:.0f} to {percent[-1]:.0f})" if percent else "-"


def header(title, first):
    print(f"\n{title}\n\n| {first} | {' | '.join(methods)} |\n|---|{'---:|' * len(methods)}")


for split in names:
    header(f"Speed-up above T, {names[split]} left out: percent right, median over devices (least to most)", "T")
    for t in "12345":
        cells = [span([r["accuracy"] for r in known(split, m, lambda r: r["question"].endswith(f"> {t}"))])
                 for m in methods]
        print(f"| {t} | {' | '.join(cells)} |")
    print("\nOf these questions, those with a Brier score below the base rate's:", ", ".join(
        f"{m} {sum(r['brier'] < r['base_brier'] for r in hits)} of {len(hits)}" for m in methods[:4]
        for hits in [known(split, m, lambda r: " > " in r["question"])]) + ".")

header("The best device: percent right; slow-down over the best device", "question, left out")
for question in dict.fromkeys(r["question"] for r in rows if r["question"].startswith("best of")):
    title = question if question.count(",") < 3 else "best of all 15"
    for split in names:
        cells = [shown([(100 * r["accuracy"], r["slow_down"]) for r in known(split, m, lambda r: r["question"] == question)],
                       "{0[0]:.0f}; {0[1]:.2f}") for m in methods]
        print(f"| {title}, {names[split]} | {' | '.join(cells)} |")

header("Times: mean error in percent; median error; medians over devices", "left out")
for split in names:
    cells = []
    for m in methods:
        hits = known(split, m, lambda r: r["mean_error"] is not None)
        cells.append(f"{100 * statistics.median(r['mean_error'] for r in hits):.0f}; "
                     f"{100 * statistics.median(r['median_error'] for r in hits):.0f}" if hits else "-")
    print(f"| {names[split]} | {' | '.join(cells)} |")
