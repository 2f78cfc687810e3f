"""A server that gets SIGTERM must finish the requests that it has begun, for at most `stop_s`, and accept no others."""

import json
import signal
import socket
import time
import zlib

from server import Server, expect, planted_runs, profiles

with open(profiles(planted_runs("study", "4"))[0], encoding="utf-8") as file:
    profile = json.load(file)


def begin_push(server, token, number):
    """Sends a request but for the last byte of its body. Returns the connection and this byte."""
    body = zlib.compress(json.dumps(dict(profile, command=f"./planted {number}")).encode())
    connection = socket.create_connection(("127.0.0.1", server.port), timeout=60)
    connection.sendall(f"POST /api/v1/runs HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n"
                       f"Content-Encoding: deflate\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body[:-1])
    return connection, body[-1:]


def wait_until(holds, what):
    end = time.monotonic() + 30
    while not holds():
        expect(time.monotonic() < end, what)
        time.sleep(0.01)  # the server does not notify clients


def refuses(server):
    try:
        socket.create_connection(("127.0.0.1", server.port), timeout=60).close()
        return False
    except ConnectionResetError:  # the server stopped listening before it accepted this connection; ask again
        return False
    except ConnectionRefusedError:
        return True


# A request that is completed in time is acknowledged, and its run is stored. Connections that are idle are closed.
server = Server("stop_s: 30\n")
keeper = server.token("keeper")
server.start()
server.json("/api/v1/applications", keeper)
idle = socket.create_connection(("127.0.0.1", server.port), timeout=60)
pushing, last = begin_push(server, keeper, 1)
time.sleep(0.2)  # until the server has read the head
server.process.send_signal(signal.SIGTERM)
wait_until(lambda: refuses(server), "a stopping server accepts connections")
expect(idle.recv(1) == b"", "an idle connection is kept")
expect(server.process.poll() is None, "the server did not wait for the request")
pushing.sendall(last)
answer = b""
while piece := pushing.recv(65536):
    answer += piece
expect(answer.startswith(b"HTTP/1.1 201 ") and b"Connection: close" in answer, answer[:300])
expect(server.process.wait(timeout=60) == 0, "the server did not stop well")
server.start()
(run,) = server.json("/api/v1/applications/1/runs", keeper)
expect(run["id"] == json.loads(answer.split(b"\r\n\r\n", 1)[1])["id"], "another run was stored")
expect(server.stop() == 0, "the server did not stop well")

# A client that never completes its request delays the end by stop_s only, and nothing of its run is stored.
server = Server("stop_s: 1\n").start()
stuck, _ = begin_push(server, keeper, 2)
time.sleep(0.2)
began = time.monotonic()
expect(server.stop() == 0, "the server did not stop well")
took = time.monotonic() - began
expect(0.9 < took < 20, f"the server stopped after {took:.1f} s instead of 1 s")
expect(stuck.recv(1) == b"", "the connection was not closed")
server.start()
expect(len(server.json("/api/v1/applications/1/runs", keeper)) == 1, "half a run was stored")
expect(server.stop() == 0, "the server did not stop well")
