"""Starts and asks servers of `apmt serve` for the tests in this folder."""

import atexit
import http.client
import json
import os
import re
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from keep_json import keep  # noqa: E402  (found by the line above)
from postgresql_server import Postgresql, skip_without_postgresql  # noqa: E402

APMT, PLANTED_RUNS = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
FOLDER = tempfile.TemporaryDirectory()
os.environ.pop("APMT_SERVER", None)
os.environ.pop("APMT_TOKEN", None)
os.environ.pop("APMT_STORE", None)


# If the command line ends with "postgresql", the stores of all servers are databases of a private PostgreSQL.
POSTGRESQL = None
if sys.argv[-1] == "postgresql":
    skip_without_postgresql(APMT)
    POSTGRESQL = Postgresql().start()
ADDRESSES = {}  # of these databases, by the name of the store


def fail(what):
    print("FAILED:", what)
    sys.exit(1)


def expect(good, what):
    if not good:
        fail(what)


def in_folder(*path):
    return os.path.join(FOLDER.name, *path)


def apmt(*words, code=0, token=None):
    """The output of a command, which must end with this exit code."""
    environment = dict(os.environ, **({"APMT_TOKEN": token} if token else {}))
    done = subprocess.run([APMT, *words], cwd=FOLDER.name, env=environment, text=True, capture_output=True)
    expect(done.returncode == code, f"apmt {' '.join(words)}: exit code {done.returncode}, not {code}\n{done.stderr}")
    if "--json" in words and code == 0:
        keep(done.stdout)
    return done.stdout if code == 0 else done.stderr


def planted_runs(folder, *words):
    subprocess.run([PLANTED_RUNS, in_folder(folder), *map(str, words)], check=True)
    return in_folder(folder)


def profiles(folder):
    return sorted(os.path.join(place, "profile.json") for place, _, files in os.walk(folder) if "profile.json" in files)


def need(*programs):
    """Skips the test if a program is not installed."""
    for program in programs:
        if shutil.which(program, path=os.environ["PATH"] + ":/usr/sbin") is None:
            print(f"SKIP: {program} is not installed")
            sys.exit(77)


def make_certificate(host):
    """Writes cert.pem, which is its own authority, and key.pem."""
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2",
                    "-keyout", in_folder("key.pem"), "-out", in_folder("cert.pem"),
                    "-subj", f"/CN={host}", "-addext", f"subjectAltName=DNS:{host}"],
                   check=True, capture_output=True)


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


def wait_until(is_so, what):
    """Polls until is_so() is true, for a minute at most; nothing reports when this happens."""
    last = time.monotonic() + 60
    while not is_so():
        expect(time.monotonic() < last, "waited in vain: " + what)
        time.sleep(0.05)


class Server:
    """`apmt serve` with a store of its own, on a free port. The store is a file, or at an address that all commands get
    by the environment, since it may hold a password. A store with the same name is the same store."""

    def __init__(self, settings="", store="store.db", log="text", address=None):
        if POSTGRESQL and not address:
            address = ADDRESSES.get(store) or ADDRESSES.setdefault(store, POSTGRESQL.address(store))
        self.store = address or "sqlite:" + in_folder(store)
        if address:
            os.environ["APMT_STORE"] = address
        self.name = store
        self.settings = in_folder(store + ".yaml")
        with open(self.settings, "w", encoding="utf-8") as file:
            file.write(f'format: apmt-service\nformat_version: "1.0"\nlog: {log}\nlisten: "127.0.0.1:0"\n'
                       "requests_per_s: 0\n" + settings)
        self.command = [APMT]
        self.process = None
        self.lines = []
        atexit.register(self.kill)

    @property
    def words(self):
        """The options that name the store, unless the environment does."""
        return [] if os.environ.get("APMT_STORE") == self.store else ["--store", self.store]

    def start(self):
        self.process = subprocess.Popen([*self.command, "serve", "--config", self.settings, *self.words],
                                        cwd=FOLDER.name, stderr=subprocess.PIPE, text=True)
        for line in self.process.stderr:
            self.lines.append(line)
            match = re.search(r"http://127\.0\.0\.1:(\d+)", line)
            if match:
                self.port = int(match.group(1))
                self.url = f"http://127.0.0.1:{self.port}"
                # The rest of the log is read by a thread, or the server would block on a full pipe.
                self.log_reader = threading.Thread(target=self.lines.extend, args=(self.process.stderr,), daemon=True)
                self.log_reader.start()
                return self
        fail("the server did not start: " + "".join(self.lines))

    def kill(self):
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()

    def stop(self):
        """Asks the server to stop; returns its exit code."""
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(timeout=60)
        self.log_reader.join()
        return code

    def token(self, role, *words):
        return apmt("serve", *self.words, "token", "add", "test", "--role", role, *words).strip()

    def check(self):
        """Checks the store, and every run in it."""
        return apmt("serve", *self.words, "check")

    def count(self, query):
        """The number that a query of the store gives; the server may be running."""
        if POSTGRESQL:
            return int(POSTGRESQL.sql(query, self.name))
        with sqlite3.connect(self.store.removeprefix("sqlite:")) as store:
            return store.execute(query).fetchone()[0]

    def ask(self, method, target, token=None, body=None, headers=None):
        """Status and body of the response."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        headers = dict(headers or {}, **({"Authorization": "Bearer " + token} if token else {}))
        try:
            connection.request(method, target, body=body, headers=headers)
            response = connection.getresponse()
            return response.status, response.read()
        finally:
            connection.close()

    def json(self, target, token, status=200):
        got, body = self.ask("GET", target, token)
        expect(got == status, f"{target}: status {got}, not {status}: {body[:500]}")
        return json.loads(body)

    def wait_for_fits(self, token):
        """Waits until every run that came in was used for a fit."""
        for _ in range(1200):
            applications = self.json("/api/v1/applications", token)
            if not any(each["is_pending"] for each in applications):
                return applications
            time.sleep(0.05)  # the server does not notify clients
        fail("the fits do not end: " + "".join(self.lines[-20:]))

    def wait_for_history(self, application, runs, token):
        """The history of the application's program once it has this many runs of each version. A worker updates it only
        after the fit for which wait_for_fits() waits."""
        for _ in range(1200):
            status, body = self.ask("GET", f"/api/v1/applications/{application}/history", token)
            report = json.loads(body)
            tables = [table for section in report.get("sections", []) for table in section["tables"]]
            versions = [table["rows"] for table in tables if table["id"] == "versions"]
            if status == 200 and [row["cells"]["runs"]["value"] for row in versions[0]] == runs:
                return report
            time.sleep(0.05)  # the server does not notify clients
        fail(f"the history is not updated: {body[:2000]}")

    def metric(self, name, token):
        status, text = self.ask("GET", "/metrics", token)
        expect(status == 200, f"/metrics: {status}")
        for line in text.decode().splitlines():
            if line.startswith(name + " "):
                return float(line.split()[-1])
        return 0.0


def escaped(text):
    return urllib.parse.quote(text, safe="")
