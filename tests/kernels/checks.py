"""Functions that tests of kernels share: they run commands, compare, and end with the right exit code."""
import subprocess
import sys

failures = 0


def run(*words, **more):
    result = subprocess.run([str(w) for w in words], capture_output=True, text=True, **more)
    if result.returncode != 0:
        sys.exit(f"FAILED: {' '.join(map(str, words))}: exit code {result.returncode}\n{result.stdout}{result.stderr}")
    return result.stdout


def check(what, found, wanted):
    global failures
    if found != wanted:
        failures += 1
        print(f"FAILED: {what}: {found}, not {wanted}")


def finish(success):
    print("failed" if failures else success)
    sys.exit(1 if failures else 0)
