#!/usr/bin/env python3
"""check_copies.py ROOT: finds code that stands in two places: twelve lines or more in a row that are equal except for
white space. Lines without content of their own do not count: blank lines, comments, lines that begin with # or !, and
lines without a letter or digit. Golden files are generated, so they do not count either. copies.allowed lists copies
that are intended, with the reason."""
import re
import sys
from collections import defaultdict
from pathlib import Path

LINES = 12
ENDINGS = {".c", ".cpp", ".cmake", ".def", ".f90", ".F90", ".h", ".js", ".py", ".sh"}
NAMES = {"CMakeLists.txt", "run"}
COMMENT = re.compile(r"//|#|!|\*(\s|/|$)|/\*|\"\"\"|'''")


def lines_of(path):
    """The lines that count, each with its number."""
    lines = []
    for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
        text = " ".join(line.split())
        if re.search(r"\w", text) and not COMMENT.match(text):
            lines.append((number, text))
    return lines


def allowed_pairs(root):
    """Two paths, and the reason why they share code."""
    pairs = {}
    listed = root / "tests/layering/copies.allowed"
    for line in listed.read_text().splitlines() if listed.exists() else []:
        if line and not line.startswith("#"):
            first, second, reason = line.split(maxsplit=2)
            pairs[frozenset((first, second))] = reason
    return pairs


def copies(root):
    """The first place of each copy: two paths with the numbers of the first lines, and the number of equal lines."""
    places = defaultdict(list)
    files = {}
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root)
        if name.parts[0].startswith((".", "build")) or "golden" in name.parts or not path.is_file():
            continue
        if path.suffix in ENDINGS or path.name in NAMES:
            files[str(name)] = lines = lines_of(path)
            for i in range(len(lines) - LINES + 1):
                places[tuple(text for _, text in lines[i:i + LINES])].append((str(name), i))
    covered = set()
    for same in places.values():
        for k, (name, i) in enumerate(same):
            for other, j in same[k + 1:]:
                if (name, i - 1, other, j - 1) not in covered:
                    length = LINES
                    a, b = files[name], files[other]
                    while i + length < len(a) and j + length < len(b) and a[i + length][1] == b[j + length][1]:
                        length += 1
                    yield name, a[i][0], other, b[j][0], length
                covered.add((name, i, other, j))


def main():
    root = Path(sys.argv[1])
    allowed = allowed_pairs(root)
    unused = set(allowed)
    failed = False
    for name, line, other, other_line, length in sorted(copies(root)):
        pair = frozenset((name, other))
        unused.discard(pair)
        if pair not in allowed:
            failed = True
            print(f"{name}:{line} and {other}:{other_line} share {length} lines; use one piece of code for both, "
                  "or add the pair to tests/layering/copies.allowed with the reason")
    for pair in unused:
        failed = True
        print("tests/layering/copies.allowed: these files share fewer lines: " + " ".join(sorted(pair)))
    sys.exit(failed)


main()
