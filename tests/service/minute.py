"""From nothing to a prediction in the browser: `apmt serve`, `apmt run --push` and a browser, within a minute. The
browser opens the list of applications as a user does: it asks for the token once, and follows links to the report.
The third argument is the folder of the example programs."""

import json
import os
import re
import subprocess
import sys
import time

from browser import in_browser
from server import APMT, FOLDER, apmt, expect

LIMIT_S = 60  # what the service promises; several times what it takes
program = os.path.join(sys.argv[3], "halo2d")
began = time.monotonic()

token = apmt("-q", "serve", "token", "add", "alice", "--role", "keeper").strip()
server = subprocess.Popen([APMT, "serve", "--listen", "127.0.0.1:0"], cwd=FOLDER.name, stderr=subprocess.PIPE,
                          text=True)
try:
    url = next(filter(None, (re.search(r"http://127\.0\.0\.1:\d+", line) for line in server.stderr)))[0]
    apmt("-qq", "run", "--virtual", "ethernet-10g", "--procs", "2,4,8", "--reps", "1", "--push", url, "--", program,
         "401", "20", token=token)
    page = json.loads(in_browser("follow_links.js", url, token, "halo2d", "The report"))
    seconds = time.monotonic() - began
finally:
    server.terminate()
expect(server.wait(timeout=60) == 0, "the server did not stop well")

expect(page["logins"] == 1, f"the browser asked for the token {page['logins']} times")
procs, text = max((int(procs), text) for procs, text in page["prediction"])
expect(procs > 8 and page["headline"].startswith(f"At {procs} processes expect "), page)
local = json.loads(apmt("predict", "apmt-halo2d", "--procs", str(procs), "--json"))
expect(float(text) == local["time_s"], f"the page predicts {text} s, apmt predict {local['time_s']} s")
print(f"From nothing to a prediction for {procs} processes in the browser: {seconds:.1f} s")
expect(seconds < LIMIT_S, f"that took more than {LIMIT_S} s")
