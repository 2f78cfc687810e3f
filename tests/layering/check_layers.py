#!/usr/bin/env python3
"""check_layers.py ROOT [RULES]: checks that every #include below ROOT obeys RULES. Prints one line per violation on
stdout; exit code 1 when there is any, 2 when the check itself could not be made."""
import os
import re
import sys
from fnmatch import translate
from pathlib import Path

ENDINGS = {".h", ".hpp", ".c", ".cpp", ".inc", ".def"}
LEFT_OUT = {"tests", "bench", "examples", "docs", "demo-run", "cmake"}
INCLUDE = re.compile(r'\s*#\s*include\s*(?:<([^>]+)>|"([^"]+)")')


def fail(why):
    print(why, file=sys.stderr)
    sys.exit(2)


class Patterns:
    """A list of patterns: a path matches if it matches one of them, or is in a folder that one of them names."""

    def __init__(self, patterns):
        self.text = " ".join(patterns)
        self.regex = re.compile("|".join(translate(p) + "|" + translate(p + "/*") for p in patterns) or r"(?!)")

    def match(self, path):
        return self.regex.match(path) is not None


class Rules:
    def __init__(self, file):
        self.layers = {}  # folder: what its sources may include
        inside, allowed = [], []
        self.chosen = []  # header, who may include it
        self.only = []  # pattern of headers, who may include them
        for line in re.sub(r"\\\n", "", file.read_text()).splitlines():
            kind, *words = line.split() or ["#"]
            if kind.startswith("#"):
                continue
            if kind not in ("layer", "inside", "allowed", "chosen", "only"):
                fail(f"{file}: there is no rule '{kind}'")
            if kind == "layer":
                self.layers[words[0]] = Patterns(words[1:])
            elif kind == "chosen":
                self.chosen.append((words[0], Patterns(words[1:])))
            elif kind == "only":
                self.only.append((re.compile(translate(words[0])), Patterns(words[1:])))
            else:
                (inside if kind == "inside" else allowed).extend(words)
        self.inside = Patterns(inside)  # sources that run in the profiled program
        self.allowed = Patterns(allowed)  # headers of the C++ library that they may include nevertheless
        if not self.layers:
            fail(f"{file}: no layer")

    def layer_of(self, path):
        """The deepest layer that holds a path."""
        return max((x for x in self.layers if path == x or path.startswith(x + "/")), key=len, default=None)


class Check:
    def __init__(self, root, rules):
        self.root, self.rules, self.violations = root, rules, 0

    def violation(self, text):
        print(text)
        self.violations += 1

    def project_include(self, where, layer, header):
        may = self.rules.layers[layer]
        if not (self.rules.layer_of(header) == layer or may.match(header)):
            self.violation(f'{where}: {layer} may not include "{header}"; it may include: its own headers {may.text}')

    def system_include(self, where, file, header):
        rules = self.rules
        if rules.inside.match(file) and not header.endswith(".h") and not rules.allowed.match(header):
            self.violation(f"{where}: <{header}> is of the C++ library, which code in the profiled program does without")
        for pattern, includers in rules.only:
            if pattern.match(header) and not includers.match(file):
                self.violation(f"{where}: <{header}> may be included only by: {includers.text}")

    def include(self, where, file, layer, bracketed, quoted):
        if bracketed:
            # A header of the project in angle brackets is checked like one in quotes, too.
            if (self.root / bracketed).is_file():
                self.violation(f'{where}: write "{bracketed}"; angle brackets are for headers of others')
                self.project_include(where, layer, bracketed)
            else:
                self.system_include(where, file, bracketed)
        elif ".." in quoted:
            self.violation(f'{where}: "{quoted}" goes through a parent folder; write the path from the root')
        elif not any(header == quoted and who.match(file) for header, who in self.rules.chosen):
            if self.rules.layer_of(quoted) is None:
                self.violation(f'{where}: "{quoted}" is not a path from the root of the sources into a layer')
            else:
                self.project_include(where, layer, quoted)

    def source(self, file):
        layer = self.rules.layer_of(file)
        if layer is None:
            self.violation(f"{file}: lies in no layer of layers.rules")
            return
        text = (self.root / file).read_text(errors="replace")
        for number, line in enumerate(text.splitlines(), 1):
            if found := INCLUDE.match(line):
                self.include(f"{file}:{number}", file, layer, *found.groups())


def sources(root):
    for folder, folders, files in os.walk(root):
        if Path(folder) == root:
            folders[:] = [f for f in folders if f not in LEFT_OUT and not f.startswith((".", "build"))]
        for file in files:
            if Path(file).suffix in ENDINGS:
                yield str(Path(folder, file).relative_to(root))


def main(words):
    if len(words) not in (1, 2):
        fail("usage: check_layers.py ROOT [RULES]")
    root = Path(words[0])
    check = Check(root, Rules(Path(words[1]) if len(words) == 2 else Path(__file__).parent / "layers.rules"))
    files = sorted(sources(root))
    if not files:
        fail(f"{root}: no source found")
    for file in files:
        check.source(file)
    if check.violations:
        print(f"{check.violations} violations in {len(files)} sources (rules: tests/layering/layers.rules)")
        sys.exit(1)
    print(f"{len(files)} sources keep to the layers")


main(sys.argv[1:])
