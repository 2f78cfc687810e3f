"""tiers_test.py ROOT BUILD: every test of BUILD must belong to the fast tests (./run test) or to a part of tests/rest.sh,
or stand in BY_HAND below; otherwise nobody would run it."""

import json
import re
import subprocess
import sys
from pathlib import Path

root, build = Path(sys.argv[1]), sys.argv[2]
# Tests that need files that no package of Debian contains. docs/contributing.md says how to run these tests.
BY_HAND = {"imports.public"}


def option(name, words):
    """The regular expression that follows this option of ctest; nothing if it is not there."""
    found = re.search(rf"(?:^| )-{name} '?([^' \"]+)'?", words)
    return re.compile(found.group(1)) if found else None


class Selection:
    def __init__(self, words):
        self.label, self.no_label, self.name = (option(name, words) for name in ("L", "LE", "R"))

    def has(self, name, labels):
        if self.name and not self.name.search(name):
            return False
        if self.label and not any(self.label.search(label) for label in labels):
            return False
        return not (self.no_label and any(self.no_label.search(label) for label in labels))


fast = re.search(r"selection\+=\((.*)\)", (root / "run").read_text()).group(1)
parts = re.findall(r"\b(?:labelled|serviced) (-[^\"&]+)", (root / "tests/rest.sh").read_text())
selections = [Selection(fast)] + [Selection(words) for words in parts]
listing = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1"], check=True, capture_output=True).stdout
lost, count = [], 0
for test in json.loads(listing)["tests"]:
    labels = next((each["value"] for each in test.get("properties", []) if each["name"] == "LABELS"), [])
    count += 1
    if test["name"] not in BY_HAND and not any(each.has(test["name"], labels) for each in selections):
        lost.append(f"{test['name']} (labels: {', '.join(labels)})")
print("\n".join(lost))
print(f"{count} tests, {len(selections)} selections, {len(lost)} that nobody runs")
sys.exit(1 if lost or count == 0 or len(selections) < 10 else 0)
