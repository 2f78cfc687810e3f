"""Clients reach a server through a proxy with TLS. They refuse certificates that they do not know."""

import os
import socket
import ssl
import sys
import threading

from server import Server, apmt, expect, in_folder, make_certificate, need, planted_runs

need("openssl")
make_certificate("localhost")
server = Server()
keeper = server.token("keeper")
server.start()

context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(in_folder("cert.pem"), in_folder("key.pem"))
listener = socket.create_server(("127.0.0.1", 0))


def received_request(client):
    """A whole request, with its body."""
    data = b""
    while b"\r\n\r\n" not in data:
        data += client.recv(65536) or sys.exit("FAILED: a request was cut off")
    head, _, body = data.partition(b"\r\n\r\n")
    length = next((int(line.split(b":")[1]) for line in head.lower().split(b"\r\n")
                   if line.startswith(b"content-length:")), 0)
    while len(body) < length:
        body += client.recv(65536) or sys.exit("FAILED: a request was cut off")
    return head + b"\r\n\r\n" + body


def proxy():
    """Serves one request on each connection; clients of apmt send no more."""
    while True:
        raw, _ = listener.accept()
        try:
            client = context.wrap_socket(raw, server_side=True)
        except OSError:
            continue  # the client refused the certificate
        with client, socket.create_connection(("127.0.0.1", server.port)) as inner:
            try:
                inner.sendall(received_request(client))
            except OSError:
                continue  # the client refused it later
            while data := inner.recv(65536):
                client.sendall(data)


threading.Thread(target=proxy, daemon=True).start()
port = listener.getsockname()[1]
planted_runs("study", "2,4,8", "planted")
message = apmt("push", in_folder("study"), "--to", f"https://localhost:{port}", code=1, token=keeper)
expect("certificate" in message, message)
os.environ["SSL_CERT_FILE"] = in_folder("cert.pem")
message = apmt("push", in_folder("study"), "--to", f"https://127.0.0.1:{port}", code=1, token=keeper)
expect("certificate" in message, "a certificate for another name was accepted: " + message)
apmt("push", in_folder("study"), "--to", f"https://localhost:{port}", token=keeper)
text = apmt("predict", "planted", "--procs", "16", "--from", f"https://localhost:{port}", token=keeper)
expect("At 16 processes expect" in text, text)
expect(server.stop() == 0, "the server did not stop well")
