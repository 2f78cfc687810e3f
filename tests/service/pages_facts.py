"""Without scripts, the pages of an application must show all their facts: what they say is compared with what the
interface for programs returns. (pages_versions.py does the same for versions and machines.)"""

import json
import re

from browser import expect_range_shown, expect_shown, read_pages
from server import Server, expect, planted_runs, profiles

server = Server("anonymous_reading: true\n")
keeper = server.token("keeper")
server.start()
# Counts per second of a kernel's CPU time. By these counts, sweep waits for memory most of the time, and
# serial does not.
SUMS = ("unit_per_sample", "total", "mean", "min", "max")
COUNTED = {"sweep": {"instructions": 5e8, "acc_mm": 1e7}, "serial": {"instructions": 2e9, "acc_mm": 1e4}}


def push(folder, *words):
    """Pushes planted runs, as if instructions and memory accesses had been counted too."""
    for path in profiles(planted_runs(folder, *words)):
        with open(path, encoding="utf-8") as file:
            profile = json.load(file)
        profile["grade"] = "A"
        profile["config"]["frequency_hz"] = 2e9
        for kernel in profile["kernels"]:
            cpu = kernel["counters"]["cpu_s"]
            for metric, per_second in COUNTED[kernel["name"]].items():
                of_time = {name: per_second * cpu[name] for name in SUMS if cpu.get(name) is not None}
                kernel["counters"][metric] = {**cpu, **of_time}
        status, body = server.ask("POST", "/api/v1/runs", keeper, json.dumps(profile))
        expect(status == 201, body)
    server.wait_for_fits(keeper)


# Later runs take a little longer than predicted: a repetition, a count between the fitted ones, and two extrapolations.
push("first", "2,4,8", "planted", "v1")
push("again", "4", "planted", "v1", 2, 1.02)
push("between", "6", "planted", "v1", 1, 1.03)
push("twice", "16", "planted", "v1", 1, 1.04)
push("four_times", "64", "planted", "v1", 1, 1.05)
push("alone", "4", "lonely", "v1")  # a single process count is not enough for a model
# How pages say what bounds a time.
BOUNDS = {"compute": "computation", "memory": "memory", "others": "off CPU, start, end"}
RANGES = {"repeats of a fitted point", "new points up to the largest fitted count",
          "1 to 2 times the largest fitted count", "2 to 4 times the largest fitted count"}


def check_list(page, applications):
    rows = page.rows("Every application")
    expect(len(rows) == len(applications) == 2, rows)
    for row, application in zip(rows, applications, strict=True):
        for what in ("name", "machine", "version", "runs"):
            shown = row["application" if what == "name" else what]
            expect(shown == str(application[what]), f"{what} of {application}: {row}")
        expect([int(count) for count in re.findall(r"\d+", row["processes"])] == application["procs"], row)
        expect(page.links[application["name"]] == f"/applications/{application['id']}", page.links)
        model, attempt = application["model"], application["newest_attempt"]
        if not model:
            expect(row["state"] == f"no model yet; {attempt['message']}" and attempt["message"], row)
            continue
        expect(row["state"] == f"model {model['number']} of {model['made_at']}", row)
        # The curve's text alternative states the measured time at the fewest processes and the predicted time
        # at the most.
        times = re.findall(r"([\d.]+ \w+) at (\d+)", row["time over processes"])
        expect(len(times) == 2 and times[0][1] == "2" and int(times[1][1]) > 64, row)
        at = f"/api/v1/applications/{application['id']}"
        expect_shown(times[0][0], server.json(at + "/runs", keeper)[0]["elapsed_s"], "the first point of the curve")
        predicted = server.json(f"{at}/predict?procs={times[1][1]}", keeper)
        expect_shown(times[1][0], predicted["time_s"], "the last point of the curve")


def check_record(page, record):
    """The track record on a page: observed and claimed coverage, and errors, by factor; and every comparison."""
    rows = page.rows("Predictions by how far")
    expect({row["prediction"] for row in rows} == RANGES and len(rows) == len(record["groups"]), rows)
    for row, group in zip(rows, record["groups"], strict=True):
        expect(int(row["number"]) == group["forecasts"], row)
        for column in ("claimed coverage", "observed coverage", "median error"):
            expect_shown(row[column], group[column.replace(" ", "_")], f"{column} of {row['prediction']}")
        expect_shown(row["largest error"], group["worst_error"], f"largest error of {row['prediction']}")
        if group["kind"] == "extrapolation":
            expect(row["prediction"].startswith(f"{group['factor_above']:g} to {group['factor_up_to']:g} times"), row)
    expect(any(group["worst_error"] > 0.01 for group in record["groups"]), "no prediction was wrong")
    rows = page.rows("Predictions made before the runs")
    expect(len(rows) == len(record["forecasts"]) >= 4, rows)
    for row, forecast in zip(rows, record["forecasts"], strict=True):
        expect(row["made at"] == forecast["made_at"] and int(row["processes"]) == forecast["procs"], row)
        expect_shown(row["factor"], forecast["factor"], row)
        expect_shown(row["predicted"], forecast["predicted_s"], row)
        expect_range_shown(row["interval"], forecast["low_s"], forecast["high_s"], row)
        expect_shown(row["measured"], forecast["measured_s"], row)
        expect_shown(row["error"], forecast["predicted_s"] / forecast["measured_s"] - 1, row)
        expect(row["inside"] == ("yes" if forecast["covered"] else "no"), row)


def check_application(page, application):
    page.says(application["machine"], application["version"], f"model {application['model']['number']} of")
    expect("/applications/1/report" in page.links.values(), page.links)
    runs = server.json("/api/v1/applications/1/runs", keeper)
    rows = page.rows("Runs")
    expect(len(rows) == len(runs) == application["runs"], rows)
    for row, run in zip(rows, runs, strict=True):
        expect(row["run"] == run["id"][:12] and int(row["processes"]) == run["procs"], row)
        expect(row["started at"] == run["started_at"] and row["received at"] == run["received_at"], row)
        expect(row["sizes"] == "n 1024", row)
        expect_shown(row["elapsed"], run["elapsed_s"], row)
    models = server.json("/api/v1/applications/1/models", keeper)
    rows = page.rows("Models")
    expect(len(rows) == len(models) > 1, rows)
    for row, model in zip(rows, models, strict=True):
        expect(int(row["number"]) == model["number"] and row["made at"] == model["made_at"], row)
        expect(row["state"] == "good" and int(row["largest count"]) == model["max_procs"], row)


def check_report(page, application):
    predictions = page.rows("Prediction")
    for row in predictions:
        predicted = server.json(f"/api/v1/applications/1/predict?procs={row['processes']}", keeper)
        expect_shown(row["time"], predicted["time_s"], row)
        expect_range_shown(row["80 % interval"], predicted["low_s"], predicted["high_s"], row)
        expect(row["bound by"] == BOUNDS[predicted["bound"]], f"{row} {predicted['bound']}")
    farthest = max(int(row["processes"]) for row in predictions)
    expect(farthest > max(application["procs"]), predictions)
    page.says(f"At {farthest} processes expect ")

    # The curve has the interval and a mark for each process count that was measured.
    curve = page.drawings[0]
    expect(curve["words"].startswith("Time against the number of processes") and "interval" in page.text, curve)
    expect(curve["marks"].count("band") == 1 and curve["marks"].count("line predicted") == 1, curve["marks"])
    expect(curve["marks"].count("measured") == len(application["procs"]), curve["marks"])

    predicted = server.json(f"/api/v1/applications/1/predict?procs={farthest}", keeper)
    kernels = {kernel["name"]: kernel for kernel in predicted["kernels"]}
    rows = page.rows(f"Kernels by their cost at {farthest} processes")
    expect(len(rows) == len(kernels) and set(kernels) >= {"sweep", "serial"}, rows)
    for row in rows:
        kernel = kernels[row["kernel"].split()[0]]
        expect_shown(row[f"time at {farthest}"], kernel["time_s"], row)
        expect_range_shown(row["80 % interval"], kernel["low_s"], kernel["high_s"], row)
        expect(row["bound by"].split()[0] == BOUNDS[kernel["bound"]], f"{row} {kernel['bound']}")
    expect({kernel["bound"] for kernel in kernels.values()} >= {"memory", "compute"}, kernels)
    expect("What if" not in page.text, "scripts ran")


applications = server.json("/api/v1/applications", keeper)
list_page, application_page, report, record_page = read_pages(server, "/", "/applications/1", "/applications/1/report",
                                                              "/track-record")
check_list(list_page, applications)
check_application(application_page, applications[0])
check_record(application_page, server.json("/api/v1/applications/1/track-record", keeper))
check_report(report, applications[0])
check_record(record_page, server.json("/api/v1/track-record", keeper))
record_page.says("planted, version v1 on planted CPU")
for page in (list_page, application_page, record_page):
    for words, target in page.links.items():
        expect(server.ask("GET", target)[0] == 200, f"{page.path}: the link '{words}' leads nowhere")
expect(server.stop() == 0, "the server did not stop well")
