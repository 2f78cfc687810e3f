"""What hostile clients send must be refused, logged and counted, while other clients are served."""

import base64
import gzip
import json
import socket
import sys
import threading
import time
import zlib

from server import Server, escaped, expect, planted_runs, profiles

server = Server("connections: 32\nhead_s: 3\nbody_s: 3\nprofile_bytes: 4000000\nbody_bytes: 1000000\n")
keeper, pusher, reader = (server.token(role) for role in ("keeper", "pusher", "reader"))
expired = server.token("keeper", "--days", "0")
server.start()
with open(profiles(planted_runs("study", "2,4,8"))[0], encoding="utf-8") as file:
    profile = json.load(file)
plain = json.dumps(profile).encode()


def raw(data, timeout=20):
    """What the server answers to these bytes; empty if it closes the connection."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=timeout) as connection:
        connection.sendall(data)
        answer = b""
        try:
            while piece := connection.recv(65536):
                answer += piece
        except OSError:
            pass
        return answer


def push(body, token=pusher, **headers):
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return server.ask("POST", "/api/v1/runs", token, body, named)


# Tokens: none, wrong, of another role, expired, in the wrong place.
for token in (None, "x", keeper[:-1] + "0" + keeper[-1:], expired, keeper.replace("apmt_", "apmt-")):
    status, _ = server.ask("GET", "/api/v1/applications", token)
    expect(status == 401, f"token {token}: {status}")
status, _ = push(plain, token=reader)
expect(status == 403, f"a reader pushes: {status}")
status, _ = server.ask("GET", "/api/v1/applications?token=" + keeper)
expect(status == 401, "a token in the address counts")
basic = "Basic " + base64.b64encode(":".join(keeper.split("_")[1:]).encode()).decode()
status, _ = server.ask("GET", "/", headers={"Authorization": basic})
expect(status == 200, f"a browser with id and secret: {status}")
status, _ = push(plain, token=None, Authorization=basic)
expect(status == 403, f"a browser's password makes a change: {status}")
status, _ = push(plain, Sec_Fetch_Site="cross-site", Origin="https://evil.example")
expect(status == 403, f"a request from another site: {status}")

# Paths that try to reach files outside the service's addresses.
for path in ("/../../etc/passwd", "/..%2f..%2fetc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/api/v1/runs/..%2f..", "/%00",
             "/api/v1/applications/1%00", "//etc/passwd", "/api/v1/runs/" + "a" * 3000, "/\\..\\..", "/%"):
    status, body = server.ask("GET", path, reader)
    expect(status in (400, 404) and b"root:" not in body, f"{path}: {status}")

# SQL and scripts in every name that a client chooses.
for evil in ("'; DROP TABLE runs; --", "\" OR \"1\"=\"1", "1 UNION SELECT * FROM tokens",
             "<script>alert(1)</script>", "'\"><img src=x onerror=alert(1)>", "{{7*7}}", "%s%n", "../../x"):
    named = dict(profile, program=evil, command=evil)
    address = f"/api/v1/runs?name={escaped(evil)}&machine={escaped(evil)}&version={escaped(evil)}"
    status, body = server.ask("POST", address, pusher, json.dumps(named))
    expect(status == 201, f"{evil}: {status} {body}")
    run = json.loads(body)
    found = server.json("/api/v1/applications?name=" + escaped(evil), reader)
    expect(len(found) == 1 and found[0]["machine"] == evil, f"{evil}: {found}")
    status, _ = server.ask("DELETE", f"/api/v1/runs/{run['id']}?reason={escaped(evil)}", keeper)
    expect(status == 200, f"taking out because of {evil}: {status}")
    status, page = server.ask("GET", f"/applications/{run['application']}", reader)
    expect(status == 200 and b"<script>alert" not in page and b"<img" not in page, f"{evil} is in the page as it is")
expect(len(server.json("/api/v1/applications?name=" + escaped("' OR 1=1 --"), reader)) == 0, "SQL in a filter")
status, page = server.ask("GET", "/", reader)
expect(status == 200 and b"<script" not in page, "the list of applications has a script")

# Bodies: compression bombs, cut off, endless, of other types.
bomb = zlib.compress(b"[" + b"0," * 50_000_000 + b"0]", 9)
expect(len(bomb) < 1_000_000, "no bomb")
for encoding, body in (("deflate", bomb), ("gzip", gzip.compress(bytes(200_000_000))),
                       ("deflate", zlib.compress(plain)[:-9]), ("gzip", b"nonsense"), ("deflate", zlib.compress(b"[" * 3_000_000))):
    status, _ = push(body, Content_Encoding=encoding)
    expect(status == 422, f"a trap in {encoding}: {status}")
status, _ = push(plain, Content_Encoding="br")
expect(status == 415, f"an unknown encoding: {status}")
status, _ = push(b"{" * 2_000_000)
expect(status == 413, f"a body that is too large: {status}")
head = f"POST /api/v1/runs HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {pusher}\r\n".encode()
chunk = b"10000\r\n" + b" " * 0x10000 + b"\r\n"
answer = raw(head + b"Transfer-Encoding: chunked\r\n\r\n" + chunk * 40)
expect(answer == b"" or b" 413 " in answer.split(b"\r\n")[0], f"endless chunks: {answer[:100]}")
answer = raw(head + b"Content-Length: 99999999999999999999\r\n\r\n")
expect(b" 400 " in answer or b" 413 " in answer, f"an absurd length: {answer[:100]}")
status, _ = server.ask("GET", "/api/v1/applications", reader, body=b"x" * 1000)
expect(status == 413, f"a body where none belongs: {status}")

# Heads: too large, and no HTTP at all.
answer = raw(b"GET / HTTP/1.1\r\nHost: x\r\nX: " + b"y" * 100_000 + b"\r\n\r\n")
expect(answer == b"" or b" 431 " in answer.split(b"\r\n")[0], f"a huge head: {answer[:100]}")
answer = raw(b"GET / HTTP/1.1\r\n" + b"".join(b"X-%d: y\r\n" % i for i in range(5000)) + b"\r\n")
expect(answer == b"" or b" 431 " in answer.split(b"\r\n")[0], f"many heads: {answer[:100]}")
for data in (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(200), b"nonsense\r\n\r\n", bytes(1000),
             b"GET / HTTP/9.9\r\n\r\n", b"GET /\r\n\r\n"):
    answer = raw(data)
    expect(answer == b"" or answer.startswith(b"HTTP/1.1 4"), f"{data[:20]}: {answer[:60]}")

# Clients on all connections that send many requests and read no response.
stuck = []
for _ in range(50):
    connection = socket.create_connection(("127.0.0.1", server.port))
    connection.setblocking(False)
    try:
        connection.send(b"GET /api/v1/openapi.json HTTP/1.1\r\nHost: x\r\n\r\n" * 2000)
    except OSError:
        pass
    stuck.append(connection)
for _ in range(20):
    status, _ = server.ask("GET", "/api/v1/applications", reader)
    expect(status == 200, f"beside clients that take no answer: {status}")
for connection in stuck:
    connection.close()

# Slow clients on all connections, while others are served.
slow = []
for i in range(60):
    connection = socket.create_connection(("127.0.0.1", server.port))
    connection.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n" if i % 2 else head + b"Content-Length: 100000\r\n\r\n{")
    slow.append(connection)
is_over = threading.Event()


def drip():
    while not is_over.is_set():
        for connection in slow:
            try:
                connection.sendall(b"X: y\r\n")
            except OSError:
                pass
        time.sleep(0.2)


dripping = threading.Thread(target=drip, daemon=True)
dripping.start()
began = time.monotonic()
while time.monotonic() < began + 5:  # longer than the deadlines of the slow ones
    status, _ = server.ask("GET", "/api/v1/applications", reader)
    expect(status == 200, f"beside slow clients: {status}")
is_over.set()
dripping.join()
for connection in slow:
    connection.settimeout(10)
    try:
        while connection.recv(65536):
            pass
    except ConnectionError:
        pass
    except socket.timeout:
        sys.exit("FAILED: a slow client was never cut off")

# Everything was counted and logged, and the server is as it was.
for reason in ("wrong token", "no token", "role", "not a bearer token", "address", "request", "body too large",
               "head too large", "timeout"):
    expect(server.metric(f'apmt_refusals_total{{reason="{reason}"}}', keeper) > 0, f"not counted: {reason}")
    expect(any("refused" in line and reason in line for line in server.lines), f"not logged: {reason}")
expect(not any(token in line for line in server.lines for token in (keeper, pusher, reader)), "a token is in the log")
expect(server.ask("GET", "/healthz")[0] == 200, "the server is not well")
expect(server.stop() == 0, "the server did not stop well")
