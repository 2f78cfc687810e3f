"""The report on the server is the page that `apmt report --html` writes for the same runs, and its sliders work under
the server's Content-Security-Policy: they show the predictions of the interface for programs."""

import json

from browser import expect_range_shown, expect_shown, in_browser
from server import Server, apmt, expect, in_folder, planted_runs

server = Server("anonymous_reading: true\n")
keeper = server.token("keeper")
server.start()
for repetition in (1, 2, 3):
    study = planted_runs("study", "2,4,8", "planted", "v1", repetition)
apmt("push", study, "--to", server.url, token=keeper)
server.wait_for_fits(keeper)

# The page of the server and that of `apmt report` must be equal byte by byte, because the same code makes
# both from the same runs. Only the name of the model in the command for predictions differs.
apmt("report", study, "--html", in_folder("report.html"))
with open(in_folder("report.html"), "rb") as file:
    local = file.read().replace(str(study).encode(), b"planted --from SERVER")
status, remote = server.ask("GET", "/applications/1/report")
expect(status == 200 and b"expect" in local, remote)
expect(remote == local, "the page of the server is not that of apmt report")

COUNTS = (3, 32, 100)
page = json.loads(in_browser("report_page.js", server.url + "/applications/1/report", *COUNTS))
for procs, said in zip(COUNTS, page["said"], strict=True):
    predicted = server.json(f"/api/v1/applications/1/predict?procs={procs}", keeper)
    expect_shown(said["time"], predicted["time_s"], f"the slider at {procs}")
    expect_range_shown(said["interval"], predicted["low_s"], predicted["high_s"], f"the slider at {procs}")
    expect(said["answer"].startswith(f"At {procs} processes expect"), said)
expect(len(set(page["moved"])) == len(page["moved"]) == 3, f"moving a slider changes nothing: {page['moved']}")
expect("default-src 'none'" in page["policy"] and "frame-ancestors 'none'" in page["policy"], page["policy"])
expect(not page["messages"], page["messages"])
expect(any("Content Security Policy" in message for message in page["provoked"]), "the test sees no violations")
expect(server.stop() == 0, "the server did not stop well")
