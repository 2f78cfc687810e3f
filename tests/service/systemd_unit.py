"""service/apmt-serve.service and the settings of docs/service.md, with a systemd of its own in a container: the sandbox
lets the server and its workers do their work, and systemd starts, stops and restarts it."""

import atexit
import glob
import os
import shutil
import socket
import subprocess
import sys

from page import example, examples
from server import APMT, FOLDER, Server, apmt, expect, in_folder, planted_runs, wait_until

UNIT = "apmt-serve.service"
SOURCES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
SERVER = "http://127.0.0.1:8440"  # the address of the page
MOST_EXPOSURE = 1.5  # from 0 (in a sandbox) to 10


def skip(why):
    print("SKIP:", why)
    sys.exit(77)


def output(*words, code=0):
    done = subprocess.run(words, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    expect(done.returncode == code, f"{' '.join(words)}: exit code {done.returncode}\n{done.stdout}")
    return done.stdout


# When the server is ready, it tells systemd so through a socket in the file system or an abstract one.
for name in (in_folder("notify"), "@" + in_folder("notify")):
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as systemd:
        systemd.bind(name.replace("@", "\0"))
        systemd.settimeout(60)
        os.environ["NOTIFY_SOCKET"] = name
        server = Server().start()
        expect(systemd.recv(100) == b"READY=1" and server.ask("GET", "/healthz")[0] == 200, "the server is not ready")
        expect(server.stop() == 0, "the server did not stop well")
message = apmt("serve", "--listen", "127.0.0.1:0", "--store", server.store, code=1)
expect("systemd waits there" in message, message)
del os.environ["NOTIFY_SOCKET"]

if shutil.which("systemd-analyze") is None or not os.path.exists("/lib/systemd/systemd"):
    skip("systemd is not installed")
output("systemd-analyze", "security", "--offline=yes", f"--threshold={int(10 * MOST_EXPOSURE)}",
       os.path.join(SOURCES, "service", UNIT))
if os.geteuid() != 0 or subprocess.run(["unshare", "--mount", "--pid", "--fork", "--cgroup", "--net", "--ipc", "--uts",
                                        "true"], capture_output=True).returncode != 0:
    skip("only root can start a systemd in a container, so only the exposure of the unit was tested")

# Installs apmt in the folders of a package, with the systemd unit and the example settings of
# docs/service.md.
root, layer = in_folder("root"), in_folder("layer")
for folder in ("usr/bin", "usr/libexec", "usr/share/apmt", "usr/lib/systemd/system", "etc/apmt"):
    os.makedirs(os.path.join(layer, folder))
os.mkdir(root)
prefix = os.path.dirname(os.path.dirname(APMT))
for name in ("bin/apmt", "libexec/apmt-full"):
    shutil.copy(os.path.join(prefix, name), os.path.join(layer, "usr", name))
shutil.copytree(os.path.join(SOURCES, "configs"), os.path.join(layer, "usr/share/apmt/configs"))
shutil.copy(os.path.join(SOURCES, "service", UNIT), os.path.join(layer, "usr/lib/systemd/system"))
with open(os.path.join(layer, "etc/apmt/service.yaml"), "w", encoding="utf-8") as file:
    file.write(example("Settings", "yaml"))

cgroup = "apmt-" + os.path.basename(FOLDER.name)
container = subprocess.Popen([os.path.join(os.path.dirname(os.path.abspath(__file__)), "container.sh"), root, layer,
                              cgroup], stdin=subprocess.DEVNULL)


def clean_up():
    container.kill()
    container.wait()
    for hierarchy in glob.glob("/sys/fs/cgroup/" + cgroup) + glob.glob("/sys/fs/cgroup/*/" + cgroup):
        wait_until(lambda: subprocess.run(["find", hierarchy, "-depth", "-type", "d", "-exec", "rmdir", "{}", "+"],
                                          capture_output=True).returncode == 0, "the cgroups are empty")


atexit.register(clean_up)


def target():
    with open(f"/proc/{container.pid}/task/{container.pid}/children", encoding="utf-8") as file:
        return ["--target", *file.read().split()]


def inside(*words):
    """The command that runs these words in the container."""
    return ["nsenter", *target(), "--mount", "--uts", "--ipc", "--net", "--pid", "--cgroup", "--", *words]


def in_container(*words, code=0):
    return output(*inside(*words), code=code)


def is_up():
    if container.poll() is not None:
        skip("no systemd can be started here, so only the exposure of the unit was tested")
    state = subprocess.run(inside("systemctl", "is-system-running"), capture_output=True, text=True)
    return state.stdout.strip() in ("running", "degraded")


def shown(name):
    return in_container("systemctl", "show", "--property", name, "--value", UNIT).strip()


def log():
    return in_container("journalctl", "--no-pager", "--output", "cat", "--unit", UNIT)


def ask(*words):
    """Runs a client outside the container, in its network."""
    return output("nsenter", *target(), "--net", "--", "env", f"APMT_TOKEN={token}", APMT, *words, SERVER)


wait_until(is_up, "systemd runs")
output_of_check = in_container("systemd-analyze", "verify", UNIT)
expect(output_of_check == "", output_of_check)

# The commands of the page start the server, which is then ready.
start, care = examples("A systemd unit", "sh")
printed = in_container("bash", "-ec", start).splitlines()
token = [line for line in printed if not line.startswith("apmt: ")][-1]
expect(shown("ActiveState") == "active", log())
expect(os.path.basename(in_container("readlink", "/var/lib/apmt").strip()) == "apmt", "no DynamicUser")

# The sandbox is there, and the server and its workers can work in it.
pid = shown("MainPID")
status = dict(line.split(":\t", 1) for line in in_container("cat", f"/proc/{pid}/status").splitlines() if ":\t" in line)
for name, wanted in (("NoNewPrivs", "1"), ("Seccomp", "2"), ("CapBnd", "0" * 16), ("CapEff", "0" * 16)):
    expect(status[name] == wanted, f"{name} is {status[name]}, not {wanted}")
expect(int(status["Uid"].split()[0]) >= 61184, "the user is none of systemd's dynamic ones: " + status["Uid"])
for folder in ("/etc", "/usr", "/var/log", "/sys/fs/cgroup"):
    refused = in_container("nsenter", "--target", pid, "--mount", "--", "touch", folder + "/file", code=1)
    expect("Read-only file system" in refused, f"{folder}: {refused}")
ask("push", planted_runs("study", "2,4,8", "planted"), "--to")
expect("At 16 processes expect" in ask("predict", "planted", "--procs", "16", "--from"), log())
expect('"event":"refitted"' in log(), log())
owners = in_container("stat", "--dereference", "--format", "%U %a", "/var/lib/apmt", "/var/lib/apmt/apmt.db").splitlines()
expect(owners == ["apmt-serve 700", "apmt-serve 600"], owners)
limit = in_container("sh", "-c", "cat /sys/fs/cgroup/memory/system.slice/$0/memory.limit_in_bytes 2>/dev/null || "
                     "cat /sys/fs/cgroup/system.slice/$0/memory.max", UNIT)
expect(int(limit) == 6 << 30, "MemoryMax: " + limit)

# A server that is killed is started again; one that is told to stop ends by itself.
in_container("systemctl", "kill", "--signal=KILL", "--kill-whom=main", UNIT)
wait_until(lambda: shown("ActiveState") == "active" and shown("MainPID") not in (pid, "0"), "another server runs")
expect("At 16 processes expect" in ask("predict", "planted", "--procs", "16", "--from"), log())
in_container("systemctl", "stop", UNIT)
expect((shown("Result"), shown("ExecMainStatus")) == ("success", "0"), log())
expect(log().count('"event":"stopped"') == 1, log())

# A backup and its restoration by root, with the commands of the page.
in_container("mkdir", "-p", "/var/backups")
in_container("systemctl", "start", UNIT)
in_container("bash", "-ec", care)
expect("At 16 processes expect" in ask("predict", "planted", "--procs", "16", "--from"), log())

# Chooses another store by a variable in a file that only root can read. On a fast machine, the server has
# started five times within ten seconds by now, and systemd would refuse another start; reset-failed prevents
# this.
in_container("systemctl", "reset-failed", UNIT)
in_container("bash", "-ec", "(umask 077; echo APMT_STORE=sqlite:/var/lib/apmt/other.db >/etc/apmt/environment)")
in_container("systemctl", "restart", UNIT)
expect("/var/lib/apmt/other.db" in log(), log())

# Wrong settings: the start fails, and is not repeated.
in_container("systemctl", "reset-failed", UNIT)
in_container("sh", "-c", "echo 'listen: nowhere' >>/etc/apmt/service.yaml")
in_container("systemctl", "restart", UNIT, code=1)
expect((shown("ActiveState"), shown("ExecMainStatus")) == ("failed", "2"), log())
sys.exit(0)
