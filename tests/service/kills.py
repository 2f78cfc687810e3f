"""kills.py APMT PLANTED_RUNS KILLS STORE: eight clients push runs while the server is killed (SIGKILL) at random moments and
started again. Every run that was acknowledged must be there afterwards, whole; no run may be there in part. STORE is
sqlite or postgresql."""

import hashlib
import json
import random
import sys
import threading
import time
import zlib

from server import Server, expect, planted_runs, profiles

kills = int(sys.argv[3])
seed = random.randrange(1 << 30)
print("seed", seed)
chance = random.Random(seed)
server = Server()
keeper = server.token("keeper")
with open(profiles(planted_runs("one", "4"))[0], encoding="utf-8") as file:
    pattern = json.load(file)

server.start()
acknowledged, refused, lock = {}, [], threading.Lock()
is_over = threading.Event()


def push_for_ever(client):
    """Pushes runs, each with another command and so with another hash. Each client has its own application."""
    number = 0
    while not is_over.is_set():
        profile = dict(pattern, command=f"./planted {client} {number}")
        body = zlib.compress(json.dumps(profile).encode())
        try:
            status, answer = server.ask("POST", f"/api/v1/runs?name=client-{client}", keeper, body,
                                        {"Content-Encoding": "deflate"})
        except OSError:
            time.sleep(0.01)  # the server was killed: the same run is pushed again
            continue
        except Exception as error:  # an answer that was cut off by the kill
            if type(error).__module__ != "http.client":
                raise
            continue
        with lock:
            if status in (200, 201):
                acknowledged[json.loads(answer)["id"]] = profile["command"]
            else:
                refused.append(f"status {status}: {answer}")
        number += 1


clients = [threading.Thread(target=push_for_ever, args=(client,), daemon=True) for client in range(8)]
for thread in clients:
    thread.start()
for _ in range(kills):
    time.sleep(chance.uniform(0.05, 0.5))
    server.kill()
    server.start()
time.sleep(0.2)
is_over.set()
for thread in clients:
    thread.join()

expect(not refused, refused[:3])
print(len(acknowledged), "runs were acknowledged")
expect(len(acknowledged) >= kills, "the clients hardly pushed anything")
for run, command in acknowledged.items():
    status, body = server.ask("GET", f"/api/v1/runs/{run}/profile", keeper)
    expect(status == 200, f"run {run} was acknowledged and is not there: {status}")
    expect(hashlib.sha256(body).hexdigest() == run, f"run {run} is not whole")
    expect(json.loads(body)["command"] == command, f"run {run} is another one")
expect(server.metric("apmt_runs", keeper) >= len(acknowledged), "runs are missing")
expect(server.stop() == 0, "the server did not stop well")
server.check()
