#!/usr/bin/env bash
# formats_test.sh APMT PLANTED_MODEL: checks that the outputs of `apmt report` agree: the terminal must show the
# sentences and titles of the JSON, and the CSV must have the figures of the JSON to the last digit, with the same
# sources. Skipped where python3 is not installed.
set -euo pipefail
command -v python3 >/dev/null || { echo "SKIPPED: python3 is not installed"; exit 77; }
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
folder=$(mktemp -d)
trap '"$here/../keep_json.sh" "$folder"; rm -rf "$folder"' EXIT
cd "$folder"
"$2" model.json
"$1" report model.json --procs 16,256 >report.txt
"$1" report model.json --procs 16,256 --json >report.json
"$1" report model.json --procs 16,256 --csv report.csv --html report.html
python3 - <<'PYTHON'
import csv
import json
import sys

report = json.load(open("report.json"))
failures = []


def expect(what, holds):
    if not holds:
        failures.append(what)


expect("its format", (report["format"], report["format_version"]) == ("apmt-report", "1.0"))
page = open("report.html").read()
expect("the model in the command of the page", '"model":"model.json"' in page and "table.model" in page)
text = " ".join(open("report.txt").read().split())
for sentence in [report["headline"], *report["reasons"], *report["warnings"]]:
    expect("in the terminal: " + sentence, " ".join(sentence.split()) in text)
for section in report["sections"]:
    expect("a title in the terminal: " + section["title"], section["title"] in text)

figures = {}
for section in report["sections"]:
    for table in section["tables"]:
        key = table["columns"][0]["id"]
        for number, row in enumerate(table["rows"], 1):
            for column, cell in row["cells"].items():
                if cell is None or column == key:
                    continue
                for field, suffix in (("value", ""), ("low", "_low"), ("high", "_high")):
                    if field in cell:
                        figures[table["id"], str(number), column + suffix] = (cell[field], cell["source"])
lines = [line for line in csv.DictReader(open("report.csv")) if line["unit"]]
expect("some figures", len(lines) > 50)
expect(f"as many figures: {len(lines)} and {len(figures)}", len(lines) == len(figures))
for line in lines:
    value, source = figures.get((line["table"], line["row"], line["quantity"]), (None, None))
    expect(f"{line}: JSON says {value}, {source}", value == float(line["value"]) and source == line["source"])
sources = {source for _, source in figures.values()}
expect(f"sources: {sources}", sources >= {"measured", "fitted", "extrapolated", "derived"})
for failure in failures[:10]:
    print("FAILED: " + failure)
print(f"{len(figures)} figures, sources {sorted(sources)}")
sys.exit(1 if failures else 0)
PYTHON
