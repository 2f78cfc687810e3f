#!/usr/bin/env python3
"""results.py [--check]: writes docs/results.md from the tables in bench/*/README.md, one table for each goal of
apmt.

Every measured figure is taken from a row or a line of these files. Where it was measured is taken from the line
`Measured: ...` below the table, which bench/measured.sh prints when a benchmark runs. This script itself contains only
the goals with their limits, and figures from publications. It compares the figures with the limits to find those that
miss a goal. --check compares docs/results.md with the text instead of writing it, and checks that every table
of a benchmark has its line and that the commits exist.
"""
import pathlib
import sys

sys.dont_write_bytecode = True  # a test may not write into the sources
import provenance
import sections

ROOT = pathlib.Path(__file__).resolve().parents[2]
TARGET = ROOT / "docs" / "results.md"

INTRODUCTION = """# Results

Does `apmt` reach its goals? This page has one table for each goal. `./run bench results` writes the page
from the tables in [bench](../bench), which also has the commands that measured them. The list above each
table names

* the goal, and the limit that each figure should keep,
* all figures beyond a limit (*exceptions*),
* the peers (other tools that were measured in the same way), and where one of them is better than `apmt`,
* the corresponding figure from the paper whose method `apmt` follows ([CITATION.cff](../CITATION.cff)); the
  authors of the paper measured other programs on other machines,
* the date, commit, machine and command of the measurement. *Not recorded* stands for details that were not
  noted when the figures were measured.
"""


def document():
    text = INTRODUCTION
    for title, make in sections.ALL:
        made = make(ROOT)
        text += f"\n## {title}\n\n"
        text += "\n".join(provenance.wrapped(f"* {name}: {words}", "  ") for name, words in made["points"])
        text += f"\n\n{made['table']}\n"
    return text


def main():
    text = document()
    if sys.argv[1:] == ["--check"]:
        provenance.check_tables(ROOT)
        provenance.check_complete(ROOT)
        if not TARGET.exists() or TARGET.read_text(encoding="utf-8") != text:
            raise SystemExit("docs/results.md is not what bench/results/results.py writes: ./run bench results")
        return
    TARGET.write_text(text, encoding="utf-8")
    print(f"{TARGET.relative_to(ROOT)} written")


main()
