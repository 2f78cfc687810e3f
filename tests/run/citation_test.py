"""citation_test.py SOURCE: checks that CITATION.cff has the keys that the Citation File Format 1.2.0 requires, with
values of the right types. Reads the small part of YAML that the file uses, so that no package is needed."""
import re
import sys

source = sys.argv[1]
REQUIRED = {"cff-version": str, "message": str, "title": str, "authors": list}
OPTIONAL = {"type": str, "version": str, "license": str, "keywords": list, "references": list, "abstract": str,
            "date-released": str, "repository-code": str, "url": str, "doi": str, "commit": str}
PERSON, ENTITY = {"family-names", "given-names", "orcid", "affiliation", "name-particle", "name-suffix"}, {"name", "website"}
REFERENCE = {"type": str, "title": str, "authors": list, "journal": str, "volume": int, "issue": int, "start": int,
             "end": int, "year": int, "doi": str, "url": str}


def scalar(text):
    if re.fullmatch(r'"[^"]*"', text):
        return text[1:-1]
    return int(text) if re.fullmatch(r"\d+", text) else text


def parsed(lines, indent=0):
    """Reads a mapping or a list from lines [(indent, text)] and removes these lines."""
    result = [] if lines[0][1].startswith("- ") else {}
    while lines and lines[0][0] == indent:
        depth, text = lines.pop(0)
        if isinstance(result, list):
            assert text.startswith("- "), f"'{text}' is no item of the list"
            if not re.match(r"- [\w-]+:( |$)", text):
                result.append(scalar(text[2:]))
                continue
            lines.insert(0, (depth + 2, text[2:]))
            result.append(parsed(lines, depth + 2))
            continue
        key, colon, value = text.partition(":")
        assert colon and key not in result, f"'{text}': no key, or one that is there already"
        result[key] = scalar(value.strip()) if value.strip() else parsed(lines, lines[0][0])
    assert not lines or lines[0][0] < indent, f"'{lines[0][1]}' is indented too far"
    return result


def check_authors(authors):
    assert authors, "no authors"
    for author in authors:
        keys = set(author)
        assert keys and (keys <= PERSON and "family-names" in keys or keys <= ENTITY and "name" in keys), author


def check_types(entry, required, optional):
    for key, kind in required.items():
        assert key in entry, f"no {key}"
    for key, value in entry.items():
        kind = {**required, **optional}.get(key)
        assert kind, f"the format has no key {key}, or this test does not know it"
        assert isinstance(value, kind), f"{key}: {value!r} is not of type {kind.__name__}"
    for key in ("doi",):
        assert key not in entry or re.fullmatch(r"10\.\d{4,}/\S+", entry[key]), entry[key]


def check(text):
    lines = [(len(line) - len(line.lstrip()), line.strip()) for line in text.splitlines()
             if line.strip() and not line.lstrip().startswith("#")]
    citation = parsed(lines)
    assert not lines, lines
    check_types(citation, REQUIRED, OPTIONAL)
    assert citation["cff-version"] == "1.2.0" and citation.get("type") in (None, "software", "dataset")
    check_authors(citation["authors"])
    assert all(isinstance(word, str) for word in citation.get("keywords", []))
    for reference in citation.get("references", []):
        check_types(reference, {key: REFERENCE[key] for key in ("type", "title", "authors")}, REFERENCE)
        check_authors(reference["authors"])
    return citation


with open(f"{source}/CITATION.cff", encoding="utf-8") as file:
    good = file.read()
citation = check(good)
with open(f"{source}/CMakeLists.txt", encoding="utf-8") as file:
    version = re.search(r"project\([^)]*VERSION ([\d.]+)", file.read())[1]
assert citation["version"] == version, f"CITATION.cff names version {citation['version']}, the project is {version}"
with open(f"{source}/LICENSE", encoding="utf-8") as file:
    assert citation["license"] in file.read(), "another licence than in LICENSE"

# Each of these faults must be refused, because a check that accepts anything proves nothing.
for old, new in (("cff-version: 1.2.0\n", ""), ("title:", "titel:"), ('name: "The apmt authors"', 'nmae: "x"'),
                 ("    year: 2020", '    year: "soon"'), ("10.1007/", "doi.org/"), ("type: software", "type: poem"),
                 ("    volume: 2\n", "      volume: 2\n")):
    assert old in good, f"'{old}' is not in CITATION.cff any more: change this test"
    try:
        check(good.replace(old, new, 1))
    except (AssertionError, IndexError):
        continue
    sys.exit(f"accepted with '{new.strip()}' instead of '{old.strip()}'")
print(f"CITATION.cff: {len(citation)} keys, version {version}")
