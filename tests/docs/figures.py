"""figures.py ROOT: checks that every figure with a unit in README.md and docs/*.md (except docs/results.md) has a
known source.

A measured figure must occur in a page to which its own page links: a bench/*/README.md, or docs/results.md.
tests/docs/figures.txt lists all other figures (limits, defaults, definitions, examples) with their sources; a file that
it names as a source must exist. Figures that occur in a transcript on the same page are accepted. Text between
backticks is ignored; indented text is checked like prose.

A block of output that shows figures is either a transcript that a test runs (```console on a page that
tests/docs/CMakeLists.txt names), or figures.txt lists it: FILE | transcript FIRST LINE | KIND | which command prints it.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1])
UNITS = (r"(?:(?:[KMGT]i?B|[KMG]?bit|bytes|calls|messages)/s(?!\w)|[GM]Hz(?!\w)|"
         r"(?:%|ns|us|ms|s|seconds?|minutes?|hours?|times|x(?! \d)|core-hours?|[KMG]i?B|bytes)(?![\w/]))")
NUMBER = r"\d[\d,]*(?:\.\d+)?"
# One figure, or several with one unit: "12 to 14 %", "2, 4 and 8 ms", "12-14 %".
FIGURE = re.compile(rf"(?<![\w.,])((?:{NUMBER}(?:, {NUMBER})*(?: to | and | or |[-\u2013]))?{NUMBER}) ({UNITS})")
KINDS = ("limit", "default", "definition", "example", "test", "published")
FILES = re.compile(r"(?:[\w-]+/)+[\w-]+\.(?:cpp|h|yaml|json|py|sh)(?!\w)")


def prose(text):
    text = re.sub(r"^```.*?^```", "", text, flags=re.S | re.M)
    return re.sub(r"\s+", " ", re.sub(r"`[^`]*`", "", text))


def figures_in(text):
    return {f"{number} {unit}" for numbers, unit in FIGURE.findall(text)
            for number in re.findall(NUMBER, re.sub(", ", " ", numbers))}


def figures(path):
    return figures_in(prose(path.read_text(encoding="utf-8")))


RUN_PAGES = (ROOT / "tests/docs/CMakeLists.txt").read_text(encoding="utf-8")


def transcripts(path):
    """'transcript FIRST LINE' of every block that shows figures and that no test runs."""
    text = path.read_text(encoding="utf-8")
    for head, block in re.findall(r"^```([^\n]*)\n(.*?)^```", text, flags=re.S | re.M):
        is_run = head == "console" and f"{path.relative_to(ROOT)})" in RUN_PAGES
        if FIGURE.search(block) and not is_run:
            yield "transcript " + block.splitlines()[0].strip().replace("|", "/")


def measurements(text):
    """The text of the pages with measurements to which this text links."""
    pages = {f"bench/{name}/README.md" for name in re.findall(r"\]\((?:\.\./)?bench/([\w-]+)", text)}
    if re.search(r"\]\((?:docs/)?results\.md", text):
        pages.add("docs/results.md")
    return " ".join(re.sub(r"\s+", " ", (ROOT / page).read_text(encoding="utf-8")).replace("|", " ")
                    for page in sorted(pages) if (ROOT / page).exists())


def is_measured(figure, measured):
    """Whether the figure occurs among the measurements. If it has three digits or more, its unit need not follow it,
    because the unit may be in a table's head."""
    if figure in figures_in(measured):
        return True
    number = figure.split()[0]
    long = len(re.sub(r"\D", "", number)) > 2
    return re.search(r"(?<![\w.,])" + re.escape(number if long else figure) + r"(?![\w.])", measured)


known, unused, failures = set(), set(), []
for line in (ROOT / "tests/docs/figures.txt").read_text(encoding="utf-8").splitlines():
    if not line or line.startswith("#"):
        continue
    name, figure, kind, where = (part.strip() for part in line.split("|"))
    if kind not in KINDS or not where:
        failures.append(f"figures.txt: {line}: the kind is one of {', '.join(KINDS)}, and says where it comes from")
    failures += [f"figures.txt: {line}: there is no file {file}" for file in FILES.findall(where)
                 if not (ROOT / file).exists()]
    known.add((name, figure))
unused = set(known)

count = 0
for path in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]:
    if path.name == "results.md":
        continue
    text = path.read_text(encoding="utf-8")
    measured = measurements(text)
    blocks = re.findall(r"```console.*?```", text, flags=re.S)
    shown_figures = figures_in(re.sub(r"\s+", " ", " ".join(blocks)))
    for figure in sorted(figures(path)):
        count += 1
        unused.discard((path.name, figure))
        if (path.name, figure) in known or figure in shown_figures or is_measured(figure, measured):
            continue
        failures.append(f"{path.relative_to(ROOT)}: '{figure}' stands nowhere else: measure it in bench and link "
                        "to its page, or, if it is no measurement, name it in tests/docs/figures.txt")
    for shown in transcripts(path):
        count += 1
        unused.discard((path.name, shown))
        if (path.name, shown) not in known:
            failures.append(f"{path.relative_to(ROOT)}: no test runs the transcript '{shown[len('transcript '):]}', which "
                            "shows figures: let one run it, or name it in tests/docs/figures.txt with its command")
failures += [f"figures.txt: {name} has no '{figure}' any more" for name, figure in sorted(unused)]
print("\n".join(failures))
print(f"{count} figures, {len(failures)} failures")
sys.exit(1 if failures or count == 0 else 0)
