"""If the disk is full, the server must refuse runs with a message, keep what it acknowledged, and go on. When there is
space again, it must accept runs. The store lies on a small file system in memory, which needs a mount namespace."""

import atexit
import hashlib
import json
import os
import shutil
import subprocess
import sys
import zlib

if "APMT_HAS_NAMESPACE" not in os.environ:
    enter = ["unshare", "-m"] + ([] if os.getuid() == 0 else ["-r"])
    if not shutil.which("unshare") or subprocess.run([*enter, "mount", "-t", "tmpfs", "none", "/mnt"],
                                                     capture_output=True, check=False).returncode != 0:
        print("SKIP: no file system can be mounted here")
        sys.exit(77)
    os.execvpe(enter[0], [*enter, sys.executable, "-B", *sys.argv], dict(os.environ, APMT_HAS_NAMESPACE="yes"))

from server import POSTGRESQL, Server, expect, in_folder, planted_runs, profiles  # noqa: E402

if POSTGRESQL:
    disk, size_kb, filler_bytes = os.path.join(POSTGRESQL.folder, "disk"), 16000, 100_000
else:
    disk, size_kb, filler_bytes = in_folder("disk"), 1000, 4000


def mount(options, kb):
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"{options}size={kb}k", "none", disk], check=True)


os.mkdir(disk)
mount("", size_kb)
atexit.register(subprocess.run, ["umount", "-l", disk], check=False)  # or the folder could not be removed
if POSTGRESQL:
    os.chown(disk, POSTGRESQL.user.pw_uid, POSTGRESQL.user.pw_gid)
    POSTGRESQL.sql(f"CREATE TABLESPACE small LOCATION '{disk}'")
    address = POSTGRESQL.address("full")
    POSTGRESQL.sql('ALTER DATABASE "full" SET TABLESPACE small')
    server = Server(address=address)
else:
    server = Server(store=os.path.join("disk", "store.db"))
keeper = server.token("keeper")
server.start()
with open(profiles(planted_runs("one", "4"))[0], encoding="utf-8") as file:
    profile = json.load(file)


def push():
    # Random digits, which cannot be compressed.
    body = zlib.compress(json.dumps(dict(profile, command=os.urandom(filler_bytes).hex())).encode())
    return server.ask("POST", "/api/v1/runs", keeper, body, {"Content-Encoding": "deflate"})


def check_acknowledged():
    for run in acknowledged:
        status, body = server.ask("GET", f"/api/v1/runs/{run}/profile", keeper)
        expect(status == 200 and hashlib.sha256(body).hexdigest() == run, f"run {run}: {status}")


acknowledged, refusal = [], None
for number in range(5000):
    status, answer = push()
    if status != 201:
        refusal = (status, answer.decode())
        break
    acknowledged.append(json.loads(answer)["id"])
expect(refusal and refusal[0] == 503 and "disk" in refusal[1] and "full" in refusal[1], f"a full disk: {refusal}")
expect(len(acknowledged) > 10, f"only {len(acknowledged)} runs fitted on the disk")
check_acknowledged()
expect(server.ask("GET", "/healthz")[0] == 200, "the server is not well")
server.check()

# When the disk gets more space, the server must accept runs and refit models again, without a restart.
mount("remount,", 4 * size_kb)
status, answer = push()
expect(status == 201, f"with space again: {status} {answer}")
acknowledged.append(json.loads(answer)["id"])
check_acknowledged()
for path in profiles(planted_runs("study", "2,8", "planted")):
    with open(path, "rb") as file:
        status, answer = server.ask("POST", "/api/v1/runs", keeper, file.read())
    expect(status == 201, f"with space again: {status} {answer}")
(application,) = server.wait_for_fits(keeper)
expect(application["runs"] == len(acknowledged) + 2 and application["model"]["max_procs"] == 8, application)
server.check()
expect(server.stop() == 0, "the server did not stop well")
