#!/usr/bin/env python3
"""Inserts the faults of faults.toml into the sources one by one and checks that the tests named there catch each.

    mutate.py [NAME...]      tries all faults, or those named, in a copy of the sources in build/mutations
    mutate.py --check BUILD  checks that each entry fits the sources and the tests of BUILD; changes nothing

Exit code 1: the tests did not catch a fault, or a fault could not be tried. 2: faults.toml does not fit the sources.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import time
import xml.etree.ElementTree
from pathlib import Path

try:
    import tomllib
except ImportError:
    print("SKIP: reading the list needs Python 3.11 or newer")
    sys.exit(77)

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
COPY = ROOT / "build" / "mutations" / "tree"
BUILD = COPY / "build" / "release"
LOG = ROOT / "build" / "mutations" / "log"
FEWEST_FAST = 40  # ./run test without arguments must catch at least this many faults
FIELDS = {"name", "file", "fault", "text", "instead", "builds", "caught_by"}
OPTIONAL = {"missed"}


class Unfit(Exception):
    """An entry of the list that does not apply to the sources."""


def read_list():
    with open(HERE / "faults.toml", "rb") as file:
        faults = tomllib.load(file)["fault"]
    names = set()
    for fault in faults:
        name = fault.get("name", "an entry without a name")
        missing, unknown = FIELDS - fault.keys(), fault.keys() - FIELDS - OPTIONAL
        if missing or unknown or name in names:
            raise Unfit(f"{name}: missing {sorted(missing)}, unknown {sorted(unknown)}, or a name used twice")
        names.add(name)
    return faults


def mutated(fault, root):
    """The text of the fault's file with the fault inserted."""
    file = root / fault["file"]
    source = file.read_text() if file.is_file() else ""
    found = source.count(fault["text"])
    if found != 1:
        raise Unfit(f"{fault['name']}: its text occurs {found} times in {fault['file']}, expected once:\n"
                    f"    {fault['text'].strip()}\n"
                    "  Write down in tests/mutations/faults.toml how the same fault is made now.")
    return source.replace(fault["text"], fault["instead"])


def short(name):
    """A test's name without the parameter values that CMake appends."""
    return name.split("  # GetParam()")[0]


def tests_of(build):
    """The tests that ctest lists and that are built, by name."""
    out = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1"], check=True, capture_output=True)
    return {short(test["name"]): test for test in json.loads(out.stdout)["tests"] if "command" in test}


def is_fast(test):
    """Whether ./run test runs this test."""
    slow = re.search(r"-LE '([^']+)'", (ROOT / "run").read_text()).group(1)
    labels = next((p["value"] for p in test.get("properties", []) if p["name"] == "LABELS"), [])
    return not any(re.search(slow, label) for label in labels)


def check(faults, tests):
    """The number of faults that fast tests are listed to catch; raises Unfit if an entry does not fit."""
    for fault in faults:
        mutated(fault, ROOT)
        unknown = [name for name in fault["caught_by"] if name not in tests]
        if unknown or not fault["caught_by"]:
            raise Unfit(f"{fault['name']}: there is no test {unknown}; ctest -N lists them")
    fast = sum(any(is_fast(tests[name]) for name in fault["caught_by"]) for fault in faults)
    if fast < FEWEST_FAST:
        raise Unfit(f"the fast tests catch {fast} faults, expected at least {FEWEST_FAST}")
    return fast


def copy_sources():
    """Copies the sources to COPY. It does not touch unchanged files, so that little has to be rebuilt."""
    sources = files_below(ROOT)
    for path in files_below(COPY) - sources:
        (COPY / path).unlink()
    for path in sources:
        to = COPY / path
        content = (ROOT / path).read_bytes()
        if not to.is_file() or to.read_bytes() != content:
            to.parent.mkdir(parents=True, exist_ok=True)
            to.write_bytes(content)
            shutil.copymode(ROOT / path, to)


def files_below(root):
    found = set()
    for folder, folders, names in os.walk(root):
        if Path(folder) == root:
            folders[:] = [f for f in folders if not f.startswith("build") and f not in (".git", ".cache", "demo-run")]
        folders[:] = [f for f in folders if f != "__pycache__"]
        found |= {(Path(folder) / name).relative_to(root) for name in names if (Path(folder) / name).is_file()}
    return found


def quietly(*command):
    with open(LOG, "a") as log:
        return subprocess.run(command, stdout=log, stderr=subprocess.STDOUT, cwd=COPY).returncode == 0


def configure():
    launcher = "ccache" if shutil.which("ccache") else ""
    return quietly("cmake", "--preset", "release", f"-DCMAKE_C_COMPILER_LAUNCHER={launcher}",
                   f"-DCMAKE_CXX_COMPILER_LAUNCHER={launcher}")


def built(targets):
    return quietly("ninja", "-C", str(BUILD), *sorted(targets))


def run_tests(names):
    """The results by name: passed, failed, skipped, timeout, not run."""
    results = BUILD / "mutation.xml"
    results.unlink(missing_ok=True)
    pattern = "^(" + "|".join(re.sub(r"([.+()])", r"\\\1", name) for name in sorted(names)) + ")($|  #)"
    quietly("ctest", "--test-dir", str(BUILD), "-R", pattern, f"-j{os.cpu_count()}", "--output-on-failure",
            "--timeout", "120", "--output-junit", str(results))
    found = dict.fromkeys(names, "not run")
    if results.is_file():
        for case in xml.etree.ElementTree.parse(results).iter("testcase"):
            failure = case.find("failure")
            how = "" if failure is None else failure.get("message", "")
            found[short(case.get("name"))] = (
                "passed" if case.get("status") == "run" else
                "skipped" if case.find("skipped") is not None else
                "timeout" if how == "Timeout" else "failed")
    return found


def try_fault(fault):
    """The tests that caught the fault, or the reason why none did."""
    file = COPY / fault["file"]
    original = file.read_text()
    file.write_text(mutated(fault, COPY))
    try:
        if not built(fault["builds"]):
            return [], "it does not compile"
        results = run_tests(fault["caught_by"])
        caught = [name for name, result in results.items() if result == "failed"]
        return caught, "survived: " + ", ".join(f"{name} {result}" for name, result in results.items())
    finally:
        file.write_text(original)


def run(faults, is_all):
    LOG.parent.mkdir(parents=True, exist_ok=True)
    LOG.write_text("")
    copy_sources()
    if not configure():
        sys.exit(f"the copy cannot be configured; see {LOG}")
    # CMake lists the tests of GoogleTest programs only after these are built.
    if not built({target for fault in faults for target in fault["builds"]}):
        sys.exit(f"the copy cannot be built; see {LOG}")
    tests = tests_of(BUILD)
    unknown = [name for fault in faults for name in fault["caught_by"] if name not in tests]
    if unknown:
        raise Unfit(f"the targets built for them do not have the tests {unknown}")
    results = run_tests({name for fault in faults for name in fault["caught_by"]})
    unsound = [f"{name} {result}" for name, result in results.items() if result != "passed"]
    if unsound:
        sys.exit("without any fault: " + ", ".join(unsound) + f"; see {LOG}")
    survived, fast = [], 0
    for fault in faults:
        begin = time.monotonic()
        caught, reason = try_fault(fault)
        is_by_fast = any(is_fast(tests[name]) for name in caught)
        fast += is_by_fast
        if not caught:
            survived.append(fault["name"])
        print(f"{fault['name']:38} {time.monotonic() - begin:4.0f} s  {'fast' if is_by_fast else '    '}  "
              f"{', '.join(caught) or 'NOT CAUGHT, ' + reason}", flush=True)
    print(f"{len(faults)} faults, {len(faults) - len(survived)} caught, {fast} of them by the fast tests")
    if survived:
        sys.exit(f"not caught: {', '.join(survived)}; see {LOG}")
    if is_all and fast < FEWEST_FAST:
        sys.exit(f"the fast tests must catch at least {FEWEST_FAST} faults")


def main(words):
    try:
        faults = read_list()
        if words[:1] == ["--check"] and len(words) == 2:
            fast = check(faults, tests_of(words[1]))
            missed = sum(fault.get("missed", False) for fault in faults)
            print(f"{len(faults)} faults fit the sources; the fast tests catch {fast}; "
                  f"for {missed} a test had to be written")
            return
        unknown = set(words) - {fault["name"] for fault in faults}
        if unknown:
            raise Unfit(f"there is no fault {sorted(unknown)}; tests/mutations/faults.toml lists them")
        run([fault for fault in faults if not words or fault["name"] in words], is_all=not words)
    except Unfit as error:
        print(error, file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    main(sys.argv[1:])
