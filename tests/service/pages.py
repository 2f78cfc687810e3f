"""Opens the pages of the service in headless Chromium, in both colour schemes, as on a desktop and as on a phone.
They must print nothing on the console, load nothing else, and show scripts in names as text."""

import json

from browser import in_browser
from server import Server, escaped, expect, planted_runs, profiles

server = Server("anonymous_reading: true\n")
keeper = server.token("keeper")
server.start()
evil = "<script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">"
for version, counts in (("v1", "2,4,8,16"), ("v2", "2,4,8")):
    for path in profiles(planted_runs(version, counts, "planted", version)):
        with open(path, encoding="utf-8") as file:
            profile = json.load(file)
        for kernel in profile["kernels"]:
            kernel["name"] = evil + kernel["name"]
        status, body = server.ask("POST", f"/api/v1/runs?name={escaped(evil)}&machine={escaped(evil)}", keeper,
                                  json.dumps(profile))
        expect(status == 201, body)
        if version == "v1":
            server.wait_for_fits(keeper)
applications = server.wait_for_fits(keeper)
expect(len(applications) == 2 and all(each["model"] for each in applications), applications)
first, second = (each["id"] for each in applications)
server.wait_for_history(first, [4, 3], keeper)
in_browser("pages_test.js", server.url, "/", f"/applications/{first}", f"/applications/{first}/report",
           f"/applications/{first}/history", "/track-record", f"/compare?before={first}&after={second}")
expect(server.stop() == 0, "the server did not stop well")
