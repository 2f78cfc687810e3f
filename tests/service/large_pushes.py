"""Whoever asks something must not wait for large profiles that others push, even if these are more than the server has
threads."""

import json
import statistics
import threading
import time
import zlib

from server import Server, expect, planted_runs, profiles

PUSHES, THREADS = 6, 4
server = Server(f"threads: {THREADS}\n")
keeper = server.token("keeper")
server.start()
with open(profiles(planted_runs("study", "4"))[0], encoding="utf-8") as file:
    profile = json.load(file)
# Ten thousand copies of a kernel under other names: tens of megabytes, which take the server seconds.
kernel = profile["kernels"][0]
profile["kernels"] += [dict(kernel, name=f"copy {number}", linkage_name=f"copy {number}") for number in range(10000)]
bodies = [zlib.compress(json.dumps(dict(profile, command=f"./planted {number}")).encode(), 1)
          for number in range(PUSHES)]
took = []


def push(number):
    began = time.monotonic()
    status, body = server.ask("POST", "/api/v1/runs?name=large", keeper, bodies[number], {"Content-Encoding": "deflate"})
    expect(status == 201, f"push {number}: {status} {body[:300]}")
    took.append(time.monotonic() - began)


pushes = [threading.Thread(target=push, args=(number,)) for number in range(PUSHES)]
for thread in pushes:
    thread.start()
answers = []
while any(thread.is_alive() for thread in pushes):
    began = time.monotonic()
    server.json("/api/v1/applications", keeper)
    answers.append(time.monotonic() - began)
for thread in pushes:
    thread.join()
expect(len(took) == PUSHES, "not every run was acknowledged")
print(f"pushes: {min(took):.2f} to {max(took):.2f} s; {len(answers)} answers meanwhile, in at most {max(answers):.3f} s")
# On any machine, a push must take much longer than a request for the list of applications; otherwise the next
# comparison would prove nothing.
expect(min(took) > 20 * statistics.median(answers), "the profiles are too small for this test")
expect(max(answers) < min(took) / 2, "an answer waited for a push")
expect(server.stop() == 0, "the server did not stop well")
