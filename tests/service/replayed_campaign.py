"""Pushes a campaign run by run, with growing process counts. The track record must equal the results of `apmt validate`
for each step, and a run must not be compared with a model that was fitted to it."""

import json
import os

from server import Server, apmt, expect, in_folder, planted_runs, profiles

server = Server()
keeper = server.token("keeper")
server.start()
planted_runs("all", "2,4,8,16,32,64", "planted")
paths = sorted((os.path.dirname(path) for path in profiles(in_folder("all"))),
               key=lambda path: int(path.rsplit(".p", 1)[1].split(".")[0]))
expected = {}
for step, path in enumerate(paths):
    procs = int(path.rsplit(".p", 1)[1].split(".")[0])
    application = server.json("/api/v1/applications", keeper)
    if application and application[0]["model"]:
        model = server.json("/api/v1/applications/1/model", keeper)
        with open(in_folder("model.json"), "w", encoding="utf-8") as file:
            json.dump(model, file)
        expected[procs] = json.loads(apmt("validate", path, "--model", in_folder("model.json"), "--json"))[0]
    apmt("push", path, "--to", server.url, token=keeper)
    server.wait_for_fits(keeper)
# Pushes a repetition of a point that is already fitted: its forecast is no extrapolation.
apmt("push", planted_runs("again", "64", "planted", "v1", "2"), "--to", server.url, token=keeper)
server.wait_for_fits(keeper)

record = server.json("/api/v1/applications/1/track-record", keeper)
forecasts = [each for each in record["forecasts"] if not each["is_repeat"]]
expect(sorted(each["procs"] for each in forecasts) == sorted(expected) and len(expected) >= 3,
       f"forecasts of {[each['procs'] for each in forecasts]}, expected of {sorted(expected)}")
for each in forecasts:
    whole = expected[each["procs"]]["whole"]
    for name in ("predicted_s", "low_s", "high_s", "measured_s", "covered"):
        expect(each[name] == whole[name], f"{each['procs']} processes, {name}: {each[name]}, validate: {whole[name]}")
    expect(each["factor"] == expected[each["procs"]]["extrapolation_factor"], each)
groups = {(group["kind"], group["factor_up_to"]): group["forecasts"] for group in record["groups"]}
expect(groups == {("extrapolation", 2.0): len(expected), ("repeat", None): 1}, groups)
expect(server.stop() == 0, "the server did not stop well")
