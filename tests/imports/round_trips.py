#!/usr/bin/env python3
"""round_trips.py FOLDER [WORD...]: imports measurements from public repositories, exports them, imports the
exported files, exports the result again, and compares every number.

public_files.tsv lists the repositories, the commits and the paths; no file of them is part of apmt. FOLDER holds clones
as FOLDER/OWNER/NAME (git clone --filter=blob:none https://github.com/OWNER/NAME FOLDER/OWNER/NAME); "-" stands for the
folder that the variable APMT_PUBLIC_FILES names. A repository that is not there is skipped with a message. If WORDs are
given, only the rows that contain one of them are tested. The variable APMT names the command [apmt].

These checks are made for every set of files that makes one experiment:
* The second import must have the same values in profile.json as the first, digit by digit, and the second export must
  equal the first, byte by byte. The export is JSON Lines and, where this format can hold the values, also
  Extra-P's text.
* If the original is one file of JSON Lines or of Extra-P's text or JSON, it is also read here without apmt; the
  export must hold its values.
* In the files for Hatchet, the times of all frames must add up to the time of the run.
Prints a line for each row, and a table of sets by format. docs/import.md must state the same numbers of sets, for
every format of which all files were tried. The exit code is 1 if the result of a set is not the one that its row
states, or if docs/import.md states another number, and 77 if there is no repository at all.
"""
import collections
import fnmatch
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
PAGE = HERE.parents[1] / "docs/import.md"
COLUMNS = ("repository", "commit", "format", "paths", "sets", "options", "result")
# The names of the formats in the table of docs/import.md. The table leaves out Darshan and Paraver.
NAMES = {"text": "Extra-P's text", "jsonl": "JSON Lines", "json": "Extra-P's JSON, both forms", "extra-p": "`.extra-p`",
         "cubex": "`.cubex`", "cali": "`.cali`", "caliper-json": "Caliper's JSON", "talp": "TALP", "mpiP": "mpiP"}


def rows():
    for number, line in enumerate((HERE / "public_files.tsv").read_text(encoding="utf-8").splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        cells = line.split("\t")
        assert len(cells) == len(COLUMNS), f"public_files.tsv:{number}: {len(cells)} columns instead of {len(COLUMNS)}"
        yield dict(zip(COLUMNS, cells))


def documented():
    """The table of docs/import.md: name of a format -> (the cell with its repositories, sets read, sets refused)."""
    table = PAGE.read_text(encoding="utf-8").split("| sets read | sets refused |", 1)[1].split("\n\n", 1)[0]
    found = {}
    for line in table.splitlines()[2:]:
        name, repositories, read, refused = (cell.strip() for cell in line.strip("|").split("|"))
        found[name] = (repositories, *(int(re.match(r"\d+", cell)[0]) for cell in (read, refused)))
    return found


def differences_from_page(totals, incomplete):
    """Where docs/import.md states other numbers than `totals`. Formats in `incomplete` are not compared."""
    page = documented()
    for kind, results in totals.items():
        if kind in incomplete or kind not in NAMES:
            continue
        counts = (results["same"] + results["same, not as text"], results["refused"])
        stated = page.get(NAMES[kind], ("", None, None))[1:]
        if stated != counts:
            yield (f"docs/import.md: {NAMES[kind]}: {counts[0]} sets were read and {counts[1]} refused; the page states "
                   + "{} and {}".format(*stated))


def git_folder(folder, repository):
    owner, name = repository.split("/")
    for place in (folder / owner / name, folder / f"{owner}+{name}" / "repo"):
        if place.exists():
            return place
    return None


def git(place, *words):
    return subprocess.run(["git", "-C", place, *words], capture_output=True, check=True).stdout


def selected(files, row, taken):
    """The files of the row: those that its patterns match and no earlier row has taken."""
    patterns = row["paths"].split(" ")
    chosen = [name for name in files if name not in taken and any(fnmatch.fnmatchcase(name, p) for p in patterns)]
    taken.update(chosen)
    return chosen


def sets_of(row, names):
    """Groups of files that make one experiment."""
    if row["sets"] == "file":
        return [[name] for name in names]
    if row["sets"] == "folder":  # the parent's parent, as for FOLDER/app.p8.r1/profile.cubex
        groups = collections.defaultdict(list)
        for name in names:
            groups[str(pathlib.PurePosixPath(name).parent.parent)].append(name)
        return list(groups.values())
    assert row["sets"] == "all", row
    return [names]


def reports_in(text):
    """The reports of mpiP in a page of documentation, each as its text."""
    return re.findall(r"^@ mpiP$.*?^@--- End of Report.*?$", text, re.M | re.S)


def run(*words):
    done = subprocess.run([os.environ.get("APMT", "apmt"), *map(str, words)], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def imported(directory):
    """All imported numbers of an experiment, as text, so that every digit counts."""
    runs = {}
    for file in sorted(directory.glob("*/profile.json")):
        profile = json.loads(file.read_text(encoding="utf-8"), parse_float=str, parse_int=str)
        runs[file.parent.name] = sorted(json.dumps(value, sort_keys=True) for value in profile["imported"])
    return runs


# --- Extra-P's formats, read without apmt -------------------------------------------------------------------

def original(path, kind):
    """Reads a file of Extra-P: (parameters, call path, metric) -> list of values. None for other formats."""
    values = collections.defaultdict(list)
    if kind == "jsonl":
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.strip():
                point = json.loads(line)
                some = point["value"]
                key = (tuple(sorted(point["params"].items())), point.get("callpath", ""), point.get("metric", ""))
                values[key] += some if isinstance(some, list) else [some]
        return values
    if kind in ("json", "extra-p"):
        if kind == "extra-p":
            return None  # statistics, not values
        data = json.loads(path.read_text(encoding="utf-8"))
        if "measurements" in data and isinstance(data["measurements"], dict):
            for callpath, metrics in data["measurements"].items():
                for metric, points in metrics.items():
                    for point in points:
                        key = (tuple(sorted(zip(data["parameters"], point["point"]))), callpath, metric)
                        values[key] += point["values"]
            return values
        names = {parameter["id"]: parameter["name"] for parameter in data["parameters"]}
        regions = {callpath["id"]: callpath["name"] for callpath in data["callpaths"]}
        metrics = {metric["id"]: metric["name"] for metric in data["metrics"]}
        points = {point["id"]: tuple(sorted((names[pair["parameter_id"]], pair["parameter_value"])
                                            for pair in point["parameter_value_pairs"])) for point in data["coordinates"]}
        for m in data["measurements"]:
            values[points[m["coordinate_id"]], regions[m["callpath_id"]], metrics[m["metric_id"]]].append(m["value"])
        return values
    if kind == "text":
        return original_text(path)
    return None


def original_text(path):
    values = collections.defaultdict(list)
    names, points, metric, region, at = [], [], "", "", 0
    for line in path.read_text(encoding="utf-8").splitlines():
        word, rest = (line.split(None, 1) + ["", ""])[:2]
        if word == "PARAMETER":
            names += rest.split()
        elif word == "POINTS":
            groups = re.findall(r"\(([^)]*)\)", rest)
            numbers = [group.split() for group in groups] if groups else [[number] for number in rest.split()]
            points += [tuple(map(float, group)) for group in numbers]
        elif word == "METRIC":
            metric, at = rest.strip(), 0
        elif word == "REGION":
            region, at = rest.strip(), 0
        elif word == "DATA":
            values[tuple(sorted(zip(names, points[at]))), region, metric] += [float(number) for number in rest.split()]
            at += 1
    return values


def arguments_for(values):
    """Options of apmt import for a file of Extra-P, which may name parameters and metrics freely. The process count is
    the parameter p, procs or ranks, or else the first one; the time is the metric with "time" in its name, or else the
    first one."""
    names = list(dict.fromkeys(name for params, _, _ in values for name, _ in params))
    metrics = list(dict.fromkeys(metric for _, _, metric in values))
    if not names:
        return []
    procs = next((name for name in ("p", "procs", "ranks") if name in names), sorted(names)[0])
    words = ["--procs-from", procs]
    if "time" not in metrics:
        words += ["--time", next((m for m in metrics if "time" in m.lower()), metrics[0])]
    return words


def lost(values, exported, warning):
    """The values that occur more often in the original than in the export; none if apmt warned that it reads only the
    common values. Names are not compared, because they may change ('main->sweep', 'p')."""
    there = collections.Counter(float(value) for some in original_lines(exported).values() for value in some)
    return [value for value, times in collections.Counter(float(v) for some in values.values() for v in some).items()
            if there[value] < times and "common ones are read" not in warning]


def original_lines(text):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "a.jsonl"
        path.write_text(text, encoding="utf-8")
        return original(path, "jsonl")


def lost_for_hatchet(directory, files):
    """The runs whose exclusive times in the file for Hatchet do not add up to the time of the run."""
    lost_runs = []
    for file in sorted(directory.glob("*/profile.json")):
        whole = max(json.loads(file.read_text(encoding="utf-8"))["times"]["main_s"])
        tree = json.loads((files / f"{file.parent.name}.json").read_text(encoding="utf-8"))
        if abs(sum(row["time"] for row in tree["dataframe"]) - whole) > 1e-9 * whole:
            lost_runs.append(file.parent.name)
    return lost_runs


# --- one set of files ------------------------------------------------------------------------------------------------

def round_trip(files, row, work):
    """'same', 'same, not as text' (Extra-P's text cannot hold the set) or 'refused: MESSAGE'; all else is a fault."""
    options = [] if row["options"] == "-" else row["options"].split(" ")
    try:
        values = original(files[0], row["format"]) if len(files) == 1 else None
    except (IndexError, KeyError, ValueError):
        values = None  # the file is not well-formed
    if values and row["options"] == "-":
        options += arguments_for(values)
    code, _, message = run("import", *files, *options, "--dir", work / "first")
    if code:
        return "refused: " + " ".join(message.split())
    first = imported(work / "first")
    assert first, "no runs"
    code, lines, warning = run("export", work / "first", "--same-program")
    assert code == 0, warning
    if values and lost(values, lines, message + warning):
        return f"LOST: {lost(values, lines, message + warning)[:3]}"
    code, _, message = run("export", work / "first", "--same-program", "--format", "hatchet", "--to", work / "hatchet")
    assert code == 0, message
    if lost_for_hatchet(work / "first", work / "hatchet"):
        return f"LOST for Hatchet: {lost_for_hatchet(work / 'first', work / 'hatchet')[:3]}"
    sizes = json.loads(lines.splitlines()[0])["params"]
    result = "same"
    for form, name in (("jsonl", "a.jsonl"), ("extrap", "a.txt")):
        code, text, warning = run("export", work / "first", "--format", form, "--same-program")
        if form == "extrap" and (code or "left out" in warning):
            result = "same, not as text"
            continue
        assert code == 0, warning
        (work / name).write_text(text, encoding="utf-8")
        again = work / f"again-{form}"
        procs = "p" if "p" in sizes and "procs" not in sizes else "procs"
        code, _, message = run("import", work / name, "--procs-from", procs, "--dir", again)
        assert code == 0, message
        if list(imported(again).values()) != list(first.values()):
            return f"DIFFERENT after {form}"
        code, twice, message = run("export", again, "--format", form, "--same-program")
        assert code == 0, message
        if twice != text:
            return f"DIFFERENT export as {form}"
    return result


def materialise(place, commit, names, into, kind):
    files = []
    for name in names:
        path = into / name
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            path.write_bytes(git(place, "show", f"{commit}:{name}"))
        except subprocess.CalledProcessError:  # a clone without its large files
            return []
        if kind == "mpiP" and path.suffix == ".md":
            for number, report in enumerate(reports_in(path.read_text(encoding="utf-8")), 1):
                part = path.with_suffix(f".{number}.mpiP")
                part.write_text(report + "\n", encoding="utf-8")
                files.append([part])
        else:
            files.append(path)
    return files if files and isinstance(files[0], list) else [files]


def main():
    if len(sys.argv) < 2:
        raise SystemExit(__doc__.splitlines()[0])
    given = os.environ.get("APMT_PUBLIC_FILES", "") if sys.argv[1] == "-" else sys.argv[1]
    folder, words = pathlib.Path(given or "not-given"), sys.argv[2:]
    taken = collections.defaultdict(set)
    totals, faults, missing = collections.defaultdict(collections.Counter), [], set()
    incomplete = set()  # formats of which not all files were tried
    for row in rows():
        place = git_folder(folder, row["repository"])
        if place is None:
            missing.add(row["repository"])
            incomplete.add(row["format"])
            continue
        every = git(place, "ls-tree", "-r", "--name-only", row["commit"]).decode().splitlines()
        names = selected(every, row, taken[row["repository"], row["format"]])
        if words and not any(word in "\t".join(row.values()) for word in words):
            incomplete.add(row["format"])
            continue
        if not names:
            faults.append(f"{row['repository']}: no file like {row['paths']}")
        results = collections.Counter()
        for group in sets_of(row, names):
            with tempfile.TemporaryDirectory() as work:
                work = pathlib.Path(work)
                parts = materialise(place, row["commit"], group, work / "in", row["format"])
                if not parts:
                    results["not in this copy"] += 1
                    missing.add(f"{row['repository']} {group[0]}")
                    incomplete.add(row["format"])
                for number, files in enumerate(parts):
                    (work / str(number)).mkdir()
                    try:
                        result = round_trip(files, row, work / str(number))
                    except (AssertionError, KeyError, ValueError, IndexError, zipfile.BadZipFile) as fault:
                        result = f"FAULT: {fault!r}"
                    short = result.split(":")[0]
                    results[short] += 1
                    totals[row["format"]][short] += 1
                    if not (result == row["result"] or result.startswith("refused") and row["result"].startswith("refused: ")
                            and row["result"][len("refused: "):] in result):
                        faults.append(f"{row['repository']} {group[0]}{' ...' if group[1:] else ''}: {result[:300]}\n"
                                      f"  expected: {row['result']}")
        print(f"{row['repository']} {row['format']} {row['paths']}: " + ", ".join(f"{n} {r}" for r, n in results.items()),
              flush=True)
    print("\n| format | sets read | refused |\n|---|---:|---:|")
    for kind, results in totals.items():
        print(f"| {kind} | {results['same'] + results['same, not as text']} | {results['refused']} |")
    faults += differences_from_page(totals, incomplete)
    for name in sorted(missing):
        repository = name.split()[0]
        print(f"SKIP: {name} is not in {folder}: git clone https://github.com/{repository} {folder}/{repository}")
    print("\n".join(faults))
    print(f"{sum(sum(r.values()) for r in totals.values())} sets, {len(faults)} faults")
    sys.exit(1 if faults else 77 if not totals else 0)


if __name__ == "__main__":
    main()
