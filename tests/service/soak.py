"""soak.py APMT PLANTED_RUNS MINUTES REQUESTS_PER_S: a server under steady load for this time. Predictions, pages,
metrics, wrong tokens and slow clients go on while runs are pushed and taken out and workers refit. Fails if the
server's memory, descriptors, threads, CPU time per request or latency grow."""

import http.client
import json
import os
import random
import socket
import statistics
import sys
import threading
import time
import zlib

from server import POSTGRESQL, Server, expect, fail, planted_runs, profiles

MINUTES, REQUESTS_PER_S = float(sys.argv[3]), float(sys.argv[4])
SECONDS = MINUTES * 60
CLIENTS, SLOW_CLIENTS = 2, 3
PUSH_EVERY_S = max(1.0, min(8.0, SECONDS / 60))
# Memory may rise by this much in the second half, on a fitted line. If the test runs for an hour, that is 5
# MB per hour; at 12 requests per second, 120 bytes more per request would exceed it. A line is fitted because
# one large answer can make a single value jump.
MOST_MB = 2.5
# Each list in an answer has a maximum length. Before the measurement, the store is filled until the lists
# reach it; otherwise the answers, and so the memory for them, would grow for a good reason.
PROGRAMS, VERSIONS, RUNS_EACH = 4, ("v1", "v2"), 200
WINDOWS = 60

# The server keeps so few models in memory that new ones have replaced all of them long before the second
# half.
server = Server("keep_models: 3\nkeep_audit_days: 1\nhead_s: 4\nbody_s: 4\nmodels_in_memory: 12\n")
keeper, reader = server.token("keeper"), server.token("reader")
wrong = reader[:-4] + "none"
server.start()
PID = server.process.pid
patterns = []
for path in profiles(planted_runs("study", "2,4,8,16,32")):
    with open(path, encoding="utf-8") as file:
        patterns.append(json.load(file))
is_over = threading.Event()
problems, answers, lock = [], [], threading.Lock()  # answers: (time, seconds) of each


def push(number, name, version):
    """Pushes a run that differs from all others by its command; returns its id."""
    profile = dict(patterns[number % len(patterns)], command=f"./planted {number} {name} {version}")
    status, body = server.ask("POST", f"/api/v1/runs?name={name}&version={version}", keeper,
                              zlib.compress(json.dumps(profile).encode()), {"Content-Encoding": "deflate"})
    expect(status == 201, f"push: {status} {body[:200]}")
    return json.loads(body)["id"]


def take_out(run):
    status, body = server.ask("DELETE", f"/api/v1/runs/{run}?reason=replaced", keeper)
    expect(status == 200, f"taking out: {status} {body[:200]}")


def fill():
    """Makes models and forecasts of every application; only the last runs of each stay in its fits."""
    runs = {}
    for program in range(PROGRAMS):
        for version in VERSIONS:
            key = (f"soak-{program}", version)
            runs[key] = [push(number, *key) for number in range(len(patterns))]
    server.wait_for_fits(keeper)
    for key, pushed in runs.items():
        pushed += [push(number, *key) for number in range(len(patterns), RUNS_EACH)]
    server.wait_for_fits(keeper)
    for key, pushed in runs.items():
        for run in pushed[len(patterns):]:
            take_out(run)
        runs[key] = pushed[:len(patterns)]
    server.wait_for_fits(keeper)
    return runs


def question(chance):
    """A random request: target, token, and the statuses that are right."""
    before, application = chance.choice(pairs)
    at = f"/api/v1/applications/{application}"
    pair = f"before={before}&after={application}"
    kinds = [(40, f"{at}/predict?procs={chance.randint(2, 100_000)}", reader, {200}),
             (4, f"{at}/predict?procs=64&deadline_s=9", reader, {200}),
             (4, f"{at}/ask?deadline_s={chance.randint(5, 50)}", reader, {200, 422}),
             (4, f"{at}", reader, {200}),
             (3, f"{at}/runs", reader, {200}),
             (2, f"{at}/model", reader, {200}),
             (3, "/api/v1/applications", reader, {200}),
             (3, f"/api/v1/diff?{pair}", reader, {200}),
             (2, "/api/v1/audit", keeper, {200}),
             (1, "/api/v1/track-record", reader, {200}),
             (5, "/metrics", reader, {200}),
             (4, "/", reader, {200}),
             (6, f"/applications/{application}", reader, {200}),
             (3, f"/applications/{application}/report", reader, {200}),
             (2, f"/applications/{application}/history", reader, {200}),
             (1, f"/compare?{pair}", reader, {200}),
             (1, "/track-record", reader, {200}),
             (8, "/api/v1/applications", wrong, {401, 429}),
             (2, "/", None, {401}),
             (2, f"/{chance.getrandbits(64):x}/%2e%2e", reader, {400}),
             (2, f"/api/v1/runs/{chance.getrandbits(256):064x}", reader, {404})]
    return chance.choices(kinds, [kind[0] for kind in kinds])[0][1:]


def ask_for_ever(seed):
    chance, connection, left = random.Random(seed), None, 0
    pause, due = CLIENTS / REQUESTS_PER_S, time.monotonic()
    while not is_over.is_set():
        if left == 0:  # now and then a new connection
            if connection:
                connection.close()
            connection, left = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60), 50
        target, token, right = question(chance)
        began = time.monotonic()
        try:
            connection.request("GET", target, headers={"Authorization": "Bearer " + token} if token else {})
            response = connection.getresponse()
            body, status = response.read(), response.status
        except (OSError, http.client.HTTPException) as error:
            body, status = repr(error).encode(), 0
        ended = time.monotonic()
        with lock:
            answers.append((ended, ended - began))
            if status not in right:
                problems.append(f"{target}: status {status}: {body[:200]}")
        # After a refusal the server closes the connection.
        left = left - 1 if status == 200 else 0
        due = max(due + pause, ended - 1)  # what a pause of the machine delayed is made up for, but not for long
        is_over.wait(max(0.0, due - time.monotonic()))


def push_for_ever(runs):
    """Pushes runs and takes out as many, so that every fit has the same number of runs."""
    keys, number = sorted(runs), RUNS_EACH
    while not is_over.wait(PUSH_EVERY_S):
        key = keys[number % len(keys)]
        try:
            runs[key].append(push(number, *key))
            take_out(runs[key].pop(0))
        except (OSError, http.client.HTTPException) as error:
            problems.append(f"push: {error!r}")
        number += 1


def be_slow():
    """Keeps connections open that never finish a request; the server cuts them off, and they come again."""
    slow = {}
    while not is_over.is_set():
        for place in range(SLOW_CLIENTS):
            if place not in slow:
                slow[place] = socket.create_connection(("127.0.0.1", server.port))
                slow[place].setblocking(False)
            try:
                slow[place].send(b"GET / HTTP/1.1\r\nX: y\r\n")
                if slow[place].recv(100) == b"":
                    raise ConnectionError
            except BlockingIOError:
                continue
            except OSError:
                slow.pop(place).close()
        is_over.wait(0.5)
    for connection in slow.values():
        connection.close()


def descriptors():
    """How many files, pipes and sockets the server has open, without the write-ahead log, which SQLite opens for a
    connection only when it is first needed."""
    count = 0
    for name in os.listdir(f"/proc/{PID}/fd"):
        try:
            count += not os.readlink(f"/proc/{PID}/fd/{name}").endswith("-wal")
        except OSError:
            pass  # it was closed
    return count


def fewest_descriptors():
    """The smallest of ten numbers of descriptors in 0.2 s. A single number depends on how many connections happen to
    be open, and so does the smallest number of a quarter if it has few samples."""
    numbers = [descriptors()]
    for _ in range(9):
        time.sleep(0.02)
        numbers.append(descriptors())
    return min(numbers)


def sample():
    """What the server uses now: time, memory in MB, descriptors, threads, seconds of CPU, answered requests."""
    with open(f"/proc/{PID}/status", encoding="ascii") as file:
        status = dict(line.split(":", 1) for line in file)
    with open(f"/proc/{PID}/stat", encoding="ascii") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    cpu_s = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return (time.monotonic(), int(status["VmRSS"].split()[0]) / 1024, fewest_descriptors(),
            int(status["Threads"]), cpu_s, len(answers))


def children():
    """Processes that the server started and did not collect yet."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
                if int(file.read().rsplit(")", 1)[1].split()[1]) == PID:
                    found.append(pid)
        except OSError:
            pass  # it has ended
    return found


def rise(points):
    """By how much the line through the points (x, y) rises from the first to the last."""
    line = statistics.linear_regression(*zip(*points))
    return line.slope * (points[-1][0] - points[0][0])


def percentile_99(values):
    return statistics.quantiles(values, n=100)[98]


def quarters(began, values):
    """The values (time, value) of the second and of the last quarter."""
    def between(low, high):
        return [value for at, value in values if low <= (at - began) / SECONDS < high]
    return between(0.25, 0.5), between(0.75, 1)


runs = fill()
ids = {(each["name"], each["version"]): each["id"] for each in server.json("/api/v1/applications", reader)}
pairs = [(ids[name, "v1"], ids[name, version]) for name, version in runs]
threads = [threading.Thread(target=ask_for_ever, args=(seed,), daemon=True) for seed in range(CLIENTS)]
threads += [threading.Thread(target=push_for_ever, args=(runs,), daemon=True),
            threading.Thread(target=be_slow, daemon=True)]
models_before = server.metric('apmt_refits_total{outcome="good"}', keeper)
began = time.monotonic()
for thread in threads:
    thread.start()
samples, shown = [], 0
while time.monotonic() < began + SECONDS:
    time.sleep(max(0.25, min(5.0, SECONDS / 240)))
    if server.process.poll() is not None:
        fail("the server ended: " + "".join(server.lines[-10:]))
    samples.append(sample())
    if (samples[-1][0] - began) / SECONDS * 12 >= shown:
        at, memory, files, count, cpu_s, asked = samples[-1]
        print(f"{(at - began) / 60:6.1f} min: {memory:6.1f} MB, {files} descriptors, {count} threads, "
              f"{cpu_s:7.1f} s of CPU, {asked} answers", flush=True)
        shown += 1
is_over.set()
for thread in threads:
    thread.join()

expect(not problems, f"{len(problems)} wrong answers: {problems[:3]}")
asked = len(answers)
print(f"{asked} answers, {asked / SECONDS:.1f} per second")
expect(asked > 0.7 * REQUESTS_PER_S * SECONDS, "the clients could not ask as often as they should")
refits = server.metric('apmt_refits_total{outcome="good"}', keeper) - models_before
expect(refits >= 0.3 * SECONDS / PUSH_EVERY_S, f"only {refits} refits")

half = [(each[0], each[1]) for each in samples if each[0] >= began + SECONDS / 2]
growth = rise(half)
print(f"memory: {samples[0][1]:.1f} MB at the start, {samples[-1][1]:.1f} MB at the end, "
      f"{growth:+.2f} MB on a line over the second half")
expect(growth < MOST_MB, f"the memory grew by {growth:.2f} MB in the second half")
# Connections and workers come and go, so the number of descriptors varies by some four. A descriptor that is
# never closed raises even the lowest number, so the lowest numbers of two quarters are compared.
for name, column in (("descriptors", 2), ("threads", 3)):
    second, last = map(min, quarters(began, [(each[0], each[column]) for each in samples]))
    print(f"{name}: at least {second} in the second quarter, {last} in the last")
    expect(last <= second, f"more {name}: {last} instead of {second}")

# The 99th percentile of the latency and the CPU time per request, in each window. For the latency, the median
# over the windows of a quarter is compared: it hides moments in which other programs kept the machine busy.
window = SECONDS / WINDOWS
slowest, works = [], []
for number in range(WINDOWS):
    low, high = began + number * window, began + (number + 1) * window
    slowest.append((low + window / 2, percentile_99([took for at, took in answers if low <= at < high])))
    inside = [each for each in samples if low <= each[0] < high]
    if len(inside) > 1 and inside[-1][5] > inside[0][5]:
        works.append((low + window / 2, (inside[-1][4] - inside[0][4]) / (inside[-1][5] - inside[0][5])))
second, last = map(statistics.median, quarters(began, slowest))
print(f"99th percentile of the latency: {second * 1000:.1f} ms in the second quarter, {last * 1000:.1f} ms in the last")
expect(last < 1.5 * second + 0.01, "the latency grew")
second, last = map(statistics.mean, quarters(began, works))
print(f"CPU time per request: {second * 1000:.2f} ms in the second quarter, {last * 1000:.2f} ms in the last")
expect(last < 1.25 * second + 0.0002, "the work per request grew")

server.wait_for_fits(keeper)
time.sleep(0.5)  # the worker ends after it has stored the model
expect(not children(), f"processes are left: {children()}")
if not POSTGRESQL:
    write_ahead = os.path.getsize(server.store.removeprefix("sqlite:") + "-wal") / 2**20
    print(f"write-ahead log: {write_ahead:.1f} MB")
    expect(write_ahead < 32, "the write-ahead log is never emptied")
expect(server.stop() == 0, "the server did not stop well")
server.check()
