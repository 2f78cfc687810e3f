"""If the disk is full, the server must refuse runs with a message, keep what it acknowledged, and go on. The store lies
on a small file system in memory, which needs a mount namespace of its own."""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import zlib

from server import APMT, Server, expect, in_folder, planted_runs, profiles

can_mount = shutil.which("unshare") and subprocess.run(
    ["unshare", "-rm", "mount", "-t", "tmpfs", "none", "/mnt"], capture_output=True, check=False).returncode == 0
if not can_mount:
    print("SKIP: no file system can be mounted here")
    sys.exit(77)
server = Server()
keeper = server.token("keeper")
os.mkdir(in_folder("small"))
wrapper = in_folder("apmt-on-a-small-disk")
with open(wrapper, "w", encoding="utf-8") as file:
    file.write(f"""#!/bin/sh
mount -t tmpfs -o size=1000k none '{in_folder("small")}' &&
cp '{in_folder("store.db")}' '{in_folder("small")}' &&
exec '{APMT}' "$@"
""")
os.chmod(wrapper, 0o755)
server.store = "sqlite:" + in_folder("small", "store.db")
server.command = ["unshare", "-rm", wrapper]
server.start()
with open(profiles(planted_runs("one", "4"))[0], encoding="utf-8") as file:
    profile = json.load(file)

acknowledged, refusal = [], None
for number in range(5000):
    # Random digits, which cannot be compressed.
    body = zlib.compress(json.dumps(dict(profile, command=os.urandom(4000).hex())).encode())
    status, answer = server.ask("POST", "/api/v1/runs", keeper, body, {"Content-Encoding": "deflate"})
    if status != 201:
        refusal = (status, answer.decode())
        break
    acknowledged.append(json.loads(answer)["id"])
expect(refusal and refusal[0] == 503 and "disk" in refusal[1] and "full" in refusal[1], f"a full disk: {refusal}")
expect(len(acknowledged) > 10, f"only {len(acknowledged)} runs fitted")
for run in acknowledged:
    status, body = server.ask("GET", f"/api/v1/runs/{run}/profile", keeper)
    expect(status == 200 and hashlib.sha256(body).hexdigest() == run, f"run {run}: {status}")
expect(server.ask("GET", "/healthz")[0] == 200, "the server is not well")
expect(server.stop() == 0, "the server did not stop well")
