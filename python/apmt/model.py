"""Fitted models (model.json) and predictions (`apmt predict --json`)."""


class Model:
    """A fitted model: its points, kernels and counts. predict() calculates times."""

    def __init__(self, json):
        self.json = json

    def __repr__(self):
        return f"<apmt.Model {self.program}, grade {self.grade}, {len(self.kernels())} kernels>"

    @property
    def program(self):
        return self.json["program"]

    @property
    def grade(self):
        return self.json["grade"]

    @property
    def scaling(self):
        return self.json["scaling"]

    @property
    def warnings(self):
        return list(self.json["warnings"])

    def points(self):
        """A row for each profiled process count and problem size, with the parts of the time in seconds per rank."""
        rows = []
        for point in self.json["points"]:
            row = {"procs": point["procs"], **point["params"], "work": point["work"],
                   "repetitions": point["repetitions"], "elapsed_s": point["elapsed_s"]}
            for part, value in point["parts"].items():
                row[part] = None if value is None else value["value_s"]
            rows.append(row)
        return rows

    def kernels(self):
        """A row for each kernel and profiled point."""
        return [{"name": kernel["name"], "role": kernel["role"], "law": kernel["law"]["kind"],
                 "procs": point["procs"], "time_s": point["value"]}
                for kernel in self.json["kernels"] for point in kernel["points"]]

    def counts(self):
        """A row for each MPI operation: the formulas of its likeliest laws of calls and bytes."""
        def formula(law):
            return law[0]["formula"] if law else None
        return [{"op": count["op"], "calls": formula(count["calls"]), "bytes": formula(count["bytes"])}
                for count in self.json["counts"]]

    rows = points


class Prediction:
    """The prediction for one process count."""

    def __init__(self, json):
        self.json = json

    def __repr__(self):
        low, high = self.interval_s
        return f"<apmt.Prediction {self.time_s:.3g} s ({low:.3g} to {high:.3g}) on {self.procs} processes>"

    @property
    def procs(self):
        return self.json["procs"]

    @property
    def time_s(self):
        return self.json["time_s"]

    @property
    def interval_s(self):
        return (self.json["low_s"], self.json["high_s"])

    @property
    def bound(self):
        return self.json["bound"]

    def parts(self):
        """A row for each part of the time that is known."""
        rows = []
        for part, time_s in self.json["parts"].items():
            if time_s is not None:
                low, high = self.json["part_intervals"][part]
                rows.append({"procs": self.procs, "part": part.removesuffix("_s"), "time_s": time_s, "low_s": low,
                             "high_s": high})
        return rows

    def kernels(self):
        return [{"procs": self.procs, **kernel} for kernel in self.json["kernels"]]

    def rows(self):
        """One row: the total time."""
        return [{"procs": self.procs, **self.json["params"], "time_s": self.time_s, "low_s": self.json["low_s"],
                 "high_s": self.json["high_s"], "bound": self.bound, "efficiency": self.json["efficiency"],
                 "measured_s": self.json["measured_s"]}]
