"""load.py APMT PLANTED_RUNS SECONDS STORE: measures `apmt serve` under load and prints one table. STORE is sqlite or
postgresql. See README.md."""

import concurrent.futures
import json
import os
import secrets
import sqlite3
import statistics
import subprocess
import sys
import time
import zlib

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "tests", "service"))
from server import POSTGRESQL, Server, expect, in_folder, planted_runs, profiles  # noqa: E402  (found by the line above)

SECONDS = int(sys.argv[3])
MODELS = 100
PUSHES_PER_S = 20
APPLICATIONS, RUNS_EACH = 1000, 100


def row(what, result, limit):
    print(f"| {what} | {result} | {limit} |", flush=True)


def push(server, token, text, name):
    status, body = server.ask("POST", f"/api/v1/runs?name={name}", token, zlib.compress(text.encode()),
                              {"Content-Encoding": "deflate"})
    expect(status in (200, 201), f"a push ended with status {status}: {body[:200]}")


def percentile(values, share):
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def predictions():
    """Random predictions of MODELS models by 16 connections that send without a pause."""
    server = Server(store="predictions.db").start()
    token = server.token("keeper")
    texts = [open(file, encoding="utf-8").read() for file in profiles(planted_runs("few", "2,4,8"))]
    for application in range(MODELS):
        for text in texts:
            # Each application has a command of its own: otherwise all applications would have the same runs.
            push(server, token, json.dumps(dict(json.loads(text), command=f"./app{application}")), f"app{application}")
    ids = [str(each["id"]) for each in server.wait_for_fits(token)]
    expect(len(ids) == MODELS, f"{len(ids)} applications")
    script = os.path.join(HERE, "predictions.lua")
    done = subprocess.run(["wrk", "-t1", "-c16", f"-d{SECONDS}s", "-s", script, server.url],
                          env=dict(os.environ, APMT_TOKEN=token, IDS=",".join(ids)), capture_output=True, text=True)
    result = next((line for line in done.stdout.splitlines() if line.startswith("RESULT")), None)
    expect(result, f"wrk failed: {done.stdout}{done.stderr}")
    requests, took_us, median_us, late_us, errors = map(int, result.split()[1:])
    expect(errors == 0, f"{errors} of {requests} predictions failed")
    row(f"predictions a second, {MODELS} models, random process counts", f"{requests / took_us * 1e6:.0f}", "2000")
    row("time of a prediction, median", f"{median_us / 1e3:.1f} ms", "-")
    row("time of a prediction, 99th percentile", f"{late_us / 1e3:.1f} ms", "20 ms")
    server.stop()


def pushes():
    """Pushes of profiles of 1,024 ranks at a fixed rate; the server fits them meanwhile."""
    server = Server(store="pushes.db").start()
    token = server.token("keeper")
    with open(profiles(planted_runs("many", "1024"))[0], encoding="utf-8") as file:
        pattern = json.load(file)
    texts = [json.dumps(dict(pattern, command=f"./app {number}")) for number in range(PUSHES_PER_S * SECONDS)]
    begun = time.monotonic() + 0.5

    def one(number):
        due = begun + number / PUSHES_PER_S
        time.sleep(max(0.0, due - time.monotonic()))
        push(server, token, texts[number], f"app{number % 10}")
        return time.monotonic() - due

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        times = list(pool.map(one, range(len(texts))))
    took = max(time.monotonic() - begun, len(texts) / PUSHES_PER_S)
    row(f"pushes a second, profiles of 1,024 ranks ({len(texts[0]) / 1e6:.1f} MB)", f"{len(texts) / took:.1f}",
        str(PUSHES_PER_S))
    row("time until a push is acknowledged, median", f"{statistics.median(times) * 1e3:.0f} ms", "-")
    row("time until a push is acknowledged, 99th percentile", f"{percentile(times, 0.99) * 1e3:.0f} ms", "-")
    server.stop()


def fill(file):
    """Copies the one application of a store, until there are APPLICATIONS with RUNS_EACH runs and forecasts each."""
    store = sqlite3.connect(file)

    def columns(table, *without):
        return ", ".join(each[1] for each in store.execute(f"PRAGMA table_info({table})") if each[1] not in without)

    runs = columns("runs", "number", "id", "application")
    models = columns("models", "id", "application")
    forecast = ("INSERT INTO forecasts(run, application, model, made_at, procs, params, factor, is_repeat, confidence, "
                "elapsed_s, predicted_s, low_s, high_s, measured_s, is_covered, note) "
                "SELECT ?, ?, ?, made_at, 32, '{}', 4, 0, 0.8, 1, 1.1, 0.9, 1.3, 1, 1, '' FROM models WHERE id = 1")
    for application in range(1, APPLICATIONS + 1):
        model = 1
        if application > 1:
            store.execute("INSERT INTO applications(id, name, machine, version, change, fitted_change) "
                          "SELECT ?, ?, machine, version, change, fitted_change FROM applications WHERE id = 1",
                          (application, f"application-{application}"))
            model = store.execute(f"INSERT INTO models(application, {models}) SELECT ?, {models} FROM models "
                                  "WHERE id = 1", (application,)).lastrowid
        for _ in range(RUNS_EACH - (3 if application == 1 else 0)):
            run = store.execute(f"INSERT INTO runs(id, application, {runs}) SELECT ?, ?, {runs} FROM runs "
                                "WHERE number = 1", (secrets.token_hex(32), application)).lastrowid
            store.execute(forecast, (run, application, model))
    store.execute("UPDATE runs SET is_judged = 1")
    store.commit()
    store.close()


def fill_postgresql(database):
    """The same as fill(), for a store in PostgreSQL."""
    def columns(table, *without):
        names = POSTGRESQL.sql("SELECT column_name FROM information_schema.columns WHERE table_schema = 'public' "
                               f"AND table_name = '{table}'", database).split()
        return ", ".join(each for each in names if each not in without)

    runs = columns("runs", "number", "id", "application")
    models = columns("models", "id", "application")
    others = f"generate_series(2, {APPLICATIONS}) i"
    for statement in (
            "INSERT INTO applications(id, name, machine, version, change, fitted_change) "
            f"SELECT i, 'application-' || i, machine, version, change, fitted_change FROM applications, {others}",
            f"INSERT INTO models(id, application, {models}) SELECT 1000 + i, i, {models} FROM models, "
            f"{others} WHERE id = 1",
            f"INSERT INTO runs(id, application, {runs}) SELECT md5(i || '-' || j) || md5(j || '+' || i), i, {runs} "
            f"FROM runs, generate_series(1, {APPLICATIONS}) i, generate_series(1, {RUNS_EACH}) j "
            f"WHERE number = 1 AND (i > 1 OR j <= {RUNS_EACH - 3})",
            "INSERT INTO forecasts(run, application, model, made_at, procs, params, factor, is_repeat, confidence, "
            "elapsed_s, predicted_s, low_s, high_s, measured_s, is_covered, note) SELECT number, application, "
            "CASE application WHEN 1 THEN 1 ELSE 1000 + application END, received_at, 32, '{}', 4, 0, 0.8, 1, 1.1, 0.9, "
            "1.3, 1, 1, '' FROM runs WHERE number > 3",
            "UPDATE runs SET is_judged = 1",
            *(f"SELECT setval(pg_get_serial_sequence('{table}', '{column}'), max({column})) FROM {table}"
              for table, column in (("applications", "id"), ("models", "id"), ("runs", "number"))),
            "VACUUM ANALYZE"):
        POSTGRESQL.sql(statement, database)


def pages():
    """The time of every page, and the memory of the server, with many applications and runs."""
    server = Server(store="large.db").start()
    token = server.token("keeper")
    for file in profiles(planted_runs("one", "2,4,8")):
        with open(file, encoding="utf-8") as text:
            push(server, token, text.read(), "application-1")
    server.wait_for_fits(token)
    server.stop()
    if POSTGRESQL:
        fill_postgresql("large.db")
    else:
        fill(in_folder("large.db"))
    server.start()
    for version in ("v1", "v2"):
        for file in profiles(planted_runs(version, "2,4,8", "planted", version)):
            with open(file, encoding="utf-8") as text:
                push(server, token, text.read(), "two-versions")
    server.wait_for_fits(token)
    newest = server.json("/api/v1/applications?name=two-versions", token)[-1]["id"]
    for page in ("/", "/?after=500", "/applications/500", "/applications/500/report",
                 f"/applications/{newest}/history", "/compare?before=1&after=2", "/track-record",
                 "/api/v1/applications", "/api/v1/applications/500/runs", "/api/v1/applications/500/track-record",
                 "/api/v1/audit", "/metrics"):
        times = []
        for _ in range(10):
            begun = time.monotonic()
            status, body = server.ask("GET", page, token)
            times.append(time.monotonic() - begun)
            expect(status == 200, f"{page}: status {status}: {body[:200]}")
        row(f"`{page}`, {APPLICATIONS:,} applications, {APPLICATIONS * RUNS_EACH:,} runs",
            f"{statistics.median(times) * 1e3:.0f} ms", "200 ms")
    with open(f"/proc/{server.process.pid}/status", encoding="utf-8") as file:
        peak_kb = next(int(line.split()[1]) for line in file if line.startswith("VmHWM:"))
    row("peak memory of the server", f"{peak_kb / 1024:.0f} MB", "300 MB")
    server.stop()


print("| what | measured | limit |\n|---|---|---|")
predictions()
pushes()
pages()
