"""The server fits in processes with limits. A fit that exceeds a limit must fail, and the server must go on."""

import json

from server import Server, apmt, expect, in_folder, planted_runs

# A fit with too little memory fails.
server = Server("refit_memory_bytes: 50000000\n", store="small.db")
keeper = server.token("keeper")
server.start()
planted_runs("study", "2,4,8", "planted")
apmt("push", in_folder("study"), "--to", server.url, token=keeper)
application = server.wait_for_fits(keeper)[0]
expect(application["model"] is None and not application["newest_attempt"]["is_good"], application)
message = apmt("predict", "planted", "--procs", "16", "--from", server.url, code=3, token=keeper)
expect("there is no model yet" in message, message)
expect(server.ask("GET", "/healthz")[0] == 200, "the server went down with the worker")
expect(server.stop() == 0, "the server did not stop well")

# With more memory, the same runs are fitted as soon as another run arrives.
server = Server(store="small.db", log="json").start()
planted_runs("more", "16", "planted")
apmt("push", in_folder("more"), "--to", server.url, token=keeper)
expect(server.wait_for_fits(keeper)[0]["model"]["max_procs"] == 16, "no model")

# If many runs arrive at once, the last fit uses all of them.
planted_runs("many", "32,64,128,256,512", "planted")
apmt("push", in_folder("many"), "--to", server.url, token=keeper)
server.wait_for_fits(keeper)
attempts = server.json("/api/v1/applications/1/models", keeper)
expect(attempts[0]["max_procs"] == 512, attempts)

events = [json.loads(line) for line in server.lines]
expect({"listening", "pushed", "refitted"} <= {event["event"] for event in events}, events)
expect(all(event["level"] and event["at"].endswith("Z") for event in events), events)

# A server that is stopped during a fit leaves this fit to the next server.
planted_runs("last", "1024", "planted")
apmt("push", in_folder("last"), "--to", server.url, token=keeper)
expect(server.stop() == 0, "the server did not stop well")
server.start()
expect(server.wait_for_fits(keeper)[0]["model"]["max_procs"] == 1024, "the run was forgotten")
expect(server.stop() == 0, "the server did not stop well")
