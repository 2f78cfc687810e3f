#!/usr/bin/env python3
"""profile_schema.py ROOT: checks that docs/schemas/profile.schema.json describes the fields of docs/profile-fields.md:
the same fields, with the same types, limits and names of values. A unit test compares docs/profile-fields.md with the
table of fields in the sources. Also checks that five wrong schemas are found to be wrong."""
import copy
import json
import re
import sys
from pathlib import Path

root = Path(sys.argv[1])
types = {"text": "string", "true or false": "boolean", "whole number": "integer", "number": "number",
         "derived number": "number", "object": "object"}


def documented():
    """Type, rule and absence of each field by its path."""
    for line in (root / "docs/profile-fields.md").read_text().splitlines():
        if line.startswith("| `"):
            path, kind, _, rule, absence = (cell.strip() for cell in line.strip("|").split("|"))
            yield path.strip("`"), kind, rule, absence


def described(schema):
    """The schema of each value that is no list and no map, and whether it is required, by its path."""
    found = {}

    def walk(node, path, required, is_nullable=False):
        if "$ref" in node:
            node = schema["$defs"][node["$ref"].rpartition("/")[2]] | {k: v for k, v in node.items() if k != "$ref"}
        if "anyOf" in node:  # a value or null
            (other,) = (each for each in node["anyOf"] if each != {"type": "null"})
            return walk(other, path, required, True)
        kinds = node.get("type", "string")
        kinds = {kinds} if isinstance(kinds, str) else set(kinds)
        kinds |= {"null"} if is_nullable else set()
        if "array" in kinds:
            return walk(node.get("items", {}), path + "[]", required, "null" in kinds)
        if "properties" in node:
            found[path] = (node, kinds, required)
            for name, inner in node["properties"].items():
                walk(inner, f"{path}.{name}".lstrip("."), name in node.get("required", []))
        elif isinstance(node.get("additionalProperties"), dict):
            walk(node["additionalProperties"], path + ".<name>", required)
        else:
            found[path] = (node, kinds, required)
        return None

    walk(schema, "", True)
    return found


def differences(schema):
    found, known = described(schema), {"", "format", "format_version"}
    for path, kind, rule, absence in documented():
        known.add(path)
        if path not in found:
            yield f"{path}: not in the schema"
            continue
        node, kinds, required = found[path]
        if types[kind] not in kinds:
            yield f"{path}: {kind}, but the schema has {sorted(kinds)}"
        if (absence == "`null`") != ("null" in kinds):
            yield f"{path}: `null` only in one of the two"
        if absence != "`null`" and required != (absence == ""):
            yield f"{path}: may be absent only in one of the two"
        limits = re.fullmatch(r"from (\S+)(?: to (\S+))?", rule)
        wanted = tuple(float(each) if each else None for each in limits.groups()) if limits else (None, None)
        if kind != "derived number" and (node.get("minimum"), node.get("maximum")) != wanted:
            yield f"{path}: '{rule}', but the schema has {node.get('minimum')} to {node.get('maximum')}"
        names = re.findall(r"'([^']*)'", rule)
        if node.get("enum", []) != names:
            yield f"{path}: {names}, but the schema has {node.get('enum')}"
    # Objects that are always there have no line of their own.
    for path, (node, _, _) in found.items():
        if path not in known and "properties" not in node:
            yield f"{path}: only in the schema"


schema = json.loads((root / "docs/schemas/profile.schema.json").read_text())
if found := list(differences(schema)):
    sys.exit("\n".join(found))

faults = [lambda c: c["properties"].pop("procs"), lambda c: c["properties"]["procs"].update(minimum=0),
          lambda c: c["properties"]["procs"].update(type="number"), lambda c: c["required"].remove("procs"),
          lambda c: c["properties"].update(other={"type": "string"})]
for number, fault in enumerate(faults, 1):
    wrong = copy.deepcopy(schema)
    fault(wrong["properties"]["config"])
    if not list(differences(wrong)):
        sys.exit(f"fault {number} was not found")
