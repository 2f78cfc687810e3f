"""Functions that tests of kernels share: they run commands, compare, and end with the right exit code."""
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from keep_json import keep  # noqa: E402  (found by the line above)

failures = 0


def run(*words, **more):
    result = subprocess.run([str(w) for w in words], capture_output=True, text=True, **more)
    if result.returncode != 0:
        sys.exit(f"FAILED: {' '.join(map(str, words))}: exit code {result.returncode}\n{result.stdout}{result.stderr}")
    return result.stdout


def parsed(text):
    """The JSON in a text, which is kept for validation with the schemas."""
    keep(text)
    return json.loads(text)


def json_of(file):
    return parsed(file.read_text())


def check(what, found, wanted):
    global failures
    if found != wanted:
        failures += 1
        print(f"FAILED: {what}: {found}, not {wanted}")


def finish(success):
    print("failed" if failures else success)
    sys.exit(1 if failures else 0)
