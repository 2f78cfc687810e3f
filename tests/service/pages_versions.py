"""The pages on versions and machines, read without scripts and compared with the interface for programs: the history
names the commit at which the program became slower; two versions or two machines are compared."""

import hashlib

from browser import expect_shown, read_pages
from server import Server, apmt, expect, planted_runs

server = Server("anonymous_reading: true\n")
keeper = server.token("keeper")
server.start()


def push(version, machine, name="planted", procs="2,4,8", sweep=1.0, day="02"):
    """Pushes three runs of each process count."""
    folder = f"{name}-{version}-{machine}"
    for repetition in (1, 2, 3):
        planted_runs(folder, procs, name, version, repetition, sweep, day)
    apmt("push", folder, "--to", server.url, "--machine", machine, token=keeper)


def application(name, version, machine):
    (found,) = server.json(f"/api/v1/applications?name={name}&version={version}&machine={machine}", keeper)
    return found["id"]


# Two versions on one machine, and the second one also on another machine. Only the kernel sweep takes another time.
push("v1", "north")
push("v2", "north", sweep=1.25)
push("v2", "south", sweep=2.0)
# Of twelve commits, the eighth made the kernel sweep slower by a fifth. They ran on a single process count, as in
# continuous integration. Noise of half a percent.
commits = [hashlib.sha1(f"commit {i}".encode()).hexdigest() for i in range(12)]
CULPRIT = 7
for i, commit in enumerate(commits):
    noise = 0.005 * ((5 * i) % 7 - 3) / 3
    push(commit, "north", "solver", "8", (1.2 if i >= CULPRIT else 1) * (1 + noise), f"{i + 1:02}")
server.wait_for_fits(keeper)


def check_comparison(before, after, sides, factor):
    """`factor`: of the time of sweep."""
    at = f"before={before}&after={after}"
    changes = server.json(f"/api/v1/diff?{at}", keeper)
    sweeps = [change for change in changes if change["what"].endswith("sweep")]
    expect([change["procs"] for change in sweeps] == [2, 4, 8], changes)
    for change in sweeps:
        expect(abs(change["after_s"] / change["before_s"] / factor - 1) < 1e-6 and change["significant"], change)
    expect(not any(change["significant"] for change in changes if change["what"].endswith("serial")), changes)
    (page,) = read_pages(server, f"/compare?{at}")
    page.says(f"before planted, version {sides[0]}", f"after planted, version {sides[1]}", "slower")
    rows = {(int(row["processes"]), row["what"]): row for row in page.rows("Changes")}
    for change in changes:
        row = rows.pop((change["procs"], change["what"]), None)
        if row is None:
            expect(change["before_s"] == change["after_s"] == 0, f"{change} is not shown")
            continue
        expect_shown(row["before"], change["before_s"], row)
        expect_shown(row["after"], change["after_s"], row)
        expect((row["significant"] == "*") == change["significant"], row)
    expect(not rows, rows)


first, second, elsewhere = (application("planted", *labels) for labels in (("v1", "north"), ("v2", "north"),
                                                                           ("v2", "south")))
check_comparison(first, second, ("v1 on north", "v2 on north"), 1.25)
check_comparison(second, elsewhere, ("v2 on north", "v2 on south"), 1.6)
(page,) = read_pages(server, f"/applications/{second}")
expect(page.links["v1 on north"] == f"/compare?before={first}&after={second}", page.links)
expect(page.links["v2 on south"] == f"/compare?before={elsewhere}&after={second}", page.links)

# The history, to which the page of each version leads.
names = [commit[:10] for commit in commits]
newest = application("solver", names[-1], "north")
report = server.wait_for_history(newest, [3] * len(commits), keeper)
target = f"/applications/{newest}/history"
application_page, page = read_pages(server, f"/applications/{newest}", target)
expect(target in application_page.links.values(), application_page.links)
page.says(report["headline"], f"Since version {names[CULPRIT]} (8 of 12) solver is", "slower")
changes = page.rows("Changes")
expect({row["what"].split("->")[-1].split()[0] for row in changes} == {"elapsed", "sweep"}, changes)
expect(all(row["since"] == names[CULPRIT] and row["processes"] == "8" for row in changes), changes)
(versions,) = (table for section in report["sections"] for table in section["tables"] if table["id"] == "versions")
heads = [column["title"] for column in versions["columns"]]
rows = page.rows("Times by version")
expect([row["version"] for row in rows] == names and "elapsed" in heads and "sweep" in heads, rows)
for row, expected in zip(rows, versions["rows"], strict=True):
    expect(row["runs"] == "3", row)
    for column in versions["columns"]:
        if column["unit"] == "s":
            expect_shown(row[column["title"]], expected["cells"][column["id"]]["value"], row)
slower = [drawing for drawing in page.drawings if f"since version {names[CULPRIT]}" in drawing["words"]]
expect(len(slower) == 2 and all(drawing["marks"].count("line predicted") == 2 for drawing in slower), page.drawings)
expect(server.stop() == 0, "the server did not stop well")
