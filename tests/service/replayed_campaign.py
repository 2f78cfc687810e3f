"""Pushes a campaign run by run, with growing process counts. The track record must equal the results of `apmt validate`
for each step, and a run must not be compared with a model that was fitted to it."""

import os

from replay import Replay
from server import Server, expect, in_folder, planted_runs, profiles

server = Server()
keeper = server.token("keeper")
server.start()
replay = Replay(server, keeper)
planted_runs("all", "2,4,8,16,32,64", "planted")
for path in sorted((os.path.dirname(path) for path in profiles(in_folder("all"))),
                   key=lambda path: int(path.rsplit(".p", 1)[1].split(".")[0])):
    replay.push(path, "v1")
extrapolations = len(replay.expected)
expect(extrapolations >= 3, f"only {extrapolations} runs were judged")
# Pushes a repetition of a point that is already fitted: its forecast is no extrapolation.
for path in profiles(planted_runs("again", "64", "planted", "v1", "2")):
    replay.push(os.path.dirname(path), "v1")
groups = replay.check(1)
expect(groups == {("extrapolation", 2.0): extrapolations, ("repeat", None): 1}, groups)
expect(replay.check() == groups, "the track record of all applications is another one")
replay.check_blindness()
expect(server.stop() == 0, "the server did not stop well")
