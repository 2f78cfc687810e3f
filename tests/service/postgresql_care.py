"""postgresql_care.py APMT PLANTED_RUNS: a backup by pg_dump and pg_restore gives the same store; apmt serve
backup and restore refuse, and name these programs; check and export work as for a file."""

import os
import sys

from postgresql_server import Postgresql, skip_without_postgresql
from server import APMT, Server, apmt, expect, in_folder, planted_runs, profiles

skip_without_postgresql(APMT)
postgresql = Postgresql().start()
server = Server(address=postgresql.address("store"))
keeper = server.token("keeper")
server.start()
apmt("push", planted_runs("runs", "2,4,8"), "--to", server.url, token=keeper)
before = server.wait_for_fits(keeper)
expect(before[0]["model"]["is_good"], before)

dump = os.path.join(postgresql.folder, "dump")
postgresql.run("pg_dump", "-Fc", "-d", server.store, "-f", dump)  # while the server runs
expect(server.stop() == 0, "the server did not stop well")

restored = postgresql.address("restored")
postgresql.run("pg_restore", "-d", restored, dump)
server = Server(address=restored).start()
expect(server.json("/api/v1/applications", keeper) == before, "the restored store is another one")
apmt("push", planted_runs("more", "16"), "--to", server.url, token=keeper)
after = server.wait_for_fits(keeper)
expect(after[0]["runs"] == 4 and after[0]["model"]["number"] > before[0]["model"]["number"],
       f"it does not go on: {after}")
server.check()

for action, program in (("backup", "pg_dump"), ("restore", "pg_restore")):
    message = apmt("serve", action, in_folder("backup.db"), code=2)
    expect(program in message, f"{action}: {message}")
apmt("serve", "export", in_folder("exported"))
expect(len(profiles(in_folder("exported"))) == 4, "not all runs were exported")
expect(server.stop() == 0, "the server did not stop well")
