"""`apmt push` is killed in the middle, twice, and then repeated: the server must have every run, and get none twice."""

import os
import re
import signal
import subprocess
import time

from server import APMT, FOLDER, Server, expect, planted_runs

RUNS = 60
server = Server()
pusher = server.token("pusher")
server.start()
study = planted_runs("study", ",".join(map(str, range(2, 2 + RUNS))), "planted")


def push():
    return subprocess.Popen([APMT, "push", study, "--to", server.url], cwd=FOLDER.name, stderr=subprocess.PIPE,
                            text=True, env=dict(os.environ, APMT_TOKEN=pusher))


def stored():
    return server.count("SELECT count(*) FROM runs")


for enough in (10, 30):
    interrupted = push()
    while stored() < enough and interrupted.poll() is None:
        time.sleep(0.001)  # the server does not notify clients
    interrupted.send_signal(signal.SIGKILL)
    interrupted.communicate()
    expect(interrupted.returncode == -signal.SIGKILL, "the push ended before it was killed")
before = stored()
expect(30 <= before < RUNS, f"{before} of {RUNS} runs after two interrupted pushes")
whole = push()
_, message = whole.communicate()
numbers = re.search(r"pushed (\d+) runs .*; it had (\d+) already", message)
expect(whole.returncode == 0 and numbers, message)
pushed, had = map(int, numbers.groups())
# The server may have stored the last run of the killed client after `before` was read.
expect(had in (before, before + 1) and pushed == RUNS - had, f"{before} runs before: {message}")
expect(stored() == RUNS, f"{stored()} of {RUNS} runs")
expect(server.metric('apmt_pushes_total{outcome="new"}', pusher) == RUNS
       and server.metric('apmt_pushes_total{outcome="known"}', pusher) == 0, "a run was sent twice")
server.check()
expect(server.stop() == 0, "the server did not stop well")
