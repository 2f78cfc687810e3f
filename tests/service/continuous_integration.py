"""The job of continuous integration in docs/service.md: its lines are run, with a real program and a real server.
Usage: continuous_integration.py APMT PLANTED_RUNS HALO2D MPIRUN"""

import os
import shutil
import subprocess
import sys

from page import adapted, example
from server import APMT, Server, expect, in_folder

try:
    import yaml
except ImportError:
    print("SKIP: python3-yaml is not installed")
    sys.exit(77)
program, mpirun = sys.argv[3:5]
if not (os.path.exists(program) and shutil.which(mpirun)):
    print("SKIP: the examples are not built with Open MPI")
    sys.exit(77)

# The commands apmt and mpirun (Open MPI's).
os.mkdir(in_folder("bin"))
for name, command in (("apmt", APMT), ("mpirun", mpirun)):
    with open(in_folder("bin", name), "w", encoding="utf-8") as file:
        file.write(f'#!/bin/sh\nexec "{command}" "$@"\n')
    os.chmod(in_folder("bin", name), 0o755)

server = Server()
token = server.token("pusher")
server.start()


def run_job(commit, *replacements):
    """Runs the script as GitLab does: in a clean folder, and the first line that fails ends it. Returns the exit code
    and the output of the last line."""
    job_folder = in_folder("job")
    shutil.rmtree(job_folder, ignore_errors=True)
    os.mkdir(job_folder)
    shutil.copy(program, os.path.join(job_folder, "app"))
    job = yaml.safe_load(adapted(example("In continuous integration", "yaml"),
                                 ("--procs 2,4,8", "--procs 1,2"), ("./app input.nml", "./app 801 100"),
                                 *replacements))
    environment = dict(os.environ, PATH=in_folder("bin") + ":" + os.environ["PATH"], APMT_URL=server.url,
                       APMT_TOKEN=token, CI_COMMIT_SHA=commit)
    environment.pop("APMT_VERSION", None)
    environment.pop("GITHUB_SHA", None)
    for line in job["performance"]["script"]:
        done = subprocess.run(["bash", "-eo", "pipefail", "-c", line], cwd=job_folder, env=environment, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if done.returncode != 0:
            break
    return done.returncode, done.stdout


COMMIT = "0123456789abcdef0123456789abcdef01234567"
code, text = run_job(COMMIT)
expect(code == 0 and "For the deadline of 3600 s: " in text, f"a deadline that is met: {code}\n{text}")
code, text = run_job(COMMIT[::-1], ("--deadline 3600", "--deadline 1e-9"))
expect(code == 4 and "No process count meets the deadline" in text, f"a deadline that is missed: {code}\n{text}")
applications = server.json("/api/v1/applications", token)
expect([(each["name"], each["version"], each["runs"]) for each in applications] ==
       [("app", COMMIT[:10], 6), ("app", COMMIT[::-1][:10], 6)], applications)

# Without the server, the job fails before its runs.
expect(server.stop() == 0, "the server did not stop well")
code, text = run_job(COMMIT)
expect(code == 1 and "is the server running" in text, f"a server that does not run: {code}\n{text}")
expect(os.listdir(in_folder("job")) == ["app"], "runs were made")
sys.exit(0)
