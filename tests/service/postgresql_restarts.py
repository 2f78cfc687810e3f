"""postgresql_restarts.py APMT PLANTED_RUNS RESTARTS: eight clients push runs while the server of PostgreSQL is stopped as
by a crash and started again. Every run that was acknowledged must be there afterwards, whole, and every application must
get its model. Meanwhile no process shows the password of the database."""

import glob
import hashlib
import json
import random
import sys
import threading
import time
import zlib

from postgresql_server import Postgresql, skip_without_postgresql
from server import APMT, Server, expect, planted_runs, profiles

restarts = int(sys.argv[3])
PASSWORD = "pass-word-4711"
skip_without_postgresql(APMT)
postgresql = Postgresql().start()
postgresql.sql(f"ALTER USER apmt PASSWORD '{PASSWORD}'")
address = postgresql.address("restarts").replace("apmt@", f"apmt:{PASSWORD}@")
server = Server(address=address)
keeper = server.token("keeper")
patterns = []
for path in profiles(planted_runs("runs", "2,4,8")):
    with open(path, encoding="utf-8") as file:
        patterns.append(json.load(file))

server.start()
acknowledged, put_off, wrong, lock = {}, [], [], threading.Lock()
is_over = threading.Event()


def push_for_ever(client):
    """Pushes runs, each with another command and so with another hash, until each is acknowledged."""
    number = 0
    while not is_over.is_set():
        profile = dict(patterns[number % 3], command=f"./planted {client} {number}")
        body = zlib.compress(json.dumps(profile).encode())
        status, answer = server.ask("POST", f"/api/v1/runs?name=client-{client}", keeper, body,
                                    {"Content-Encoding": "deflate"})
        with lock:
            if status in (200, 201):
                acknowledged[json.loads(answer)["id"]] = profile["command"]
                number += 1
            else:
                (put_off if status == 503 else wrong).append(f"status {status}: {answer}")
        time.sleep(0.02)


def watch_for_password():
    while not is_over.is_set():
        for path in glob.glob("/proc/[0-9]*/cmdline"):
            try:
                with open(path, "rb") as words:
                    if PASSWORD.encode() in words.read():
                        wrong.append(f"{path} shows the password")
            except OSError:
                pass  # the process has ended
        time.sleep(0.05)


threads = [threading.Thread(target=push_for_ever, args=(client,), daemon=True) for client in range(8)]
threads.append(threading.Thread(target=watch_for_password, daemon=True))
for thread in threads:
    thread.start()
for _ in range(restarts):
    time.sleep(random.uniform(0.3, 1.5))
    before = len(acknowledged)
    postgresql.restart()
    for _ in range(600):
        if len(acknowledged) > before:
            break
        time.sleep(0.1)
    expect(len(acknowledged) > before, "no push succeeds after a restart: " + "".join(put_off[-1:]))
is_over.set()
for thread in threads:
    thread.join()

expect(not wrong, wrong[:3])
print(f"{len(acknowledged)} runs were acknowledged, {len(put_off)} requests were put off")
expect(put_off, "no request met a restart")
expect(all("try again" in each for each in put_off), put_off[:3])
for run, command in acknowledged.items():
    status, body = server.ask("GET", f"/api/v1/runs/{run}/profile", keeper)
    expect(status == 200, f"run {run} was acknowledged and is not there: {status}")
    expect(hashlib.sha256(body).hexdigest() == run, f"run {run} is not whole")
    expect(json.loads(body)["command"] == command, f"run {run} is another one")
for application in server.wait_for_fits(keeper):
    attempt = application["newest_attempt"]
    expect(attempt["is_good"], f"a restart is taken for a failed fit: {attempt}")
expect(server.stop() == 0, "the server did not stop well")
expect(PASSWORD not in "".join(server.lines), "the log shows the password")
server.check()
