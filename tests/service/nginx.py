"""The example of nginx in docs/service.md, with a real nginx in front of a server."""

import atexit
import json
import os
import secrets
import socket
import subprocess
import sys

from page import adapted, example
from server import (FOLDER, Server, apmt, expect, free_port, in_folder, make_certificate, need, planted_runs, profiles,
                    wait_until)

need("nginx", "openssl", "curl")
make_certificate("localhost")
server = Server()
keeper = server.token("keeper")
server.start()
port = free_port()
url = f"https://localhost:{port}"


def start_nginx(*replacements):
    """nginx with the example; returns the process."""
    block = adapted(example("TLS by nginx", "nginx"),
                    ("listen 443 ssl;", f"listen 127.0.0.1:{port} ssl;"),
                    ("server_name apmt.example.org;", "server_name localhost;"),
                    ("/etc/ssl/certs/apmt.pem", in_folder("cert.pem")),
                    ("/etc/ssl/private/apmt.key", in_folder("key.pem")),
                    ("http://127.0.0.1:8440", server.url), *replacements)
    temporary = "".join(f"{kind}_temp_path {in_folder(kind)};\n"
                        for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    with open(in_folder("nginx.conf"), "w", encoding="utf-8") as file:
        file.write(f"daemon off;\nmaster_process off;\npid {in_folder('nginx.pid')};\n"
                   f"error_log {in_folder('nginx.log')};\n"
                   f"events {{}}\nhttp {{\naccess_log off;\n{temporary}{block}}}\n")
    process = subprocess.Popen(["nginx", "-p", FOLDER.name, "-e", in_folder("nginx.log"), "-c", in_folder("nginx.conf")],
                               env=dict(os.environ, PATH=os.environ["PATH"] + ":/usr/sbin"))
    atexit.register(process.kill)

    def is_listening():
        expect(process.poll() is None, "nginx does not start")
        with socket.socket() as client:
            return client.connect_ex(("127.0.0.1", port)) == 0
    wait_until(is_listening, "nginx listens")
    return process


def stop(process):
    process.terminate()
    process.wait(timeout=60)


def curl(*words):
    """Status and body of the response."""
    done = subprocess.run(["curl", "--silent", "--show-error", "--cacert", in_folder("cert.pem"), "--write-out",
                           "\n%{http_code}", *words], check=True, text=True, capture_output=True)
    body, _, status = done.stdout.rpartition("\n")
    return int(status), body


# A certificate is refused if its authority is unknown or (with SSL_CERT_FILE) if it names another host.
nginx = start_nginx()
study = planted_runs("study", "2,4,8", "planted")
os.environ.pop("SSL_CERT_DIR", None)
os.environ.pop("SSL_CERT_FILE", None)
message = apmt("push", study, "--to", url, code=1, token=keeper)
expect("certificate" in message, message)
os.environ["SSL_CERT_FILE"] = in_folder("cert.pem")
message = apmt("push", study, "--to", f"https://127.0.0.1:{port}", code=1, token=keeper)
expect("certificate" in message, "a certificate for another name was accepted: " + message)

# All clients work through nginx.
apmt("push", study, "--to", url, token=keeper)
(application,) = server.wait_for_fits(keeper)
expect(application["runs"] == 3, application)
for words in (("predict", "planted", "--procs", "16"), ("ask", "planted", "--deadline", "2")):
    through, direct = (apmt(*words, "--from", address, token=keeper) for address in (url, server.url))
    expect(through == direct and through, f"{words}: {through}\nwithout nginx: {direct}")
status, page = curl("--user", f"any:{keeper}", url + "/applications/1/report")
expect(status == 200 and "<title>Scaling of planted</title>" in page, f"{status}: {page[:500]}")
status, page = curl(url + "/")
expect(status == 401, f"a page without a token: {status}")


def sized_run(folder, megabytes):
    """A run whose compressed profile has at least this size."""
    (path,) = profiles(planted_runs(folder, "16", "planted"))
    with open(path, encoding="utf-8") as file:
        profile = json.load(file)
    profile["environment"]["OMP_NOISE"] = secrets.token_hex(megabytes << 20)
    with open(path, "w", encoding="utf-8") as file:
        json.dump(profile, file)
    return in_folder(folder)


# With the settings of the example, nginx lets through every push that the server accepts. It refuses a larger
# one, and apmt push names the reason.
apmt("push", sized_run("large", 26), "--to", url, token=keeper)
message = apmt("push", sized_run("too_large", 33), "--to", url, code=1, token=keeper)
expect("413" in message and "client_max_body_size" in message, message)
expect(server.wait_for_fits(keeper)[0]["runs"] == 4, "the run that is too large was stored")
stop(nginx)
nginx = start_nginx(("client_max_body_size 32m;", ""))
message = apmt("push", sized_run("above_default", 3), "--to", url, code=1, token=keeper)
expect("client_max_body_size" in message, message)

# Without the server, nginx answers.
expect(server.stop() == 0, "the server did not stop well")
message = apmt("push", study, "--to", url, code=1, token=keeper)
expect("does not reach apmt serve" in message, message)
stop(nginx)
sys.exit(0)
