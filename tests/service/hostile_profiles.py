"""hostile_profiles.py APMT PLANTED_RUNS CASES: pushes profiles with wrong values (extreme numbers, missing, doubled and
exchanged parts), each together with good runs of the same application. Each must be refused in words, or be fitted by a
worker that ends by itself, with a model or a reason; pages and predictions must not fail."""

import copy
import json
import random
import sys

from server import Server, expect, planted_runs, profiles

CASES = int(sys.argv[3])
seed = random.randrange(1 << 30)
print("seed", seed)
chance = random.Random(seed)
NUMBERS = (0, -1, 1, 1e-320, 1e308, -1e308, 2**31 - 1, 2**53, 2**63, 2**64, 10**30, 0.5)
TEXTS = ("", "x" * 10_000, "\u0000", "\u202e\U0001f600", "nan", "../../x", "main")

server = Server("refit_cpu_s: 20\n")
keeper = server.token("keeper")
server.start()
good = []
for path in profiles(planted_runs("study", "2,4,8,16", "planted")):
    with open(path, encoding="utf-8") as file:
        good.append(json.load(file))


def places(value, path=()):
    """The paths of all values in a document."""
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield from places(inner, path + (key,))


def at(document, path):
    for key in path:
        document = document[key]
    return document


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def spoil(document):
    """Changes one part of a document, as a program with a fault or an enemy would. Most of the changes are in numbers,
    because checks of the form refuse the others."""
    path = chance.choice([path for path in places(document) if path])
    change = chance.choice(("value", "scale", "scale", "scale", "delete", "double", "exchange"))
    if change == "scale":
        path = chance.choice([path for path in places(document) if is_number(at(document, path))])
    parent, key, old = at(document, path[:-1]), path[-1], at(document, path)
    if change == "delete":
        del parent[key]
    elif change == "double" and isinstance(parent, list):
        parent.insert(0, copy.deepcopy(old))
    elif change == "exchange":
        other = chance.choice(good)
        parent[key] = copy.deepcopy(at(other, chance.choice(list(places(other)))))
    elif change == "scale":
        factor = chance.choice((0, -1, 0.001, 1000, 10**6, 10**12))
        parent[key] = int(old * factor) if isinstance(old, int) else old * factor
    else:
        parent[key] = chance.choice(TEXTS if isinstance(old, str) else (*NUMBERS, *TEXTS, None, [], {}))


def push(document, name):
    return server.ask("POST", f"/api/v1/runs?name={name}&machine=m&version=v", keeper, json.dumps(document))


taken = 0
for case in range(CASES):
    spoilt = copy.deepcopy(chance.choice(good))
    for _ in range(chance.choice((1, 1, 2, 5))):
        spoil(spoilt)
    others = [run for run in good if run["config"]["procs"] != spoilt.get("config", {}).get("procs")] \
        if isinstance(spoilt.get("config"), dict) else good
    status, answer = push(spoilt, f"case-{case}")
    expect(status in (201, 400, 422), f"case {case}: {status} {answer[:300]}")
    if status != 201:
        expect(json.loads(answer)["error"], f"case {case}: {answer}")
        continue
    taken += 1
    for run in others[:3]:
        status, answer = push(run, f"case-{case}")
        expect(status == 201, f"case {case}: a good run: {status} {answer[:300]}")
    if taken % 50 == 0:
        server.wait_for_fits(keeper)  # or the wait at the end would be too long
applications = server.wait_for_fits(keeper)
expect(len(applications) == taken > 0, f"{len(applications)} applications, {taken} expected")
print(f"{taken} of {CASES} profiles were accepted")
failed = 0
for application in applications:
    attempts = server.json(f"/api/v1/applications/{application['id']}/models", keeper)
    expect(attempts, f"{application['name']}: no fit")
    for attempt in attempts:
        expect(attempt["is_good"] or attempt["message"], f"{application['name']}: no reason")
        expect("signal" not in attempt["message"] and "memory" not in attempt["message"]
               and "unexpected" not in attempt["message"], f"{application['name']}: {attempt['message']}")
    failed += not attempts[0]["is_good"]
    for page in ("", "/report", "/history"):
        status, _ = server.ask("GET", f"/applications/{application['id']}{page}", keeper)
        expect(status in (200, 409), f"{application['name']}{page}: {status}")
    for question in ("predict?procs=64,100000", "ask?deadline_s=100", "track-record"):
        status, answer = server.ask("GET", f"/api/v1/applications/{application['id']}/{question}", keeper)
        expect(status in (200, 409, 422), f"{application['name']}, {question}: {status} {answer[:300]}")
        json.loads(answer, parse_constant=lambda value: expect(False, f"{application['name']}: {value}"))
print(f"{failed} of {len(applications)} applications have no good model")
expect(server.ask("GET", "/healthz")[0] == 200 and server.stop() == 0, "the server is not well")
server.check()
