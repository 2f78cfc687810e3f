"""Reads tables of bench/NAME/README.md, and the line `Measured: ...` that says where the figures of a table come from."""
import re
import subprocess

LINE = re.compile(r"Measured: (?P<date>\d{4}-\d\d-\d\d), commit (?P<commit>[0-9a-f]{7,40}(?: with changes)?|not recorded), "
                  r"(?P<machine>.+?), with `(?P<command>.+?)`(?: \((?P<note>.+)\))?\.$")


def cells(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


class Page:
    """A bench/NAME/README.md, or another page of that folder."""

    def __init__(self, root, name, file="README.md"):
        self.name = name
        self.where = f"bench/{name}/{file}"
        self.text = (root / self.where).read_text(encoding="utf-8")
        self.lines = self.text.splitlines()

    def table(self, *heads, number=1, measured=True):
        """The head, the rows and the origin of the number-th table whose head begins with these cells. `measured` is
        False for a table without an origin of its own: the next table, which summarises it, has the origin."""
        for at, line in enumerate(self.lines):
            if not line.startswith("|") or cells(line)[: len(heads)] != list(heads):
                continue
            if at and self.lines[at - 1].startswith("|"):
                continue
            number -= 1
            if number:
                continue
            end = at + 2
            while end < len(self.lines) and self.lines[end].startswith("|"):
                end += 1
            return cells(line), [cells(row) for row in self.lines[at + 2:end]], self.origin_after(end) if measured else []
        raise SystemExit(f"{self.where}: no table that begins with {heads}")

    def block(self, number):
        """The number-th block between ``` and its origin."""
        fences = [at for at, line in enumerate(self.lines) if line.startswith("```")]
        if len(fences) < 2 * number:
            raise SystemExit(f"{self.where}: there are no {number} blocks of output")
        begin, end = fences[2 * number - 2:2 * number]
        return "\n".join(self.lines[begin + 1:end]), self.origin_after(end + 1)

    def found(self, pattern):
        """What the groups of the pattern match, at every place; runs of white space are one space."""
        found = re.findall(pattern, re.sub(r"\s+", " ", self.text))
        if not found:
            raise SystemExit(f"{self.where}: nothing like {pattern}")
        return found

    def origin_after(self, at):
        """The paragraphs `Measured: ...` below line `at`, up to the next table, block or heading."""
        paragraphs, words = [], []
        for line in [*self.lines[at:], ""]:
            if line.startswith(("|", "```", "#")):
                break
            if line:
                words.append(line)
            elif words:
                paragraphs.append(" ".join(words))
                words = []
        origins = [text for text in paragraphs if text.startswith("Measured:")]
        for text in origins:
            if not LINE.match(text):
                raise SystemExit(f"{self.where}: '{text}' is not of the form that bench/measured.sh prints")
        if not origins:
            raise SystemExit(f"{self.where}:{at}: no line 'Measured: ...' below the table; bench/measured.sh prints it")
        return origins

    def origins(self):
        """Every line `Measured: ...` of the page."""
        return [words for words in (" ".join(part.split()) for part in self.text.split("\n\n"))
                if words.startswith("Measured:")]


def points(page, origin):
    """The last points above a table: where its figures come from."""
    more = f"[bench/{page.name}](../bench/{page.name}/README.md)"
    return [("Measured", text[len("Measured: "):]) for text in dict.fromkeys(origin)] + [("More", more + ".")]


def markdown(heads, rows, left=1):
    rule = ["---"] * left + ["---:"] * (len(heads) - left)
    return "\n".join("| " + " | ".join(row) + " |" for row in [heads, rule, *rows])


def wrapped(text, indent="", width=108):
    lines = [""]
    for word in re.sub(r"(?<=\d) (?=(?:%|n?s|ms|MB)(?!\w))", "\xa0", text).split(" "):
        word = word.replace("\xa0", " ")
        if lines[-1].strip() and len(lines[-1]) + 1 + len(word) > width:
            lines.append(indent + word)
        else:
            lines[-1] += (" " if lines[-1] else "") + word
    return "\n".join(lines)


def git(root, *words):
    try:
        return subprocess.run(["git", "-C", str(root), *words], capture_output=True, text=True, check=False)
    except FileNotFoundError:  # a machine without git cannot look commits up
        return subprocess.CompletedProcess(words, 127, "", "git is not installed")


def check_tables(root):
    """Refuses a page of a benchmark that has a table and no line `Measured: ...`, and commits that do not exist.
    The commits cannot be looked up outside the repository, or in a copy without its history."""
    whole = git(root, "rev-parse", "--is-shallow-repository").stdout.strip() == "false"
    for path in sorted(root.glob("bench/*/README.md")):
        page = Page(root, path.parent.name)
        origins = page.origins()
        if not origins and any(line.startswith("|") for line in page.lines):
            raise SystemExit(f"{page.where}: a table, and no line 'Measured: ...'; bench/measured.sh prints it")
        for text in origins:
            match = LINE.match(text)
            if not match:
                raise SystemExit(f"{page.where}: '{text}' is not of the form that bench/measured.sh prints")
            commit = match["commit"].split()[0]
            if whole and commit != "not" and git(root, "cat-file", "-e", commit + "^{commit}").returncode:
                raise SystemExit(f"{page.where}: there is no commit {commit}")


COMPLETE_SINCE = "2026-11-26"  # older lines cannot be completed without measuring again


def incomplete(root):
    """The lines `Measured: ...` of measurements since COMPLETE_SINCE that leave something out: they say "not recorded",
    or their command ends in `...`. Each line begins with its page."""
    found = []
    for path in sorted(root.glob("bench/*/README.md")):
        page = Page(root, path.parent.name)
        for text in page.origins():
            match = LINE.match(text)
            if match is None or match["date"] < COMPLETE_SINCE:
                continue
            if "not recorded" in text or match["command"].endswith("..."):
                found.append(f"{page.where}: {text}")
    return found


def check_complete(root):
    """Refuses lines `Measured: ...` that leave something out."""
    found = incomplete(root)
    if found:
        raise SystemExit("lines without the whole machine, commit and command (bench/measured.sh prints them):\n"
                         + "\n".join(found))
