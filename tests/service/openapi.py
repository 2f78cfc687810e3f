"""Every address that /api/v1/openapi.json names must respond as the document says: with the media type and the schema
that stand there, and with nothing that the schema does not name."""

import http.client
import json
import sys
import warnings

from server import Server, expect, planted_runs, profiles

try:
    import jsonschema
except ImportError:
    print("SKIP: python3-jsonschema is not installed")
    sys.exit(77)
warnings.simplefilter("ignore", DeprecationWarning)  # of RefResolver, the only one that old versions have

server = Server()
keeper = server.token("keeper")
server.start()
base = server.url + "/api/v1/openapi.json"


def fetch(url):
    """A schema, which is readable without a token. It must refuse what it does not name."""
    status, body = server.ask("GET", url.removeprefix(server.url))
    expect(status == 200, f"{url}: {status}")
    schema = json.loads(body)
    for definition in schema.get("$defs", {}).values() if url.endswith("service-answers.schema.json") else ():
        if "properties" in definition:
            definition["additionalProperties"] = False
    return schema


document = json.loads(server.ask("GET", "/api/v1/openapi.json")[1])
expect(document["openapi"] == "3.1.0", document["openapi"])
resolver = jsonschema.RefResolver(base, document, handlers={"http": fetch})


def conforms(value, content, where):
    if "schema" in content:
        validator = jsonschema.Draft202012Validator(content["schema"], resolver=resolver)
        faults = [f"/{'/'.join(map(str, e.path))}: {e.message[:300]}" for e in validator.iter_errors(value)]
        expect(not faults, f"{where}: {faults}")


asked = set()


def ask(method, path, query="", status=200, body=None, token=keeper, **values):
    """Asks as the document describes it, and returns the JSON of the response."""
    operation = document["paths"][path][method.lower()]
    known = {parameter["name"]: parameter for parameter in operation["parameters"]}
    given = [item.split("=")[0] for item in query.split("&") if item]
    expect(set(given) <= set(known), f"{path}: undocumented parameter in {given}")
    expect(set(values) == {name for name, each in known.items() if each["in"] == "path"}, f"{path}: {values}")
    target = path.format(**values) + ("?" + query if query else "")
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    connection.request(method, target, body, {"Authorization": "Bearer " + token} if token else {})
    answer = connection.getresponse()
    text = answer.read()
    connection.close()
    expect(answer.status == status, f"{method} {target}: status {answer.status}, not {status}: {text[:300]}")
    stated = operation["responses"].get(str(status)) or operation["responses"]["default"]
    (media, content), = stated["content"].items()
    expect(answer.getheader("Content-Type").split(";")[0] == media, f"{target}: {answer.getheader('Content-Type')}")
    value = json.loads(text) if media == "application/json" else None
    conforms(value, content, f"{method} {target}")
    if status < 400:
        asked.add((path, method.lower()))
    return value


# Two versions of a program, the first with a blind test of its model.
for version, counts in (("v1", "2,4,8"), ("v1", "16"), ("v2", "2,4,8")):
    for path in profiles(planted_runs(f"{version}-{counts}", counts, "planted", version)):
        with open(path, "rb") as file:
            profile = file.read()
        conforms(json.loads(profile), document["paths"]["/api/v1/runs"]["post"]["requestBody"]["content"]
                 ["application/json"], path)
        run = ask("POST", "/api/v1/runs", status=201, body=profile)
    server.wait_for_fits(keeper)
ask("POST", "/api/v1/runs", status=200, body=profile)
ask("GET", "/healthz", token=None)
ask("GET", "/metrics")
ask("GET", "/api/v1/openapi.json", token=None)
ask("GET", "/api/v1/schemas/{schema}", schema="model.schema.json", token=None)
ask("GET", "/api/v1/token")
first, second = (each["id"] for each in ask("GET", "/api/v1/applications", "most=2"))
application = "/api/v1/applications/{application}"
ask("GET", application, application=first)
expect(len(ask("GET", application + "/runs", application=first)) == 4, "runs")
ask("GET", application + "/models", application=first)
ask("GET", application + "/model", application=first)
ask("GET", application + "/predict", "procs=64", application=first)
ask("GET", application + "/predict", "procs=64,256&deadline_s=1&confidence=90&scaling=strong", application=first)
ask("GET", application + "/ask", "deadline_s=3600", application=first)
ask("GET", application + "/ask", "budget_core_hours=100", application=first)
expect(ask("GET", application + "/track-record", application=first)["forecasts"], "no blind test")
ask("GET", application + "/history", application=first)
ask("GET", "/api/v1/track-record")
expect(ask("GET", "/api/v1/diff", f"before={first}&after={second}"), "no difference")
ask("GET", "/api/v1/runs/{run}", run=run["id"])
ask("GET", "/api/v1/runs/{run}/profile", run=run["id"])
ask("DELETE", "/api/v1/runs/{run}", "reason=disturbed", run=run["id"])
ask("GET", "/api/v1/audit")
every = {(path, method) for path, methods in document["paths"].items() for method in methods}
expect(asked == every, f"not asked: {every - asked}")

# The server must require the parameters, tokens and roles that the document states, and its refusals must
# have the form that the document states.
reader = server.token("reader")
for path, methods in document["paths"].items():
    for method, operation in methods.items():
        values = {name: {"application": 1, "run": run["id"], "schema": "model.schema.json"}[name]
                  for name in (each["name"] for each in operation["parameters"] if each["in"] == "path")}
        required = [each["name"] for each in operation["parameters"] if each["in"] == "query" and each["required"]]
        if required:
            ask(method.upper(), path, status=400, **values)
        if "security" in operation:
            ask(method.upper(), path, status=401, token=None, **values)
        if operation.get("x-role", "reader") != "reader":
            query = "&".join(name + "=x" for name in required)
            ask(method.upper(), path, query, status=403, token=reader, **values)
ask("GET", application, status=404, application=99)
ask("POST", "/api/v1/runs", status=422, body=b"{}")
ask("DELETE", "/api/v1/runs/{run}", "reason=again", status=409, run=run["id"])
expect(server.stop() == 0, "the server did not stop well")
