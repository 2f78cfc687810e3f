"""Runs scripts in headless Chromium for the tests in this folder, and reads pages with it."""

import json
import math
import os
import re
import shutil
import subprocess
import sys

from server import expect, in_folder

HERE = os.path.dirname(os.path.abspath(__file__))
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
if CHROMIUM is None or shutil.which("node") is None:
    print("SKIP: chromium or node is not installed")
    sys.exit(77)
UNITS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1, "h": 3600, "%": 0.01, "x": 1, None: 1}


def in_browser(script, *words):
    """What a script of this folder prints; it must end well."""
    done = subprocess.run(["node", os.path.join(HERE, script), CHROMIUM, *map(str, words)], cwd=in_folder(),
                          stdout=subprocess.PIPE, text=True, check=False)
    expect(done.returncode == 0, f"{script} {words}")
    return done.stdout


class Page:
    """What a reader without scripts sees of a page: `text`, `drawings`, `links` by their words, and tables."""

    def __init__(self, path, seen):
        self.path, self.text, self.drawings = path, seen["text"], seen["drawings"]
        self.links = dict(seen["links"])
        self.tables = seen["tables"]

    def rows(self, name):
        """The rows of the table whose name begins like this; each is a dictionary from column to text."""
        found = [table["rows"] for table in self.tables if table["name"].startswith(name)]
        expect(len(found) == 1, f"{self.path}: {len(found)} tables {name}: {[t['name'] for t in self.tables]}")
        return found[0]

    def says(self, *words):
        for each in words:
            expect(each in self.text, f"{self.path} does not say '{each}': {self.text}")


def read_pages(server, *paths):
    """The pages, in this order."""
    seen = json.loads(in_browser("read_pages.js", server.url, *paths))
    return [Page(path, each) for path, each in zip(paths, seen, strict=True)]


def expect_shown(text, value, what):
    """Expects that a page shows this number, rounded: times to three digits, shares to two."""
    match = re.fullmatch(r"([+-]?[\d.]+) ?(ns|us|ms|s|h|%|x)?", text)
    is_share = match and match[2] == "%"
    expect(match and math.isclose(float(match[1]) * UNITS[match[2]], value, rel_tol=0.051 if is_share else 0.0051,
                                  abs_tol=5e-4 if is_share else 0), f"{what}: '{text}' is not {value}")


def expect_range_shown(text, low, high, what):
    match = re.fullmatch(r"([\d.]+) to ([\d.]+)( \w+)", text)
    expect(match, f"{what}: '{text}' is no range")
    expect_shown(match[1] + match[3], low, what)
    expect_shown(match[2] + match[3], high, what)
