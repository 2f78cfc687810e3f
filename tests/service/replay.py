"""Pushes runs one by one to a server, and compares its track record with what `apmt validate` says of each run."""

import json
import math
import os
import statistics

from server import apmt, escaped, expect, in_folder


class Replay:
    def __init__(self, server, token):
        self.server, self.token = server, token
        self.expected = {}  # run -> (application, what `apmt validate` said before it was pushed)

    def push(self, path, version):
        """Pushes the run of this folder. If its application has a model, validates the model with the run first."""
        with open(os.path.join(path, "profile.json"), encoding="utf-8") as file:
            name = json.load(file)["program"]
        address = f"/api/v1/applications?name={escaped(name)}&version={escaped(version)}"
        found = self.server.json(address, self.token)
        validation = None
        if found and found[0]["model"]:
            model = in_folder("model.json")
            with open(model, "w", encoding="utf-8") as file:
                json.dump(self.server.json(f"/api/v1/applications/{found[0]['id']}/model", self.token), file)
            validation = json.loads(apmt("-qq", "validate", path, "--model", model, "--json"))[0]
        apmt("push", path, "--to", self.server.url, "--app-version", version, token=self.token)
        self.server.wait_for_fits(self.token)
        application = self.server.json(address, self.token)[0]["id"]
        run = self.server.json(f"/api/v1/applications/{application}/runs", self.token)[-1]["id"]
        expect(run not in self.expected, f"{path} is no new run")
        if validation:
            self.expected[run] = (application, validation)

    def check(self, application=None):
        """Compares the track record of one application, or of all, with the validations. Returns its groups."""
        at = f"/api/v1/applications/{application}/track-record" if application else "/api/v1/track-record"
        record = self.server.json(at, self.token)
        expected = {run: validation for run, (of, validation) in self.expected.items() if application in (None, of)}
        forecasts = {each["run"]: each for each in record["forecasts"]}
        expect(forecasts.keys() == expected.keys() and len(record["forecasts"]) == len(expected),
               f"{at}: forecasts of {sorted(forecasts)}, expected of {sorted(expected)}")
        for run, forecast in forecasts.items():
            self.check_forecast(forecast, expected[run])
        groups = {(each["kind"], each["factor_up_to"]): each for each in record["groups"]}
        mine = groups_of(expected.values())
        expect(groups.keys() == mine.keys(), f"{at}: groups {sorted(map(str, groups))}, not {sorted(map(str, mine))}")
        for key, (count, covered, errors) in mine.items():
            group = groups[key]
            expect((group["forecasts"], group["covered"]) == (count, covered) and
                   math.isclose(group["median_error"], statistics.median(errors), rel_tol=1e-12, abs_tol=1e-15) and
                   math.isclose(group["worst_error"], max(errors), rel_tol=1e-12, abs_tol=1e-15),
                   f"{at}: {group}, expected {count} forecasts, {covered} covered, errors {errors}")
        return {key: group["forecasts"] for key, group in groups.items()}

    def check_forecast(self, forecast, validation):
        what = f"application {forecast['application']}, {forecast['procs']} processes"
        expect(validation["whole"] is not None, f"{what}: validate has no result")
        for name in ("predicted_s", "low_s", "high_s", "measured_s", "covered"):
            expect(forecast[name] == validation["whole"][name],
                   f"{what}, {name}: {forecast[name]}, validate: {validation['whole'][name]}")
        expect(forecast["factor"] == validation["extrapolation_factor"], f"{what}: {forecast}, {validation}")
        expect(forecast["is_repeat"] == validation["was_fitted"], f"{what}: {forecast}, {validation}")

    def check_blindness(self):
        """No run was judged by a model that was fitted to it, nor by a model of another application."""
        def count(rest):
            return self.server.count("SELECT count(*) FROM forecasts f " + rest)

        seen = count("JOIN model_runs s ON s.model = f.model AND s.run = f.run")
        expect(seen == 0, f"{seen} runs were judged by a model that had seen them")
        fitted = count("JOIN model_runs s ON s.model = f.model JOIN runs r ON r.number = s.run "
                       "WHERE r.application = f.application")
        strange = count("JOIN model_runs s ON s.model = f.model JOIN runs r ON r.number = s.run "
                        "WHERE r.application <> f.application")
        expect(fitted > 0 and strange == 0, f"{strange} runs of other applications were in the models that judged")
        other = count("JOIN runs r ON r.number = f.run JOIN models m ON m.id = f.model "
                      "WHERE r.application <> f.application OR m.application <> f.application")
        expect(other == 0, f"{other} runs were judged by a model of another application")


def groups_of(validations):
    """The groups of a track record, made from validations: forecasts, covered ones and errors by kind and factor."""
    groups = {}
    for validation in validations:
        factor, whole = validation["extrapolation_factor"], validation["whole"]
        if validation["was_fitted"]:
            key = ("repeat", None)
        elif factor <= 1:
            key = ("inside", None)
        else:
            key = ("extrapolation", next((limit for limit in (2.0, 4.0, 8.0) if factor <= limit), None))
        count, covered, errors = groups.get(key, (0, 0, []))
        groups[key] = (count + 1, covered + whole["covered"],
                       errors + [abs(whole["predicted_s"] / whole["measured_s"] - 1)])
    return groups
