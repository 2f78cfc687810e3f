"""The profile of one run (profile.json)."""


def _mean(values):
    return sum(values) / len(values) if values else None


class Profile:
    """One run of a program, merged over its ranks."""

    def __init__(self, json):
        self.json = json

    def __repr__(self):
        return f"<apmt.Profile {self.program} on {self.procs} processes, repetition {self.repetition}>"

    @property
    def program(self):
        return self.json["program"]

    @property
    def procs(self):
        return self.json["config"]["procs"]

    @property
    def params(self):
        """Named problem sizes."""
        return dict(self.json["config"]["params"])

    @property
    def repetition(self):
        return self.json["config"]["repetition"]

    @property
    def grade(self):
        return self.json["grade"]

    @property
    def elapsed_s(self):
        """The time of the slowest rank from its start to its end."""
        return max(self.json["times"]["wall_s"], default=None)

    def time_s(self, name):
        """The mean over ranks of a column of times(), such as time_s("mpi") or time_s("main_cpu"); None if unknown."""
        return _mean(self.json["times"][f"{name}_s"] or [])

    def times(self):
        """A row for each recorded rank."""
        columns = self.json["times"]
        return [{"rank": rank, **{name: column[rank] if column else None for name, column in columns.items()}}
                for rank in range(len(columns["wall_s"]))]

    def kernels(self):
        """A row for each function that was sampled outside MPI; its metrics are means over ranks."""
        rows = []
        for kernel in self.json["kernels"]:
            row = {"name": kernel["name"], "object": kernel["object"], "source": kernel["source"]}
            for metric, counter in kernel["counters"].items():
                row[metric] = _mean(self.values(counter))
            rows.append(row)
        return rows

    @staticmethod
    def values(counter):
        """The value of a counter on each rank, calculated from the rank's number of samples."""
        scale = counter.get("scale") or [1] * len(counter["samples"])
        return [samples * counter["unit_per_sample"] * factor for samples, factor in zip(counter["samples"], scale)]

    def mpi(self):
        """A row for each MPI operation, summed over ranks, callers, sizes and peers; longest time first."""
        operations = {}
        for row in self.json["mpi"]:
            sums = operations.setdefault(row["op"], {"op": row["op"], "op_class": row["op_class"], "calls": 0,
                                                     "bytes_sent": 0, "bytes_received": 0, "time_s": 0.0})
            for name in ("calls", "bytes_sent", "bytes_received", "time_s"):
                sums[name] += row[name]
        return sorted(operations.values(), key=lambda row: -row["time_s"])

    def rows(self):
        """One row: the configuration of the run and how long it took."""
        return [{"program": self.program, "procs": self.procs, **self.params, "repetition": self.repetition,
                 "grade": self.grade, "elapsed_s": self.elapsed_s, "mpi_s": self.time_s("mpi")}]
