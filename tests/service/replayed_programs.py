"""replayed_programs.py APMT PLANTED_RUNS EXAMPLES PLANTED CLUSTER: replays the campaigns of ten programs on virtual
clusters. The runs are pushed with growing process counts, then a repetition of each program, then the runs of another
version of one. The track record must equal what `apmt validate` says of every step, and hold versions and repetitions
apart from extrapolations."""

import collections
import os
import shutil
import sys

from replay import Replay
from server import Server, apmt, expect, in_folder

EXAMPLES, PLANTED, CLUSTER = sys.argv[3:6]
# The first two runs give the first model, so each further run is compared with a forecast. GROUPS is the
# expected number of forecasts in each group; a group has a kind and a limit of the extrapolation factor.
COUNTS, GROUPS = (2, 4, 8, 16, 32), {("extrapolation", 2.0): 3}
# Four real programs, whose times of computation are measured and noisy, and six with planted times, each with another
# law. The model of "bend" is wrong on purpose: beyond eight processes the program follows another law.
PROGRAMS = [("halo2d", "infiniband-hdr", "801 40", COUNTS, GROUPS),
            ("cg-poisson", "ethernet-10g", "601 60", COUNTS, GROUPS),
            ("transpose", "ethernet-10g", "512 10", COUNTS, GROUPS),
            ("amdahl", "infiniband-hdr", "8000 20", COUNTS, GROUPS),
            ("planted-halo", CLUSTER, "halo", COUNTS, GROUPS),
            ("planted-all-to-all", CLUSTER, "all-to-all", COUNTS, GROUPS),
            ("planted-serial", CLUSTER, "serial", COUNTS, GROUPS),
            ("planted-bend", CLUSTER, "bend", COUNTS, GROUPS),
            # Larger steps, and a point that was left out before.
            ("planted-tree", CLUSTER, "tree", (2, 4, 16, 32),
             {("extrapolation", 4.0): 1, ("extrapolation", 2.0): 1}),
            ("planted-ring", CLUSTER, "ring", (2, 4, 64, 16), {("extrapolation", None): 1, ("inside", None): 1})]
OTHER_VERSION = ("planted-halo", CLUSTER, "serial")  # another law in the second version


def command(program, arguments):
    if not program.startswith("planted-"):
        return [os.path.join(EXAMPLES, program), *arguments.split()]
    # A copy of its own gives each law a name of its own.
    if not os.path.exists(in_folder(program)):
        shutil.copy(PLANTED, in_folder(program))
    return [in_folder(program), *arguments.split()]


def record(folder, program, cluster, arguments, counts):
    """Runs the program; returns the folders of its runs in the order of the counts."""
    apmt("-qq", "run", "--virtual", cluster, "--procs", ",".join(map(str, sorted(counts))), "--reps", "1",
         "--dir", folder, "--", *command(program, arguments))
    return [in_folder(folder, f"apmt-{program}.p{count}.r1") for count in counts]


server = Server()
keeper = server.token("keeper")
server.start()
replay = Replay(server, keeper)
wanted = {}
for program, cluster, arguments, counts, groups in PROGRAMS:
    for path in record("first-" + program, program, cluster, arguments, counts):
        replay.push(path, "v1")
    wanted[program, "v1"] = dict(groups)
    print(program, groups, flush=True)
# Repetitions, of the largest point or of one within the range.
for number, (program, cluster, arguments, counts, _) in enumerate(PROGRAMS):
    for path in record("again-" + program, program, cluster, arguments, [(max(counts), counts[2])[number % 2]]):
        replay.push(path, "v1")
    wanted[program, "v1"]["repeat", None] = 1
# Pushes runs of another version of one program. The first runs of this version are not judged, although the
# first version has models.
for path in record("other", *OTHER_VERSION, COUNTS):
    replay.push(path, "v2")
wanted[OTHER_VERSION[0], "v2"] = GROUPS

applications = server.json("/api/v1/applications", keeper)
expect({(each["name"], each["version"]) for each in applications} == wanted.keys() and len(applications) == len(wanted),
       [(each["name"], each["version"]) for each in applications])
for each in applications:
    groups, right = replay.check(each["id"]), wanted[each["name"], each["version"]]
    expect(groups == right, f"{each['name']} {each['version']}: {groups}, expected {right}")
groups, right = replay.check(), sum(map(collections.Counter, wanted.values()), collections.Counter())
expect(groups == right, f"all: {groups}, expected {right}")
replay.check_blindness()
print("all:", groups)
expect(server.stop() == 0, "the server did not stop well")
