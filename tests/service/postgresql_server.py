"""postgresql_server.py: starts a private server of PostgreSQL and prints the folder of its socket. For each line
"database NAME" on standard input it makes a database and prints its address; "restart" restarts the server. It ends
with standard input. With no PostgreSQL on this machine, it prints why and ends with 77. Tests also import it."""

import atexit
import glob
import os
import pwd
import shutil
import subprocess
import sys
import tempfile


def programs():
    """The folder of PostgreSQL's programs; the packages of Debian do not put them into the path."""
    found = shutil.which("initdb")
    folders = [os.path.dirname(os.path.realpath(found))] if found else []
    folders += sorted(glob.glob("/usr/lib/postgresql/*/bin"), reverse=True) + ["/usr/pgsql/bin"]
    return next((each for each in folders if os.path.exists(os.path.join(each, "initdb"))), None)


def account():
    """The user that runs the server: PostgreSQL refuses to run as root."""
    if os.getuid() != 0:
        return pwd.getpwuid(os.getuid())
    names = [each.pw_name for each in pwd.getpwall()]
    return pwd.getpwnam(next(name for name in ("postgres", "nobody") if name in names))


class Postgresql:
    """A server in a folder of its own. It listens only on a socket in this folder."""

    def __init__(self, settings=()):
        self.settings = list(settings)
        self.user = account()
        self.folder = tempfile.mkdtemp(prefix="apmt-pg-", dir="/tmp")  # paths of sockets must be short
        os.chown(self.folder, self.user.pw_uid, self.user.pw_gid)
        self.data = os.path.join(self.folder, "data")
        self.log = os.path.join(self.folder, "log")
        self.is_running = False
        atexit.register(self.remove)

    def run(self, program, *words, check=True):
        done = subprocess.run([os.path.join(programs(), program), *words], cwd=self.folder, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              **({"user": self.user.pw_uid, "group": self.user.pw_gid, "extra_groups": []}
                                 if os.getuid() == 0 else {}))
        if check and done.returncode != 0:
            raise RuntimeError(f"{program} {' '.join(words)}: {done.stdout}")
        return done.stdout

    def control(self, action, *words):
        # The output goes to a file, because the server would keep a pipe open.
        options = f"-k {self.folder} " + " ".join(f"-c {each}" for each in ["listen_addresses=", *self.settings])
        return self.run("pg_ctl", action, "-w", "-D", self.data, "-l", self.log, "-o", options, *words)

    def start(self):
        if not os.path.exists(self.data):
            self.run("initdb", "-D", self.data, "-U", "apmt", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8",
                     "--no-sync")
        self.control("start")
        self.is_running = True
        return self

    def restart(self):
        """Stops the server as a crash would, and starts it again."""
        self.control("restart", "-m", "immediate")

    def stop(self, mode="immediate"):
        if self.is_running:
            self.run("pg_ctl", "stop", "-w", "-D", self.data, "-m", mode)
        self.is_running = False

    def remove(self):
        try:
            self.stop()
        finally:
            shutil.rmtree(self.folder, ignore_errors=True)

    def sql(self, statement, database="postgres"):
        return self.run("psql", "-qAt", "-h", self.folder, "-U", "apmt", "-d", database, "-c", statement)

    def address(self, name, user="apmt"):
        """Makes a database; returns its address."""
        self.sql(f'CREATE DATABASE "{name}"')
        return f"postgresql://{user}@/{name}?host={self.folder}"


def skip_without_postgresql(apmt=None):
    """Ends the test as skipped if this machine has no PostgreSQL, or if the command apmt cannot use it."""
    why = None
    if programs() is None:
        why = "PostgreSQL is not installed (apt-get install postgresql)"
    elif apmt:
        done = subprocess.run([apmt, "serve", "--store", "postgresql:///x?host=/nowhere", "check"], text=True,
                              stderr=subprocess.PIPE)
        if "cannot use PostgreSQL" in done.stderr:
            why = "this build of apmt cannot use PostgreSQL (apt-get install libpqxx-dev)"
    if why:
        print("SKIP:", why)
        sys.exit(77)


if __name__ == "__main__":
    skip_without_postgresql()
    # With fsync=off, a crash of the machine may destroy data. No test needs its data after such a crash.
    server = Postgresql(["fsync=off"]).start()
    print(server.folder, flush=True)
    for line in sys.stdin:
        words = line.split()
        if words[0] == "database":
            print(server.address(words[1]), flush=True)
        else:
            server.restart()
            print("restarted", flush=True)
