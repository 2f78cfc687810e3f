"""What a team does with `apmt serve`, from an empty store on: push runs, ask, look, stop, back up and restore."""

import json
import os
import shutil
import subprocess
import sys

from server import APMT, FOLDER, POSTGRESQL, Server, apmt, expect, in_folder, planted_runs

server = Server()
keeper, pusher, reader = (server.token(role) for role in ("keeper", "pusher", "reader"))
server.start()

# From an empty store to a prediction, which must equal that of a local model.
study = planted_runs("study", "2,4,8", "planted")
message = apmt("push", study, "--to", server.url, code=1, token=reader)
expect("needs the role pusher" in message, message)

# A campaign whose runs the server would refuse is not begun.
for token, why in ((reader, "needs the role pusher"), ("apmt_no_such", "wrong, expired or revoked"), (None, "token")):
    message = apmt("run", "--procs", "1", "--push", server.url, "--", "touch", "begun{p}", code=1, token=token)
    expect(why in message and "nothing was started" in message and not os.path.exists(in_folder("begun1")), message)
message = apmt("run", "--procs", "1", "--push", server.url, "--emit", "slurm", "--", "touch", "begun{p}", code=2,
               token=pusher)
expect("apmt push" in message, message)
apmt("push", "--check", "--to", server.url, token=pusher)
apmt("push", "--check", "--to", server.url, code=1, token=reader)
# A push asks which runs the server has; that it has none is no refusal.
refused = [line for line in server.lines if "refused" in line]
apmt("push", study, "--to", server.url, token=pusher)
expect([line for line in server.lines if "refused" in line] == refused, server.lines)
expect(server.metric('apmt_refusals_total{reason="request"}', keeper) == 0, "a push counts as a refusal")
remote = apmt("predict", "planted", "--procs", "64,256", "--from", server.url, token=reader)
local = apmt("predict", study, "--procs", "64,256")
expect(remote == local and "At 256 processes expect" in remote, f"predict:\n{remote}\nlocal:\n{local}")
apmt("fit", study, "-o", in_folder("model.json"))
remote = apmt("ask", "planted", "--deadline", "2", "--from", server.url, token=reader)
local = apmt("ask", in_folder("model.json"), "--deadline", "2")
expect(remote == local and remote.startswith("For the deadline of 2"), f"ask:\n{remote}\nlocal:\n{local}")
answer = json.loads(apmt("ask", "planted", "--budget", "1core-hours", "--json", "--from", server.url, token=reader))
expect(answer["choice"]["core_hours"] <= 1, answer)

for question in ("ask?", "predict?procs=64&"):
    status, body = server.ask("GET", f"/api/v1/applications/1/{question}deadline_s=-1", reader)
    expect(status == 422 and b"deadline" in body and b"must be above 0" in body, f"{question}: {status} {body}")

# A second push adds nothing; another version is another application.
apmt("push", study, "--to", server.url, token=pusher)
planted_runs("next", "2,4", "planted", "v2")
apmt("push", in_folder("next"), "--to", server.url, token=pusher)
applications = server.wait_for_fits(reader)
expect([(each["version"], each["runs"]) for each in applications] == [("v1", 3), ("v2", 2)], applications)
apmt("predict", "nobody", "--procs", "8", "--from", server.url, code=3, token=reader)
message = apmt("predict", "planted", "--procs", "8", "--from", server.url, code=1)
expect("APMT_TOKEN" in message, message)

# The token may be in a file; the application may have names that the sender chose.
with open(in_folder("token"), "w", encoding="utf-8") as file:
    file.write(pusher + "\n")
message = subprocess.run([APMT, "push", planted_runs("named", "2,4,8", "planted", "v3"), "--to", server.url,
                          "--token-file", in_folder("token"), "--name", "my code", "--machine", "big one",
                          "--app-version", "release 3"], check=True, capture_output=True, text=True).stderr
expect("pushed 3 runs of planted as runs of my code to " in message, message)
remote = apmt("predict", "my code", "--procs", "16", "--from", server.url, "--of-machine", "big one", "--of-version",
              "release 3", token=reader)
expect("At 16 processes expect" in remote, remote)

# A run that is excluded is no longer fitted.
run = server.json("/api/v1/applications/1/runs", reader)[-1]
status, body = server.ask("DELETE", f"/api/v1/runs/{run['id']}?reason=disturbed", keeper)
expect(status == 200, body)
server.wait_for_fits(reader)
expect(server.json("/api/v1/applications/1", reader)["model"]["max_procs"] == 4, "the run was fitted")
expect(any(entry["what"] == "take out" for entry in server.json("/api/v1/audit", keeper)), "no audit")

# A backup while the server runs, a clean stop, and a start with the same data. (Backups of PostgreSQL are made by its own
# programs: postgresql_care.py.)
if not POSTGRESQL:
    apmt("serve", *server.words, "backup", in_folder("backup.db"))
    message = apmt("serve", *server.words, "restore", in_folder("backup.db"), code=1)
    expect("in use by another apmt serve" in message, message)
expect(server.stop() == 0, "the server did not stop well")
expect(any("stopped" in line for line in server.lines), server.lines)
server.check()
apmt("serve", *server.words, "prune")
before = len(server.json("/api/v1/applications", reader)) if server.start() else 0
expect(before == 3, "applications after a restart")
if not POSTGRESQL:
    server.stop()
    os.remove(server.store.removeprefix("sqlite:"))
    apmt("serve", *server.words, "restore", in_folder("backup.db"))
    server.start()
    expect(len(server.json("/api/v1/applications", reader)) == 3, "applications after restoring")
apmt("serve", *server.words, "export", in_folder("exported"))
shutil.rmtree(study)
(named,) = server.json("/api/v1/applications?name=my%20code", reader)
text = apmt("predict", in_folder("exported", f"application-{named['id']}"), "--procs", "16")
expect("At 16 processes expect" in text, text)
tokens = apmt("serve", *server.words, "token", "list")
expect(len(tokens.splitlines()) == 3 and keeper.split("_")[2] not in tokens, tokens)
apmt("serve", *server.words, "token", "revoke", reader.split("_")[1])
server.json("/api/v1/applications", reader, status=401)

# Wrong command lines are refused.
apmt("serve", *server.words, "tokens", code=2)
apmt("ask", "planted", code=2)
apmt("push", FOLDER.name + "/nothing", "--to", server.url, code=2)
expect(server.stop() == 0, "the server did not stop well")
sys.exit(0)
